import {
  type ChangingRow,
  each,
  type FoundRow,
  flag,
  hex,
  integer,
  named,
  number,
  oneOf,
  optional,
  table,
  text,
  type WholeRow,
  zero,
} from './columns.ts';
import type { ChargeState, EntryKind, WalletKind } from './wallets/wallets.ts';

/** The ledger's tables, each described once. Amounts are nano-USD, times microseconds since the epoch by the database's clock. */

/**
 * `seq` numbers the postings and `charges` counts the charges, so that none can go missing unnoticed; `version` increases with
 * every change and guards it. Held credit is part of `posted`. The usage sums cover the postings up to `summed`.
 */
export const walletTable = table(
  'wallet',
  ['id'],
  {
    id: text,
    ...each(integer, 'posted', 'held', 'owed', 'openDisputes', 'seq', 'summed', 'charges', 'version'),
  },
  { accountId: text, kind: oneOf<WalletKind>(), createdAtUs: integer },
);

/** The usage counts of a charge. */
export const usageCounts = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteInputTokens',
  'cacheWrite1hInputTokens',
  'audioInputTokens',
  'outputTokens',
  'reasoningTokens',
  'requests',
  'events',
  'searchUnits',
] as const;

/**
 * `owed` is what could not be collected when delivered work was settled; a receivable tracks it from there. `caps` is how many
 * `charge_cap` rows it has; the fingerprint and the fence are those of its key when the charge took it.
 */
export const chargeTable = table(
  'charge',
  ['walletId', 'id'],
  {
    ...each(text, 'walletId', 'id', 'keyId', 'operation'),
    ...each(optional(text), 'subject', 'deviceId'),
    state: oneOf<ChargeState>(),
    hold: integer,
    settled: optional(integer),
    ...each(zero(integer), 'owed', 'reversed', 'progressCost'),
    ...each(optional(text), 'provider', 'model', 'providerKeyId'),
    ...each(optional(number), ...usageCounts),
    cacheWrite1hInputTokens: named('cache_write_1h_input_tokens', optional(number)),
    estimated: zero(flag),
    ...each(optional(number), 'latencyMs', 'modelLatencyMs', 'attempts'),
    finishReason: optional(text),
    ...each(optional(integer), 'expiresAtUs', 'endedAtUs'),
  },
  {
    keyVersion: number,
    tokenId: optional(text),
    priceVersion: number,
    nodeId: text,
    caps: zero(number),
    ...each(optional(text), 'requestId', 'idempotencyScope', 'idempotencyKey'),
    idempotencyFingerprint: optional(hex),
    idempotencyFence: optional(integer),
    createdAtUs: integer,
  },
);

/** One immutable row carries both sides; `wallet` is the wallet's own. */
export const postingTable = table(
  'posting',
  ['walletId', 'seq'],
  { walletId: text, seq: integer },
  {
    kind: oneOf<EntryKind>(),
    ...each(text, 'debitAccount', 'creditAccount'),
    ...each(integer, 'amount', 'balanceAfter'),
    sourceType: oneOf<SourceType>(),
    ...each(text, 'sourceId', 'step'),
    createdAtUs: integer,
  },
);

/**
 * Which charge an idempotency key belongs to. `fence` counts the charges that have had the key: each takeover after an expiry
 * adds one. `capturedChargeId` is set once, when the key is paid, and the key is never free again.
 */
export const idempotencyTable = table(
  'idempotency',
  ['scope', 'key'],
  {
    scope: text,
    key: named('idempotency_key', text),
    fingerprint: hex,
    ...each(text, 'walletId', 'chargeId'),
    fence: integer,
    capturedChargeId: optional(text),
  },
  {},
);

export const capTable = table(
  'cap',
  ['owner'],
  { owner: text, walletId: text, limit: named('spending_limit', integer), held: integer, spent: integer },
  {},
);

export const topUpTable = table(
  'top_up',
  ['id'],
  {
    ...each(text, 'id', 'walletId'),
    amount: integer,
    state: oneOf<'pending' | 'paid' | 'failed' | 'expired'>(),
    provider: text,
    reversed: integer,
    paidAtUs: optional(integer),
  },
  {
    ...each(optional(text), 'providerReference', 'paymentUrl', 'actor', 'idempotencyKey'),
    createdAtUs: integer,
  },
);

/**
 * What a wallet owes or owed: after a refund or dispute of spent credit (`sourceId` is the top-up), or after a delivered reply
 * that could not be collected (`sourceId` is the charge). `taken` is what has been taken from the wallet so far, to
 * `counterAccount`.
 */
export const receivableTable = table(
  'receivable',
  ['sourceId', 'reference'],
  {
    ...each(text, 'sourceId', 'reference', 'walletId'),
    kind: oneOf<'refund' | 'dispute' | 'usage'>(),
    state: oneOf<'open' | 'final' | 'restored'>(),
    ...each(integer, 'amount', 'taken', 'owed', 'repayments'),
    counterAccount: text,
    createdAtUs: integer,
  },
  {},
);

export const adjustmentTable = table(
  'adjustment',
  ['id'],
  {
    ...each(text, 'id', 'walletId', 'idempotencyKey'),
    amount: integer,
    chargeId: optional(text),
    ...each(text, 'reason', 'actor'),
    createdAtUs: integer,
  },
  {},
);

/** What usage sums contain: the number of charges, what they used, and what they cost. */
export const usageSums = ['charges', ...usageCounts.filter((name) => name !== 'requests'), 'cost'] as const;

const sumColumns = {
  ...each(zero(integer), ...usageSums),
  cacheWrite1hInputTokens: named('cache_write_1h_input_tokens', zero(integer)),
};
const usageKey = ['walletId', 'hour', 'keyId', 'operation', 'provider', 'model'] as const;

/**
 * A wallet's usage in one hour since the epoch, by the times of its postings. A value that a charge lacks is empty. `byUser` says
 * that the charges are also in `usage_user_hour`, because they have an end user or a device.
 */
export const usageHourTable = table(
  'usage_hour',
  [...usageKey, 'byUser'],
  {
    walletId: text,
    hour: integer,
    ...each(text, 'keyId', 'operation', 'provider', 'model'),
    byUser: flag,
    ...sumColumns,
  },
  {},
);

/** The same for charges with an end user or a device, broken down by these. */
export const usageUserHourTable = table(
  'usage_user_hour',
  [...usageKey, 'deviceId', 'subject'],
  {
    ...{
      walletId: text,
      hour: integer,
      ...each(text, 'keyId', 'operation', 'provider', 'model', 'deviceId', 'subject'),
    },
    ...sumColumns,
  },
  {},
);

/** Which credentials may pay; written by the rooms that own them. */
export const credentialTable = table(
  'credential_state',
  ['id'],
  {
    ...each(text, 'id', 'accountId', 'state'),
    leastVersion: integer,
    ...each(optional(integer), 'leastVersionFromMs', 'expiresAtMs'),
  },
  {},
);

export const replyTable = table(
  'stored_reply',
  ['chargeId'],
  { chargeId: text },
  { sealed: hex, expiresAtUs: integer },
);
/** What a charge's work found, in its flow's own terms. */
export const evidenceTable = table(
  'charge_evidence',
  ['walletId', 'chargeId'],
  { walletId: text, chargeId: text },
  { content: text, createdAtUs: integer },
);
export const chargeCapTable = table(
  'charge_cap',
  ['walletId', 'chargeId', 'owner'],
  { walletId: text, chargeId: text, owner: text },
  {},
);
export const metadataTable = table(
  'charge_metadata',
  ['walletId', 'chargeId', 'name'],
  { walletId: text, chargeId: text, name: text, value: text },
  {},
);

/** The audit log of writes, which another room reads. `details` is JSON. */
export const auditEventTable = table(
  'audit_event',
  ['id'],
  {
    ...each(text, 'id', 'actor', 'action', 'target'),
    accountId: optional(text),
    ...each(text, 'reason', 'details', 'requestId', 'address'),
    createdAtUs: integer,
  },
  {},
);

export type SourceType = 'charge' | 'top_up' | 'refund' | 'dispute' | 'adjustment';

export type WalletRow = ChangingRow<typeof walletTable>;
export type ChargeRow = ChangingRow<typeof chargeTable>;
export type NewChargeRow = WholeRow<typeof chargeTable>;
export type PostingRow = WholeRow<typeof postingTable>;
export type IdempotencyRow = ChangingRow<typeof idempotencyTable>;
export type CapRow = ChangingRow<typeof capTable>;
export type TopUpRow = ChangingRow<typeof topUpTable>;
export type ReceivableRow = ChangingRow<typeof receivableTable>;
export type AdjustmentRow = WholeRow<typeof adjustmentTable>;
export type CredentialRow = ChangingRow<typeof credentialTable>;
export type ReplyRow = WholeRow<typeof replyTable>;
export type EvidenceRow = WholeRow<typeof evidenceTable>;
export type ChargeCapRow = WholeRow<typeof chargeCapTable>;
export type AuditEventRow = WholeRow<typeof auditEventTable>;
export type MetadataRow = WholeRow<typeof metadataTable>;

export type UsageHourRow = WholeRow<typeof usageHourTable>;
export type UsageUserHourRow = WholeRow<typeof usageUserHourTable>;

export type FoundWallet = FoundRow<typeof walletTable>;
export type FoundCharge = FoundRow<typeof chargeTable>;
export type FoundPosting = FoundRow<typeof postingTable>;
export type FoundAdjustment = FoundRow<typeof adjustmentTable>;
export type FoundTopUp = FoundRow<typeof topUpTable>;

/** Converts a stored time to a date, to the millisecond. */
export function dateOf(us: bigint): Date {
  return new Date(Number(us / 1_000n));
}
