import type { Connection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { openConnection } from '../../src/db/index.ts';
import { pulseInvariants } from '../../src/pulse/index.ts';
import { invariants } from '../../src/wallet/audit/invariants.ts';
import { workflowInvariants } from '../../src/workflows/index.ts';
import { eachServer, freshDatabase, type TestServer } from '../support/database.ts';
import { fillWallet } from './hot-wallet.ts';

const tables = [
  'wallet',
  'charge',
  'posting',
  'charge_cap',
  'idempotency',
  'cap',
  'top_up',
  'receivable',
  'adjustment',
];
const rules = [...invariants, ...chatInvariants, ...pulseInvariants, ...workflowInvariants];

/** How many rows the session has read so far, by index or not, including temporary ones. */
async function rowsRead(connection: Connection): Promise<number> {
  const [rows] = await connection.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return (rows as { Value: string }[]).reduce((sum, { Value }) => sum + Number(Value), 0);
}

/** What each rule reads for a wallet with this many charges; it must be sound, or a rule would end early. */
async function readsOf(server: TestServer, charges: number, statistics: 'old' | 'new'): Promise<Map<string, number>> {
  const { url, drop } = await freshDatabase(server);
  const connection = await openConnection(url);
  const reads = new Map<string, number>();
  const comparing: string[] = [];
  try {
    // A server's statistics about a table may be old; here it takes all tables for empty.
    if (statistics === 'old')
      for (const table of tables) await connection.query(`ALTER TABLE ${table} STATS_AUTO_RECALC = 0`);
    if (statistics === 'old') await connection.query(`ANALYZE TABLE ${tables.join(', ')}`);
    await fillWallet(url, charges);
    if (statistics === 'new') await connection.query(`ANALYZE TABLE ${tables.join(', ')}`);
    for (const { name, sql } of rules) {
      const before = await rowsRead(connection);
      const [rows] = await connection.query(`${sql} LIMIT 1000`);
      expect(rows, name).toEqual([]);
      reads.set(name, (await rowsRead(connection)) - before);
      const [plan] = await connection.query(`EXPLAIN ${/mysql/i.test(server.name) ? 'FORMAT=TRADITIONAL ' : ''}${sql}`);
      const text = JSON.stringify(plan, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
      if (/BNL join|Block Nested Loop/.test(text)) comparing.push(name);
    }
    // It reads each of two tables once, so counters would not show that all rows are compared with all.
    expect(comparing).toEqual([]);
    return reads;
  } finally {
    await connection.end();
    await drop();
  }
}

eachServer((server) => {
  test.for(['old', 'new'] as const)(
    'twice the rows of one wallet are at most twice the work, rule by rule, with %s statistics',
    { timeout: 60_000 },
    async (statistics) => {
      const small = await readsOf(server, 2_000, statistics);
      const large = await readsOf(server, 4_000, statistics);
      const grown = rules
        .map(({ name }) => ({ name, times: (large.get(name) ?? 0) / Math.max(small.get(name) ?? 0, 500) }))
        .filter(({ times }) => times > 2.5);
      expect(grown).toEqual([]);
    },
  );
});
