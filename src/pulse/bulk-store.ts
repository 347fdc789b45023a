import { CompiledQuery } from 'kysely';
import type { Queryable } from '../db/index.ts';

/**
 * Bulk SQL. Texts are built here from integers and hexadecimal literals only: binding the 9,000 values of a batch costs the
 * driver more than the server needs to store them.
 */

/** At 1,000 constants MariaDB turns an IN list into a join. */
export const inListMax = 500;
export const rowsPerInsertMax = 2_000;

/**
 * A text's UTF-8 bytes as a literal. In hexadecimal without quotes, through which the driver would look for placeholders,
 * at a tenth of the whole cost of a batch.
 */
export function hexOf(text: string): string {
  return text === '' ? "''" : `0x${Buffer.from(text, 'utf8').toString('hex')}`;
}

export async function insert(db: Queryable, head: string, rows: readonly string[], tail = ''): Promise<void> {
  for (const part of slices(rows, rowsPerInsertMax)) await run(db, `${head} ${part.join(',')} ${tail}`);
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
