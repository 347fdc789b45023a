import type { Caller } from '../base/caller.ts';
import { FailureError, fail, type Result, succeed } from '../base/failure.ts';
import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import type { ExtendTerms, Hold, HoldRequest, Ledger, Progress, Receipt, Settlement, Usage } from './ledger/ledger.ts';

/** Model tokens reserved under the caller's limits until the actual use is known. */
export interface ReservedTokens {
  settle(tokens: number): void;
}

/** Reserves model tokens, or says when to retry. */
export type ReserveTokens = (
  caller: Caller,
  tokens: number,
) => Result<ReservedTokens> | Promise<Result<ReservedTokens>>;

/** What a reply is paid from: a charge or part of one. If disposed of unsettled, it gives everything back. */
export interface Funds extends AsyncDisposable {
  /** The charge's id. */
  readonly id: string;
  /** What is held: what work is planned for. */
  readonly amount: NanoUsd;
  /** The most that is charged. More than the amount if the request was granted less than it can cost. */
  readonly ceiling: NanoUsd;
  /** The wallet's balance at admission, including held credit. */
  readonly balance: NanoUsd;
  /** Set while the hold is not committed; see `Hold.pending`. */
  readonly pending: Hold['pending'];
  /** Whether a retry may ask for the reply, so it must be stored with the settlement. */
  readonly replayable: boolean;
  /** Like `Ledger.settle`, but only once: later calls return the same receipt. */
  settle(settlement: Readonly<Settlement>): Promise<Receipt>;
  /** Like `Ledger.release`. */
  release(reason: string): Promise<void>;
}

/** What part of a request has cost, useful or not. */
export interface Spending {
  readonly cost: NanoUsd;
  /** Undefined if nothing was used. */
  readonly usage: Usage | undefined;
}

export type ChargeOutcome =
  | { kind: 'held'; charge: OpenCharge }
  | { kind: 'replayed'; receipt: Receipt; reply: Uint8Array };

/**
 * Opens the charge of one request: calls `Ledger.hold` and returns one object that owns the held credit and the reserved tokens.
 * Fails like `hold`, and with `reply_purged` for a repeated request whose reply is not kept; then the tokens are given back.
 */
export async function openCharge(
  ledger: Ledger,
  request: Readonly<HoldRequest>,
  tokens?: ReservedTokens,
): Promise<Result<ChargeOutcome>> {
  let charge: OpenCharge | undefined;
  const askedAt = performance.now();
  try {
    const held = await ledger.hold(request);
    if (!held.ok) return held;
    if (held.value.kind === 'held') {
      charge = new OpenCharge(ledger, held.value.hold, { tokens, askedAt });
      return succeed({ kind: 'held', charge });
    }
    const { reply, receipt } = held.value;
    return reply
      ? succeed({ kind: 'replayed', receipt, reply })
      : fail({ kind: 'reply_purged', chargeId: receipt.chargeId });
  } finally {
    if (!charge) tokens?.settle(0);
  }
}

/** Runs the work that ends a charge; if the charge is left open, by an error or otherwise, everything is given back. */
export async function endingCharge<T>(funds: Funds, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await funds[Symbol.asyncDispose]();
  }
}

/** A charge from its hold to its end. */
export class OpenCharge implements Funds {
  readonly #ledger: Ledger;
  readonly #tokens: ReservedTokens | undefined;
  readonly #askedAt: number;
  #hold: Hold;
  #settling: Promise<Receipt> | undefined;
  #released = false;

  /** `askedAt`: when its credit was requested, by `performance.now`. */
  constructor(
    ledger: Ledger,
    hold: Hold,
    { tokens, askedAt }: { tokens: ReservedTokens | undefined; askedAt: number },
  ) {
    this.#ledger = ledger;
    this.#hold = hold;
    this.#tokens = tokens;
    this.#askedAt = askedAt;
    // From then on it is known how much was granted; why it was refused, whoever asks for it hears.
    hold.pending?.then(
      (committed) => {
        if (committed.ok) this.#hold = committed.value;
      },
      () => undefined,
    );
  }

  get id(): string {
    return this.#hold.chargeId;
  }
  get amount(): NanoUsd {
    return this.#hold.amount;
  }
  get ceiling(): NanoUsd {
    return this.#hold.ceiling;
  }
  get balance(): NanoUsd {
    return this.#hold.balance;
  }
  get pending(): Hold['pending'] {
    return this.#hold.pending;
  }
  get replayable(): boolean {
    return this.#hold.idempotency !== undefined;
  }

  /** Waits until the hold is committed, after which `amount` may be less; or returns why it was refused. */
  async committed(): Promise<Result<void>> {
    const held = await this.#hold.pending;
    if (held?.ok) this.#hold = held.value;
    return held && !held.ok ? held : succeed(undefined);
  }

  /** Like `Ledger.extend`. */
  async extend(more: NanoUsd, terms?: Readonly<ExtendTerms>): Promise<Result<void>> {
    const extended = await this.#ledger.extend(this.#hold, more, terms);
    if (!extended.ok) return extended;
    this.#hold = extended.value;
    return succeed(undefined);
  }

  /** Like `Ledger.recordProgress`; does nothing once the charge has ended. */
  async progress(progress: Readonly<Progress>): Promise<void> {
    if (!this.#hasEnded) await this.#ledger.recordProgress(this.#hold, progress);
  }

  settle(settlement: Readonly<Settlement>): Promise<Receipt> {
    if (!this.#settling) {
      this.#tokens?.settle(tokensOf(settlement.usage));
      const latencyMs = Math.round(performance.now() - this.#askedAt);
      const outcome = { ...settlement.outcome, latencyMs };
      this.#settling = this.#ledger.settle(this.#hold, { ...settlement, outcome });
    }
    return this.#settling;
  }

  async release(reason: string): Promise<void> {
    if (this.#hasEnded) return;
    this.#released = true;
    this.#tokens?.settle(0);
    await this.#ledger.release(this.#hold, reason);
  }

  /** Never rejects, so that it masks no earlier error: a hold that can't be released expires. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release('not settled').catch(() => undefined);
  }

  get #hasEnded(): boolean {
    return this.#released || this.#settling !== undefined;
  }
}

/**
 * A part of a charge that several calls may spend; the enclosing charge settles what they spent. Work is planned for what is
 * held. What a provider counts beyond that is spent as well, up to the charge's ceiling.
 */
export class Budget {
  readonly #id: string;
  readonly #amount: NanoUsd;
  readonly #ceiling: NanoUsd;
  #spent: Spending = { cost: 0n, usage: undefined };
  #providerKeyId: string | undefined;

  /** All of the charge, except for `reserved`. */
  constructor({ id, amount, ceiling }: Pick<Funds, 'id' | 'amount' | 'ceiling'>, reserved: NanoUsd) {
    this.#id = id;
    this.#amount = amount - reserved;
    this.#ceiling = ceiling - reserved;
  }

  /** The id of the enclosing charge. */
  get chargeId(): string {
    return this.#id;
  }
  /** What is held and not spent. */
  get left(): NanoUsd {
    return maxOf(this.#amount - this.#spent.cost, 0n);
  }
  get spent(): Spending {
    return this.#spent;
  }
  /** The account's own key used by the last call that had one. */
  get providerKeyId(): string | undefined {
    return this.#providerKeyId;
  }

  /** The funds of one call: all that is left. One call at a time. */
  open(tokens?: ReservedTokens): Funds {
    const { left: amount } = this;
    const ceiling = this.#ceiling - this.#spent.cost;
    const release = async () => tokens?.settle(0);
    return {
      id: this.#id,
      amount,
      ceiling,
      balance: amount,
      pending: undefined,
      replayable: false,
      settle: async ({ cost, usage, providerKeyId }) => {
        tokens?.settle(tokensOf(usage));
        this.#providerKeyId = providerKeyId ?? this.#providerKeyId;
        const charged = minOf(cost, ceiling);
        const { cost: before, usage: used } = this.#spent;
        this.#spent = { cost: before + charged, usage: used ? addUsage(used, usage) : usage };
        return { chargeId: this.#id, state: 'settled', charged, owed: 0n, balance: this.left };
      },
      release,
      // A no-op after a settlement: tokens are settled once.
      [Symbol.asyncDispose]: release,
    };
  }
}

/**
 * Settles a reply that is delivered whole or not at all: only the receipt of a full charge lets it leave. If less was held than
 * it costs, because a provider counts more tokens than we do and the request was granted in part, free credit pays the rest, and
 * what is missing after that is owed. Fails with
 * `insufficient_credit` if the held credit is gone, with `idempotency_in_flight` if a retry has replaced it, and with the failure
 * of a refused pending hold.
 */
export async function settleInFull(funds: Funds, settlement: Readonly<Settlement>): Promise<Result<Receipt>> {
  const due = minOf(settlement.cost, funds.ceiling);
  let receipt: Receipt;
  try {
    receipt = await funds.settle(due > funds.amount ? { ...settlement, delivered: true } : settlement);
  } catch (error) {
    if (error instanceof FailureError) return fail(error.failure);
    throw error;
  }
  const { state, balance, chargeId } = receipt;
  if (state === 'settled' && dueOf(receipt) === due) return succeed(receipt);
  if (state === 'superseded') return fail({ kind: 'idempotency_in_flight', chargeId, retryAfterMs });
  return fail({ kind: 'insufficient_credit', balance, held: 0n, needed: due });
}

/**
 * What a request costs: what was charged, and what is owed for it. Replies state this, because what is owed is taken from the next
 * credit, and a retry's reply was stored before it was known how much of it there would be credit for.
 */
export function dueOf({ charged, owed }: Pick<Receipt, 'charged' | 'owed'>): NanoUsd {
  return charged + owed;
}

const retryAfterMs = 1_000;

/** The sum of two usages; counts unknown to both stay unknown. */
export function addUsage<Counted extends Usage>(a: Counted, b: Counted): Counted {
  const sum: Record<string, unknown> = Object.fromEntries(Object.entries(a));
  for (const [name, count] of Object.entries(b))
    if (typeof count === 'number') sum[name] = ((sum[name] as number | undefined) ?? 0) + count;
  return { ...sum, estimated: a.estimated === true || b.estimated === true } as Counted;
}

/** Model tokens as the limits count them; unknown counts are 0. */
function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens;
}
