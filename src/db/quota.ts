import { sql } from 'kysely';
import type { Transaction } from './database.ts';

/**
 * Waits until no other transaction counts this quota of the account, and keeps others waiting until this one ends. What is
 * counted and added after it, in the same transaction, can not pass a limit however many requests come at once.
 */
export async function lockQuota(tx: Transaction, accountId: string, quota: string): Promise<void> {
  await sql`INSERT INTO quota_lock (account_id, quota) VALUES (${accountId}, ${quota})
    ON DUPLICATE KEY UPDATE quota = quota`.execute(tx.for<never>());
}
