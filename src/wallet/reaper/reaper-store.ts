import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import type { ChargeReference } from '../ledger/operation.ts';
import { findRows } from '../rows-store.ts';
import { chargeCapTable, chargeTable, walletTable } from '../tables.ts';
import { nowUs } from '../wallets/wallets-store.ts';

const repliesAtOnce = 500;

/** Open holds that have expired by the database's clock, longest overdue first. */
export async function findExpired(db: Queryable, limit: number): Promise<ChargeReference[]> {
  const charges = await findRows(db, chargeTable, sql`expires_at_us < ${nowUs} ORDER BY expires_at_us LIMIT ${limit}`);
  if (charges.length === 0) return [];
  const walletIds = new Set(charges.map(({ walletId }) => walletId));
  const chargeIds = charges.map(({ id }) => id);
  const ofThem = sql`wallet_id IN (${sql.join([...walletIds])}) AND charge_id IN (${sql.join(chargeIds)})`;
  const caps = Map.groupBy(await findRows(db, chargeCapTable, ofThem), ({ chargeId }) => chargeId);
  return charges.map(({ walletId, id, idempotencyScope: scope, idempotencyKey: key }) => ({
    walletId,
    chargeId: id,
    capOwners: (caps.get(id) ?? []).map(({ owner }) => owner),
    idempotency: scope === undefined || key === undefined ? undefined : { scope, key },
  }));
}

/** Wallets that owe something and have free credit to repay it. */
export async function findOwingWallets(db: Queryable, limit: number): Promise<string[]> {
  const owing = await findRows(db, walletTable, sql`owed > 0 AND posted > held LIMIT ${limit}`);
  return owing.map(({ id }) => id);
}

export async function sweepReplies(db: Queryable, limit: number): Promise<void> {
  // Small transactions, because replies may be large.
  for (let deleted = 0; deleted < limit; deleted += repliesAtOnce) {
    const { numAffectedRows = 0n } =
      await sql`DELETE FROM stored_reply WHERE expires_at_us < ${nowUs} ORDER BY expires_at_us LIMIT ${repliesAtOnce}`.execute(
        db.for<never>(),
      );
    if (numAffectedRows < BigInt(repliesAtOnce)) return;
  }
}
