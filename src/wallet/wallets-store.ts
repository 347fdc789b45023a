import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import { findLabelled } from './metadata-store.ts';
import type { MetadataFilter } from './statements.ts';
import type { AdjustmentTable, ChargeTable, PostingTable, WalletTable, WalletTables } from './tables.ts';
import type { WalletKind } from './wallets.ts';

/** Database time in microseconds. */
export const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

/** Adds an account's wallet; two at once make one. */
export async function addWallet(
  db: Queryable,
  row: { id: string; accountId: string; kind: WalletKind },
): Promise<void> {
  await db
    .for<WalletTables>()
    .insertInto('wallet')
    .values({
      id: row.id,
      account_id: row.accountId,
      kind: row.kind,
      posted: 0n,
      held: 0n,
      owed: 0n,
      open_disputes: 0,
      seq: 0n,
      version: 0n,
      created_at_us: nowUs,
    })
    .onDuplicateKeyUpdate({ kind: row.kind })
    .execute();
}

export function findWallet(db: Queryable, accountId: string, kind: WalletKind): Promise<WalletTable | undefined> {
  return db
    .for<WalletTables>()
    .selectFrom('wallet')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

/** Postings below `before`, the newest first. */
export function listPostings(
  db: Queryable,
  { walletId, before, limit }: { walletId: string; before: bigint | undefined; limit: number },
): Promise<PostingTable[]> {
  let query = db
    .for<WalletTables>()
    .selectFrom('posting')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .orderBy('seq', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('seq', '<', before);
  return query.execute();
}

export function findCharge(db: Queryable, walletId: string, chargeId: string): Promise<ChargeTable | undefined> {
  return db
    .for<WalletTables>()
    .selectFrom('charge')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where('id', '=', chargeId)
    .executeTakeFirst();
}

/** Charges below the id `before`, the newest first: all of the wallet's, or those with one label. */
export async function listCharges(
  db: Queryable,
  request: { walletId: string; metadata: MetadataFilter | undefined; before: string | undefined; limit: number },
): Promise<ChargeTable[]> {
  const { walletId, metadata, before, limit } = request;
  let query = db.for<WalletTables>().selectFrom('charge').selectAll().where('wallet_id', '=', walletId);
  if (metadata) {
    const ids = await findLabelled(db, { walletId, metadata, before, limit });
    if (ids.length === 0) return [];
    query = query.where('id', 'in', ids);
  } else if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

export async function findChargeIdByKey(db: Queryable, scope: string, key: string): Promise<string | undefined> {
  const row = await db
    .for<WalletTables>()
    .selectFrom('idempotency')
    .select('charge_id')
    .where('scope', '=', scope)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  return row?.charge_id;
}

export async function findReply(db: Queryable, chargeId: string): Promise<Buffer | undefined> {
  const row = await db
    .for<WalletTables>()
    .selectFrom('stored_reply')
    .select('sealed')
    .where('charge_id', '=', chargeId)
    .executeTakeFirst();
  return row?.sealed;
}

export function findAdjustment(db: Queryable, id: string): Promise<AdjustmentTable | undefined> {
  return db.for<WalletTables>().selectFrom('adjustment').selectAll().where('id', '=', id).executeTakeFirst();
}
