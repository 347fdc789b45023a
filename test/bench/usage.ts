/**
 * How long usage takes to compute over many charges.
 *
 *   npm run bench:usage                        10,000,000 charges of 30 days in a private server: minutes to fill
 *   npm run bench:usage -- --charges 1000000   fewer
 *   npm run bench:usage -- --url mysql://...   on another server, in its own database
 *   npm run bench:usage -- --days 365          over a longer time
 *
 * Charges, postings and sums are written by SQL straight into their tables: 10 keys and 4 models, 5 of 100 charges of an end user.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { connectDatabase, migrate, openConnection, startPrivateServer, withDatabase } from '../../src/db/index.ts';
import { createStatements, createUsageCatchUp, type UsageDimension } from '../../src/wallet/index.ts';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    charges: { type: 'string', default: '10000000' },
    days: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '9' },
  },
});

const charges = Number(options.charges);
const days = Number(options.days);
const log = pino({ level: 'silent' });
const note = (text: string) => process.stderr.write(`${text}\n`);
const hourMs = 3_600_000;
const end = Math.floor(Date.now() / hourMs) * hourMs;
const start = end - days * 24 * hourMs;
const chunk = 100_000;

async function fill(url: string): Promise<void> {
  const connection = await openConnection(url, { multipleStatements: true });
  const stepUs = Math.floor((days * 24 * hourMs * 1_000) / charges);
  // Nothing measured uses these, and maintaining them takes most of the time.
  await connection.query(
    `ALTER TABLE posting DROP KEY posting_source; ALTER TABLE charge DROP KEY charge_subject, DROP KEY charge_device, DROP KEY charge_key,
       DROP KEY charge_expiry;
     INSERT INTO wallet (id, account_id, kind, posted, seq, charges, created_at_us) VALUES ('wal_b', 'acc_b', 'api', 1, ${charges}, ${charges}, 1);
     CREATE TABLE numbers (n INT PRIMARY KEY);
     INSERT INTO numbers WITH RECURSIVE d (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < 99) SELECT a.n * 100 + b.n FROM d a JOIN d b;
     INSERT INTO numbers SELECT n + 10000 * k.k FROM numbers JOIN (SELECT 1 AS k UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5
       UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) k`,
  );
  for (let from = 0; from < charges; from += chunk) {
    const number = `(n.n + ${from})`;
    const time = `(${start}000 + ${number} * ${stepUs})`;
    const which = `FROM numbers n WHERE n.n + ${from} < ${charges} ORDER BY n.n`;
    await connection.query(
      `START TRANSACTION;
       INSERT INTO charge (wallet_id, id, state, hold, settled, key_id, key_version, subject, operation, provider, model, price_version,
         input_tokens, output_tokens, requests, node_id, created_at_us, ended_at_us)
       SELECT 'wal_b', CONCAT('chg_', LPAD(${number}, 26, '0')), 'settled', 1000, 100 + n.n % 900, CONCAT('key_', n.n % 10), 1,
         IF(n.n % 20 = 0, CONCAT('user-', n.n % 1000), NULL), 'chat', 'up', CONCAT('model-', n.n % 4), 1, 10 + n.n % 90, 5, 1, 'nod_b', ${time}, ${time} ${which};
       INSERT INTO posting SELECT 'wal_b', ${number} + 1, 'usage', 'wallet', 'revenue', 100 + n.n % 900, 1, 'charge',
         CONCAT('chg_', LPAD(${number}, 26, '0')), 'capture', ${time} ${which};
       COMMIT`,
    );
    if ((from / chunk) % 10 === 0) note(`${from + chunk} charges`);
  }
  await connection.end();
}

async function measure(url: string): Promise<void> {
  const db = connectDatabase({ url, log, queryTimeoutMs: 600_000 });
  const catchUp = createUsageCatchUp({ db, log, stepSize: 20_000 });
  const began = performance.now();
  const summed = await catchUp.runOnce();
  if (summed > 0) note(`${summed} postings summed in ${Math.round((performance.now() - began) / 1_000)} s`);
  const statements = createStatements({ db });
  const ask = async (groupBy: readonly UsageDimension[], range: { start?: number; end?: number }) => {
    const rows = await statements.allUsage({ accountId: 'acc_b', groupBy, ...range });
    if (!rows.ok) throw new Error(JSON.stringify(rows.failure));
    return rows.value;
  };
  const questions: [readonly UsageDimension[], { start?: number; end?: number }][] = [
    [[], { start, end }],
    [['model'], { start, end }],
    [['day', 'model'], { start, end }],
    [['hour'], { start, end }],
    [['key', 'operation', 'model'], { start, end }],
    [['subject'], { start, end }],
    [['day', 'model'], { start: start + 1_111_111, end: end - 777_777 }],
  ];
  for (const [groupBy, range] of questions) {
    const times: number[] = [];
    let rows = await ask(groupBy, range);
    for (let round = 0; round < Number(options.rounds); round++) {
      const from = performance.now();
      rows = await ask(groupBy, range);
      times.push(performance.now() - from);
    }
    times.sort((a, b) => a - b);
    const cost = rows.reduce((total, row) => total + row.cost, 0n);
    const middle = times[times.length >> 1] ?? 0;
    const aligned = range.start === start ? '' : ', times within an hour';
    process.stdout.write(
      `by ${groupBy.join(', ') || 'nothing'}${aligned}: ${middle.toFixed(1)} ms (${times[0]?.toFixed(1)} to ${times.at(-1)?.toFixed(1)}), ${rows.length} rows, cost ${cost}\n`,
    );
  }
  const connection = await openConnection(url);
  const [entries] = await connection.query(`SELECT SUM(amount) AS cost, COUNT(*) AS entries FROM posting`);
  const [sums] = await connection.query('SELECT COUNT(*) AS hours FROM usage_hour');
  process.stdout.write(
    `${JSON.stringify([entries, sums], (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`,
  );
  await connection.end();
  await db.close();
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-usage-'));
  const server = options.url ? undefined : await startPrivateServer({ folder, log, restart: false });
  try {
    const base = options.url ?? server?.url ?? '';
    const connection = await openConnection(base);
    await connection.query('CREATE DATABASE bench_usage CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
    await connection.end();
    const url = withDatabase(base, 'bench_usage');
    await migrate({ url, log });
    await fill(url);
    await measure(url);
    if (options.url) await (await openConnection(base)).query('DROP DATABASE bench_usage');
  } finally {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
process.exit(0);
