import { CompiledQuery } from 'kysely';
import type { Queryable } from '../db/index.ts';

/**
 * Bulk SQL. Statements are built here from integers and hexadecimal literals only: binding the 9,000 values of a batch costs
 * the driver more than storing them costs the server.
 */

/** At 1,000 constants MariaDB turns an IN list into a join. */
export const inListMax = 500;
const rowsPerInsertMax = 2_000;
/** A quarter of the smallest usual packet limit (16 MiB). */
const charactersPerInsertMax = 4 * 1_048_576;

/** A text's UTF-8 bytes as a hexadecimal literal, which needs no escaping. */
export function hexOf(text: string): string {
  return text === '' ? "''" : `0x${Buffer.from(text, 'utf8').toString('hex')}`;
}

/** Bytes as a literal. */
export function bytesOf(bytes: Uint8Array): string {
  return bytes.length === 0 ? "''" : `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}

/** For `ON DUPLICATE KEY UPDATE`: adds the new values to these columns. */
export function sumsOf(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${column} + VALUES(${column})`).join(', ');
}

/** Inserts rows, in as many statements as their number and length require. */
export async function insert(db: Queryable, head: string, rows: readonly string[], tail = ''): Promise<void> {
  for (const [from, to] of statementsOf(rows)) await insertOnce(db, head, rows.slice(from, to), tail);
}

/** Inserts rows in one statement, which is rolled back as a whole if it fails. */
export async function insertOnce(db: Queryable, head: string, rows: readonly string[], tail = ''): Promise<void> {
  if (rows.length > 0) await run(db, `${head} ${rows.join(',')} ${tail}`);
}

/** Splits rows into statements of bounded length: `[from, to)`. A single row is always well below the packet limit. */
export function* statementsOf(rows: readonly string[]): Iterable<[from: number, to: number]> {
  let from = 0;
  let length = 0;
  for (const [at, row] of rows.entries()) {
    if (at > from && (at - from >= rowsPerInsertMax || length + row.length > charactersPerInsertMax)) {
      yield [from, at];
      from = at;
      length = 0;
    }
    length += row.length;
  }
  if (from < rows.length) yield [from, rows.length];
}

export async function run(db: Queryable, text: string, values: unknown[] = []): Promise<bigint> {
  const result = await db.for<object>().executeQuery(CompiledQuery.raw(text, values));
  return result.numAffectedRows ?? 0n;
}

export async function query<Row>(db: Queryable, text: string, values: unknown[] = []): Promise<Row[]> {
  const result = await db.for<object>().executeQuery<Row>(CompiledQuery.raw(text, values));
  return result.rows;
}

export function* slices<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  if (items.length > 0 && items.length <= size) yield items;
  else for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
