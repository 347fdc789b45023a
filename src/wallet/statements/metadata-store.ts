import { sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { findRows } from '../rows-store.ts';
import { metadataTable } from '../tables.ts';
import type { MetadataFilter } from './statements.ts';

/** The labels of some charges of one wallet, by charge id; charges without labels are omitted. */
export async function findMetadata(
  db: Queryable,
  walletId: string,
  chargeIds: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  if (chargeIds.length === 0) return found;
  const which = sql`wallet_id = ${walletId} AND charge_id IN (${sql.join(chargeIds)}) ORDER BY charge_id, name`;
  const rows = await findRows(db, metadataTable, which);
  // Defines own properties, even one named `__proto__`.
  for (const [chargeId, pairs] of Map.groupBy(rows, (row) => row.chargeId))
    found.set(chargeId, Object.fromEntries(pairs.map(({ name, value }) => [name, value])));
  return found;
}

/** The charges of one wallet that have a label, with ids below `before`, newest first. */
export async function findLabelled(
  db: Queryable,
  request: { walletId: string; metadata: MetadataFilter; before?: string | undefined; limit: number },
): Promise<string[]> {
  const { walletId, metadata, before, limit } = request;
  // The index is forced: in primary key order, looking for a rare label would scan the whole wallet.
  const { rows } = await sql<{ charge_id: string }>`
    SELECT charge_id FROM charge_metadata FORCE INDEX (charge_metadata_pair)
    WHERE wallet_id = ${walletId} AND name = ${metadata.key} AND value = ${metadata.value}
      ${before === undefined ? sql`` : sql`AND charge_id < ${before}`}
    ORDER BY charge_id DESC LIMIT ${limit}`.execute(db.for<never>());
  return rows.map(({ charge_id: id }) => id);
}

export async function deleteMetadata(db: Queryable, walletId: string, chargeIds: readonly string[]): Promise<void> {
  if (chargeIds.length === 0) return;
  await sql`DELETE FROM charge_metadata WHERE wallet_id = ${walletId} AND charge_id IN (${sql.join(chargeIds)})`.execute(
    db.for<never>(),
  );
}
