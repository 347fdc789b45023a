import type { Selectable } from 'kysely';
import type { CredentialChanges } from '../db/credential-changes.ts';
import { type Database, lockQuota, type Queryable, type Transaction, type Transactional } from '../db/index.ts';

interface Tables {
  provider_key: ProviderKeyTable;
}

/** Times are whole milliseconds since the epoch. */
interface ProviderKeyTable {
  id: string;
  account_id: string;
  provider: string;
  display_name: string;
  last_four: string;
  /** NULL once it is deleted. */
  sealed: Buffer | null;
  created_at_ms: bigint;
  deleted_at_ms: bigint | null;
  used_at_ms: bigint | null;
}

export type ProviderKeyRow = Selectable<ProviderKeyTable>;

/** All SQL about provider keys. */
export interface ProviderKeysStore {
  /** False if the account already has `most` keys that are not deleted; then nothing is stored. */
  insert(row: ProviderKeyRow, most: number, within?: Transactional): Promise<boolean>;
  /** Newest first; `before` is the id of the last key on the previous page. */
  list(query: { accountId: string; before: string | undefined; limit: number }): Promise<ProviderKeyRow[]>;
  /** The keys that are not deleted, newest first. */
  working(accountId: string): Promise<ProviderKeyRow[]>;
  /** Erases a key unless already deleted, and returns its new state; undefined if the account has no such key. */
  erase(
    accountId: string,
    id: string,
    at: { time: number; within: Transactional | undefined },
  ): Promise<ProviderKeyRow | undefined>;
  noteUse(id: string, time: number): Promise<void>;
}

export function createProviderKeysStore({
  db,
  changes,
}: {
  db: Database;
  changes: Pick<CredentialChanges, 'append'>;
}): ProviderKeysStore {
  const rows = (queryable: Queryable) => queryable.for<Tables>().selectFrom('provider_key').selectAll();

  /** Makes every node forget which keys the account has; must be the transaction's last statement. */
  const tell = (tx: Transaction, accountId: string) =>
    changes.append(tx, { credentialId: accountId, accountId, kind: 'changed' });

  return {
    insert: (row, most, within = db) =>
      within.transaction(async (tx) => {
        await lockQuota(tx, row.account_id, 'provider-keys');
        const { count } = await tx
          .for<Tables>()
          .selectFrom('provider_key')
          .select(({ fn }) => fn.countAll<bigint>().as('count'))
          .where('account_id', '=', row.account_id)
          .where('deleted_at_ms', 'is', null)
          .executeTakeFirstOrThrow();
        if (Number(count) >= most) return false;
        await tx.for<Tables>().insertInto('provider_key').values(row).execute();
        await tell(tx, row.account_id);
        return true;
      }),
    list({ accountId, before, limit }) {
      const query = rows(db).where('account_id', '=', accountId).orderBy('id', 'desc').limit(limit);
      return (before === undefined ? query : query.where('id', '<', before)).execute();
    },
    working: (accountId) =>
      rows(db).where('account_id', '=', accountId).where('deleted_at_ms', 'is', null).orderBy('id', 'desc').execute(),
    erase: (accountId, id, { time, within = db }) =>
      within.transaction(async (tx) => {
        const erased = await tx
          .for<Tables>()
          .updateTable('provider_key')
          .set({ sealed: null, deleted_at_ms: BigInt(time) })
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('deleted_at_ms', 'is', null)
          .executeTakeFirst();
        const found = await rows(tx).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst();
        if (erased.numUpdatedRows > 0n) await tell(tx, accountId);
        return found;
      }),
    async noteUse(id, time) {
      await db
        .for<Tables>()
        .updateTable('provider_key')
        .set({ used_at_ms: BigInt(time) })
        .where('id', '=', id)
        .execute();
    },
  };
}
