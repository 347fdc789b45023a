import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import type { Account } from './account.ts';

interface AccountTables {
  account: AccountRow;
}

interface AccountRow {
  id: string;
  display_name: string;
  created_at_ms: number | bigint;
  suspended_at_ms: number | bigint | null;
}

/** Which accounts to list, newest first: all, or those that a search finds. */
export interface AccountSearch {
  /** Part of the name, case-insensitive. */
  name?: string;
  state?: 'active' | 'suspended';
  /** Only ids below this one. */
  before?: string;
  limit: number;
}

/** No index finds part of a name, so a search reads at most this many accounts. */
const searchedMax = 100_000;

/** All SQL about accounts. */
export function createAccountsStore(queryable: Queryable) {
  const db = queryable.for<AccountTables>();
  return {
    async insert({ id, displayName, createTime }: Account): Promise<void> {
      await db.insertInto('account').values({ id, display_name: displayName, created_at_ms: createTime }).execute();
    },
    async find(accountId: string): Promise<Account | undefined> {
      const row = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirst();
      return row && accountOf(row);
    },
    /** Reads and locks an account until the transaction ends. */
    async lock(accountId: string): Promise<Account | undefined> {
      const row = await db.selectFrom('account').selectAll().where('id', '=', accountId).forUpdate().executeTakeFirst();
      return row && accountOf(row);
    },
    async rename(accountId: string, displayName: string): Promise<void> {
      await db.updateTable('account').set({ display_name: displayName }).where('id', '=', accountId).execute();
    },
    async setSuspended(accountId: string, time: number | null): Promise<void> {
      await db.updateTable('account').set({ suspended_at_ms: time }).where('id', '=', accountId).execute();
    },
    /** Which of these accounts are suspended. */
    async suspendedAmong(accountIds: readonly string[]): Promise<Map<string, true>> {
      const rows = await db
        .selectFrom('account')
        .select('id')
        .where('id', 'in', accountIds)
        .where('suspended_at_ms', 'is not', null)
        .execute();
      return new Map(rows.map(({ id }) => [String(id), true]));
    },
    /** The accounts found, and where the search stopped if it did not read all. */
    async search({ name, state, before, limit }: AccountSearch): Promise<{ found: Account[]; readTo?: string }> {
      const older = before === undefined ? sql`TRUE` : sql`id < ${before}`;
      const isNarrow = name !== undefined || state !== undefined;
      const readTo = isNarrow ? await idAt(older, searchedMax) : undefined;
      const conditions = [older];
      if (readTo !== undefined) conditions.push(sql`id >= ${readTo}`);
      if (name !== undefined) conditions.push(sql`display_name LIKE ${`%${escapeLike(name)}%`} ESCAPE '!'`);
      if (state !== undefined)
        conditions.push(state === 'active' ? sql`suspended_at_ms IS NULL` : sql`suspended_at_ms IS NOT NULL`);
      const { rows } = await sql<AccountRow>`
        SELECT * FROM account FORCE INDEX (PRIMARY) WHERE ${sql.join(conditions, sql` AND `)}
        ORDER BY id DESC LIMIT ${limit}`.execute(db);
      return { found: rows.map(accountOf), ...(readTo !== undefined && { readTo }) };
    },
  };

  /** The id of the account that many places down the list, if it is that long. */
  async function idAt(older: ReturnType<typeof sql>, count: number): Promise<string | undefined> {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM account FORCE INDEX (PRIMARY) WHERE ${older} ORDER BY id DESC LIMIT 1 OFFSET ${count - 1}`.execute(
      db,
    );
    return rows[0] && String(rows[0].id);
  }
}

function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, (sign) => `!${sign}`);
}

function accountOf(row: AccountRow): Account {
  return {
    id: String(row.id),
    displayName: row.display_name,
    createTime: Number(row.created_at_ms),
    ...(row.suspended_at_ms !== null && { suspendTime: Number(row.suspended_at_ms) }),
  };
}
