import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { columnOf } from '../columns.ts';
import { findRows } from '../rows-store.ts';
import { chargeTable, type FoundPosting, postingTable, usageCounts } from '../tables.ts';
import { narrowed } from '../usage/usage-filter-store.ts';
import { type SumRow, toUsageRow } from '../usage/usage-row.ts';
import type { UsageDimension, UsageRequest, UsageRow } from './statements.ts';

/** The number of the first posting from `low` and before `high` made at or after a time; otherwise `high`. */
export async function findSeqAt(
  db: Queryable,
  { walletId, timeUs, ...range }: { walletId: string; low?: bigint; high: bigint; timeUs: bigint },
): Promise<bigint> {
  let { low = 1n, high } = range;
  // Most requested times are before the first or after the last row.
  if (low < high && (await timeOf(db, walletId, high - 1n)) < timeUs) return high;
  for (let middle = low; low < high; middle = (low + high) / 2n)
    if ((await timeOf(db, walletId, middle)) < timeUs) low = middle + 1n;
    else high = middle;
  return low;
}

/** When a posting was made, in microseconds since the epoch. */
export async function timeOf(db: Queryable, walletId: string, seq: bigint): Promise<bigint> {
  const { rows } = await sql<{ time: bigint }>`
    SELECT created_at_us AS time FROM posting WHERE wallet_id = ${walletId} AND seq = ${seq}`.execute(db.for<never>());
  const [row] = rows;
  if (!row) throw new Error('A posting of the wallet is missing.');
  return BigInt(row.time);
}

export function postingsFrom(
  db: Queryable,
  { walletId, from, to, limit }: { walletId: string; from: bigint; to: bigint; limit: number },
): Promise<FoundPosting[]> {
  const which = sql`wallet_id = ${walletId} AND seq >= ${from} AND seq < ${to} ORDER BY seq LIMIT ${limit}`;
  return findRows(db, postingTable, which);
}

/** A charge paid in several postings is counted with its first: one of which nothing could be collected, with the first repayment. */
const once = sql`(posting.step IN ('capture', 'expiry', 'late') OR (posting.step = 'repay:use:1' AND charge.settled = 0))`;

/** Each dimension's name in the row, and where it is read from. */
const columns: Record<UsageDimension, readonly [name: keyof UsageRow, RawBuilder<unknown>]> = {
  day: ['day', sql`(posting.created_at_us DIV 86400000000)`],
  hour: ['hour', sql`(posting.created_at_us DIV 3600000000)`],
  operation: ['operation', sql`charge.operation`],
  provider: ['provider', sql`charge.provider`],
  model: ['model', sql`charge.model`],
  key: ['keyId', sql`charge.key_id`],
  device: ['deviceId', sql`charge.device_id`],
  subject: ['subject', sql`charge.subject`],
  provider_key: ['providerKeyId', sql`charge.provider_key_id`],
};

const counts = usageCounts.filter((name) => name !== 'requests');
// A count that no charge has adds nothing.
const sums = sql.join(
  counts.map((name) => {
    const count = sql.ref(`charge.${columnOf(chargeTable, name).name}`);
    return sql`COALESCE(SUM(${once} * ${count}), 0) AS ${sql.id(name)}`;
  }),
);

export interface SumRequest extends Pick<UsageRequest, 'groupBy' | 'groupByMetadata' | 'metadata' | 'only'> {
  walletId: string;
  from: bigint;
  to: bigint;
  offset: number;
  limit: number;
}

/** Sums the captures among some postings. Without dimensions: one row, even if there is nothing to sum. */
export async function sumUsage(db: Queryable, request: SumRequest): Promise<UsageRow[]> {
  const { walletId, from, to, groupBy, groupByMetadata, metadata, only, offset, limit } = request;
  const dimensions = groupBy.map((name) => columns[name]);
  if (groupByMetadata !== undefined) dimensions.push(['metadataValue', sql`label.value`]);
  const selected = dimensions.map(([name, column]) => sql`${column} AS ${sql.id(name)},`);
  const grouped = sql.join(dimensions.map(([, column]) => column));
  const grouping = dimensions.length === 0 ? sql`` : sql`GROUP BY ${grouped} ORDER BY ${grouped}`;
  const { rows } = await sql<SumRow>`
    SELECT ${sql.join(selected, sql` `)} COALESCE(SUM(${once}), 0) AS charges, ${sums},
      COALESCE(SUM(IF(posting.credit_account = 'wallet', -posting.amount, posting.amount)), 0) AS cost
    FROM posting
    JOIN charge ON charge.wallet_id = posting.wallet_id AND charge.id = posting.source_id
    ${metadata === undefined ? sql`` : sql`JOIN ${labelOf('wanted', metadata.key)} AND wanted.value = ${metadata.value}`}
    ${groupByMetadata === undefined ? sql`` : sql`LEFT JOIN ${labelOf('label', groupByMetadata)}`}
    WHERE posting.wallet_id = ${walletId} AND posting.seq >= ${from} AND posting.seq < ${to}
      AND posting.source_type = 'charge' ${narrowed(only, 'charge.')}
    ${grouping}
    LIMIT ${limit} OFFSET ${offset}`.execute(db.for<never>());
  return rows.map(toUsageRow);
}

/** The charge's label with this name, as a table to join. */
function labelOf(alias: string, name: string): RawBuilder<unknown> {
  const [walletId, chargeId, label] = ['wallet_id', 'charge_id', 'name'].map((column) => sql.ref(`${alias}.${column}`));
  return sql`charge_metadata AS ${sql.id(alias)}
    ON ${walletId} = posting.wallet_id AND ${chargeId} = posting.source_id AND ${label} = ${name}`;
}
