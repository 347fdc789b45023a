import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { fail } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { classify, errorNumber } from './database-errors.ts';
import { decide } from './decide.ts';
import { type GroupState, hasWrites, type WalletRow } from './group-state.ts';
import type { GroupStore } from './group-store.ts';
import { createIntake, type IntakeLimits, type Pending } from './intake.ts';
import { bytesOf, canBeUndone, isFinishing, type Operation, type Outcome, type Outcomes } from './operation.ts';

export interface CommitterOptions {
  store: GroupStore;
  limits: IntakeLimits;
  log: Logger;
  nodeId: string;
  /** A hold was committed although its caller had already been told that the ledger is away. */
  onOrphan?: (operation: Operation) => void;
  random?: () => number;
  /** Told of the wallets that a group locked, as they are now. */
  onWallets?: (wallets: Iterable<WalletRow>) => void;
  /** Told of each durable group: how many operations it had and how long it took. */
  onGroup?: (operations: number, durationMs: number) => void;
}

/**
 * Commits operations in groups: one transaction is in flight, and everything that arrives meanwhile joins the next one.
 * There is no timer. Nobody is answered before the COMMIT that carries the answer.
 */
export interface Committer {
  /** Resolves when the outcome is durable. Rejects only when the operation itself is at fault. */
  submit<T extends Operation>(operation: T): Promise<Outcomes[T['type']]>;
  /** Whether the database answered last time. */
  readonly up: boolean;
  readonly waiting: number;
  /** When the last outage ended, on the clock of `performance.now()`; absent when there was none. */
  readonly recoveredAt: number | undefined;
  /** Refuses new holds and waits until everything is durable, at most this long. */
  close(deadlineMs: number): Promise<void>;
}

/** An operation that could not be decided: the group runs again without it. */
class CulpritError extends Error {
  readonly pending: Pending;

  constructor(pending: Pending, cause: unknown) {
    super('An operation could not be decided.', { cause });
    this.pending = pending;
  }
}

/** A group that failed, and how far it had come. */
interface FailedGroup {
  error: unknown;
  pendings: Pending[];
  groupId: string;
  /** Set once COMMIT was sent: what everyone is answered if it turns out to have happened. */
  outcomes: Outcome[] | undefined;
  attempt: number;
}

const retryAfterMs = 1_000;
const contentionAttemptsMax = 10;
const parkMs = 500;
const outageRestMaxMs = 1_000;

export function createCommitter(options: CommitterOptions): Committer {
  const { store, log, nodeId, random = Math.random } = options;
  const intake = createIntake(options.limits);
  let running = false;
  let parked = 0;
  let up = true;
  let outageRests = 0;
  let recoveredAt: number | undefined;
  let closing = false;
  let stopped = false;

  return {
    submit<T extends Operation>(operation: T) {
      return new Promise<Outcome>((resolve, reject) => {
        const pending: Pending = { operation, bytes: bytesOf(operation), resolve, reject, abandoned: false };
        if (stopped) reject(new Error('The ledger is closed.'));
        else if (!isFinishing(operation) && (closing || !up)) refuse(pending);
        else if (intake.add(pending)) start();
        else if (operation.type === 'progress') resolve(undefined);
        else resolve(fail({ kind: 'overloaded', retryAfterMs }));
      }) as Promise<Outcomes[T['type']]>;
    },
    get up() {
      return up;
    },
    get waiting() {
      return intake.size + parked;
    },
    get recoveredAt() {
      return recoveredAt;
    },
    async close(deadlineMs) {
      closing = true;
      const deadline = performance.now() + deadlineMs;
      while ((running || intake.size + parked > 0) && performance.now() < deadline) await sleep(5);
      const left = intake.size + parked;
      if (running || left > 0) log.error({ waiting: left }, 'the ledger closes before everything is durable');
      stopped = true;
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
    // Whatever arrives in this turn shares the first group.
    await nextTurn();
    while ((intake.size > 0 || !up) && !stopped) {
      if (intake.size > 0) {
        // The next group is on its way before the last one is answered: the database works while callers go on.
        const next = runGroupSafely(intake.take());
        deliver();
        deliver = await next;
      } else await probe();
      if (intake.size > 0) continue;
      deliver();
      deliver = nobodyWaits;
      // Whoever was just answered may ask for the next thing first, so that they share the next group.
      await nextTurn();
    }
    deliver();
    // In the same turn as the check above, or what is submitted between them would wait for ever.
    running = false;
  }

  // A bug in here must not leave anyone waiting for ever, nor stop the groups that come after.
  async function runGroupSafely(group: Pending[]): Promise<() => void> {
    try {
      return await runGroup(group);
    } catch (error) {
      log.error({ err: error, operations: group.length }, 'ledger alarm: a group could not be handled');
      store.disconnect();
      for (const pending of group) pending.reject(new Error('The ledger failed.', { cause: error }));
      return nobodyWaits;
    }
  }

  /** Ends when every operation of the group is durable, refused, or parked for later. The returned function answers those that are durable. */
  async function runGroup(group: Pending[]): Promise<() => void> {
    let pendings = group;
    for (let attempt = 1; pendings.length > 0 && !stopped; attempt++) {
      const groupId = newId('grp');
      const startedAt = performance.now();
      let outcomes: Outcome[] | undefined;
      try {
        const open = await store.begin(operationsOf(pendings), nodeId);
        const decided = decideAll(pendings, open.state);
        if (hasWrites(open.state)) {
          await open.write(groupId);
          outcomes = decided;
          await open.commit();
        } else await store.rollback();
        cameUp();
        options.onWallets?.(open.state.wallets.values());
        options.onGroup?.(pendings.length, performance.now() - startedAt);
        const answered = pendings;
        return () => answer(answered, decided);
      } catch (error) {
        pendings = await recover({ error, pendings, groupId, outcomes, attempt });
      }
    }
    // Only when the ledger was stopped.
    for (const pending of pendings) pending.reject(new Error('The ledger is closed.'));
    return nobodyWaits;
  }

  /** Handles a failure by its kind; returns what is to be tried again as one group. */
  async function recover(failed: FailedGroup): Promise<Pending[]> {
    const { error, pendings, attempt } = failed;
    const trouble = error instanceof CulpritError ? 'statement' : classify(error);
    if (failed.outcomes && trouble !== 'contention') return findOut(failed, failed.outcomes);
    if (trouble === 'connection' || trouble === 'server') {
      store.disconnect();
      // An idle connection may simply have been closed: one new attempt before anyone is refused.
      if (attempt === 1 && up) return pendings;
      log.warn({ errno: errorNumber(error), trouble }, 'the ledger waits for its database');
      return waitForDatabase(pendings);
    }
    await store.rollback();
    if (trouble === 'contention') return backOff(pendings, attempt);
    return trouble === 'lock_wait' ? separateWallets(pendings, attempt) : isolate(failed);
  }

  /** COMMIT got no answer. Asks until it is known whether it happened, however long that takes. */
  async function findOut({ error, pendings, groupId }: FailedGroup, outcomes: Outcome[]): Promise<Pending[]> {
    log.warn({ errno: errorNumber(error), groupId }, 'a commit got no answer');
    for (let attempt = 1; !stopped; attempt++) {
      store.disconnect();
      try {
        const committed = await store.wasCommitted(groupId);
        cameUp();
        log.info({ groupId, committed }, 'the commit without an answer is known');
        if (!committed) return pendings.filter(({ abandoned }) => !abandoned);
        answer(pendings, outcomes);
        return [];
      } catch (again) {
        if (attempt > 1 && classify(again) !== 'lock_wait') {
          goDown();
          for (const pending of pendings) if (canBeUndone(pending.operation)) abandon(pending);
        }
        await restInOutage();
      }
    }
    return pendings;
  }

  async function waitForDatabase(pendings: Pending[]): Promise<Pending[]> {
    goDown();
    for (const pending of pendings) if (!isFinishing(pending.operation)) refuse(pending);
    await restInOutage();
    return pendings.filter(({ operation }) => isFinishing(operation));
  }

  async function backOff(pendings: Pending[], attempt: number): Promise<Pending[]> {
    if (attempt >= contentionAttemptsMax) return giveUpForNow(pendings);
    await sleep(random() * 10 * attempt);
    return pendings;
  }

  // Someone holds one of these wallets too long: the others must not wait for it again.
  async function separateWallets(pendings: Pending[], attempt: number): Promise<Pending[]> {
    const wallets = Map.groupBy(pendings, ({ operation }) => operation.walletId);
    if (wallets.size === 1) return attempt >= 2 ? giveUpForNow(pendings) : pendings;
    for (const own of wallets.values()) (await runGroup(own))();
    return [];
  }

  // Refused as a whole, twice: halve until the culprit is alone.
  async function isolate({ error, pendings, attempt }: FailedGroup): Promise<Pending[]> {
    if (error instanceof CulpritError) {
      await failCulprit(error.pending, error.cause);
      return pendings.filter((pending) => pending !== error.pending);
    }
    if (attempt === 1) return pendings;
    const [first] = pendings;
    if (first && pendings.length === 1) {
      await failCulprit(first, error);
      return [];
    }
    const middle = Math.ceil(pendings.length / 2);
    (await runGroup(pendings.slice(0, middle)))();
    (await runGroup(pendings.slice(middle)))();
    return [];
  }

  async function failCulprit(pending: Pending, error: unknown): Promise<void> {
    const { operation } = pending;
    const { type, walletId } = operation;
    if (type === 'settle' || type === 'release' || type === 'expire') {
      try {
        await store.keepDeadLetter(operation, error);
      } catch (again) {
        log.error({ err: again, type, walletId }, 'ledger alarm: an operation is refused and its dead letter as well');
        store.disconnect();
        return park([pending]);
      }
      log.error({ err: error, type, walletId, chargeId: operation.chargeId }, 'ledger alarm: a dead letter was kept');
    } else log.error({ err: error, type, walletId }, 'the ledger can not do an operation');
    pending.reject(new Error(`The ledger could not do "${type}".`, { cause: error }));
  }

  function giveUpForNow(pendings: Pending[]): Pending[] {
    for (const pending of pendings) if (!isFinishing(pending.operation)) refuse(pending);
    park(pendings.filter(({ operation }) => isFinishing(operation)));
    return [];
  }

  function park(pendings: Pending[]): void {
    if (pendings.length === 0) return;
    parked += pendings.length;
    setTimeout(() => {
      parked -= pendings.length;
      intake.putBack(pendings);
      start();
    }, parkMs);
  }

  async function probe(): Promise<void> {
    await restInOutage();
    try {
      await store.ping();
      cameUp();
    } catch {
      store.disconnect();
    }
  }

  function goDown(): void {
    if (up) log.error('the ledger is away: nothing is admitted until its database answers');
    up = false;
    for (const pending of intake.takeAdmissions()) refuse(pending);
  }

  function cameUp(): void {
    outageRests = 0;
    if (up) return;
    up = true;
    log.info('the ledger is back');
    recoveredAt = performance.now();
  }

  async function restInOutage(): Promise<void> {
    outageRests += 1;
    await sleep(Math.min(outageRestMaxMs, 25 * 2 ** Math.min(outageRests, 6)) * (0.5 + random() / 2));
  }

  function abandon(pending: Pending): void {
    if (pending.abandoned) return;
    pending.abandoned = true;
    refuse(pending);
  }

  function answer(pendings: Pending[], outcomes: Outcome[]): void {
    pendings.forEach((pending, index) => {
      if (pending.abandoned) options.onOrphan?.(pending.operation);
      else pending.resolve(outcomes[index]);
    });
  }
}

function decideAll(pendings: Pending[], state: GroupState): Outcome[] {
  return pendings.map((pending) => {
    try {
      return decide(pending.operation, state);
    } catch (error) {
      throw new CulpritError(pending, error);
    }
  });
}

function refuse({ operation, resolve }: Pending): void {
  resolve(operation.type === 'progress' ? undefined : fail({ kind: 'ledger_unavailable', retryAfterMs }));
}

function operationsOf(pendings: readonly Pending[]): Operation[] {
  return pendings.map(({ operation }) => operation);
}

const nobodyWaits = (): void => {};

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
