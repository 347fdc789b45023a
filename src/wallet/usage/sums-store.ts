import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { columnOf, type Table } from '../columns.ts';
import type { UsageDimension, UsageFilter, UsageRow } from '../statements/statements.ts';
import { usageHourTable, usageSums, usageUserHourTable } from '../tables.ts';
import { belongs, contributions, sumNames } from './contributions.ts';
import type { Segment, UsagePlan } from './plan.ts';
import { narrowed } from './usage-filter-store.ts';
import { type SumRow, toUsageRow } from './usage-row.ts';

export interface ReadSums {
  walletId: string;
  plan: UsagePlan;
  groupBy: readonly SummedDimension[];
  only?: Readonly<UsageFilter> | undefined;
  offset: number;
  limit: number;
}

/** Provider keys are not in the sums. */
type SummedDimension = Exclude<UsageDimension, 'provider_key'>;

/** Each dimension's name in the row, and where it is read from. */
const columns: Record<SummedDimension, readonly [name: keyof UsageRow, column: string]> = {
  day: ['day', 'hour DIV 24'],
  hour: ['hour', 'hour'],
  operation: ['operation', 'operation'],
  provider: ['provider', "NULLIF(provider, '')"],
  model: ['model', "NULLIF(model, '')"],
  key: ['keyId', 'key_id'],
  device: ['deviceId', "NULLIF(device_id, '')"],
  subject: ['subject', "NULLIF(subject, '')"],
};

const nameOf = (sum: (typeof usageSums)[number]) => columnOf(usageHourTable, sum).name;
const summed = usageSums.map((name) => `SUM(${nameOf(name)}) AS ${nameOf(name)}`).join(', ');
const results = usageSums.map((name) => `COALESCE(SUM(${nameOf(name)}), 0) AS \`${name}\``).join(', ');

/** Sums grouped and ordered by their dimensions. Without dimensions: one row, even if there is nothing to sum. */
export async function readSums(db: Queryable, request: ReadSums): Promise<UsageRow[]> {
  const { groupBy, offset, limit } = request;
  const dimensions = groupBy.map((name) => columns[name]);
  const names = dimensions.map(([name]) => `\`${name}\``).join(', ');
  const parts = partsOf(request).map(
    ({ of, where }) => sql`
      SELECT ${sql.raw(dimensions.map(([name, column]) => `${column} AS \`${name}\`, `).join(''))} ${sql.raw(summed)}
      FROM ${of} ${where} ${groupBy.length === 0 ? sql`` : sql`GROUP BY ${sql.raw(names)}`}`,
  );
  if (parts.length === 0) parts.push(sql`SELECT ${sql.raw(nothing(dimensions))} FROM DUAL WHERE FALSE`);
  const grouping =
    groupBy.length === 0
      ? sql``
      : sql`GROUP BY ${sql.raw(names)} HAVING SUM(parts.charges) <> 0 OR SUM(parts.cost) <> 0 ORDER BY ${sql.raw(names)}`;
  const { rows } = await sql<SumRow>`
    SELECT ${sql.raw(names === '' ? '' : `${names}, `)} ${sql.raw(results)}
    FROM (${sql.join(parts, sql` UNION ALL `)}) parts ${grouping}
    LIMIT ${limit} OFFSET ${offset}`.execute(db.for<never>());
  return rows.map(toUsageRow);
}

interface Part {
  of: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
}

function partsOf({ walletId, plan, groupBy, only }: ReadSums): Part[] {
  const byUser = groupBy.includes('device') || groupBy.includes('subject');
  const tables = byUser ? [usageUserHourTable, usageHourTable] : [usageHourTable];
  const parts = plan.segments.map((segment) => postings(walletId, segment, only));
  if (plan.hours)
    for (const table of tables)
      parts.push(hours(walletId, plan.hours, { table, only, others: byUser && table === usageHourTable }));
  return parts;
}

/** Sums of hours; for `others`, only what is not in the table of users. */
function hours(
  walletId: string,
  { first, end }: NonNullable<UsagePlan['hours']>,
  { table, only, others }: { table: Table; only: ReadSums['only']; others: boolean },
): Part {
  const none = sql.raw("(SELECT t.*, '' AS device_id, '' AS subject FROM usage_hour t");
  const place = sql`wallet_id = ${walletId} AND hour >= ${first} AND hour < ${end} ${narrowed(only)}`;
  if (others) return { of: sql`${none} WHERE ${place} AND by_user = 0) others`, where: sql`` };
  return { of: sql`${sql.table(table.name)} FORCE INDEX (PRIMARY)`, where: sql`WHERE ${place}` };
}

function postings(walletId: string, { from, to, sign }: Segment, only: ReadSums['only']): Part {
  const all = sql.raw(contributions(usageUserHourTable, sign));
  return {
    of: sql`(SELECT ${all} FROM posting p FORCE INDEX (PRIMARY)
      JOIN charge c FORCE INDEX (PRIMARY) ON c.wallet_id = p.wallet_id AND c.id = p.source_id
      WHERE p.wallet_id = ${walletId} AND p.seq >= ${from} AND p.seq < ${to} AND p.source_type = 'charge'
        AND ${sql.raw(belongs(usageHourTable))} ${narrowed(only, 'c.')}) entries`,
    where: sql``,
  };
}

function nothing(dimensions: readonly (readonly [string, string])[]): string {
  return [...dimensions.map(([name]) => `0 AS \`${name}\``), ...sumNames.map((name) => `0 AS ${name}`)].join(', ');
}
