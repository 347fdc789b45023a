import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { Page, PageRequest } from '../../base/page.ts';
import type { Entry, EntryKind } from '../wallets/wallets.ts';

/** What usage can be summed by. */
export type UsageDimension =
  | 'day'
  | 'hour'
  | 'operation'
  | 'provider'
  | 'model'
  | 'key'
  | 'device'
  | 'subject'
  | 'provider_key';

/** Which charges are summed, by columns that the sums have as well; what is absent is any. */
export interface UsageFilter {
  keyId?: string;
  model?: string;
  operation?: string;
}

export interface TimeRange {
  /** Milliseconds since the epoch; absent: 30 days before `end`. */
  start?: number;
  /** Milliseconds since the epoch, itself not included; absent: now. */
  end?: number;
}

/** A label that a charge must have, with exactly this value. */
export interface MetadataFilter {
  key: string;
  value: string;
}

export interface EntriesRequest extends TimeRange {
  /** Only charges with this label, and entries of such. */
  metadata?: MetadataFilter;
}

export interface UsageRequest extends EntriesRequest {
  accountId: string;
  only?: Readonly<UsageFilter>;
  groupBy: readonly UsageDimension[];
  /** The name of a label whose values are summed apart, after the other dimensions. */
  groupByMetadata?: string;
}

/** Sums over settled charges; a dimension that was not asked for, or that the charges don't have, is absent. */
export interface UsageRow {
  /** UTC, for example `2026-03-31`. */
  day?: string;
  /** By its beginning, in UTC, for example `2026-03-31T13:00:00Z`. */
  hour?: string;
  operation?: string;
  provider?: string;
  model?: string;
  keyId?: string;
  deviceId?: string;
  subject?: string;
  /** The account's own key of the provider; absent for the service's. */
  providerKeyId?: string;
  /** Of the label that was asked for; absent for charges without it. */
  metadataValue?: string;
  charges: bigint;
  inputTokens: bigint;
  cachedInputTokens: bigint;
  cacheWriteInputTokens: bigint;
  cacheWrite1hInputTokens: bigint;
  audioInputTokens: bigint;
  outputTokens: bigint;
  reasoningTokens: bigint;
  events: bigint;
  searchUnits: bigint;
  cost: NanoUsd;
}

/** What came in or went out by entries of one kind. */
export interface Movement {
  kind: EntryKind;
  /** Entries; of usage, charges. */
  count: bigint;
  /** Positive added credit, negative took it. */
  amount: NanoUsd;
}

/** One month of the API wallet: the opening balance and all movements are the closing balance. */
export interface Statement {
  /** UTC, for example `2026-03`. */
  month: string;
  start: Date;
  /** Itself not included. */
  end: Date;
  /** Whether the month is over, so that nothing of it changes any more. */
  final: boolean;
  opening: NanoUsd;
  closing: NanoUsd;
  movements: Movement[];
  /** By operation, provider and model. */
  usage: UsageRow[];
}

/**
 * What the API wallet was charged for, read from its postings, which are never changed: what is past stays as it was
 * read, and costs are those of the entries.
 */
export interface Statements {
  /**
   * One page of sums, in the order of their dimensions. All pages of a list are of one moment. Fails with
   * `precondition_failed` where more than 1,000,000 entries would be read, which is for sums by labels or provider keys. An
   * account's sums, and its months, are made one after the other; fails with `overloaded` while eight of them wait.
   */
  usage(request: Readonly<UsageRequest>, page: PageRequest): Promise<Result<Page<UsageRow>>>;
  /** All sums; fails with `precondition_failed` when there are more than 50,000. */
  allUsage(request: Readonly<UsageRequest>): Promise<Result<UsageRow[]>>;
  /** The statement of a month, `2026-03`; fails with `invalid_argument` for one that has not begun. */
  monthly(accountId: string, month: string): Promise<Result<Statement>>;
  /**
   * All entries of a time, oldest first, in batches, some of which are empty. An account's batches are read one after the other; throws
   * `overloaded` while 256 of them wait.
   */
  entries(accountId: string, request: Readonly<EntriesRequest>): Promise<Result<AsyncIterable<Entry[]>>>;
}
