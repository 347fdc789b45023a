import type { AuditEvent } from '../../base/audit-event.ts';
import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { Page, PageRequest } from '../../base/page.ts';
import type { WalletKind } from '../wallets/wallets.ts';

/** The state of a credit purchase: `pending` until the payment arrives, then `paid`; otherwise `failed` or `expired`. */
export type TopUpState = 'pending' | 'paid' | 'failed' | 'expired';

export interface TopUps {
  /** How credit is bought. */
  readonly options: Readonly<PaymentOptions>;
  /**
   * Asks the payment provider for a payment. The same idempotency key with the same amount always returns the same top-up; with a
   * different amount it fails with `idempotency_mismatch`. Fails with `invalid_argument` if the amount is below the minimum of 5
   * USD or above the maximum.
   */
  create(request: Readonly<TopUpRequest>): Promise<Result<TopUp>>;
  /**
   * Records a payment that the operator received outside of any provider, as a top-up that is paid at once. Happens once per
   * idempotency key, forever: `repeated` says that it was already recorded.
   */
  record(request: Readonly<RecordedPayment>): Promise<Result<{ topUp: TopUp; repeated: boolean }>>;
  get(accountId: string, kind: WalletKind, topUpId: string): Promise<Result<TopUp>>;
  list(accountId: string, kind: WalletKind, page: PageRequest): Promise<Result<Page<TopUp>>>;
  /** Top-ups of all accounts that await payment, newest first. For operators. */
  listPending(page: PageRequest): Promise<Result<Page<TopUp>>>;
  /** Any account's top-up. For payment adapters. */
  find(topUpId: string): Promise<Result<TopUp>>;
  /** Stores the provider's id of the payment, unless one is already known. For payment adapters. */
  note(topUpId: string, providerReference: string): Promise<Result<TopUp>>;
  /** Credits the wallet for a payment that has arrived, once, however often this is called. For payment adapters. */
  credit(topUpId: string): Promise<Result<TopUp>>;
  /** Closes a top-up whose payment will not arrive. A paid top-up stays paid. For payment adapters. */
  close(topUpId: string, state: 'failed' | 'expired'): Promise<Result<TopUp>>;
  /**
   * Takes a payment back (a refund, or a dispute that is open or was lost): as much as is there and not held; the rest is owed.
   * Happens once per `reference`, and never exceeds the payment in total: of a larger amount only the remainder is taken, except
   * that a refund during an open dispute is refused (`precondition_failed`). For payment adapters.
   */
  reverse(reversal: Readonly<PaymentReversal>): Promise<Result<TopUp>>;
  /**
   * Ends a dispute. `won` gives back what its reversal took and forgives what it left owed; `lost` keeps both. Until then the
   * wallet gets no holds. `won` also undoes a refund that failed, and a dispute that was lost and then won on appeal.
   */
  conclude(topUpId: string, reference: string, outcome: 'won' | 'lost'): Promise<Result<TopUp>>;
}

export interface PaymentOptions {
  /** Who takes payments: `manual`, `sandbox`, `stripe`, or `stripe_test` while Stripe is in test mode. */
  provider: string;
  /** Whether no real money moves. */
  sandbox: boolean;
  least: NanoUsd;
  most: NanoUsd;
  /** Amounts must be a multiple of this; absent: any amount. */
  step?: NanoUsd;
  /** How to pay by hand, in the operator's words. */
  instructions?: string;
}

export interface TopUpRequest {
  accountId: string;
  kind: WalletKind;
  amount: NanoUsd;
  /** As the caller sent it; without one, every request is a new top-up. */
  idempotencyKey?: string;
}

export interface RecordedPayment extends TopUpRequest {
  idempotencyKey: string;
  /** Identifies the payment in the operator's books, for example a bank reference. */
  reference: string;
  /** Who recorded it. */
  actor: string;
  /** Written with the credit; its target is the top-up. */
  event?: AuditEvent;
}

export interface PaymentReversal {
  topUpId: string;
  kind: 'refund' | 'dispute';
  amount: NanoUsd;
  /** The provider's id of the refund or dispute. */
  reference: string;
}

export interface TopUp {
  topUpId: string;
  walletId: string;
  accountId: string;
  kind: WalletKind;
  amount: NanoUsd;
  state: TopUpState;
  /** Who takes the payment: `manual`, `sandbox`, `stripe`, or `stripe_test` while Stripe is in test mode. */
  provider: string;
  /** The provider's own id of the payment, once known. */
  providerReference?: string;
  /** The payment page, if there is one and the top-up is pending. */
  paymentUrl?: string;
  createdAt: Date;
  paidAt?: Date;
}

/** Who takes payments. An adapter later reports through `TopUps.credit`, `close`, `reverse` and `conclude`. */
export interface PaymentProvider {
  readonly name: string;
  /** True if its money is not real; a service with real payments refuses to start over wallets with sandbox money. */
  readonly sandbox: boolean;
  /** Amounts must be a multiple of this, such as a cent; absent: any amount. */
  readonly amountStep?: NanoUsd;
  /**
   * Starts a payment. May be called again with the same top-up after a lost answer, so it must be idempotent by the top-up's id.
   * Rejects if the provider can't be reached; the top-up then stays `pending` and the same request tries again.
   */
  createPayment(topUp: Readonly<TopUp>): Promise<StartedPayment>;
}

export interface StartedPayment {
  /** The provider's own id, by which its events identify this payment. */
  reference?: string;
  paymentUrl?: string;
  /** Whether the money has already arrived. */
  paid: boolean;
}
