import { sql } from 'kysely';
import { fail, type Result, succeed } from '../../base/failure.ts';
import type { Queryable } from '../../db/index.ts';
import { capOwnerOf } from '../payer.ts';
import { findOne, findRows } from '../rows-store.ts';
import { adjustmentTable, capTable, type FoundWallet, walletTable } from '../tables.ts';
import type { WalletKind } from './wallets.ts';

/** Database time in microseconds. */
export const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

/** Adds an account's wallet with balance 0; concurrent calls create only one. */
export async function addWallet(
  db: Queryable,
  { id, accountId, kind }: { id: string; accountId: string; kind: WalletKind },
): Promise<void> {
  await sql`INSERT INTO wallet (id, account_id, kind, created_at_us) VALUES (${id}, ${accountId}, ${kind}, ${nowUs})
    ON DUPLICATE KEY UPDATE kind = ${kind}`.execute(db.for<never>());
}

export function findWallet(db: Queryable, accountId: string, kind: WalletKind): Promise<FoundWallet | undefined> {
  return findOne(db, walletTable, { accountId, kind });
}

/** Wallets by id. */
export async function findWallets(db: Queryable, ids: readonly string[]): Promise<Map<string, FoundWallet>> {
  if (ids.length === 0) return new Map();
  const rows = await findRows(db, walletTable, sql`id IN (${sql.join(ids)})`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Some accounts' wallets of one kind. */
export async function findWalletsOf(
  db: Queryable,
  accountIds: readonly string[],
  kind: WalletKind,
): Promise<FoundWallet[]> {
  if (accountIds.length === 0) return [];
  return findRows(db, walletTable, sql`account_id IN (${sql.join(accountIds)}) AND kind = ${kind}`);
}

/** Corrections with an id below `before`, newest first: of some wallets, or of all. */
export function listAdjustments(
  db: Queryable,
  { walletIds, before, limit }: { walletIds: readonly string[] | undefined; before: string | undefined; limit: number },
) {
  const conditions = [sql`TRUE`];
  if (walletIds) conditions.push(sql`wallet_id IN (${sql.join(walletIds)})`);
  if (before !== undefined) conditions.push(sql`id < ${before}`);
  return findRows(db, adjustmentTable, sql`${sql.join(conditions, sql` AND `)} ORDER BY id DESC LIMIT ${limit}`);
}

/** What was given back for a charge, newest first. */
export function listCorrections(db: Queryable, walletId: string, chargeId: string, limit: number) {
  const given = sql`wallet_id = ${walletId} AND charge_id = ${chargeId}`;
  return findRows(db, adjustmentTable, sql`${given} ORDER BY id DESC LIMIT ${limit}`);
}

/** The account's wallet, or `not_found`. */
export async function requireWallet(db: Queryable, accountId: string, kind: WalletKind): Promise<Result<FoundWallet>> {
  const wallet = await findWallet(db, accountId, kind);
  return wallet ? succeed(wallet) : fail({ kind: 'not_found', resource: 'wallet' });
}

/** What the caps of some keys have counted, by key id. */
export async function findSpentOfKeys(db: Queryable, keyIds: readonly string[]): Promise<Map<string, bigint>> {
  if (keyIds.length === 0) return new Map();
  const ofOwner = new Map(keyIds.map((id) => [capOwnerOf(id), id]));
  const caps = await findRows(db, capTable, sql`owner IN (${sql.join([...ofOwner.keys()])})`);
  return new Map(caps.map(({ owner, spent }) => [ofOwner.get(owner) ?? owner, spent]));
}

/** Changes the limit of a key's cap, if anything was counted against it; a request states it anew. */
export async function limitCapOfKey(db: Queryable, keyId: string, limit: bigint): Promise<void> {
  await sql`UPDATE cap SET spending_limit = ${limit} WHERE owner = ${capOwnerOf(keyId)}`.execute(db.for<never>());
}

export async function findReply(db: Queryable, chargeId: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ sealed: Buffer }>`
    SELECT sealed FROM stored_reply WHERE charge_id = ${chargeId}`.execute(db.for<never>());
  return rows[0]?.sealed;
}
