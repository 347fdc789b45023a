import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import type { Page, PageRequest } from '../../base/page.ts';
import type { Entry } from '../wallets/wallets.ts';

/** What usage can be summed by. */
export type UsageDimension = 'day' | 'hour' | 'operation' | 'provider' | 'model' | 'key' | 'device' | 'subject';

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
  cost: NanoUsd;
}

/**
 * What the API wallet was charged for, read from its postings, which are never changed: what is past stays as it was
 * read, and costs are those of the entries.
 */
export interface Statements {
  /**
   * One page of sums, in the order of their dimensions. All pages of a list are of one moment. Fails with
   * `precondition_failed` where more than 1,000,000 entries would be read, which is for sums by labels, and with `overloaded`
   * while others are summed.
   */
  usage(request: Readonly<UsageRequest>, page: PageRequest): Promise<Result<Page<UsageRow>>>;
  /** All sums; fails with `precondition_failed` when there are more than 50,000. */
  allUsage(request: Readonly<UsageRequest>): Promise<Result<UsageRow[]>>;
  /** All entries of a time, oldest first, in batches. */
  entries(accountId: string, request: Readonly<EntriesRequest>): Promise<Result<AsyncIterable<Entry[]>>>;
}
