import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import type { Database, Transactional } from '../db/index.ts';
import type { Account } from './account.ts';
import { createAccountsStore } from './accounts-store.ts';

export type { Account } from './account.ts';

/** The accounts. Wallets and keys of a new account are made by their own rooms. */
export interface Accounts {
  create(account: { displayName: string }, within?: Transactional): Promise<Account>;
  /** Fails with `not_found`. */
  get(accountId: string): Promise<Result<Account>>;
}

export function createAccounts({ db, clock }: { db: Database; clock: Clock }): Accounts {
  const store = createAccountsStore(db);
  return {
    async create({ displayName }, within = db) {
      const account = { id: newId('acc'), displayName, createTime: clock.now() };
      await createAccountsStore(within).insert(account);
      return account;
    },
    async get(accountId) {
      const account = await store.find(accountId);
      return account ? succeed(account) : fail({ kind: 'not_found', resource: 'account' });
    },
  };
}
