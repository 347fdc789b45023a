import type { Generated, Selectable } from 'kysely';
import type { CredentialChanges } from '../../db/credential-changes.ts';
import { type Database, lockQuota, type Queryable, type Transaction } from '../../db/index.ts';
import type { PackQuotas } from './quotas.ts';

/** A pack as it is stored. Times are whole milliseconds since the epoch. */
export interface PackRow {
  packId: string;
  version: number;
  /** JSON. */
  content: string;
  /** Of the content. */
  bytes: number;
  phraseCharacters: number;
  createdMs: number;
  updatedMs: number;
}

interface PackTables {
  risk_pack: {
    account_id: string;
    pack_id: string;
    version: number;
    content: string;
    // Made by the database from `content`.
    bytes: Generated<number>;
    phrase_characters: number;
    created_at_ms: number | bigint;
    updated_at_ms: number | bigint;
  };
}

/** All SQL about accounts' own risk packs. */
export interface OwnPacksStore {
  /** The account's packs by their ids, from after one of them on. */
  list(query: { accountId: string; after?: string | undefined; limit: number }): Promise<PackRow[]>;
  find(accountId: string, packId: string, within?: Queryable): Promise<PackRow | undefined>;
  /** Keeps others from changing what the account has until the transaction ends, and counts it. */
  lock(tx: Transaction, accountId: string): Promise<PackQuotas>;
  /** Adds a pack whose id the account does not have, which holds only while the account is locked. */
  insert(tx: Transaction, accountId: string, row: PackRow): Promise<void>;
  replace(tx: Transaction, accountId: string, row: PackRow): Promise<void>;
  /** False when there is none. */
  remove(tx: Transaction, accountId: string, packId: string): Promise<boolean>;
}

export function createOwnPacksStore({
  db,
  changes,
}: {
  db: Database;
  changes: Pick<CredentialChanges, 'append'>;
}): OwnPacksStore {
  /** Every node forgets which packs the account has; as the last statement of the change. */
  const tell = (tx: Transaction, accountId: string) =>
    changes.append(tx, { credentialId: accountId, accountId, kind: 'changed' });

  return {
    async list({ accountId, after, limit }) {
      const rows = rowsOf(db, accountId).orderBy('pack_id').limit(limit);
      return (await (after === undefined ? rows : rows.where('pack_id', '>', after)).execute()).map(packRow);
    },
    async find(accountId, packId, within = db) {
      const row = await rowsOf(within, accountId).where('pack_id', '=', packId).executeTakeFirst();
      return row && packRow(row);
    },
    async lock(tx, accountId) {
      await lockQuota(tx, accountId, 'risk-packs');
      const { packs, bytes, characters } = await tx
        .for<PackTables>()
        .selectFrom('risk_pack')
        .select(({ fn }) => [
          fn.countAll<bigint>().as('packs'),
          fn.sum<bigint | null>('bytes').as('bytes'),
          fn.sum<bigint | null>('phrase_characters').as('characters'),
        ])
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      return { packs: Number(packs), bytes: Number(bytes ?? 0), phraseCharacters: Number(characters ?? 0) };
    },
    async insert(tx, accountId, row) {
      await tx
        .for<PackTables>()
        .insertInto('risk_pack')
        .values({ ...columnsOf(row), account_id: accountId, pack_id: row.packId, created_at_ms: row.createdMs })
        .execute();
      await tell(tx, accountId);
    },
    async replace(tx, accountId, row) {
      await tx
        .for<PackTables>()
        .updateTable('risk_pack')
        .set(columnsOf(row))
        .where('account_id', '=', accountId)
        .where('pack_id', '=', row.packId)
        .execute();
      await tell(tx, accountId);
    },
    async remove(tx, accountId, packId) {
      const { numDeletedRows } = await tx
        .for<PackTables>()
        .deleteFrom('risk_pack')
        .where('account_id', '=', accountId)
        .where('pack_id', '=', packId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await tell(tx, accountId);
      return true;
    },
  };
}

function rowsOf(queryable: Queryable, accountId: string) {
  return queryable.for<PackTables>().selectFrom('risk_pack').selectAll().where('account_id', '=', accountId);
}

function columnsOf({ version, content, phraseCharacters, updatedMs }: PackRow) {
  return { version, content, phrase_characters: phraseCharacters, updated_at_ms: updatedMs };
}

function packRow(row: Selectable<PackTables['risk_pack']>): PackRow {
  return {
    packId: String(row.pack_id),
    version: row.version,
    content: row.content,
    bytes: row.bytes,
    phraseCharacters: row.phrase_characters,
    createdMs: Number(row.created_at_ms),
    updatedMs: Number(row.updated_at_ms),
  };
}
