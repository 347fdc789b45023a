import { attempt, type DeliverDependencies } from './deliver.ts';
import { claimDelivery, type DeliveryRow, findDueDeliveries, testType } from './deliveries-store.ts';

/** Starts due deliveries, taking accounts in turn, so that nobody's slow endpoint delays anyone else's messages. */
export interface Dispatcher {
  /** Starts as many due deliveries as there is room for, without waiting for answers; returns how many. */
  start(): Promise<number>;
  /** Starts everything due, as room becomes free, and waits for the answers; returns how many. */
  drain(): Promise<number>;
  /** Starts nothing more, and waits for what is in flight. */
  close(): Promise<void>;
}

/** The maximum number of a node's attempts in flight: in total, for tests, per account, and per endpoint. */
export interface InFlightMax {
  all: number;
  tests: number;
  perAccount: number;
  perEndpoint: number;
}

export const inFlightDefault: InFlightMax = { all: 64, tests: 16, perAccount: 4, perEndpoint: 2 };

/** How long nobody else can claim what is being posted: longer than an attempt can take. */
export const leaseMs = 60_000;

export function createDispatcher(deps: DeliverDependencies, max: InFlightMax = inFlightDefault): Dispatcher {
  const { db, log } = deps;
  const inFlight = new Map<DeliveryRow, Promise<void>>();
  let last: Promise<number> = Promise.resolve(0);
  let waiting: Promise<number> | undefined;
  let startedInAll = 0;
  let closed = false;

  function has(matches: (row: DeliveryRow) => boolean): number {
    return [...inFlight.keys()].filter(matches).length;
  }

  /** The accounts or endpoints that have their maximum number of attempts in flight. */
  function full(of: 'account_id' | 'endpoint_id', most: number): string[] {
    const rows = Map.groupBy(inFlight.keys(), (row) => row[of]);
    return [...rows].filter(([, own]) => own.length >= most).map(([id]) => id);
  }

  function fits(row: DeliveryRow): boolean {
    return (
      inFlight.size < max.all &&
      (row.type !== testType || has(({ type }) => type === testType) < max.tests) &&
      has(({ account_id: id }) => id === row.account_id) < max.perAccount &&
      has(({ endpoint_id: id }) => id === row.endpoint_id) < max.perEndpoint
    );
  }

  async function startSome(): Promise<number> {
    const room = max.all - inFlight.size;
    if (closed || room <= 0) return 0;
    const due = await findDueDeliveries(db, {
      occupied: {
        accountIds: full('account_id', max.perAccount),
        endpointIds: full('endpoint_id', max.perEndpoint),
        tests: has(({ type }) => type === testType) >= max.tests,
      },
      perAccount: max.perAccount,
      perEndpoint: max.perEndpoint,
      // An account that already has some in flight may return more than it can start.
      limit: room * max.perAccount,
    });
    let started = 0;
    for (const row of due) {
      if (closed || !fits(row)) continue;
      // Reserved before it is claimed: another attempt that ends in the meantime may start more.
      const claimed = claimDelivery(db, row, leaseMs);
      inFlight.set(row, run(row, claimed));
      if (await claimed.catch(() => false)) started += 1;
    }
    startedInAll += started;
    return started;
  }

  async function run(row: DeliveryRow, claimed: Promise<boolean>): Promise<void> {
    try {
      if (await claimed) await attempt(deps, row);
    } catch (error) {
      // Its lease will end, and some node will post it again. Other due deliveries wait for the next round, so that nothing
      // spins.
      inFlight.delete(row);
      log.warn({ err: error }, 'what became of a webhook could not be noted; it is posted again');
      return;
    }
    inFlight.delete(row);
    start().catch((error: unknown) => log.warn({ err: error }, 'webhooks that are due could not be read'));
  }

  /** One at a time, because each must know what the one before has started; calls in the meantime share the next one. */
  function start(): Promise<number> {
    waiting ??= last
      .catch(() => 0)
      .then(() => {
        waiting = undefined;
        return startSome();
      });
    last = waiting;
    return waiting;
  }

  async function drain(): Promise<number> {
    const first = startedInAll;
    for (;;) {
      const before = startedInAll;
      const wasIdle = inFlight.size === 0;
      await start();
      // Only a search with nothing in flight sees everything that is due.
      if (wasIdle && startedInAll === before && inFlight.size === 0) return startedInAll - first;
      if (inFlight.size > 0) await Promise.race(inFlight.values());
    }
  }

  return {
    start,
    drain,
    async close() {
      closed = true;
      await last.catch(() => 0);
      await Promise.all(inFlight.values());
    },
  };
}
