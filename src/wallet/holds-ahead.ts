import { FailureError, fail, type Result, succeed } from '../base/failure.ts';
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
   * Commits a hold together with its settlement; undefined when it went into a group before, and is settled there as
   * any other. Rejects with a `FailureError` when the hold is refused.
   */
  settle(operation: SettleOperation): Promise<Receipt> | undefined;
  /** Forgets a hold that was not sent yet; false when it went into a group before. */
  forget(chargeId: string): boolean;
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
  const waiting = new Map<string, Ahead>();

  function take(chargeId: string): Ahead | undefined {
    const entry = waiting.get(chargeId);
    clearTimeout(entry?.timer);
    waiting.delete(chargeId);
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
      waiting.set(chargeId, { operation, timer, resolve, reject });
      foresight.began(walletId, amount);
      if (!timer) void commit(chargeId);
      return { walletId, chargeId, amount, balance: amount, expiresAtMs: Date.now() + ttlMs, ttlMs, caps: [], pending };
    },
    settle(settlement) {
      const entry = take(settlement.chargeId);
      return entry && charge(entry, settlement);
    },
    forget(chargeId) {
      const entry = take(chargeId);
      if (!entry) return false;
      foresight.ended(entry.operation.walletId, entry.operation.request.ceiling);
      entry.resolve(fail({ kind: 'cancelled' }));
      return true;
    },
  };
}
