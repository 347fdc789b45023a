import { sql } from 'kysely';
import { isDuplicateKey, type Queryable } from '../../db/index.ts';
import { findRows } from '../rows-store.ts';
import { type FoundTopUp, topUpTable } from '../tables.ts';
import { nowUs } from '../wallets/wallets-store.ts';

export interface NewTopUp {
  id: string;
  walletId: string;
  amount: bigint;
  provider: string;
  reference?: string;
  actor?: string;
  idempotencyKey: string | undefined;
}

/** Adds a pending top-up; false if its idempotency key was already used for this wallet. */
export async function addTopUp(db: Queryable, row: NewTopUp): Promise<boolean> {
  const { id, walletId, amount, provider, reference = null, actor = null, idempotencyKey = null } = row;
  try {
    await sql`INSERT INTO top_up (id, wallet_id, amount, state, provider, provider_reference, actor, idempotency_key, created_at_us)
      VALUES (${id}, ${walletId}, ${amount}, 'pending', ${provider}, ${reference}, ${actor}, ${idempotencyKey}, ${nowUs})`.execute(
      db.for<never>(),
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Stores where the payment is, unless already known. */
export async function notePayment(
  db: Queryable,
  id: string,
  { reference, paymentUrl }: { reference?: string; paymentUrl?: string },
): Promise<void> {
  await sql`UPDATE top_up SET provider_reference = COALESCE(provider_reference, ${reference ?? null}),
    payment_url = COALESCE(payment_url, ${paymentUrl ?? null}) WHERE id = ${id}`.execute(db.for<never>());
}

/** Closes a pending top-up; a paid one stays paid. */
export async function closeTopUp(db: Queryable, id: string, state: 'failed' | 'expired'): Promise<void> {
  await sql`UPDATE top_up SET state = ${state} WHERE id = ${id} AND state = 'pending'`.execute(db.for<never>());
}

/** Pending top-ups with an id below `before`, newest first. */
export function listPendingTopUps(
  db: Queryable,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<FoundTopUp[]> {
  const older = before === undefined ? sql`` : sql`AND id < ${before}`;
  return findRows(db, topUpTable, sql`state = 'pending' ${older} ORDER BY id DESC LIMIT ${limit}`);
}

export async function hasSandboxMoney(db: Queryable): Promise<boolean> {
  const [paid] = await findRows(db, topUpTable, sql`provider IN ('sandbox', 'stripe_test') AND state = 'paid' LIMIT 1`);
  return paid !== undefined;
}
