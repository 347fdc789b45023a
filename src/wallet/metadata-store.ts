import type { Queryable } from '../db/index.ts';
import type { WalletTables } from './tables.ts';

/** The labels of some charges of one wallet, by the charge's id; a charge without any is not among them. */
export async function findMetadata(
  db: Queryable,
  walletId: string,
  chargeIds: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  if (chargeIds.length === 0) return found;
  const rows = await db
    .for<WalletTables>()
    .selectFrom('charge_metadata')
    .select(['charge_id', 'name', 'value'])
    .where('wallet_id', '=', walletId)
    .where('charge_id', 'in', chargeIds)
    .orderBy('charge_id')
    .orderBy('name')
    .execute();
  // Defines own members, also one named `__proto__`.
  for (const [chargeId, pairs] of Map.groupBy(rows, (row) => row.charge_id))
    found.set(chargeId, Object.fromEntries(pairs.map(({ name, value }) => [name, value])));
  return found;
}
