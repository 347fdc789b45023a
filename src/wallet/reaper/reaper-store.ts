import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import type { ChargeReference } from '../ledger/operation.ts';
import type { WalletTables } from '../tables.ts';
import { nowUs } from '../wallets/wallets-store.ts';

const repliesAtOnce = 500;

/** Open holds whose time is over by the database's clock, the longest overdue first. */
export async function findExpired(db: Queryable, limit: number): Promise<ChargeReference[]> {
  const tables = db.for<WalletTables>();
  const charges = await tables
    .selectFrom('charge')
    .select(['wallet_id', 'id', 'idempotency_scope', 'idempotency_key'])
    .where('expires_at_us', '<', nowUs)
    .orderBy('expires_at_us')
    .limit(limit)
    .execute();
  if (charges.length === 0) return [];
  const caps = await tables
    .selectFrom('charge_cap')
    .select(['charge_id', 'owner'])
    .where('wallet_id', 'in', [...new Set(charges.map(({ wallet_id }) => wallet_id))])
    .where(
      'charge_id',
      'in',
      charges.map(({ id }) => id),
    )
    .execute();
  const owners = Map.groupBy(caps, ({ charge_id }) => charge_id);
  return charges.map(({ wallet_id, id, idempotency_scope: scope, idempotency_key: key }) => ({
    walletId: wallet_id,
    chargeId: id,
    capOwners: (owners.get(id) ?? []).map(({ owner }) => owner),
    idempotency: scope === null || key === null ? undefined : { scope, key },
  }));
}

/** Wallets that owe something and have credit that is free to pay it. */
export async function findOwingWallets(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db
    .for<WalletTables>()
    .selectFrom('wallet')
    .select('id')
    .where('owed', '>', 0n)
    .whereRef('posted', '>', 'held')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function sweepReplies(db: Queryable, limit: number): Promise<void> {
  // In small transactions: replies may be large.
  for (let deleted = 0; deleted < limit; deleted += repliesAtOnce) {
    const { numAffectedRows = 0n } =
      await sql`DELETE FROM stored_reply WHERE expires_at_us < ${nowUs} ORDER BY expires_at_us LIMIT ${repliesAtOnce}`.execute(
        db.for<WalletTables>(),
      );
    if (numAffectedRows < BigInt(repliesAtOnce)) return;
  }
}
