import type { Database, Queryable } from '../db/index.ts';

interface SigningTables {
  signing_key_lock: { id: number };
  signing_key: { id: string; sealed: Buffer; created_at_ms: number; signs_from_ms: number };
}

/** A signing key in its stored, encrypted form. */
export interface SealedSigningKey {
  id: string;
  sealed: Uint8Array;
  createTime: number;
  /** It signs from this time on, until the next key does. */
  signsFrom: number;
}

/** All SQL about signing keys. */
export function createSigningKeysStore(database: Database) {
  return {
    /** The keys in the order in which they sign. */
    read: () => readKeys(database),

    /** One node at a time: reads the keys and, if `next` makes one, stores it and deletes those before `keptFrom`. */
    async change(
      next: (
        keys: readonly SealedSigningKey[],
      ) => Promise<{ add: SealedSigningKey; remove: readonly string[] } | undefined>,
    ): Promise<void> {
      await database.transaction(async (tx) => {
        const db = tx.for<SigningTables>();
        await db.selectFrom('signing_key_lock').selectAll().where('id', '=', 1).forUpdate().execute();
        const change = await next(await readKeys(tx));
        if (!change) return;
        const { add, remove } = change;
        await db
          .insertInto('signing_key')
          .values({
            id: add.id,
            sealed: Buffer.from(add.sealed),
            created_at_ms: add.createTime,
            signs_from_ms: add.signsFrom,
          })
          .execute();
        if (remove.length > 0) await db.deleteFrom('signing_key').where('id', 'in', remove).execute();
      });
    },
  };
}

export type SigningKeysStore = ReturnType<typeof createSigningKeysStore>;

async function readKeys(queryable: Queryable): Promise<SealedSigningKey[]> {
  const rows = await queryable
    .for<SigningTables>()
    .selectFrom('signing_key')
    .selectAll()
    .orderBy('signs_from_ms')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    sealed: row.sealed,
    createTime: Number(row.created_at_ms),
    signsFrom: Number(row.signs_from_ms),
  }));
}
