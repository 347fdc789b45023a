import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { Page, PageRequest } from '../../base/page.ts';
import type { Entry, EntryKind } from '../wallets/wallets.ts';

/** The dimensions that usage can be summed by. */
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

/** Which charges to sum, by columns that the sums also have; an absent field matches any. */
export interface UsageFilter {
  keyId?: string;
  model?: string;
  operation?: string;
}

export interface TimeRange {
  /** Milliseconds since the epoch; absent: 30 days before `end`. */
  start?: number;
  /** Milliseconds since the epoch, exclusive; absent: now. */
  end?: number;
}

/** A label that a charge must have, with exactly this value. */
export interface MetadataFilter {
  key: string;
  value: string;
}

export interface EntriesRequest extends TimeRange {
  /** Only charges with this label, and their entries. */
  metadata?: MetadataFilter;
}

export interface UsageRequest extends EntriesRequest {
  accountId: string;
  only?: Readonly<UsageFilter>;
  groupBy: readonly UsageDimension[];
  /** The name of a label to group by, after the other dimensions. */
  groupByMetadata?: string;
}

/** Sums over settled charges; a dimension that was not requested, or that the charges lack, is absent. */
export interface UsageRow {
  /** UTC, for example `2026-03-31`. */
  day?: string;
  /** The start of the hour in UTC, for example `2026-03-31T13:00:00Z`. */
  hour?: string;
  operation?: string;
  provider?: string;
  model?: string;
  keyId?: string;
  deviceId?: string;
  subject?: string;
  /** The account's own provider key; absent for the service's. */
  providerKeyId?: string;
  /** The value of the requested label; absent for charges without it. */
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

/** What came in or went out through entries of one kind. */
export interface Movement {
  kind: EntryKind;
  /** The number of entries; for usage, of charges. */
  count: bigint;
  /** Positive if credit was added, negative if taken. */
  amount: NanoUsd;
}

/** One month of the API wallet: the opening balance plus all movements equals the closing balance. */
export interface Statement {
  /** UTC, for example `2026-03`. */
  month: string;
  start: Date;
  /** Exclusive. */
  end: Date;
  /** Whether the month is over, so that it can no longer change. */
  final: boolean;
  opening: NanoUsd;
  closing: NanoUsd;
  movements: Movement[];
  /** By operation, provider and model. */
  usage: UsageRow[];
}

/**
 * What the API wallet was charged for, read from its postings, which never change: past results stay the same, and costs are
 * those of the entries.
 */
export interface Statements {
  /**
   * One page of sums, ordered by their dimensions. All pages of a list are from the same moment. Fails with `precondition_failed`
   * if more than 1,000,000 entries would have to be read: all of the time range for sums by labels or provider keys, otherwise those
   * that the hourly sums lack or that are in a part of an hour. An account's sums and monthly statements are computed one at a
   * time; fails with `overloaded` while eight of them wait.
   */
  usage(request: Readonly<UsageRequest>, page: PageRequest): Promise<Result<Page<UsageRow>>>;
  /** All sums; fails with `precondition_failed` if there are more than 50,000. */
  allUsage(request: Readonly<UsageRequest>): Promise<Result<UsageRow[]>>;
  /** The statement of a month such as `2026-03`; fails with `invalid_argument` if the month has not begun. */
  monthly(accountId: string, month: string): Promise<Result<Statement>>;
  /**
   * All entries of a time range, oldest first, in batches, some of which may be empty. An account's batches are read one at a
   * time; throws `overloaded` while 256 of them wait.
   */
  entries(accountId: string, request: Readonly<EntriesRequest>): Promise<Result<AsyncIterable<Entry[]>>>;
}
