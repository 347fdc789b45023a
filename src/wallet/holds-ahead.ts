import { type Failure, FailureError, fail, type Result, succeed, unwrap } from '../base/failure.ts';
import { InFlight } from '../base/in-flight.ts';
import { minOf, type NanoUsd } from '../base/money.ts';
import type { Committer } from './committer.ts';
import type { Foresight } from './foresight.ts';
import type { Hold, Receipt } from './ledger.ts';
import type { HoldDecision, HoldOperation, Outcomes, SettleOperation } from './operation.ts';

/**
 * Holds that were answered before their commit. Each is committed by itself when its request has run for a while, or
 * together with its settlement when that comes first: one commit in place of two, and none waits for it.
 */
export interface HoldsAhead {
  /** Answers with the hold that is expected, and commits it `commitAfterMs` later, or at once with 0. */
  begin(operation: HoldOperation, commitAfterMs: number): Hold;
  /**
   * Commits a hold together with its settlement, or settles it when it went into a group before. Rejects with a
   * `FailureError` when the hold is refused, or does not cover what the work cost; then nothing is charged.
   */
  settle(hold: Readonly<Hold>, operation: SettleOperation): Promise<Receipt>;
  /** Forgets a hold that was not sent yet; false when it went into a group before. */
  forget(chargeId: string): boolean;
  /** How many were not sent yet. */
  readonly waiting: number;
  /** Refuses those that were not sent yet. */
  close(): void;
}

interface Ahead {
  operation: HoldOperation;
  timer: NodeJS.Timeout | undefined;
  resolve: (outcome: Result<Hold>) => void;
  reject: (error: unknown) => void;
}

export function createHoldsAhead(
  committer: Committer,
  foresight: Foresight,
  holdOf: (operation: HoldOperation, decision: HoldDecision & { kind: 'held' }) => Hold,
): HoldsAhead {
  /** Those that were not sent yet. */
  const waiting = new InFlight<Ahead>();

  function take(chargeId: string): Ahead | undefined {
    const entry = waiting.take(chargeId);
    clearTimeout(entry?.timer);
    return entry;
  }

  async function commit(chargeId: string): Promise<void> {
    const entry = take(chargeId);
    if (!entry) return;
    try {
      conclude(entry, await committer.submit(entry.operation));
    } catch (error) {
      breakOff(entry, error);
    }
  }

  async function charge(entry: Ahead, settlement: SettleOperation): Promise<Receipt> {
    const { walletId, chargeId } = settlement;
    const operation = { type: 'charge', walletId, chargeId, hold: entry.operation, settlement } as const;
    let decided: Outcomes['charge'];
    try {
      decided = await committer.submit(operation);
    } catch (error) {
      breakOff(entry, error);
      throw error;
    }
    conclude(entry, decided.ok ? succeed(decided.value.hold) : decided);
    if (!decided.ok) throw new FailureError(decided.failure);
    return decided.value.receipt;
  }

  /** Adds what is missing to a hold that was given in part, since the work was done for all of it; or releases it. */
  async function cover({ walletId, chargeId, amount, ttlMs }: Hold, due: NanoUsd): Promise<void> {
    const more = due - amount;
    if (more <= 0n) return;
    const reference = { walletId, chargeId, capOwners: [], idempotency: undefined };
    const extended = await committer.submit({ type: 'extend', ...reference, more, minimum: more, ttlMs });
    // One that has ended stays as it ended, and its receipt says how.
    if (extended.ok || extended.failure.kind === 'precondition_failed') return;
    await committer.submit({ type: 'release', ...reference });
    throw new FailureError(extended.failure);
  }

  /** Ends one that nothing was sent of. */
  function giveUp({ operation, resolve }: Ahead, failure: Failure): void {
    foresight.ended(operation.walletId, operation.request.ceiling);
    resolve(fail(failure));
  }

  function conclude(entry: Ahead, decided: Result<HoldDecision>): void {
    const { operation } = entry;
    foresight.ended(operation.walletId, operation.request.ceiling);
    foresight.sawHold(operation.request, decided);
    if (!decided.ok) entry.resolve(decided);
    else if (decided.value.kind === 'held') entry.resolve(succeed(holdOf(operation, decided.value)));
    else entry.reject(new Error('A hold without an idempotency key was replayed.'));
  }

  function breakOff({ operation, reject }: Ahead, error: unknown): void {
    foresight.ended(operation.walletId, operation.request.ceiling);
    reject(error);
  }

  return {
    begin(operation, commitAfterMs) {
      const { promise: pending, resolve, reject } = Promise.withResolvers<Result<Hold>>();
      // Whoever settles or releases hears of it; nobody else has to listen.
      pending.catch(() => undefined);
      const { walletId, chargeId, request, ttlMs } = operation;
      const { ceiling: amount } = request;
      const timer = commitAfterMs > 0 ? setTimeout(() => void commit(chargeId), commitAfterMs) : undefined;
      waiting.put(chargeId, { operation, timer, resolve, reject });
      foresight.began(walletId, amount);
      if (!timer) void commit(chargeId);
      return { walletId, chargeId, amount, balance: amount, expiresAtMs: Date.now() + ttlMs, ttlMs, caps: [], pending };
    },
    async settle(hold, settlement) {
      const entry = take(settlement.chargeId);
      if (entry) return charge(entry, settlement);
      const held = hold.pending ? unwrap(await hold.pending) : hold;
      await cover(held, minOf(settlement.cost, hold.amount));
      return committer.submit(settlement);
    },
    forget(chargeId) {
      const entry = take(chargeId);
      if (entry) giveUp(entry, { kind: 'cancelled' });
      return entry !== undefined;
    },
    get waiting() {
      return waiting.size;
    },
    close() {
      for (const chargeId of waiting.ids) {
        const entry = take(chargeId);
        if (entry) giveUp(entry, { kind: 'ledger_unavailable', retryAfterMs });
      }
    },
  };
}

const retryAfterMs = 1_000;
