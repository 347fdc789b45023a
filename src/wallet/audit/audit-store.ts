import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';

export async function runInvariant(
  db: Queryable,
  query: string,
  limit: number,
): Promise<{ subject: string; detail: string }[]> {
  const rows = await sql<{ subject: unknown; detail: unknown }>`${sql.raw(query)} LIMIT ${limit}`.execute(
    db.for<never>(),
  );
  return rows.rows.map(({ subject, detail }) => ({ subject: String(subject), detail: String(detail) }));
}
