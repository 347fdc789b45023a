import { sql } from 'kysely';
import type { Transaction } from './database.ts';

/**
 * Waits until no other transaction counts this quota of the account, and makes others wait until this one ends. Counting and
 * adding afterwards, in the same transaction, cannot exceed a limit, however many requests arrive at once.
 */
export async function lockQuota(tx: Transaction, accountId: string, quota: string): Promise<void> {
  await sql`INSERT INTO quota_lock (account_id, quota) VALUES (${accountId}, ${quota})
    ON DUPLICATE KEY UPDATE quota = quota`.execute(tx.for<never>());
}
