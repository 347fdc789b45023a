import { type Failure, fail, type Result, succeed, unwrap } from '../../base/failure.ts';
import type { AdmissionForecast } from './admission-forecast.ts';
import type { Committer } from './committer.ts';
import type { Hold, Receipt } from './ledger.ts';
import type { ChargeOperation, HoldDecision, HoldOperation, Outcomes, SettleOperation } from './operation.ts';

/**
 * Holds whose commit is deferred. Each is committed on its own once its request has run for a while, or together with its
 * settlement if that comes first: one commit instead of two, and nothing waits for it.
 */
export interface DeferredHolds {
  /** Returns the expected hold and commits it `deferMs` later, or at once if 0. */
  begin(operation: HoldOperation, deferMs: number): Hold;
  /**
   * Commits a hold together with its settlement, or settles it if it already went into a group. Rejects with a `FailureError` if
   * the hold is refused; then nothing is charged.
   */
  settle(hold: Readonly<Hold>, operation: SettleOperation): Promise<Receipt>;
  /** Forgets an unsent hold; false if it already went into a group. */
  forget(chargeId: string): boolean;
  /** How many are still unsent. */
  readonly waiting: number;
  /** Refuses the unsent holds. */
  close(): void;
}

interface Deferred {
  operation: HoldOperation;
  timer: NodeJS.Timeout | undefined;
  /** Answers callers that ask for the hold, now or as soon as the result is known. */
  resolve: (outcome: Result<Hold> | Promise<Result<Hold>>) => void;
}

export function createDeferredHolds(
  committer: Committer,
  forecast: AdmissionForecast,
  holdOf: (operation: HoldOperation, decision: HoldDecision & { kind: 'held' }) => Hold,
): DeferredHolds {
  /** The unsent holds. */
  const waiting = new Map<string, Deferred>();

  function take(chargeId: string): Deferred | undefined {
    const entry = waiting.get(chargeId);
    waiting.delete(chargeId);
    clearTimeout(entry?.timer);
    return entry;
  }

  /** Sends the operation that commits a hold. However that ends, the hold is no longer deferred. */
  async function send<T extends HoldOperation | ChargeOperation>(
    { walletId, request }: HoldOperation,
    operation: T,
  ): Promise<Outcomes[T['type']]> {
    try {
      const decided = await committer.submit(operation);
      forecast.sawHold(request, decided);
      if (!decided.ok) forecast.wasWrong(walletId);
      return decided;
    } finally {
      forecast.defer(walletId, -request.ceiling);
    }
  }

  function commit(chargeId: string): void {
    const entry = take(chargeId);
    if (entry) entry.resolve(commitAlone(entry.operation));
  }

  async function commitAlone(operation: HoldOperation): Promise<Result<Hold>> {
    const decided = await send(operation, operation);
    if (!decided.ok) return decided;
    if (decided.value.kind === 'replayed') throw new Error('A hold without an idempotency key was replayed.');
    return succeed(holdOf(operation, decided.value));
  }

  async function charge({ operation: hold, resolve }: Deferred, settlement: SettleOperation): Promise<Receipt> {
    const { walletId, chargeId } = settlement;
    const sent = send(hold, { type: 'charge', walletId, chargeId, hold, settlement });
    // Tell later callers that it was granted, although it has since ended.
    const given = ({ balance, charged }: Receipt) => ({ ...expected(hold), balance: balance + charged });
    resolve(sent.then((decided) => (decided.ok ? succeed(given(decided.value.receipt)) : decided)));
    return unwrap(await sent).receipt;
  }

  /** Gives up an unsent hold; false if there is none. */
  function giveUp(chargeId: string, failure: Failure): boolean {
    const entry = take(chargeId);
    if (!entry) return false;
    forecast.defer(entry.operation.walletId, -entry.operation.request.ceiling);
    entry.resolve(fail(failure));
    return true;
  }

  return {
    begin(operation, deferMs) {
      const { promise: pending, resolve } = Promise.withResolvers<Result<Hold>>();
      // Only the caller that settles or releases needs the error, so it may stay unhandled here.
      pending.catch(() => undefined);
      const { walletId, chargeId, request } = operation;
      const timer = deferMs > 0 ? setTimeout(commit, deferMs, chargeId) : undefined;
      waiting.set(chargeId, { operation, timer, resolve });
      forecast.defer(walletId, request.ceiling);
      if (!timer) commit(chargeId);
      return { ...expected(operation), pending };
    },
    async settle(hold, settlement) {
      const entry = take(settlement.chargeId);
      if (entry) return charge(entry, settlement);
      if (hold.pending) unwrap(await hold.pending);
      return committer.submit(settlement);
    },
    forget: (chargeId) => giveUp(chargeId, { kind: 'cancelled' }),
    get waiting() {
      return waiting.size;
    },
    close() {
      for (const chargeId of waiting.keys()) giveUp(chargeId, { kind: 'ledger_unavailable', retryAfterMs });
    },
  };
}

/** The hold as it will be if nothing unforeseen happens. */
function expected({ walletId, chargeId, request: { ceiling }, ttlMs }: HoldOperation): Hold {
  return {
    walletId,
    chargeId,
    amount: ceiling,
    ceiling,
    balance: ceiling,
    expiresAtMs: Date.now() + ttlMs,
    ttlMs,
    caps: [],
  };
}

const retryAfterMs = 1_000;
