import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { fail } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { WalletRow } from '../tables.ts';
import {
  type Attempt,
  attemptOf,
  byWallet,
  CulpritError,
  decideAll,
  halves,
  markAgain,
  refuse,
  refuseWhatCan,
  rejectAll,
  retryAfterMs,
} from './attempt.ts';
import type { GroupState } from './decide/group-state.ts';
import { collectedBy } from './decide/post.ts';
import { bytesOf, isFinishing, type Operation, type Outcome, type Outcomes } from './operation.ts';
import { OperationQueue, type Pending, type QueueLimits, split } from './queue.ts';
import { classify, errorNumber } from './store/database-errors.ts';
import type { GroupStore } from './store/group-store.ts';

export interface CommitterOptions {
  store: GroupStore;
  limits: QueueLimits;
  log: Logger;
  nodeId: string;
  random?: () => number;
  /** How long new holds wait for a wallet that is locked elsewhere before they are refused. */
  lockedMaxMs?: number;
  /** Called with the current state of the wallets that a group locked. */
  onWallets?: (wallets: Iterable<WalletRow>) => void;
  /** Called for each durable group with its number of operations, its duration, and what it collected for use. */
  onGroup?: (operations: number, durationMs: number, collected: NanoUsd) => void;
}

/**
 * Commits operations in groups: while one transaction is in flight, everything that arrives joins the next one. There is no
 * timer. No caller gets an answer before the COMMIT that makes it durable.
 *
 * The outcome of a COMMIT without an answer is not queried: the same operations run again, and each finds what it did before. If
 * the old transaction is still alive, it has their wallets locked; if it is gone, its changes are either visible or not there.
 */
export interface Committer {
  /** Resolves when the outcome is durable. Rejects only if the operation itself is at fault. */
  submit<T extends Operation>(operation: T): Promise<Outcomes[T['type']]>;
  /** Whether the database answered the last time it was used. */
  readonly up: boolean;
  readonly waiting: number;
  /** When the last outage ended, by `performance.now()`; initially when this process started, as it knows of no outage before that. */
  readonly recoveredAt: number;
  /** Refuses new holds and waits, at most this long, until everything is durable. */
  close(deadlineMs: number): Promise<void>;
}

const contentionFailuresMax = 10;
const parkMs = 500;
const outageRestMaxMs = 1_000;
/** A wallet that is locked elsewhere is retried after about this long; less often once a second has passed. */
const contendedMs = 8;
const contendedLongMs = 250;
const contendedLongAfterMs = 1_000;
/** After this many groups without a pause, a node that recently contended with another for a wallet gives it a moment to take the lock. */
const groupsInARowMax = 8;
const giveWayMs = 2;
const metRecentlyMs = 1_000;

export function createCommitter(options: CommitterOptions): Committer {
  const { store, log, nodeId, random = Math.random, lockedMaxMs = 2_000 } = options;
  const queue = new OperationQueue(options.limits);
  /** Wallets locked elsewhere and since when, while something waits for them. */
  const contended = new Map<string, number>();
  /** When another session was last found holding a wallet's lock. */
  let metAt = Number.NEGATIVE_INFINITY;
  let running = false;
  /** A group is being committed. */
  let committing = false;
  /** How many rests the current outage has lasted; 0 while the database answers. */
  let outageRests = 0;
  let recoveredAt = performance.now();
  let closing = false;
  let stopped = false;

  return {
    submit<T extends Operation>(operation: T) {
      return new Promise<Outcome>((resolve, reject) => {
        const pending: Pending = { operation, bytes: bytesOf(operation), resolve, reject };
        if (stopped) reject(new Error('The ledger is closed.'));
        else if (!isFinishing(operation) && (closing || outageRests > 0)) refuse(pending);
        else if (queue.add(pending)) start();
        else if (operation.type === 'progress') resolve(undefined);
        else resolve(fail({ kind: 'overloaded', retryAfterMs }));
      }) as Promise<Outcomes[T['type']]>;
    },
    get up() {
      return outageRests === 0;
    },
    get waiting() {
      return queue.size;
    },
    get recoveredAt() {
      return recoveredAt;
    },
    async close(deadlineMs) {
      closing = true;
      const deadline = performance.now() + deadlineMs;
      while ((committing || queue.size > 0) && performance.now() < deadline) await sleep(5);
      const left = queue.size;
      if (committing || left > 0) log.error({ waiting: left }, 'the ledger closes before everything is durable');
      stopped = true;
      rejectAll(queue.takeAll());
      await store.close();
    },
  };

  function start(): void {
    if (running) return;
    running = true;
    void run();
  }

  async function run(): Promise<void> {
    let deliver = nobodyWaits;
    let inARow = 0;
    // Everything that arrives in this turn shares the first group.
    await nextTurn();
    while ((queue.ready > 0 || (outageRests > 0 && !closing)) && !stopped) {
      if (queue.ready > 0) {
        // Send the next group before answering the last one: the database works while callers continue.
        const next = runGroup(queue.take());
        deliver();
        deliver = await next;
        inARow += 1;
      } else await probe();
      const givesWay = inARow >= groupsInARowMax && performance.now() - metAt < metRecentlyMs;
      if (queue.ready > 0 && !givesWay) continue;
      deliver();
      deliver = nobodyWaits;
      inARow = 0;
      // Callers that were just answered may submit more first, so that it joins the next group.
      await (givesWay ? sleep(giveWayMs) : nextTurn());
    }
    deliver();
    // In the same turn as the check above; anything submitted in between would wait forever.
    running = false;
  }

  /** Resolves when every operation of the group is durable, refused, or set aside. The returned function answers the last durable ones. */
  async function runGroup(group: Pending[]): Promise<() => void> {
    committing = true;
    try {
      return await runAttempts(group);
    } catch (error) {
      // A bug here must not leave a caller waiting forever or stop later groups.
      log.error({ err: error, operations: group.length }, 'ledger alarm: a group could not be handled');
      store.disconnect();
      for (const pending of group) pending.reject(new Error('The ledger failed.', { cause: error }));
      return nobodyWaits;
    } finally {
      committing = false;
    }
  }

  async function runAttempts(group: Pending[]): Promise<() => void> {
    const skipLocked = contended.size > 0 && group.some(({ operation }) => contended.has(operation.walletId));
    // A group that has to be split becomes several, run one after the other.
    const work = [attemptOf(group, skipLocked)];
    let deliver = nobodyWaits;
    for (let attempt = work.shift(); attempt; attempt = work.shift()) {
      if (attempt.pendings.length === 0) continue;
      if (stopped) {
        rejectAll(attempt.pendings);
        continue;
      }
      const durable = await runAttempt(attempt, work);
      deliver();
      deliver = durable ?? nobodyWaits;
    }
    return deliver;
  }

  /**
   * Runs one transaction. Returns the function that answers its operations; on failure returns nothing and puts retries at the
   * front of `work`.
   */
  async function runAttempt(attempt: Attempt, work: Attempt[]): Promise<(() => void) | undefined> {
    const startedAt = performance.now();
    let sent = false;
    let state: GroupState;
    let decided: Outcome[];
    try {
      const { pendings, skipLocked } = attempt;
      const operations = pendings.map(({ operation }) => operation);
      const open = await store.begin(operations, { nodeId, skipLocked });
      attempt.pendings = setLockedAside(pendings, open.lockedElsewhere);
      state = open.state;
      decided = decideAll(attempt.pendings, state);
      if (await open.write()) {
        sent = true;
        await open.commit();
        cameUp();
      } else await store.rollback();
    } catch (error) {
      work.unshift(...(await recover(error, attempt, { sent, work })));
      return undefined;
    }
    const { pendings } = attempt;
    if (pendings.length === 0) return undefined;
    if (contended.size > 0) for (const { operation } of pendings) contended.delete(operation.walletId);
    options.onWallets?.(state.wallets.values());
    options.onGroup?.(pendings.length, performance.now() - startedAt, collectedBy(state));
    return () => pendings.forEach(({ resolve }, index) => void resolve(decided[index]));
  }

  /** Handles a failure by its kind; returns what to retry, each as one group. */
  async function recover(
    error: unknown,
    attempt: Attempt,
    { sent, work }: { sent: boolean; work: readonly Attempt[] },
  ): Promise<Attempt[]> {
    const { pendings, failures, skipLocked } = attempt;
    const trouble = error instanceof CulpritError ? 'statement' : classify(error);
    // Anything retried after its COMMIT was sent may already be committed.
    if (sent) markAgain(pendings);
    if (trouble === 'connection' || trouble === 'server' || (sent && trouble !== 'contention')) {
      store.disconnect();
      log.warn({ errno: errorNumber(error), trouble, sent }, 'the ledger lost its database');
      failures.connection += 1;
      // An idle connection may simply have been closed: try once more before refusing anyone.
      if (failures.connection > 1 || outageRests > 0) await waitForDatabase([attempt, ...work]);
      return [attempt];
    }
    await store.rollback();
    if (trouble === 'contention') {
      failures.contention += 1;
      if (failures.contention < contentionFailuresMax) {
        await sleep(random() * 10 * failures.contention);
        return [attempt];
      }
      setAside(pendings);
      return [];
    }
    if (trouble === 'lock_wait') {
      if (!skipLocked) return [attemptOf(pendings, true)];
      const own = byWallet(pendings);
      if (own.length > 1) return halves(own, skipLocked);
      setAside(pendings);
      return [];
    }
    if (error instanceof CulpritError) {
      await failCulprit(error.pending, error.cause);
      attempt.pendings = pendings.filter((pending) => pending !== error.pending);
      return [attempt];
    }
    failures.statement += 1;
    // The whole group was refused twice: halve it until the culprit is alone.
    if (failures.statement === 1) return [attempt];
    const alone = pendings.map((pending) => [pending]);
    if (alone.length > 1) return halves(alone, skipLocked);
    for (const pending of pendings) await failCulprit(pending, error);
    return [];
  }

  /** Waits out a database outage. Refuses what can be refused; what may have been committed is found out once it is back. */
  async function waitForDatabase(attempts: readonly Attempt[]): Promise<void> {
    if (outageRests === 0) log.error('the ledger is away: nothing is admitted until its database answers');
    outageRests += 1;
    refuseAdmissions();
    for (const attempt of attempts) attempt.pendings = refuseWhatCan(attempt.pendings);
    await rest();
  }

  function setLockedAside(pendings: Pending[], walletIds: ReadonlySet<string>): Pending[] {
    if (walletIds.size === 0) return pendings;
    const [out, rest] = split(pendings, ({ operation }) => walletIds.has(operation.walletId));
    setAside(out);
    return rest;
  }

  /** Makes each locked wallet wait separately, for a random time so that two nodes do not keep colliding. */
  function setAside(pendings: readonly Pending[]): void {
    const now = performance.now();
    metAt = now;
    for (const own of byWallet(pendings)) {
      const walletId = own[0]?.operation.walletId ?? '';
      const since = contended.get(walletId) ?? now;
      contended.set(walletId, since);
      const aside = now - since < contendedLongAfterMs ? contendedMs : contendedLongMs;
      leaveAside(walletId, own, aside * (0.25 + random() * 0.75));
      if (now - since > lockedMaxMs) refuseAdmissions(walletId);
    }
  }

  function leaveAside(walletId: string, pendings: readonly Pending[], ms: number): void {
    queue.setAside(walletId, pendings);
    setTimeout(() => {
      if (stopped) return;
      if (!queue.takeUp(walletId)) contended.delete(walletId);
      start();
    }, ms);
  }

  async function failCulprit(pending: Pending, error: unknown): Promise<void> {
    const { operation } = pending;
    const { type, walletId } = operation;
    contended.delete(walletId);
    if (type === 'settle' || type === 'release' || type === 'expire') {
      try {
        await store.keepDeadLetter(operation, error);
      } catch (failed) {
        log.error({ err: failed, type, walletId }, 'ledger alarm: an operation is refused and its dead letter as well');
        if (classify(failed) === 'connection') store.disconnect();
        leaveAside(walletId, [pending], parkMs);
        return;
      }
      log.error({ err: error, type, walletId, chargeId: operation.chargeId }, 'ledger alarm: a dead letter was kept');
    } else log.error({ err: error, type, walletId }, 'the ledger can not do an operation');
    pending.reject(new Error(`The ledger could not do "${type}".`, { cause: error }));
  }

  async function probe(): Promise<void> {
    outageRests += 1;
    await rest();
    try {
      await store.ping();
      cameUp();
    } catch {
      store.disconnect();
    }
  }

  function refuseAdmissions(asideWalletId?: string): void {
    for (const pending of refuseWhatCan(queue.takeAdmissions(asideWalletId))) queue.add(pending);
  }

  function cameUp(): void {
    if (outageRests === 0) return;
    outageRests = 0;
    log.info('the ledger is back');
    recoveredAt = performance.now();
  }

  async function rest(): Promise<void> {
    await sleep(Math.min(outageRestMaxMs, 25 * 2 ** Math.min(outageRests, 6)) * (0.5 + random() / 2));
  }
}

const nobodyWaits = (): void => {};
