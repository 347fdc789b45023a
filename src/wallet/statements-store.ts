import { type RawBuilder, sql } from 'kysely';
import { present } from '../base/present.ts';
import type { Queryable } from '../db/index.ts';
import type { MetadataFilter, UsageDimension, UsageRow } from './statements.ts';
import type { PostingTable, WalletTables } from './tables.ts';

/** The number of the wallet's first posting at or after a time; `next` when there is none. */
export async function findSeqAt(
  db: Queryable,
  { walletId, next, timeUs }: { walletId: string; next: bigint; timeUs: bigint },
): Promise<bigint> {
  let low = 1n;
  let high = next;
  while (low < high) {
    const middle = (low + high) / 2n;
    const row = await db
      .for<WalletTables>()
      .selectFrom('posting')
      .select('created_at_us')
      .where('wallet_id', '=', walletId)
      .where('seq', '=', middle)
      .executeTakeFirstOrThrow();
    if (row.created_at_us < timeUs) low = middle + 1n;
    else high = middle;
  }
  return low;
}

export function postingsFrom(
  db: Queryable,
  { walletId, from, to, limit }: { walletId: string; from: bigint; to: bigint; limit: number },
): Promise<PostingTable[]> {
  return db
    .for<WalletTables>()
    .selectFrom('posting')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where('seq', '>=', from)
    .where('seq', '<', to)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

const columns: Record<UsageDimension, RawBuilder<unknown>> = {
  day: sql`(posting.created_at_us DIV 86400000000)`,
  operation: sql`charge.operation`,
  provider: sql`charge.provider`,
  model: sql`charge.model`,
  key: sql`charge.key_id`,
  device: sql`charge.device_id`,
};

interface SumRow {
  day?: bigint;
  operation?: string;
  provider?: string | null;
  model?: string | null;
  key?: string;
  device?: string | null;
  label?: string | null;
  charges: bigint;
  input_tokens: bigint | null;
  cached_input_tokens: bigint | null;
  cache_write_input_tokens: bigint | null;
  output_tokens: bigint | null;
  reasoning_tokens: bigint | null;
  events: bigint | null;
  cost: bigint | null;
}

export interface SumRequest {
  walletId: string;
  from: bigint;
  to: bigint;
  groupBy: readonly UsageDimension[];
  groupByMetadata?: string | undefined;
  metadata?: MetadataFilter | undefined;
  offset: number;
  limit: number;
}

/** Sums over the captures among some postings. Without dimensions: one row, even of nothing. */
export async function sumUsage(db: Queryable, request: SumRequest): Promise<UsageRow[]> {
  const { walletId, from, to, groupBy, groupByMetadata, metadata, offset, limit } = request;
  const dimensions = groupBy.map((name) => ({ name: name as string, column: columns[name] }));
  if (groupByMetadata !== undefined) dimensions.push({ name: 'label', column: sql`label.value` });
  const selected = dimensions.map(({ name, column }) => sql`${column} AS ${sql.id(name)},`);
  const grouped = sql.join(dimensions.map(({ column }) => column));
  const grouping = dimensions.length === 0 ? sql`` : sql`GROUP BY ${grouped} ORDER BY ${grouped}`;
  const { rows } = await sql<SumRow>`
    SELECT ${sql.join(selected, sql` `)}
      COUNT(*) AS charges, SUM(charge.input_tokens) AS input_tokens,
      SUM(charge.cached_input_tokens) AS cached_input_tokens, SUM(charge.output_tokens) AS output_tokens,
      SUM(charge.cache_write_input_tokens) AS cache_write_input_tokens,
      SUM(charge.reasoning_tokens) AS reasoning_tokens, SUM(charge.events) AS events, SUM(posting.amount) AS cost
    FROM posting
    JOIN charge ON charge.wallet_id = posting.wallet_id AND charge.id = posting.source_id
    ${metadata === undefined ? sql`` : sql`JOIN ${labelOf('wanted', metadata.key)} AND wanted.value = ${metadata.value}`}
    ${groupByMetadata === undefined ? sql`` : sql`LEFT JOIN ${labelOf('label', groupByMetadata)}`}
    WHERE posting.wallet_id = ${walletId} AND posting.seq >= ${from} AND posting.seq < ${to}
      AND posting.source_type = 'charge'
    ${grouping}
    LIMIT ${limit} OFFSET ${offset}`.execute(db.for<WalletTables>());
  return rows.map(toUsageRow);
}

/** The charge's label of that name, as a table to join. */
function labelOf(alias: string, name: string): RawBuilder<unknown> {
  const [walletId, chargeId, label] = ['wallet_id', 'charge_id', 'name'].map((column) => sql.ref(`${alias}.${column}`));
  return sql`charge_metadata AS ${sql.id(alias)}
    ON ${walletId} = posting.wallet_id AND ${chargeId} = posting.source_id AND ${label} = ${name}`;
}

function toUsageRow(row: SumRow): UsageRow {
  return present({
    day: row.day === undefined ? undefined : new Date(Number(row.day) * 86_400_000).toISOString().slice(0, 10),
    operation: row.operation,
    provider: row.provider ?? undefined,
    model: row.model ?? undefined,
    keyId: row.key,
    deviceId: row.device ?? undefined,
    metadataValue: row.label ?? undefined,
    charges: row.charges,
    // Counts that no charge has are nothing to add.
    inputTokens: row.input_tokens ?? 0n,
    cachedInputTokens: row.cached_input_tokens ?? 0n,
    cacheWriteInputTokens: row.cache_write_input_tokens ?? 0n,
    outputTokens: row.output_tokens ?? 0n,
    reasoningTokens: row.reasoning_tokens ?? 0n,
    events: row.events ?? 0n,
    cost: row.cost ?? 0n,
  });
}
