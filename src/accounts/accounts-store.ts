import type { Queryable } from '../db/index.ts';
import type { Account } from './account.ts';

interface AccountTables {
  account: { id: string; display_name: string; created_at_ms: number | bigint };
}

/** All SQL about accounts. */
export function createAccountsStore(queryable: Queryable) {
  const db = queryable.for<AccountTables>();
  return {
    async insert({ id, displayName, createTime }: Account): Promise<void> {
      await db.insertInto('account').values({ id, display_name: displayName, created_at_ms: createTime }).execute();
    },
    async find(accountId: string): Promise<Account | undefined> {
      const row = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirst();
      return row && { id: row.id, displayName: row.display_name, createTime: Number(row.created_at_ms) };
    },
  };
}
