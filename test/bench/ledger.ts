/**
 * What the ledger does in a second, compared with a transaction for each step and with the server's own limit.
 *
 *   npm run bench:ledger                          a private server: about two minutes
 *   npm run bench:ledger -- --url mysql://...     on other servers, each in its own database (also TEST_DATABASE_URLS)
 *   npm run bench:ledger -- --growth 100000       how it grows: with that many wallets and ten times as many postings
 *   npm run bench:ledger -- --json                one line of JSON per measurement
 *
 * A pair is one hold and one settlement, both durable; `deferred holds` are those that are expected and then committed
 * together with their settlement. `others` are pairs on other wallets while somebody else has one locked. Everything runs on
 * one machine, whose processors this process and the server share, so compare the figures of one run with each other rather
 * than with another machine's.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { newId } from '../../src/base/ids.ts';
import { migrate, openConnection, startPrivateServer, withDatabase } from '../../src/db/index.ts';
import { auditLedger, type HoldRequest } from '../../src/wallet/index.ts';
import { addCustomer, type Customer, holdOf, mustHold, type Node, run, startNode } from '../wallet/support.ts';
import { createFigures, type Figure, type Pair, quantile } from './ledger-figures.ts';
import { benchLock } from './ledger-lock.ts';
import { stepByStep } from './ledger-steps.ts';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '1,64,512' },
    wallets: { type: 'string', default: '1,1000' },
    growth: { type: 'string' },
    'lock-seconds': { type: 'string', default: '9' },
    'lock-rounds': { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const ms = Number(options.seconds) * 1_000;
const silent = pino({ level: 'silent' });
/** Wallets in addition to the locked one. */
const othersOfLocked = 100;
const note = (text: string) => process.stderr.write(`${text}\n`);

const figures = createFigures({ ms, json: options.json });

const grouped =
  (node: Node, change: Partial<HoldRequest> = {}): Pair =>
  async (customer) => {
    const hold = await mustHold(node, holdOf(customer, change));
    await node.ledger.settle(hold, { cost: 1_000n, usage: { inputTokens: 100, outputTokens: 50 } });
  };

/** The same rows in copies of the tables, 400 per insert, with nothing decided, locked or updated. */
async function bulkLimit(url: string, server: string): Promise<Figure> {
  const connection = await openConnection(url, { multipleStatements: true });
  await connection.query(
    'DROP TABLE IF EXISTS bulk_charge, bulk_posting; CREATE TABLE bulk_charge LIKE charge; CREATE TABLE bulk_posting LIKE posting',
  );
  const walletId = newId('wal');
  const end = performance.now() + ms;
  const took: number[] = [];
  let seq = 0;
  while (performance.now() < end) {
    const ids = Array.from({ length: 400 }, () => newId('chg'));
    const charges = ids.map(
      (id) => `('${walletId}','${id}','settled',1000000,1000,'${walletId}',1,'chat',1,100,50,'node',1,NULL,1)`,
    );
    const postings = ids.map(
      (id) => `('${walletId}',${++seq},'usage','wallet','revenue',1000,1000,'charge','${id}','capture',1)`,
    );
    const began = performance.now();
    await connection.query(
      `START TRANSACTION; INSERT INTO bulk_charge (wallet_id, id, state, hold, settled, key_id, key_version, operation, price_version, input_tokens, output_tokens, node_id, created_at_us, expires_at_us, ended_at_us) VALUES ${charges.join(',')}; INSERT INTO bulk_posting VALUES ${postings.join(',')}`,
    );
    await connection.query('COMMIT');
    took.push(performance.now() - began);
  }
  await connection.query('DROP TABLE bulk_charge, bulk_posting');
  await connection.end();
  return figures.print({
    server,
    what: 'plain bulk insert of 400',
    wallets: 1,
    callers: 1,
    pairsPerSecond: (took.length * 400) / (ms / 1_000),
    p50Ms: quantile(took, 0.5),
    p99Ms: quantile(took, 0.99),
  });
}

async function addCustomers(node: Node, url: string, count: number): Promise<Customer[]> {
  const customers: Customer[] = [];
  while (customers.length < count)
    customers.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(10, count - customers.length) }, () => addCustomer(node, url, 9_000n)),
      )),
    );
  return customers;
}

async function benchServer(url: string, server: string): Promise<void> {
  const node = startNode(url);
  const limit = await bulkLimit(url, server);
  for (const wallets of numbers(options.wallets)) {
    note(`${server}: making ${wallets} wallets`);
    const customers = await addCustomers(node, url, wallets);
    for (const callers of numbers(options.callers)) {
      const pair = () => grouped(node);
      const groups = await figures.measure({ server, what: 'groups' }, { customers, callers, pair });
      const ahead = () => grouped(node, { deferMs: 20 });
      await figures.measure({ server, what: 'groups, deferred holds' }, { customers, callers, pair: ahead });
      const steps = stepByStep(url, callers);
      for (const { accountId } of customers) {
        const wallet = await node.wallets.get(accountId, 'api');
        if (wallet.ok) steps.walletIds.set(accountId, wallet.value.walletId);
      }
      const labels = { server, what: 'a transaction a step' };
      compare(groups, await figures.measure(labels, { customers, callers, pair: steps.pair }), limit);
      await steps.close();
    }
  }
  const lockMs = Number(options['lock-seconds']) * 1_000;
  if (lockMs > 0) {
    const customers = await addCustomers(node, url, 1 + othersOfLocked);
    const rounds = Number(options['lock-rounds']);
    await benchLock({ node, url, server, figures, customers, callers: 64, pair: grouped(node), lockMs, rounds });
  }
  if (options.growth) await benchGrowth(node, url, server, Number(options.growth));
  const violations = await auditLedger(node.db);
  note(`${server}: audit ${violations.length === 0 ? 'clean' : JSON.stringify(violations.slice(0, 5))}`);
  await node.close();
}

function compare(groups: Figure, steps: Figure, limit: Figure): void {
  const goal = goalOf(groups);
  const value = groups.pairsPerSecond / steps.pairsPerSecond;
  figures.ratio(groups, { name: 'times a transaction a step', value, ...(goal && { goal }) });
  figures.ratio(groups, { name: 'of plain bulk inserts', value: groups.pairsPerSecond / limit.pairsPerSecond });
}

function goalOf({ wallets, callers }: Figure): string | undefined {
  if (wallets === 1 && callers === 64) return 'at least 20';
  return wallets === 1_000 && callers >= 64 ? 'at least 8' : undefined;
}

/** Fills the tables and measures one hot wallet again: existing rows must not matter. */
async function benchGrowth(node: Node, url: string, server: string, wallets: number): Promise<void> {
  const customers = await addCustomers(node, url, 1);
  const load = { customers, callers: 64, pair: () => grouped(node) };
  const measureNow = (what: string) => figures.measure({ server, what }, load);
  const before = await measureNow('groups, before growth');
  note(`${server}: growing to ${wallets} wallets and ${wallets * 10} postings`);
  const batch = 10_000;
  const connection = await openConnection(url, { multipleStatements: true });
  for (let from = 0; from < wallets; from += batch) {
    const ids = Array.from({ length: Math.min(batch, wallets - from) }, () => [
      newId('wal'),
      newId('acc'),
      newId('top'),
    ]);
    await connection.query(
      `INSERT INTO wallet (id, account_id, kind, posted, seq, version, created_at_us) VALUES ${ids.map(([wallet, account]) => `('${wallet}','${account}','api',5000000000,10,10,1)`).join(',')};
       INSERT INTO top_up (id, wallet_id, amount, state, provider, created_at_us, paid_at_us) VALUES ${ids.map(([wallet, , topUp]) => `('${topUp}','${wallet}',5000000009,'paid','sandbox',1,1)`).join(',')};
       INSERT INTO posting VALUES ${ids.map(([wallet, , topUp]) => `('${wallet}',1,'top_up','payments:sandbox','wallet',5000000009,5000000009,'top_up','${topUp}','credit',1)`).join(',')}`,
    );
    for (let part = 0; part < ids.length; part += 1_000) {
      const charges = ids
        .slice(part, part + 1_000)
        .flatMap(([wallet]) => Array.from({ length: 9 }, (_, index) => ({ wallet, index, charge: newId('chg') })));
      await connection.query(
        `INSERT INTO charge (wallet_id, id, state, hold, settled, key_id, key_version, operation, price_version, node_id, created_at_us, ended_at_us) VALUES ${charges.map(({ wallet, charge }) => `('${wallet}','${charge}','settled',1,1,'key',1,'chat',1,'node',1,1)`).join(',')};
         INSERT INTO posting VALUES ${charges.map(({ wallet, index, charge }) => `('${wallet}',${index + 2},'usage','wallet','revenue',1,${5_000_000_008 - index},'charge','${charge}','capture',1)`).join(',')}`,
      );
    }
    note(`${server}: ${from + ids.length} of ${wallets}`);
  }
  await connection.end();
  const after = await measureNow('groups, after growth');
  note(`${server}: the median grew ${(after.p50Ms / before.p50Ms).toFixed(2)} times`);
}

function numbers(list: string): number[] {
  return list.split(',').map(Number);
}

async function main(): Promise<void> {
  if (options.help) {
    process.stdout.write(
      'npm run bench:ledger -- [--url URL]... [--seconds 3] [--callers 1,64,512] [--wallets 1,1000] [--growth WALLETS] [--lock-seconds 9] [--lock-rounds 2] [--json]\n',
    );
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'bench-ledger-'));
  const own = await startPrivateServer({ folder, log: silent, restart: false });
  try {
    const others = [...options.url, ...(process.env.TEST_DATABASE_URLS ?? '').split(',').filter(Boolean)];
    figures.head(`${availableParallelism()} processors, ${ms / 1_000} s a measurement`);
    for (const url of [own.url, ...others]) {
      const name = `bench_ledger_${process.pid}`;
      await run(withDatabase(url, ''), `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
      const target = withDatabase(url, name);
      try {
        await migrate({ url: target, log: silent });
        await benchServer(target, await serverName(target));
      } finally {
        await run(withDatabase(url, ''), `DROP DATABASE ${name}`);
      }
    }
  } finally {
    await own.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serverName(url: string): Promise<string> {
  const connection = await openConnection(url);
  const [rows] = await connection.query('SELECT @@GLOBAL.version AS version');
  await connection.end();
  const version = String((rows as { version: unknown }[])[0]?.version);
  return `${/maria/i.test(version) ? 'MariaDB' : 'MySQL'} ${version.match(/^\d+\.\d+/)?.[0] ?? ''}`;
}

await main();
