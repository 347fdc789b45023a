import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { type FoundRow, flag, integer, table, text, type WholeRow } from '../columns.ts';
import { findRows } from '../rows-store.ts';
import { type FoundPosting, postingTable } from '../tables.ts';

/** `seenSeq` is the last posting looked at. */
export const alertTable = table(
  'low_balance_alert',
  ['walletId'],
  { walletId: text, accountId: text, threshold: integer, below: flag, seenSeq: integer },
  {},
);

export async function lockAlert(tx: Queryable, walletId: string): Promise<FoundRow<typeof alertTable> | undefined> {
  const [alert] = await findRows(tx, alertTable, sql`wallet_id = ${walletId} FOR UPDATE`);
  return alert;
}

export async function putAlert(db: Queryable, alert: WholeRow<typeof alertTable>): Promise<void> {
  const { walletId, accountId, threshold, seenSeq } = alert;
  const below = alert.below ? 1 : 0;
  await sql`INSERT INTO low_balance_alert (wallet_id, account_id, threshold, below, seen_seq)
    VALUES (${walletId}, ${accountId}, ${threshold}, ${below}, ${seenSeq})
    ON DUPLICATE KEY UPDATE threshold = ${threshold}, below = ${below}, seen_seq = ${seenSeq}`.execute(db.for<never>());
}

export async function dropAlert(db: Queryable, walletId: string): Promise<void> {
  await sql`DELETE FROM low_balance_alert WHERE wallet_id = ${walletId}`.execute(db.for<never>());
}

/** Wallets that have an alert and postings not yet looked at. */
export async function findMovedAlerts(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT wallet.id FROM low_balance_alert JOIN wallet ON wallet.id = low_balance_alert.wallet_id
    WHERE wallet.seq > low_balance_alert.seen_seq LIMIT ${limit}`.execute(db.for<never>());
  return rows.map(({ id }) => id);
}

/** The first posting of a range that leaves the balance on one side of the threshold. */
export async function firstPosting(
  db: Queryable,
  range: { walletId: string; after: bigint; to: bigint; threshold: bigint; side: 'below' | 'at least' },
): Promise<FoundPosting | undefined> {
  const { walletId, after, to, threshold, side } = range;
  const [posting] = await findRows(
    db,
    postingTable,
    sql`wallet_id = ${walletId} AND seq > ${after} AND seq <= ${to}
      AND balance_after ${side === 'below' ? sql`<` : sql`>=`} ${threshold} ORDER BY seq LIMIT 1`,
  );
  return posting;
}
