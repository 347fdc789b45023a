import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { createRounds } from '../base/rounds.ts';
import type { Database } from '../db/index.ts';
import { latestKeptMs, minuteMs } from './latest.ts';
import { grains, hourMs, hoursPerDay } from './rollup.ts';
import * as store from './sweep-store.ts';

/**
 * Retention and erasure: walks through each account's events once a day, and promptly when a person is to be forgotten. Any
 * number of nodes may sweep; each account is walked by one of them. The work is done in small parts with pauses in between, so
 * that recording never waits for it.
 */
export interface Sweeper {
  /** Walks all accounts that are due; also runs automatically every minute. Returns how many it walked. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}

const everyMs = 60_000;
const leaseSeconds = 300;
const walkEverySeconds = 86_400;
const rowsAtOnce = 2_000;
const accountsAtOnceMax = 1_000;
/** How long to pause after each part, as a multiple of the time it took. */
const restFactor = 3;

export interface SweeperDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  /** For events, and for sessions after their last event. */
  retentionMs: number;
  rollupRetentionMs: number;
  restFactor?: number;
}

export function createSweeper(deps: SweeperDeps): Sweeper {
  const { db, log } = deps;
  const stop = new AbortController();
  let running: Promise<number> = Promise.resolve(0);

  async function sweepDue(): Promise<number> {
    for (let walked = 0; walked < accountsAtOnceMax && !stop.signal.aborted; walked++) {
      const accountNo = await store.claimDueAccount(db, leaseSeconds);
      if (accountNo === undefined) return walked;
      await walkAccount(deps, accountNo, stop.signal);
    }
    return accountsAtOnceMax;
  }

  function sweep(): Promise<number> {
    running = running.catch(() => 0).then(sweepDue);
    return running;
  }

  const rounds = createRounds({
    everyMs,
    run: sweep,
    onError: (error) => {
      if (!stop.signal.aborted) log.warn({ err: error }, 'pulse retention did not finish; it goes on within minutes');
    },
  });
  rounds.start();

  return {
    sweep,
    close: async () => {
      stop.abort();
      await rounds.close();
      await running.catch(() => 0);
    },
  };
}

async function walkAccount(deps: SweeperDeps, accountNo: number, signal: AbortSignal): Promise<void> {
  const { db, clock } = deps;
  const erasures = await store.readErasures(db, accountNo);
  const now = clock.now();
  const part = restAfterEach(deps, accountNo, signal);
  await walkEvents(deps, { accountNo, userKeys: erasures.userKeys, beforeMs: now - deps.retentionMs }, part);
  const more = await store.finishErasures(db, accountNo, erasures.asOf);
  for (const journeyNo of await store.journeyNumbers(db, accountNo)) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const at: { accountNo: number; journeyNo: number; after: string } = { accountNo, journeyNo, after };
      after = await part(() => store.sweepSessions(db, at, now - deps.retentionMs, rowsAtOnce));
    }
    const beforeMinute = Math.floor((now - latestKeptMs) / minuteMs);
    while (await part(() => store.sweepLatest(db, { accountNo, journeyNo }, beforeMinute, rowsAtOnce)));
    // Whole days, or a day's cell would be deleted before the last of its hours.
    const beforeHour = Math.floor((now - deps.rollupRetentionMs) / hourMs / hoursPerDay) * hoursPerDay;
    for (const grain of Object.values(grains)) {
      while (await part(() => store.sweepCells(db, { accountNo, journeyNo, grain }, beforeHour, rowsAtOnce)));
    }
  }
  await store.renewLease(db, accountNo, more ? 0 : walkEverySeconds);
}

type Part = <T>(work: () => Promise<T>) => Promise<T>;

async function walkEvents(
  { db }: SweeperDeps,
  walk: { accountNo: number; userKeys: ReadonlySet<string>; beforeMs: number },
  part: Part,
): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const from: string = after;
    after = await part(async () => {
      const events = await store.readEventsAfter(db, walk.accountNo, from, rowsAtOnce);
      const old = events.filter(({ occurredMs }) => occurredMs < walk.beforeMs);
      const erased = events.filter(({ userKey }) => userKey !== undefined && walk.userKeys.has(userKey));
      await store.deleteEvents(
        db,
        walk.accountNo,
        old.map(({ id }) => id),
      );
      await store.erasePersonFrom(
        db,
        walk.accountNo,
        erased.map(({ id }) => id),
      );
      return events.length < rowsAtOnce ? undefined : events.at(-1)?.id;
    });
  }
}

/** Runs the parts of a walk with pauses in between, and renews the account's lease while it lasts. */
function restAfterEach(deps: SweeperDeps, accountNo: number, signal: AbortSignal): Part {
  const { db, clock } = deps;
  let renewedAt = clock.monotonic();
  return async (work) => {
    signal.throwIfAborted();
    const began = clock.monotonic();
    const result = await work();
    const now = clock.monotonic();
    if (now - renewedAt > (leaseSeconds * 1_000) / 4) {
      await store.renewLease(db, accountNo, leaseSeconds);
      renewedAt = now;
    }
    const rest = (now - began) * (deps.restFactor ?? restFactor);
    if (rest >= 1) await sleep(rest, undefined, { signal });
    return result;
  };
}
