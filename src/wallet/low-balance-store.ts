import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import type { WalletTables } from './tables.ts';
import type { WalletKind } from './wallets.ts';

interface AlertTables extends WalletTables {
  low_balance_alert: AlertRow;
}

interface AlertRow {
  wallet_id: string;
  account_id: string;
  threshold: bigint;
  below: number;
  seen_seq: bigint;
}

export function findAlert(db: Queryable, walletId: string): Promise<AlertRow | undefined> {
  return db
    .for<AlertTables>()
    .selectFrom('low_balance_alert')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .executeTakeFirst();
}

export function lockAlert(tx: Queryable, walletId: string): Promise<AlertRow | undefined> {
  return tx
    .for<AlertTables>()
    .selectFrom('low_balance_alert')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .forUpdate()
    .executeTakeFirst();
}

export async function putAlert(
  db: Queryable,
  row: { walletId: string; accountId: string; threshold: bigint; below: boolean; seq: bigint },
): Promise<void> {
  const changing = { threshold: row.threshold, below: row.below ? 1 : 0, seen_seq: row.seq };
  await db
    .for<AlertTables>()
    .insertInto('low_balance_alert')
    .values({ wallet_id: row.walletId, account_id: row.accountId, ...changing })
    .onDuplicateKeyUpdate(changing)
    .execute();
}

export async function dropAlert(db: Queryable, walletId: string): Promise<void> {
  await db.for<AlertTables>().deleteFrom('low_balance_alert').where('wallet_id', '=', walletId).execute();
}

/** Wallets with an alert and with postings that nobody has looked at. */
export async function findMovedAlerts(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT wallet.id FROM low_balance_alert JOIN wallet ON wallet.id = low_balance_alert.wallet_id
    WHERE wallet.seq > low_balance_alert.seen_seq LIMIT ${limit}`.execute(db.for<AlertTables>());
  return rows.map(({ id }) => id);
}

/** Where a wallet is; without a lock, so that no charge waits. */
export function readPosition(
  db: Queryable,
  walletId: string,
): Promise<{ seq: bigint; posted: bigint; kind: WalletKind } | undefined> {
  return db
    .for<AlertTables>()
    .selectFrom('wallet')
    .select(['seq', 'posted', 'kind'])
    .where('id', '=', walletId)
    .executeTakeFirst();
}

/** The first posting of a range that leaves the balance on one side of the threshold. */
export function firstPosting(
  db: Queryable,
  range: { walletId: string; after: bigint; to: bigint; threshold: bigint; side: 'below' | 'at least' },
): Promise<{ seq: bigint; balance_after: bigint } | undefined> {
  return db
    .for<AlertTables>()
    .selectFrom('posting')
    .select(['seq', 'balance_after'])
    .where('wallet_id', '=', range.walletId)
    .where('seq', '>', range.after)
    .where('seq', '<=', range.to)
    .where('balance_after', range.side === 'below' ? '<' : '>=', range.threshold)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
}

export async function noteSeen(
  tx: Queryable,
  { walletId, seq, below }: { walletId: string; seq: bigint; below: boolean },
): Promise<void> {
  await tx
    .for<AlertTables>()
    .updateTable('low_balance_alert')
    .set({ seen_seq: seq, below: below ? 1 : 0 })
    .where('wallet_id', '=', walletId)
    .execute();
}
