import { afterAll, beforeAll, describe } from 'vitest';
import { type Result, unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import type { ChangingRow, Table } from '../../src/wallet/columns.ts';
import { auditLedger, createReaper, type LedgerSettings, type RunningLedger } from '../../src/wallet/index.ts';
import { createLedgerOver, type LedgerOptions } from '../../src/wallet/ledger/create-ledger.ts';
import { pairKey } from '../../src/wallet/ledger/decide/group-state.ts';
import { openLedgerConnection } from '../../src/wallet/ledger/store/connection-store.ts';
import { parseRow, selectList } from '../../src/wallet/ledger/store/table-store.ts';
import {
  type ChargeRow,
  type CredentialRow,
  chargeTable,
  type IdempotencyRow,
  idempotencyTable,
  type WalletRow,
  walletTable,
} from '../../src/wallet/tables.ts';
import { eachServer, freshDatabase, silent, type TestDatabase, type TestServer } from '../support/database.ts';
import { MemoryTables, memoryBackend, nowUs } from '../support/memory-tables.ts';
import { type Customer, query, run, startNode, testSeal } from './support.ts';

type Watch = Pick<LedgerOptions, 'onGroup' | 'now'>;

export interface LedgerNode {
  ledger: RunningLedger;
  close(): Promise<void>;
}

export interface Movement {
  kind: string;
  amount: bigint;
  balanceAfter: bigint;
  step: string;
}

/** Where the ledger's own suite runs: on the tables of a server, or on those in memory. */
export interface Books {
  startNode(settings?: LedgerSettings, watch?: Watch): LedgerNode;
  /** A customer with a wallet with this much credit, and a key that may pay. */
  addCustomer(usd?: bigint): Promise<Customer>;
  /** At least 5 USD; returns the id of the top-up. */
  addCredit(customer: Customer, amount: bigint): Promise<string>;
  changeCredential(id: string, change: Partial<Omit<CredentialRow, 'id'>>): Promise<void>;
  walletOf(customer: Customer): Promise<WalletRow>;
  chargeOf(chargeId: string): Promise<ChargeRow | undefined>;
  keyRow(scope: string, key: string): Promise<IdempotencyRow | undefined>;
  /** The postings of a wallet, oldest first. */
  postingsOf(customer: Customer): Promise<Movement[]>;
  /** Makes an open hold overdue. */
  makeOverdue(chargeId: string): Promise<void>;
  purgeReplies(): Promise<void>;
  /** A round of the reaper. */
  reap(node: LedgerNode): Promise<void>;
  /** What is not as it should be. */
  audit(): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Declares the suite for each server, and for the tables in memory. */
export function eachBooks(suite: (books: () => Books) => void): void {
  const declare = (open: () => Promise<Books>) => {
    let books: Books | undefined;
    beforeAll(async () => {
      books = await open();
    });
    afterAll(() => books?.close());
    suite(() => {
      if (!books) throw new Error('The books are there from beforeAll to afterAll.');
      return books;
    });
  };
  eachServer((server) => declare(() => databaseBooks(server)));
  describe('in memory', () => declare(async () => memoryBooks()));
}

async function databaseBooks(server: TestServer): Promise<Books> {
  const fresh: TestDatabase = await freshDatabase(server);
  const { url } = fresh;
  const own = startNode(url);
  const read = async <T extends Table>(table: T, where: string): Promise<ChangingRow<T>[]> => {
    const connection = await openLedgerConnection(url, { answerTimeoutMs: 10_000 });
    // For a single statement the driver returns the rows, not a list of results.
    const [, rows] = await connection.read(`DO 0; SELECT ${selectList(table)} FROM ${table.name} t WHERE ${where}`);
    await connection.close();
    return (rows ?? []).map((row) => parseRow(table, row));
  };
  const books: Books = {
    startNode: (settings, watch) => startNode(url, settings, watch),
    async addCustomer(usd = 0n) {
      const customer = { accountId: newId('acc'), keyId: newId('key') };
      await own.wallets.create(customer.accountId, 'api');
      await books.changeCredential(customer.keyId, { accountId: customer.accountId });
      if (usd > 0n) await books.addCredit(customer, usd * nanoPerUsd);
      return customer;
    },
    addCredit: async ({ accountId }, amount) =>
      unwrap(await own.wallets.topUps.create({ accountId, kind: 'api', amount })).topUpId,
    async changeCredential(id, change) {
      const { accountId = '', state = 'active', leastVersion = 1n, leastVersionFromMs = 0n } = change;
      const revokedAt =
        state === 'active' ? 'NULL' : "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000";
      await run(
        url,
        `INSERT INTO credential_state (id, account_id, state, least_version, revoked_at_ms)
           VALUES ('${id}', '${accountId}', '${state}', ${leastVersion}, ${revokedAt})
         ON DUPLICATE KEY UPDATE state = '${state}', least_version = ${leastVersion},
           least_version_from_ms = NULLIF(${leastVersionFromMs}, 0), revoked_at_ms = ${revokedAt}`,
      );
    },
    async walletOf({ accountId }) {
      const [wallet] = await read(walletTable, `t.account_id = '${accountId}' AND t.kind = 'api'`);
      if (!wallet) throw new Error('The wallet is gone.');
      return wallet;
    },
    chargeOf: async (chargeId) => (await read(chargeTable, `t.id = '${chargeId}'`))[0],
    keyRow: async (scope, key) =>
      (await read(idempotencyTable, `t.scope = '${scope}' AND t.idempotency_key = '${key}'`))[0],
    postingsOf: async (customer) => {
      const { id } = await books.walletOf(customer);
      const rows = await query(
        url,
        `SELECT kind, balance_after, step, IF(debit_account = 'wallet', -amount, amount) AS amount
         FROM posting WHERE wallet_id = '${id}' ORDER BY seq`,
      );
      return rows.map(({ kind, amount, balance_after, step }) => ({
        ...{ kind: String(kind), step: String(step) },
        ...{ amount: BigInt(String(amount)), balanceAfter: BigInt(String(balance_after)) },
      }));
    },
    makeOverdue: (chargeId) =>
      run(url, `UPDATE charge SET expires_at_us = 1 WHERE id = '${chargeId}' AND state = 'held'`),
    purgeReplies: () => run(url, 'UPDATE stored_reply SET expires_at_us = 1'),
    async reap(node) {
      await createReaper({ db: own.db, ledger: node.ledger, log: silent, restAfterOutageMs: 0 }).runOnce();
    },
    audit: () => auditLedger(own.db),
    async close() {
      await own.close();
      await fresh.drop();
    },
  };
  return books;
}

function memoryBooks(): Books {
  const tables = new MemoryTables();
  const start = (settings: LedgerSettings = {}, watch: Watch = {}): LedgerNode => {
    const ledger = createLedgerOver(memoryBackend(tables), { seal: testSeal, log: silent, settings, ...watch });
    return { ledger, close: () => ledger.close() };
  };
  const own = start();
  const { committer } = own.ledger;
  const walletIdOf = ({ accountId }: Customer) => tables.walletIds.get(accountId) ?? '';
  const books: Books = {
    startNode: start,
    async addCustomer(usd = 0n) {
      const customer = { accountId: newId('acc'), keyId: newId('key') };
      tables.addWallet(newId('wal'), customer.accountId);
      tables.addCredential(customer.keyId, customer.accountId, 1n);
      if (usd > 0n) await books.addCredit(customer, usd * nanoPerUsd);
      return customer;
    },
    async addCredit(customer, amount) {
      const walletId = walletIdOf(customer);
      const id = newId('top');
      const row = { id, walletId, amount, state: 'pending', provider: 'sandbox', reversed: 0n } as const;
      tables.topUps.add({ ...row, paidAtUs: undefined });
      unwrap((await committer.submit({ type: 'credit', walletId, topUpId: id })) as Result<undefined>);
      await committer.submit({ type: 'repay', walletId });
      return id;
    },
    async changeCredential(id, change) {
      const before = tables.credentials.rows.get(id);
      if (!before) tables.addCredential(id, change.accountId ?? '');
      const row = tables.credentials.rows.get(id) as CredentialRow;
      tables.credentials.add({ ...row, leastVersion: 1n, leastVersionFromMs: undefined, ...change });
    },
    walletOf: async (customer) => ({ ...(tables.wallets.rows.get(walletIdOf(customer)) as WalletRow) }),
    chargeOf: async (chargeId) => {
      const row = tables.charges.rows.get(chargeId);
      return row && { ...row };
    },
    keyRow: async (scope, key) => tables.idempotency.rows.get(pairKey(scope, key)),
    postingsOf: async (customer) =>
      tables.postings
        .filter(({ walletId }) => walletId === walletIdOf(customer))
        .map(({ kind, amount, debitAccount, balanceAfter, step }) => ({
          ...{ kind, step, balanceAfter },
          amount: debitAccount === 'wallet' ? -amount : amount,
        })),
    makeOverdue: async (chargeId) => tables.makeOverdue(chargeId),
    async purgeReplies() {
      for (const reply of tables.replies.rows.values()) reply.expiresAtUs = 1n;
    },
    async reap(node) {
      const now = nowUs();
      const overdue = [...tables.charges.rows.values()].filter(({ expiresAtUs }) => (expiresAtUs ?? now) < now);
      for (const { id } of overdue) {
        const reference = tables.references.get(id);
        if (reference) await node.ledger.committer.submit({ type: 'expire', ...reference });
      }
      for (const { id, owed, posted, held } of tables.wallets.rows.values())
        if (owed > 0n && posted > held) await node.ledger.committer.submit({ type: 'repay', walletId: id });
      for (const { chargeId, expiresAtUs } of tables.replies.rows.values())
        if (expiresAtUs < now) tables.replies.rows.delete(chargeId);
    },
    audit: async () => [...auditMemory(tables)],
    close: () => own.close(),
  };
  return books;
}

/** Checks the balances of the tables in memory against the sums that they must be. */
function* auditMemory(tables: MemoryTables): Generator<string> {
  const charges = [...tables.charges.rows.values()];
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  for (const wallet of tables.wallets.rows.values()) {
    const own = <Row extends { walletId: string }>(rows: readonly Row[]) =>
      rows.filter(({ walletId }) => walletId === wallet.id);
    const postings = own(tables.postings);
    const posted = sum(postings.map(({ debitAccount, amount }) => (debitAccount === 'wallet' ? -amount : amount)));
    if (wallet.posted !== posted || wallet.seq !== BigInt(postings.length)) yield `posted of ${wallet.id}`;
    const held = own(charges).filter(({ state }) => state === 'held');
    if (wallet.held !== sum(held.map(({ hold }) => hold))) yield `held of ${wallet.id}`;
    if (wallet.owed !== sum(own([...tables.receivables.rows.values()]).map(({ owed }) => owed)))
      yield `owed of ${wallet.id}`;
    for (const { id, settled = 0n } of own(charges)) {
      const steps = postings.filter(
        ({ sourceId, kind, step }) => sourceId === id && kind === 'usage' && isCapture(step),
      );
      const amounts = steps.map(({ step, amount }) => (step === 'excess' ? -amount : amount));
      if (settled !== sum(amounts)) yield `captures of ${id}`;
    }
  }
  for (const cap of tables.caps.rows.values()) {
    const under = charges.filter(({ id }) => tables.references.get(id)?.capOwners.includes(cap.owner));
    const held = under.filter(({ state }) => state === 'held').map(({ hold }) => hold);
    if (cap.held !== sum(held)) yield `held under ${cap.owner}`;
    if (cap.spent !== sum(under.map(({ settled = 0n, owed }) => settled + owed))) yield `spent under ${cap.owner}`;
  }
  for (const { chargeId, capturedChargeId } of tables.idempotency.rows.values())
    if (capturedChargeId !== undefined && capturedChargeId !== chargeId) yield `key of ${chargeId}`;
}

function isCapture(step: string): boolean {
  return step === 'capture' || step === 'expiry' || step === 'late' || step === 'rest' || step === 'excess';
}

/** The wallet as a customer sees it. */
export async function balanceIn(books: Books, customer: Customer) {
  const { posted, held, owed } = await books.walletOf(customer);
  return { balance: posted, held, available: posted - held, owed };
}
