import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { columnOf, readValue, type Table, type WholeRow } from '../columns.ts';
import { addToRows } from '../ledger/store/table-store.ts';
import { findSeqAt, timeOf } from '../statements/statements-store.ts';
import { usageHourTable, usageSums, usageUserHourTable } from '../tables.ts';
import { belongs, contributions, placeNames, sumNames } from './contributions.ts';

const tables = [usageHourTable, usageUserHourTable] as const;
const hourUs = 3_600_000_000n;

/** A range of hours and the postings made in them; the second bound of each is exclusive. */
export interface HoursOfPostings {
  hours: readonly [bigint, bigint];
  seqs: readonly [bigint, bigint];
}

export interface RebuiltWallet {
  id: string;
  accountId: string;
}

/** API wallets after an id, in id order; only one account's, if given. */
export async function findWalletsAfter(
  db: Queryable,
  { after, accountId, limit }: { after: string; accountId: string | undefined; limit: number },
): Promise<RebuiltWallet[]> {
  const { rows } = await sql<RebuiltWallet>`
    SELECT id, account_id AS accountId FROM wallet WHERE id > ${after} AND kind = 'api'
      ${accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`} ORDER BY id LIMIT ${limit}`.execute(
    db.for<never>(),
  );
  return rows;
}

/** The hours (end exclusive) in which a wallet has postings or sums; undefined if it has neither. */
export async function findHours(db: Queryable, walletId: string): Promise<readonly [bigint, bigint] | undefined> {
  const spans = [
    sql`SELECT MIN(created_at_us) DIV ${hourUs} AS first, MAX(created_at_us) DIV ${hourUs} AS last FROM posting
      WHERE wallet_id = ${walletId} AND seq IN (1, (SELECT seq FROM wallet WHERE id = ${walletId}))`,
    ...tables.map(({ name }) => sql`SELECT MIN(hour), MAX(hour) FROM ${sql.table(name)} WHERE wallet_id = ${walletId}`),
  ];
  const { rows } = await sql<{ first: bigint | null; last: bigint | null }>`
    SELECT MIN(first) AS first, MAX(last) AS last FROM (${sql.join(spans, sql` UNION ALL `)}) spans`.execute(
    db.for<never>(),
  );
  const [span] = rows;
  return span?.first == null || span.last == null ? undefined : [BigInt(span.first), BigInt(span.last) + 1n];
}

/** Whole hours from a given one with about `most` postings, at least one hour. */
export async function nextHours(
  db: Queryable,
  walletId: string,
  { first, end, most }: { first: bigint; end: bigint; most: bigint },
): Promise<HoursOfPostings> {
  const { rows } = await sql<{ seq: bigint }>`SELECT seq FROM wallet WHERE id = ${walletId}`.execute(db.for<never>());
  const next = BigInt(rows[0]?.seq ?? 0n) + 1n;
  const seqAt = (hour: bigint) => findSeqAt(db, { walletId, high: next, timeUs: hour * hourUs });
  const from = await seqAt(first);
  if (next - from <= most) return { hours: [first, end], seqs: [from, await seqAt(end)] };
  const hour = (await timeOf(db, walletId, from + most)) / hourUs;
  const last = hour > first ? hour : first + 1n;
  return { hours: [first, last], seqs: [from, await seqAt(last)] };
}

type SumsRow<T extends Table> = WholeRow<T>;

/** What must be added to the sums of some hours to make them match their postings. */
export async function missingSums<T extends Table>(
  db: Queryable,
  table: T,
  walletId: string,
  { hours, seqs }: HoursOfPostings,
): Promise<SumsRow<T>[]> {
  const places = placeNames(table).join(', ');
  const negative = sumNames.map((name) => `-${name} AS ${name}`).join(', ');
  const columns = [...table.key, ...usageSums].map((property) => columnOf(table, property));
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${sql.raw(places)}, ${sql.raw(sumNames.map((name) => `SUM(${name}) AS ${name}`).join(', '))} FROM (
      SELECT ${sql.raw(places)}, ${sql.raw(negative)} FROM ${sql.table(table.name)}
      WHERE wallet_id = ${walletId} AND hour >= ${hours[0]} AND hour < ${hours[1]}
      UNION ALL
      SELECT ${sql.raw(contributions(table))} FROM posting p FORCE INDEX (PRIMARY)
      JOIN charge c FORCE INDEX (PRIMARY) ON c.wallet_id = p.wallet_id AND c.id = p.source_id
      WHERE p.wallet_id = ${walletId} AND p.seq >= ${seqs[0]} AND p.seq < ${seqs[1]}
        AND p.seq <= (SELECT summed FROM wallet WHERE id = ${walletId})
        AND p.source_type = 'charge' AND ${sql.raw(belongs(table))}
    ) x GROUP BY ${sql.raw(places)} HAVING ${sql.raw(sumNames.map((name) => `SUM(${name}) <> 0`).join(' OR '))}
    ORDER BY ${sql.raw(places)}`.execute(db.for<never>());
  return rows.map(
    (row) =>
      Object.fromEntries(columns.map((column) => [column.property, readValue(column, row[column.name])])) as SumsRow<T>,
  );
}

/** Adds what is missing, a few rows per statement. */
export async function addMissing<T extends Table>(tx: Queryable, table: T, rows: readonly SumsRow<T>[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const write = addToRows(table, rows.slice(from, from + rowsAtOnce));
    if (write) await sql.raw(write.sql).execute(tx.for<never>());
  }
}

const rowsAtOnce = 500;

/** Removes rows whose sums are all zero. */
export async function removeEmpty(
  tx: Queryable,
  walletId: string,
  { hours }: Pick<HoursOfPostings, 'hours'>,
): Promise<void> {
  const isEmpty = sql.raw(sumNames.map((name) => `${name} = 0`).join(' AND '));
  for (const { name } of tables)
    await sql`DELETE FROM ${sql.table(name)}
      WHERE wallet_id = ${walletId} AND hour >= ${hours[0]} AND hour < ${hours[1]} AND ${isEmpty}`.execute(
      tx.for<never>(),
    );
}
