import type { NanoUsd } from '../base/money.ts';
import type { HoldRequest, Usage } from './ledger.ts';
import type { ChargeState, EntryKind } from './wallets.ts';

/**
 * The rows that one group locked, as the operations change them one after the other. What is marked `changed` or added
 * is written when all are decided.
 */
export interface GroupState {
  /** Database time, read after the locks, in microseconds. */
  nowUs: bigint;
  nodeId: string;
  wallets: Map<string, WalletRow>;
  charges: Map<string, ChargeRow>;
  idempotency: Map<string, IdempotencyRow>;
  caps: Map<string, CapRow>;
  credentials: Map<string, CredentialRow>;
  topUps: Map<string, TopUpRow>;
  receivables: Map<string, ReceivableRow>;
  adjustments: Map<string, AdjustmentRow>;
  newCharges: NewCharge[];
  newPostings: NewPosting[];
  newReplies: NewReply[];
  newAdjustments: NewAdjustment[];
  /** Keys that a release or an expiry frees; only while they still lead to that charge. */
  freedKeys: { scope: string; key: string; chargeId: string }[];
}

export interface WalletRow {
  id: string;
  posted: NanoUsd;
  held: NanoUsd;
  owed: NanoUsd;
  openDisputes: number;
  seq: bigint;
  version: bigint;
  changed: boolean;
}

export interface ChargeRow {
  walletId: string;
  id: string;
  state: ChargeState;
  /** As it was read: the update's guard. */
  stateBefore: ChargeState;
  hold: NanoUsd;
  settled: NanoUsd | undefined;
  uncollected: NanoUsd;
  reversed: NanoUsd;
  progressCost: NanoUsd;
  expiresAtUs: bigint | undefined;
  endedAtUs: bigint | undefined;
  /** Set when the operation says so; otherwise the stored one stays. */
  usage: Usage | undefined;
  provider: string | undefined;
  model: string | undefined;
  changed: boolean;
  /** More has changed than that an open charge has ended: its hold, its progress, or what came after its end. */
  changedMore: boolean;
  /** Made in this group: it is inserted as it is at the end of it. */
  added: boolean;
}

export interface IdempotencyRow {
  scope: string;
  key: string;
  fingerprintHex: string;
  walletId: string;
  chargeId: string;
  chargeState: ChargeState;
  settled: NanoUsd;
  added: boolean;
}

export interface CapRow {
  owner: string;
  walletId: string;
  limit: NanoUsd;
  held: NanoUsd;
  spent: NanoUsd;
  added: boolean;
  changed: boolean;
}

export interface CredentialRow {
  accountId: string;
  state: string;
  leastVersion: bigint;
  leastVersionFromMs: bigint | undefined;
  expiresAtMs: bigint | undefined;
}

export interface TopUpRow {
  id: string;
  walletId: string;
  amount: NanoUsd;
  state: string;
  provider: string;
  reversed: NanoUsd;
  changed: boolean;
}

export interface ReceivableRow {
  topUpId: string;
  reference: string;
  walletId: string;
  kind: 'refund' | 'dispute';
  state: 'open' | 'final' | 'restored';
  amount: NanoUsd;
  taken: NanoUsd;
  owed: NanoUsd;
  repayments: number;
  added: boolean;
  changed: boolean;
}

export interface AdjustmentRow {
  id: string;
  amount: NanoUsd;
  chargeId: string | undefined;
}

export interface NewCharge {
  row: ChargeRow;
  request: Readonly<HoldRequest>;
}

export interface NewPosting {
  walletId: string;
  seq: bigint;
  kind: EntryKind;
  debitAccount: string;
  creditAccount: string;
  amount: NanoUsd;
  balanceAfter: NanoUsd;
  sourceType: SourceType;
  sourceId: string;
  step: string;
}

export type SourceType = 'charge' | 'top_up' | 'refund' | 'dispute' | 'adjustment';

export interface NewReply {
  chargeId: string;
  sealed: Uint8Array;
  expiresAtUs: bigint;
}

export interface NewAdjustment {
  id: string;
  walletId: string;
  amount: NanoUsd;
  reason: string;
  actor: string;
  idempotencyKey: string;
  chargeId: string | undefined;
}

export function emptyState(nodeId: string): GroupState {
  return {
    nowUs: 0n,
    nodeId,
    wallets: new Map(),
    charges: new Map(),
    idempotency: new Map(),
    caps: new Map(),
    credentials: new Map(),
    topUps: new Map(),
    receivables: new Map(),
    adjustments: new Map(),
    newCharges: [],
    newPostings: [],
    newReplies: [],
    newAdjustments: [],
    freedKeys: [],
  };
}

/** One map key of two texts; NUL can't be in either (the door refuses it). */
export function pairKey(first: string, second: string): string {
  return `${first}\0${second}`;
}

/** Whether anything has to be written at all; a group of refusals has nothing. */
export function hasWrites(state: GroupState): boolean {
  return (
    state.newCharges.length > 0 ||
    state.newPostings.length > 0 ||
    state.freedKeys.length > 0 ||
    anyChanged(state.wallets) ||
    anyChanged(state.charges) ||
    anyChanged(state.topUps) ||
    anyChanged(state.receivables)
  );
}

function anyChanged(rows: Map<string, { changed: boolean }>): boolean {
  for (const row of rows.values()) if (row.changed) return true;
  return false;
}

export function walletOf(state: GroupState, walletId: string): WalletRow {
  const wallet = state.wallets.get(walletId);
  if (!wallet) throw new Error(`The wallet ${walletId} does not exist.`);
  return wallet;
}
