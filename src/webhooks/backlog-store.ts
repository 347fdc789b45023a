import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';

const nowUs = sql`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;
const countedMax = sql.lit(10_000);

/** Deliveries of all accounts that await their next attempt, and those of them that are late by more than `lateMs`; each counted up to 10,000. */
export async function readWebhookBacklog(db: Queryable, lateMs: number): Promise<{ waiting: number; overdue: number }> {
  const due = sql`SELECT 1 FROM webhook_delivery FORCE INDEX (webhook_delivery_due) WHERE next_attempt_at_us`;
  const { rows } = await sql<{ waiting: bigint; overdue: bigint }>`SELECT
    (SELECT COUNT(*) FROM (${due} IS NOT NULL LIMIT ${countedMax}) w) AS waiting,
    (SELECT COUNT(*) FROM (${due} < ${nowUs} - ${lateMs * 1_000} LIMIT ${countedMax}) o) AS overdue
  `.execute(db.for<never>());
  return { waiting: Number(rows[0]?.waiting), overdue: Number(rows[0]?.overdue) };
}
