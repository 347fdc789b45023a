import { createHash, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect } from 'vitest';
import { type Failure, FailureError } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import { createSeal } from '../../src/base/seal.ts';
import { connectDatabase, type Database, openConnection } from '../../src/db/index.ts';
import {
  createLedger,
  createWallets,
  type Hold,
  type HoldRequest,
  type LedgerSettings,
  type Receipt,
  type RunningLedger,
  sandboxPayments,
  type Wallets,
} from '../../src/wallet/index.ts';
import type { LedgerDependencies } from '../../src/wallet/ledger/create-ledger.ts';
import type { HoldOperation, SettleOperation } from '../../src/wallet/ledger/operation.ts';

/** One node of the service, as far as the wallet is concerned. */
export interface Node {
  db: Database;
  ledger: RunningLedger;
  wallets: Wallets;
  close(): Promise<void>;
}

const silent = pino({ level: process.env.LEDGER_LOG ?? 'silent' });
const sealKey = createHash('sha256').update('test').digest();
export const testSeal = createSeal({ current: 1, byVersion: new Map([[1, sealKey]]) });

export function startNode(
  url: string,
  settings: LedgerSettings = {},
  watch: Pick<LedgerDependencies, 'onGroup' | 'now'> = {},
): Node {
  const db = connectDatabase({ url, log: silent });
  const ledger = createLedger({ db, seal: testSeal, log: silent, settings, ...watch });
  const wallets = createWallets({ db, ledger, payments: sandboxPayments });
  return {
    db,
    ledger,
    wallets,
    close: async () => {
      await ledger.close();
      await db.close();
    },
  };
}

/** A customer with an API wallet and a key that may pay. */
export interface Customer {
  accountId: string;
  keyId: string;
}

/** Adds a customer whose API wallet holds `usd`; 0 adds none. */
export async function addCustomer(node: Node, url: string, usd = 0n): Promise<Customer> {
  const customer = { accountId: newId('acc'), keyId: newId('key') };
  await run(
    url,
    `INSERT INTO credential_state (id, account_id, state, least_version) VALUES ('${customer.keyId}', '${customer.accountId}', 'active', 1)`,
  );
  await node.wallets.create(customer.accountId, 'api');
  if (usd > 0n) await addCredit(node, customer, usd * nanoPerUsd);
  return customer;
}

export async function addCredit(node: Node, { accountId }: Customer, amount: bigint): Promise<void> {
  const topUp = await node.wallets.topUps.create({ accountId, kind: 'api', amount });
  if (!topUp.ok || topUp.value.state !== 'paid') throw new Error(`The top-up failed: ${JSON.stringify(topUp)}`);
}

export function holdOf(customer: Customer, change: Partial<HoldRequest> = {}): HoldRequest {
  return {
    ...customer,
    keyVersion: 1,
    operation: 'chat',
    priceVersion: 1,
    ceiling: 1_000_000n,
    minimum: 1n,
    ...change,
  };
}

/** A hold as an operation for the groups. */
export function holdOperation(walletId: string, request: HoldRequest): HoldOperation {
  return { type: 'hold', walletId, chargeId: newId('chg'), request, ttlMs: 60_000 };
}

/** The settlement of a hold with nothing else attached. */
export function settleOf(
  { walletId, chargeId }: { walletId: string; chargeId: string },
  cost: bigint,
  change: Partial<SettleOperation> = {},
): SettleOperation {
  return {
    ...{ type: 'settle', walletId, chargeId, capOwners: [], idempotency: undefined, cost, delivered: false, usage: {} },
    ...{ provider: undefined, model: undefined, sealedReply: undefined, replyTtlMs: 0 },
    ...change,
  };
}

/** Deletes the existing dead letters, which must be these: the audit asks for a person to look at them. */
export async function takeDeadLetters(url: string, chargeIds: readonly string[]): Promise<void> {
  const letters = await query(url, 'SELECT charge_id FROM settlement_dead_letter ORDER BY charge_id');
  expect(letters.map(({ charge_id }) => charge_id)).toEqual(chargeIds.toSorted());
  await run(url, 'DELETE FROM settlement_dead_letter');
}

/** The driver's error when no answer came. */
export function connectionLost(): Error {
  return Object.assign(new Error('Connection lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
}

/** Returns the hold, which must be granted. */
export async function mustHold({ ledger }: Pick<Node, 'ledger'>, request: HoldRequest): Promise<Hold> {
  const outcome = await ledger.hold(request);
  if (!outcome.ok || outcome.value.kind !== 'held') throw new Error(`No hold: ${print(outcome)}`);
  return outcome.value.hold;
}

export async function balanceOf({ wallets }: Node, { accountId }: Customer) {
  const wallet = await wallets.get(accountId, 'api');
  if (!wallet.ok) throw new Error('The wallet is gone.');
  const { balance, held, available, paused, owed } = wallet.value;
  return { balance, held, available, paused, owed };
}

export function keyOf({ accountId }: Customer, key: string = randomBytes(8).toString('hex'), body = 'body') {
  return { scope: accountId, key, fingerprint: createHash('sha256').update(body).digest() };
}

export function print(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
}

/** Runs SQL on its own connection. */
export async function run(url: string, sql: string): Promise<void> {
  const connection = await openConnection(url, { multipleStatements: true, session: { lock_wait_timeout: 30 } });
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}

type Row = Record<string, unknown>;

/** Revokes a key as its module does: the time is read after the row's lock was acquired. */
export function revoke(url: string, { keyId }: Customer): Promise<void> {
  return run(
    url,
    `START TRANSACTION;
     SELECT id FROM credential_state WHERE id = '${keyId}' FOR UPDATE;
     UPDATE credential_state SET state = 'revoked',
       revoked_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 WHERE id = '${keyId}';
     COMMIT`,
  );
}

/** Spends through this node until this much is left. */
export async function drain(node: Node, customer: Customer, left: bigint): Promise<void> {
  const { available } = await balanceOf(node, customer);
  const ceiling = available - left;
  if (ceiling > 0n) await pay(node, holdOf(customer, { ceiling, operation: 'other' }), { cost: ceiling, usage: {} });
}

/** Reads rows on its own connection. */
export async function query(url: string, sql: string): Promise<Row[]> {
  const connection = await openConnection(url);
  try {
    const [rows] = await connection.query(sql);
    return rows as Row[];
  } finally {
    await connection.end();
  }
}

export const chargesOf = (url: string, chargeId: string) => query(url, `SELECT * FROM charge WHERE id = '${chargeId}'`);

export const postingsOf = (url: string, chargeId: string) =>
  query(url, `SELECT * FROM posting WHERE source_type = 'charge' AND source_id = '${chargeId}'`);

/** A node that has just admitted a customer with 20 USD, so that it knows the wallet and the key. */
export async function known(
  url: string,
  watch: Parameters<typeof startNode>[2] = {},
  settings: Parameters<typeof startNode>[1] = {},
): Promise<{ node: Node; customer: Customer }> {
  const node = startNode(url, settings, watch);
  const customer = await addCustomer(node, url, 20n);
  await pay(node, holdOf(customer), { cost: 1n, usage: {} });
  return { node, customer };
}

/** Holds and settles. */
export async function pay(
  node: Pick<Node, 'ledger'>,
  request: HoldRequest,
  settlement: Parameters<Node['ledger']['settle']>[1],
): Promise<Receipt> {
  return node.ledger.settle(await mustHold(node, request), settlement);
}

/** Awaits work that must be refused with a failure of this kind. */
export async function expectRefusal(work: Promise<unknown>, kind: Failure['kind']): Promise<void> {
  const outcome = await work.catch((error: unknown) => error);
  if (!(outcome instanceof FailureError) || outcome.failure.kind !== kind)
    throw new Error(`Not refused with ${kind}: ${outcome instanceof Error ? outcome : print(outcome)}`);
}
