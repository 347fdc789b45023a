import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { createGroupReader } from '../base/group-reader.ts';
import { isId, newId } from '../base/ids.ts';
import { makePage, narrowedList, type Page, type PageRequest, pageToken, readPageRequest } from '../base/page.ts';
import type { CredentialChanges } from '../db/credential-changes.ts';
import type { Database, Transaction, Transactional } from '../db/index.ts';
import type { Account } from './account.ts';
import { createAccountsStore } from './accounts-store.ts';
import { createStanding } from './standing.ts';

export type { Account } from './account.ts';

/** Which accounts to look for; absent fields do not filter. */
export interface AccountFilter {
  /** Part of the name, case-insensitive, or one whole id. */
  search?: string;
  state?: 'active' | 'suspended';
}

/** The accounts. A new account's wallets and keys are created by their own rooms. */
export interface Accounts {
  create(account: { displayName: string }, within?: Transactional): Promise<Account>;
  /** Fails with `not_found`. */
  get(accountId: string): Promise<Result<Account>>;
  /**
   * Newest first, at most 50 per page. A search page may have few accounts and still be followed by another: each page scans
   * 100,000 accounts.
   */
  list(filter: Readonly<AccountFilter>, page: PageRequest): Promise<Result<Page<Account>>>;
  /** Fails with `not_found`. */
  rename(accountId: string, displayName: string, tx: Transaction): Promise<Result<Account>>;
  /**
   * Suspends or resumes an account and notifies every node: within a second its credentials are refused, or work again. Does
   * nothing if the account is already in that state. Fails with `not_found`.
   */
  setSuspended(
    accountId: string,
    suspended: boolean,
    tx: Transaction,
  ): Promise<Result<{ account: Account; changed: boolean }>>;
  /** Whether the account is served: see `Standing.of`. */
  standing(accountId: string): Result<void> | Promise<Result<void>>;
  close(): void;
}

export interface AccountsOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  changes: CredentialChanges;
}

const pageSizes = { defaultSize: 25, maxSize: 50 };

export function createAccounts({ db, clock, log, changes }: AccountsOptions): Accounts {
  const store = createAccountsStore(db);
  const standing = createStanding({
    reader: createGroupReader({
      load: store.suspendedAmong,
      onError: (error) => log.error({ err: error }, 'accounts could not be read'),
    }),
    changes,
  });

  async function change<T>(
    accountId: string,
    tx: Transaction,
    write: (account: Account, store: ReturnType<typeof createAccountsStore>) => Promise<T>,
  ): Promise<Result<T>> {
    const within = createAccountsStore(tx);
    const account = await within.lock(accountId);
    return account ? succeed(await write(account, within)) : fail({ kind: 'not_found', resource: 'account' });
  }

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
    async list(filter, page) {
      const search = filter.search?.trim() ?? '';
      const list = narrowedList('accounts', [search, filter.state ?? '']);
      const start = readPageRequest(list, page, pageSizes);
      if (!start.ok) return start;
      if (isId('acc', search)) {
        const account = await store.find(search);
        const fits =
          account && (!filter.state || (filter.state === 'suspended') === (account.suspendTime !== undefined));
        return succeed({ items: fits ? [account] : [], nextPageToken: '' });
      }
      const { after, size } = start.value;
      const { found, readTo } = await store.search({
        limit: size + 1,
        ...(search !== '' && { name: search }),
        ...(filter.state && { state: filter.state }),
        ...(after !== undefined && { before: after }),
      });
      const made = makePage(list, start.value, found, ({ id }) => id);
      return succeed(
        made.nextPageToken === '' && readTo !== undefined ? { ...made, nextPageToken: pageToken(list, readTo) } : made,
      );
    },
    rename: (accountId, displayName, tx) =>
      change(accountId, tx, async (account, within) => {
        await within.rename(accountId, displayName);
        return { ...account, displayName };
      }),
    setSuspended: (accountId, suspended, tx) =>
      change(accountId, tx, async (account, within) => {
        const { suspendTime, ...rest } = account;
        if (suspended === (suspendTime !== undefined)) return { account, changed: false };
        const time = suspended ? clock.now() : null;
        await within.setSuspended(accountId, time);
        await changes.append(tx, { credentialId: accountId, accountId, kind: 'changed' });
        return { account: time === null ? rest : { ...rest, suspendTime: time }, changed: true };
      }),
    standing: standing.of,
    close: standing.close,
  };
}
