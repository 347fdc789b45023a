import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import { type Column, type FoundRow, sqlName, type Table, type WholeRow } from './columns.ts';

/** Rows outside of groups, read and typed by the description of their table. `which` is what stands after WHERE. */
export async function findRows<T extends Table>(
  db: Queryable,
  table: T,
  which: RawBuilder<unknown>,
): Promise<FoundRow<T>[]> {
  const columns = Object.entries({ ...table.changing, ...table.fixed }).map(
    ([property, column]) => [property, sqlName(property, column), column] as const,
  );
  const names = sql.join(columns.map(([, name]) => sql.ref(name)));
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${names} FROM ${sql.table(table.name)} WHERE ${which}`.execute(db.for<never>());
  return rows.map((row) => {
    const there = columns.filter(([, name]) => row[name] !== null);
    return Object.fromEntries(
      there.map(([property, name, column]) => [property, readValue(column, row[name])]),
    ) as FoundRow<T>;
  });
}

/** The row with these values, if there is one. */
export async function findOne<T extends Table>(
  db: Queryable,
  table: T,
  where: Partial<WholeRow<T>>,
): Promise<FoundRow<T> | undefined> {
  const equal = Object.entries(where).map(([property, value]) => sql`${columnOf(table, property)} = ${value}`);
  const [row] = await findRows(db, table, sql`${sql.join(equal, sql` AND `)} LIMIT 1`);
  return row;
}

/** Rows of a wallet that come before one in the order of their key, the newest first. */
export function listNewest<T extends Table>(
  db: Queryable,
  table: T,
  { walletId, before, limit }: { walletId: string; before: string | bigint | undefined; limit: number },
): Promise<FoundRow<T>[]> {
  const key = columnOf(table, table.key.at(-1) ?? '');
  const older = before === undefined ? sql`` : sql`AND ${key} < ${before}`;
  return findRows(db, table, sql`wallet_id = ${walletId} ${older} ORDER BY ${key} DESC LIMIT ${limit}`);
}

function columnOf(table: Table, property: string): RawBuilder<unknown> {
  const column = table.changing[property] ?? table.fixed[property];
  if (!column) throw new Error(`${table.name} has no ${property}.`);
  return sql.ref(sqlName(property, column));
}

function readValue({ kind }: Column<unknown>, value: unknown): unknown {
  switch (kind) {
    case 'integer':
      return BigInt(value as bigint | number);
    case 'number':
      return Number(value);
    case 'flag':
      return Boolean(value);
    case 'hex':
      return (value as Buffer).toString('hex');
    case 'text':
      return value;
  }
}
