import type { AuditEvent } from '../../base/audit-event.ts';
import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { Page, PageRequest } from '../../base/page.ts';
import type { Queryable } from '../../db/index.ts';
import type { Outcome, Usage } from '../ledger/ledger.ts';
import type { MetadataFilter } from '../statements/statements.ts';
import type { TopUps } from '../top-ups/top-ups.ts';

/** The API wallet pays for API use; the application wallet is the companion application's own. Neither pays for the other. */
export type WalletKind = 'api' | 'application';

/** Everything about credit except holding it: wallets, entries, charges, top-ups, adjustments. */
export interface Wallets {
  /** Makes an account's wallet, holding 0; answers with the one there is when it exists. */
  create(accountId: string, kind: WalletKind, within?: Queryable): Promise<Wallet>;
  /** Fails with `not_found` for an account without this wallet. */
  get(accountId: string, kind: WalletKind): Promise<Result<Wallet>>;
  /** The wallet's entries, newest first; a page never changes while new entries arrive. */
  listEntries(accountId: string, kind: WalletKind, request: Readonly<EntryList>): Promise<Result<Page<Entry>>>;
  /** One charge of the account's API wallet. */
  getCharge(accountId: string, chargeId: string): Promise<Result<Charge>>;
  /**
   * The charges of the account's API wallet, newest first, that fit every part of a filter. A page may have fewer than asked
   * for, or none, and still lead to another: at most 100,000 charges are looked through for it. An account's pages are looked for one
   * after the other; fails with `overloaded` while 32 of them wait.
   */
  listCharges(accountId: string, request: Readonly<ChargesRequest>): Promise<Result<Page<Charge>>>;
  /**
   * Deletes all labels of the charges that have this one, at most 10,000 charges at once; what was charged stays. Tells
   * how many they were: when it is 0, none is left.
   */
  eraseMetadata(accountId: string, label: Readonly<MetadataFilter>): Promise<Result<number>>;
  /** The charge that an idempotency key led to, in the scope that the hold was asked with; none after it was freed. */
  findCharge(accountId: string, scope: string, key: string): Promise<Charge | undefined>;
  /** What the spending caps of some keys have counted so far, in one query; a key whose cap counted nothing yet is absent. */
  spentOfKeys(keyIds: readonly string[], within?: Queryable): Promise<Map<string, NanoUsd>>;
  /** The API wallets of some accounts, by account; one without a wallet is not among them. For operators. */
  getAll(accountIds: readonly string[]): Promise<Map<string, Wallet>>;
  /** Corrections by operators, the newest first: of all accounts, or of one. For operators. */
  listAdjustments(request: Readonly<AdjustmentsRequest>): Promise<Result<Page<AccountAdjustment>>>;
  topUps: TopUps;
  /** Corrects a wallet by the operator's hand, once per idempotency key, for ever. Never below zero: `insufficient_credit`. */
  adjust(adjustment: Readonly<AdjustmentRequest>): Promise<Result<Adjustment>>;
}

export interface Wallet {
  walletId: string;
  accountId: string;
  kind: WalletKind;
  /** All credit, held credit included. Use is paused when it is exactly 0. */
  balance: NanoUsd;
  held: NanoUsd;
  available: NanoUsd;
  paused: boolean;
  /**
   * What is owed: after refunds and lost disputes of spent credit, and for delivered replies that could not be collected.
   * While it is above 0 no hold is given.
   */
  owed: NanoUsd;
  /** Whether a dispute of a payment is open; until it ends no hold is given. */
  disputed: boolean;
}

export type EntryKind = 'top_up' | 'usage' | 'refund' | 'dispute' | 'adjustment';

/** One movement of a balance; never changed. */
export interface Entry {
  /** Unique in its wallet, increasing. */
  entryId: string;
  kind: EntryKind;
  /** Positive adds credit, negative takes it. */
  amount: NanoUsd;
  balanceAfter: NanoUsd;
  chargeId?: string;
  /** The labels of the charge, if it has any. */
  metadata?: Record<string, string>;
  topUpId?: string;
  adjustmentId?: string;
  time: Date;
}

/** Which entries of a wallet, and which page of them. */
export interface EntryList extends PageRequest {
  /** Only these; absent or empty: all. */
  kinds?: readonly EntryKind[];
  /** Milliseconds since the epoch; absent: from the first. */
  start?: number;
  /** Milliseconds since the epoch, itself not included; absent: until now. */
  end?: number;
}

/** Which charges; what is absent is any. */
export interface ChargesFilter {
  /** A label that they have. */
  metadata?: MetadataFilter;
  /** Admitted at this time or later, in milliseconds since the epoch. */
  start?: number;
  /** Admitted before this time, in milliseconds since the epoch. */
  end?: number;
  state?: ChargeState;
  operation?: string;
  model?: string;
  keyId?: string;
  deviceId?: string;
  subject?: string;
  requestId?: string;
}

export interface ChargesRequest extends ChargesFilter, PageRequest {}

export type ChargeState = 'held' | 'settled' | 'released' | 'expired' | 'superseded';

export interface Charge {
  chargeId: string;
  walletId: string;
  state: ChargeState;
  operation: string;
  keyId: string;
  tokenId?: string;
  subject?: string;
  deviceId?: string;
  provider?: string;
  model?: string;
  /** The account's own key that the provider was called with. */
  providerKeyId?: string;
  priceVersion: number;
  hold: NanoUsd;
  /** Absent until the charge has ended. */
  charged?: NanoUsd;
  /** What could not be collected when it was settled, and is owed by the wallet since. */
  owed: NanoUsd;
  /** What was given back for it by hand since. */
  reversed: NanoUsd;
  /** What `reversed` consists of, the newest first, 100 at most; none where charges are listed. */
  corrections?: readonly Correction[];
  usage: Usage;
  outcome: Outcome;
  /** The id of its request, as the reply had it. */
  requestId?: string;
  /** The caller's own labels, in the order of their names; none when they were erased. */
  metadata: Record<string, string>;
  createdAt: Date;
  endedAt?: Date;
}

export type Correction = Pick<Adjustment, 'adjustmentId' | 'amount' | 'time'>;

export interface AdjustmentRequest {
  accountId: string;
  kind: WalletKind;
  /** Positive adds credit, negative takes it; not 0. */
  amount: NanoUsd;
  /** Why, for the books; 1 to 500 bytes. */
  reason: string;
  /** Who decided it: the operator's name. */
  actor: string;
  idempotencyKey: string;
  /** The charge that this gives back, wholly or in part: then positive, and in all never more than was charged. */
  reversesChargeId?: string;
  /** Written with the adjustment, which is its target. */
  event?: AuditEvent;
}

export interface AdjustmentsRequest extends PageRequest {
  /** Only those of this account. */
  accountId?: string;
}

/** A correction, and whose wallet it corrects. */
export interface AccountAdjustment extends Omit<Adjustment, 'balance'> {
  accountId: string;
  kind: WalletKind;
}

export interface Adjustment {
  adjustmentId: string;
  amount: NanoUsd;
  balance: NanoUsd;
  reason: string;
  actor: string;
  reversesChargeId?: string;
  time: Date;
}
