import type { AuditEvent } from '../../base/audit-event.ts';
import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type {
  HoldRequest,
  IdempotencyKey,
  Progress,
  Receipt,
  Outcome as RequestOutcome,
  SpendingCap,
  Usage,
} from './ledger.ts';

/**
 * One thing to do to one wallet. Groups of them are decided in memory and committed together. Each is idempotent by identity:
 * repeated because the answer to its COMMIT was lost, it finds what it did before and returns that.
 */
export type Operation = Kinds[keyof Kinds]['operation'];

/** Identifies a charge and everything that its end touches. */
export interface ChargeReference {
  walletId: string;
  chargeId: string;
  capOwners: readonly string[];
  idempotency: Pick<IdempotencyKey, 'scope' | 'key'> | undefined;
}

export interface HoldOperation {
  type: 'hold';
  walletId: string;
  chargeId: string;
  /** It may already have been committed: it looks for its own charge first. */
  again?: boolean;
  request: Readonly<HoldRequest>;
  ttlMs: number;
}

/** A hold and its settlement in one: the request finished before its hold was committed. */
export interface ChargeOperation {
  type: 'charge';
  walletId: string;
  chargeId: string;
  /** As with a hold. */
  again?: boolean;
  hold: HoldOperation;
  settlement: SettleOperation;
}

/** The request of a hold, whether on its own or with its settlement. */
export function requestOf(operation: HoldOperation | ChargeOperation): Readonly<HoldRequest> {
  return operation.type === 'hold' ? operation.request : operation.hold.request;
}

export interface ExtendOperation extends ChargeReference {
  type: 'extend';
  /** The caps as the request stated them. */
  caps: readonly SpendingCap[];
  /** The total the hold should reach, so that repeating is safe, and the least that is useful. */
  total: NanoUsd;
  minimum: NanoUsd;
  ttlMs: number;
}

export interface ProgressOperation extends ChargeReference, Progress {
  type: 'progress';
  ttlMs: number;
}

export interface SettleOperation extends ChargeReference {
  type: 'settle';
  idempotency: IdempotencyKey | undefined;
  /** At most the hold as its holder knows it; for delivered work, at most the request's ceiling. */
  cost: NanoUsd;
  /** What is paid for has already left: what can't be collected is owed. */
  delivered: boolean;
  usage: Usage;
  provider: string | undefined;
  model: string | undefined;
  providerKeyId?: string | undefined;
  outcome?: Readonly<RequestOutcome> | undefined;
  /** Encrypted; stored for `replyTtlMs`. */
  sealedReply: Uint8Array | undefined;
  replyTtlMs: number;
  evidence?: string | undefined;
}

export interface ReleaseOperation extends ChargeReference {
  type: 'release';
  /** The hold may never have been granted. */
  mayBeAbsent?: boolean;
}

/** Ends a hold that has expired by database time. */
export interface ExpireOperation extends ChargeReference {
  type: 'expire';
}

export interface CreditOperation {
  type: 'credit';
  walletId: string;
  topUpId: string;
  /** Who recorded the payment by hand; written with the credit. */
  event?: AuditEvent | undefined;
}

export interface ReverseOperation {
  type: 'reverse';
  walletId: string;
  topUpId: string;
  kind: 'refund' | 'dispute';
  amount: NanoUsd;
  reference: string;
}

/** Ends a dispute: `won` gives back, `lost` keeps. */
export interface ConcludeOperation {
  type: 'conclude';
  walletId: string;
  topUpId: string;
  reference: string;
  outcome: 'won' | 'lost';
}

/** Repays debts from credit that has become free. */
export interface RepayOperation {
  type: 'repay';
  walletId: string;
}

export interface AdjustOperation {
  type: 'adjust';
  walletId: string;
  adjustmentId: string;
  amount: NanoUsd;
  reason: string;
  actor: string;
  idempotencyKey: string;
  chargeId: string | undefined;
  /** Written with the adjustment. */
  event?: AuditEvent | undefined;
}

export type HoldDecision =
  | { kind: 'held'; amount: NanoUsd; balance: NanoUsd; expiresAtUs: bigint }
  | { kind: 'replayed'; receipt: Receipt };

/** Each operation, and its outcome once it is durable. */
interface Kinds {
  hold: { operation: HoldOperation; outcome: Result<HoldDecision> };
  charge: { operation: ChargeOperation; outcome: Result<{ receipt: Receipt }> };
  extend: { operation: ExtendOperation; outcome: Result<Omit<HoldDecision & { kind: 'held' }, 'kind'>> };
  progress: { operation: ProgressOperation; outcome: undefined };
  settle: { operation: SettleOperation; outcome: Receipt };
  release: { operation: ReleaseOperation; outcome: undefined };
  expire: { operation: ExpireOperation; outcome: undefined };
  credit: { operation: CreditOperation; outcome: Result<undefined> };
  reverse: { operation: ReverseOperation; outcome: Result<undefined> };
  conclude: { operation: ConcludeOperation; outcome: Result<undefined> };
  repay: { operation: RepayOperation; outcome: undefined };
  adjust: { operation: AdjustOperation; outcome: Result<{ adjustmentId: string; balance: NanoUsd }> };
}

export type Outcomes = { [Type in keyof Kinds]: Kinds[Type]['outcome'] };
export type Outcome = Outcomes[Operation['type']];

/** Whether an operation must not be lost once submitted, so it is retried until it is durable. */
export function isFinishing({ type }: Operation): boolean {
  return type !== 'hold' && type !== 'extend' && type !== 'progress' && type !== 'charge';
}

/** Roughly what an operation takes in a packet, without its parts of variable length. */
const operationBytes = 1_024;
/** An escaped reason and details, with names and ids. */
const eventBytes = 2 * (500 + 4_000) + 1_024;

/** Roughly how many bytes of a group's packets an operation takes. */
export function bytesOf(operation: Operation): number {
  switch (operation.type) {
    case 'hold':
      return operationBytes + metadataBytes(operation.request);
    case 'settle':
      return operationBytes + 2 * ((operation.sealedReply?.length ?? 0) + (operation.evidence?.length ?? 0));
    case 'credit':
    case 'adjust':
      return operationBytes + (operation.event ? eventBytes : 0);
    case 'charge':
      return bytesOf(operation.hold) + bytesOf(operation.settlement);
    default:
      return operationBytes;
  }
}

/** The most bytes a charge's labels take in a packet, escaped, each with the charge's ids. */
function metadataBytes({ metadata }: Readonly<HoldRequest>): number {
  let bytes = 0;
  for (const name in metadata) bytes += 100 + 2 * (Buffer.byteLength(name) + Buffer.byteLength(metadata[name] ?? ''));
  return bytes;
}
