import type { AuditEvent } from '../../base/audit-event.ts';
import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { Page, PageRequest } from '../../base/page.ts';
import type { WalletKind } from '../wallets/wallets.ts';

/** Credit that is bought: `pending` until the payment arrives, then `paid`; else `failed` or `expired`. */
export type TopUpState = 'pending' | 'paid' | 'failed' | 'expired';

export interface TopUps {
  /** How credit is bought. */
  readonly options: Readonly<PaymentOptions>;
  /**
   * Asks the payment provider for a payment. The same idempotency key with the same amount answers with the same
   * top-up, for ever; with another amount it fails with `idempotency_mismatch`. Fails with `invalid_argument` outside
   * the smallest (5 USD) and largest amount.
   */
  create(request: Readonly<TopUpRequest>): Promise<Result<TopUp>>;
  /**
   * The operator has received a payment outside of any provider and records it: a top-up that is paid at once.
   * Once per idempotency key, for ever: `repeated` tells that it was recorded before.
   */
  record(request: Readonly<RecordedPayment>): Promise<Result<{ topUp: TopUp; repeated: boolean }>>;
  get(accountId: string, kind: WalletKind, topUpId: string): Promise<Result<TopUp>>;
  list(accountId: string, kind: WalletKind, page: PageRequest): Promise<Result<Page<TopUp>>>;
  /** Top-ups of all accounts that wait for their payment, the newest first. For operators. */
  listPending(page: PageRequest): Promise<Result<Page<TopUp>>>;
  /** Any account's top-up. For payment adapters. */
  find(topUpId: string): Promise<Result<TopUp>>;
  /** Notes the provider's own id of the payment, unless one is known already. For payment adapters. */
  note(topUpId: string, providerReference: string): Promise<Result<TopUp>>;
  /** The payment has arrived: credits the wallet once, however often this is called. For payment adapters. */
  credit(topUpId: string): Promise<Result<TopUp>>;
  /** No payment will arrive. A top-up that is paid stays paid. For payment adapters. */
  close(topUpId: string, state: 'failed' | 'expired'): Promise<Result<TopUp>>;
  /**
   * Takes a payment back (a refund, or a dispute that was lost or is open): as much as is there and not held, the rest
   * is owed. Once per `reference`; in all never more than the payment: of more, what is left of it is taken, but of a refund beside an open
   * dispute nothing (`precondition_failed`). For payment adapters.
   */
  reverse(reversal: Readonly<PaymentReversal>): Promise<Result<TopUp>>;
  /**
   * A dispute has ended. `won` gives back what its reversal took and forgives what it left owed; `lost` keeps it so.
   * Until then no hold is given on the wallet. `won` also undoes a refund that failed, and a dispute that was lost and
   * then won on appeal.
   */
  conclude(topUpId: string, reference: string, outcome: 'won' | 'lost'): Promise<Result<TopUp>>;
}

export interface PaymentOptions {
  /** Who takes payments: `manual`, `sandbox`, `stripe`. */
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
  /** As the caller sent it; without one every request is a new top-up. */
  idempotencyKey?: string;
}

export interface RecordedPayment extends TopUpRequest {
  idempotencyKey: string;
  /** Where the payment is found in the operator's books, for example a bank reference. */
  reference: string;
  /** Who recorded it. */
  actor: string;
  /** Written with the credit, whose top-up is its target. */
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
  /** Who takes the payment: `manual`, `sandbox`, `stripe`. */
  provider: string;
  /** The provider's own id of the payment, once it is known. */
  providerReference?: string;
  /** Where to pay, while the top-up is pending and there is such a page. */
  paymentUrl?: string;
  createdAt: Date;
  paidAt?: Date;
}

/** Who takes payments. An adapter later reports through `TopUps.credit`, `close`, `reverse` and `conclude`. */
export interface PaymentProvider {
  readonly name: string;
  /** Whether its money is real; a service with real payments refuses to start over wallets with sandbox money. */
  readonly sandbox: boolean;
  /** Amounts must be a multiple of this, such as a cent; absent: any amount. */
  readonly amountStep?: NanoUsd;
  /**
   * Starts a payment. Called again with the same top-up after a lost answer, so it must be idempotent by its id.
   * Rejects when the provider can't be reached; the top-up then stays `pending` and the same request tries again.
   */
  createPayment(topUp: Readonly<TopUp>): Promise<StartedPayment>;
}

export interface StartedPayment {
  /** The provider's own id, by which its events name this payment. */
  reference?: string;
  paymentUrl?: string;
  /** The money is there already. */
  paid: boolean;
}
