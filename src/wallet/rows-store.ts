import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import { columnOf, type FoundRow, readValue, type Table, type WholeRow } from './columns.ts';

/**
 * Reads rows outside of groups, typed by their table's description. `which` is the WHERE condition; `index` forces an index where
 * a server might choose a worse one.
 */
export async function findRows<T extends Table>(
  db: Queryable,
  table: T,
  which: RawBuilder<unknown>,
  index?: string,
): Promise<FoundRow<T>[]> {
  const names = sql.join(table.all.map(({ name }) => sql.ref(name)));
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${names} FROM ${sql.table(table.name)} ${index ? sql`FORCE INDEX (${sql.id(index)})` : sql``}
    WHERE ${which}`.execute(db.for<never>());
  return rows.map((row) => {
    const there = table.all.filter(({ name }) => row[name] !== null);
    return Object.fromEntries(
      there.map((column) => [column.property, readValue(column, row[column.name])]),
    ) as FoundRow<T>;
  });
}

/** Finds the row with these values, if any. */
export async function findOne<T extends Table>(
  db: Queryable,
  table: T,
  where: Partial<WholeRow<T>>,
): Promise<FoundRow<T> | undefined> {
  const equal = Object.entries(where).map(
    ([property, value]) => sql`${sql.ref(columnOf(table, property).name)} = ${value}`,
  );
  const [row] = await findRows(db, table, sql`${sql.join(equal, sql` AND `)} LIMIT 1`);
  return row;
}

/** Lists a wallet's rows before a given one in key order, newest first. */
export function listNewest<T extends Table>(
  db: Queryable,
  table: T,
  { walletId, before, limit }: { walletId: string; before: string | bigint | undefined; limit: number },
): Promise<FoundRow<T>[]> {
  const key = sql.ref(columnOf(table, table.key.at(-1) ?? '').name);
  const older = before === undefined ? sql`` : sql`AND ${key} < ${before}`;
  return findRows(db, table, sql`wallet_id = ${walletId} ${older} ORDER BY ${key} DESC LIMIT ${limit}`);
}
