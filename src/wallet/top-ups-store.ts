import { sql } from 'kysely';
import { isDuplicateKey, type Queryable } from '../db/index.ts';
import type { TopUpTable, WalletTables } from './tables.ts';
import { nowUs } from './wallets-store.ts';

export interface NewTopUp {
  id: string;
  walletId: string;
  amount: bigint;
  provider: string;
  reference: string | undefined;
  actor: string | undefined;
  idempotencyKey: string | undefined;
}

/** Adds a pending top-up; false when its idempotency key was used for this wallet before. */
export async function addTopUp(db: Queryable, row: NewTopUp): Promise<boolean> {
  try {
    await db
      .for<WalletTables>()
      .insertInto('top_up')
      .values({
        id: row.id,
        wallet_id: row.walletId,
        amount: row.amount,
        state: 'pending',
        provider: row.provider,
        provider_reference: row.reference ?? null,
        payment_url: null,
        actor: row.actor ?? null,
        idempotency_key: row.idempotencyKey ?? null,
        reversed: 0n,
        created_at_us: nowUs,
        paid_at_us: null,
      })
      .execute();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export function findTopUp(db: Queryable, id: string): Promise<TopUpTable | undefined> {
  return db.for<WalletTables>().selectFrom('top_up').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findTopUpByKey(db: Queryable, walletId: string, key: string): Promise<TopUpTable | undefined> {
  return db
    .for<WalletTables>()
    .selectFrom('top_up')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

/** Top-ups with an id below `before`, the newest first. */
export function listTopUps(
  db: Queryable,
  { walletId, before, limit }: { walletId: string; before: string | undefined; limit: number },
): Promise<TopUpTable[]> {
  let query = db
    .for<WalletTables>()
    .selectFrom('top_up')
    .selectAll()
    .where('wallet_id', '=', walletId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}

/** Notes where the payment is, unless that is known already. */
export async function notePayment(
  db: Queryable,
  id: string,
  { reference, paymentUrl }: { reference: string | undefined; paymentUrl: string | undefined },
): Promise<void> {
  await db
    .for<WalletTables>()
    .updateTable('top_up')
    .set({
      provider_reference: sql`COALESCE(provider_reference, ${reference ?? null})`,
      payment_url: sql`COALESCE(payment_url, ${paymentUrl ?? null})`,
    })
    .where('id', '=', id)
    .execute();
}

/** Gives a pending top-up up; one that is paid stays so. */
export async function closeTopUp(db: Queryable, id: string, state: 'failed' | 'expired'): Promise<void> {
  await db
    .for<WalletTables>()
    .updateTable('top_up')
    .set({ state })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute();
}

export async function findTopUpOwner(
  db: Queryable,
  walletId: string,
): Promise<{ account_id: string; kind: 'api' | 'application'; owed: bigint } | undefined> {
  return db
    .for<WalletTables>()
    .selectFrom('wallet')
    .select(['account_id', 'kind', 'owed'])
    .where('id', '=', walletId)
    .executeTakeFirst();
}

export async function hasSandboxMoney(db: Queryable): Promise<boolean> {
  const row = await db
    .for<WalletTables>()
    .selectFrom('top_up')
    .select('id')
    .where('provider', 'in', ['sandbox', 'stripe_test'])
    .where('state', '=', 'paid')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
