import type { AuditEvent } from '../../base/audit-event.ts';
import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { Page, PageRequest } from '../../base/page.ts';
import type { Queryable } from '../../db/index.ts';
import type { Outcome, Usage } from '../ledger/ledger.ts';
import type { MetadataFilter } from '../statements/statements.ts';
import type { TopUps } from '../top-ups/top-ups.ts';

/** The API wallet pays for API use; the application wallet belongs to the companion application. Neither pays for the other. */
export type WalletKind = 'api' | 'application';

/** Everything about credit except holding it: wallets, entries, charges, top-ups, adjustments. */
export interface Wallets {
  /** Creates an account's wallet with balance 0, or returns the existing one. */
  create(accountId: string, kind: WalletKind, within?: Queryable): Promise<Wallet>;
  /** Fails with `not_found` for an account without this wallet. */
  get(accountId: string, kind: WalletKind): Promise<Result<Wallet>>;
  /** The wallet's entries, newest first; a page never changes while new entries arrive. */
  listEntries(accountId: string, kind: WalletKind, request: Readonly<EntryList>): Promise<Result<Page<Entry>>>;
  /** One charge of the account's API wallet. */
  getCharge(accountId: string, chargeId: string): Promise<Result<Charge>>;
  /**
   * The charges of the account's API wallet that match every part of a filter, newest first. A page may have fewer than
   * requested, or none, and still be followed by another: at most 100,000 charges are scanned for it. An account's pages are
   * searched one at a time; fails with `overloaded` while 32 of them wait.
   */
  listCharges(accountId: string, request: Readonly<ChargesRequest>): Promise<Result<Page<Charge>>>;
  /**
   * Deletes all labels of the charges that have this one, at most 10,000 charges per call; the charges themselves stay. Returns
   * how many charges there were: 0 means none is left.
   */
  eraseMetadata(accountId: string, label: Readonly<MetadataFilter>): Promise<Result<number>>;
  /** The charge that an idempotency key led to, in the scope of its hold request; undefined once the key was freed. */
  findCharge(accountId: string, scope: string, key: string): Promise<Charge | undefined>;
  /** What the spending caps of some keys have counted so far, in one query; a key whose cap has counted nothing is absent. */
  spentOfKeys(keyIds: readonly string[], within?: Queryable): Promise<Map<string, NanoUsd>>;
  /** Limits what requests of a key that are running may still take, at once; those that come state the key's cap themselves. */
  limitKey(keyId: string, limit: NanoUsd, within: Queryable): Promise<void>;
  /** The API wallets of some accounts, by account; accounts without one are omitted. For operators. */
  getAll(accountIds: readonly string[]): Promise<Map<string, Wallet>>;
  /** Corrections by operators, newest first: of all accounts, or of one. For operators. */
  listAdjustments(request: Readonly<AdjustmentsRequest>): Promise<Result<Page<AccountAdjustment>>>;
  topUps: TopUps;
  /** Corrects a wallet by hand for the operator, once per idempotency key, forever. Never goes below zero: `insufficient_credit`. */
  adjust(adjustment: Readonly<AdjustmentRequest>): Promise<Result<Adjustment>>;
}

export interface Wallet {
  walletId: string;
  accountId: string;
  kind: WalletKind;
  /** All credit, including held credit. Use is paused when it is exactly 0. */
  balance: NanoUsd;
  held: NanoUsd;
  available: NanoUsd;
  paused: boolean;
  /**
   * What is owed after refunds and lost disputes of spent credit, and for delivered replies that could not be collected. While it
   * is above 0, no hold is granted.
   */
  owed: NanoUsd;
  /** Whether a dispute of a payment is open; no hold is granted until it ends. */
  disputed: boolean;
}

export type EntryKind = 'top_up' | 'usage' | 'refund' | 'dispute' | 'adjustment';

/** One movement of a balance; immutable. */
export interface Entry {
  /** Unique within its wallet, increasing. */
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

/** Which entries of a wallet to list, and which page of them. */
export interface EntryList extends PageRequest {
  /** Only these; absent or empty: all. */
  kinds?: readonly EntryKind[];
  /** Milliseconds since the epoch; absent: from the first. */
  start?: number;
  /** Milliseconds since the epoch, exclusive; absent: until now. */
  end?: number;
}

/** Which charges to list; an absent field matches any. */
export interface ChargesFilter {
  /** A label that the charges have. */
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
  /** What could not be collected at settlement; the wallet has owed it since. */
  owed: NanoUsd;
  /** What has since been given back for it by hand. */
  reversed: NanoUsd;
  /** What `reversed` consists of, newest first, at most 100; absent when charges are listed. */
  corrections?: readonly Correction[];
  usage: Usage;
  outcome: Outcome;
  /** The id of its request, as in the reply. */
  requestId?: string;
  /** The caller's own labels, in name order; empty if they were erased. */
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
  /** The charge that this gives back, wholly or in part: the amount is then positive, and never more in total than was charged. */
  reversesChargeId?: string;
  /** Written with the adjustment; its target is the adjustment. */
  event?: AuditEvent;
}

export interface AdjustmentsRequest extends PageRequest {
  /** Only this account's. */
  accountId?: string;
}

/** A correction, and the account whose wallet it corrects. */
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
