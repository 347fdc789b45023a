import { Command } from 'commander';
import type { Connection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { registerAudit } from '../../src/cli/audit.ts';
import { connectDatabase, openConnection } from '../../src/db/index.ts';
import { pulseInvariants } from '../../src/pulse/index.ts';
import { invariants } from '../../src/wallet/audit/invariants.ts';
import { auditLedger, type Invariant } from '../../src/wallet/index.ts';
import { workflowInvariants } from '../../src/workflows/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { moneyTables, provesNothing, tablesWithoutMoney } from './audited.ts';
import { type Change, type Column, changesOf, deletion, isRefused, kindsOf } from './forge.ts';
import { keepBooks } from './rich-history.ts';
import { type Node, query, run } from './support.ts';

const rules = [...invariants, ...chatInvariants, ...pulseInvariants, ...workflowInvariants];

/** The rules that are currently broken, queried in one round trip. */
async function brokenRules(connection: Connection, asked: readonly Invariant[] = rules): Promise<string[]> {
  const [results] = await connection.query(['DO 1', ...asked.map(({ sql }) => `${sql} LIMIT 1`)].join(';\n'));
  return asked.filter((_, index) => ((results as unknown[][])[index + 1] ?? []).length > 0).map(({ name }) => name);
}

/** The rules broken after some statements, which are then rolled back; undefined when the server refuses them. */
async function brokenBy(
  connection: Connection,
  statements: string,
  ask: () => Promise<string[]> = () => brokenRules(connection),
): Promise<string[] | undefined> {
  await connection.query('START TRANSACTION');
  try {
    await connection.query(statements);
    return await ask();
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  } finally {
    await connection.query('ROLLBACK');
  }
}

function excuseOf(what: string, label: string) {
  return provesNothing.find((one) => one.what.test(what) && (one.of === undefined || one.of.test(label)));
}

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  let connection: Connection;
  beforeAll(async () => {
    const { url } = database();
    node = await keepBooks(url);
    // A server's constraints refuse some changes; here the audit has to notice them.
    const checks = await query(
      url,
      `SELECT table_name AS t, constraint_name AS c FROM information_schema.table_constraints
       WHERE constraint_schema = DATABASE() AND constraint_type = 'CHECK'`,
    );
    for (const { t, c } of checks) await run(url, `ALTER TABLE ${t} DROP CONSTRAINT ${c}`);
    connection = await openConnection(url, { multipleStatements: true });
  });
  afterAll(async () => {
    await connection.end();
    await node.close();
  });

  test('a sound ledger breaks no rule', async () => {
    const seen: string[] = [];
    const onProgress = ({ invariant }: { invariant: { name: string } }) => seen.push(invariant.name);
    expect(await auditLedger(node.db, { more: rules.slice(invariants.length), onProgress })).toEqual([]);
    expect(seen).toEqual(rules.map(({ name }) => name));
    expect(new Set(seen).size).toBe(rules.length);
  });

  test('every table of wallets and charges is looked at, or it is said why not', async () => {
    const tables = await query(
      database().url,
      `SELECT DISTINCT table_name AS name FROM information_schema.columns WHERE table_schema = DATABASE()
       AND (column_name IN ('wallet_id', 'charge_id') OR table_name REGEXP '^(wallet|charge|price|cap|credential_state)')`,
    );
    const known = [...Object.keys(moneyTables), ...Object.keys(tablesWithoutMoney)];
    for (const { name } of tables) expect(known).toContain(name);
  });

  test('every changed column and every deleted row is noticed, or it is said why it proves nothing', {
    timeout: 180_000,
  }, async () => {
    const unnoticed = new Map<string, string[]>();
    const missed = (what: string, label: string) => unnoticed.set(what, [...(unnoticed.get(what) ?? []), label]);
    const used = new Set<string>();
    let tried = 0;
    // The rules that noticed the most so far are tried first, the others only if those noticed nothing.
    const noticed = new Map<string, number>();
    const ask = async () => {
      const order = rules.toSorted((a, b) => (noticed.get(b.name) ?? 0) - (noticed.get(a.name) ?? 0));
      for (const some of [order.slice(0, 2), order.slice(2, 6), order.slice(6)]) {
        const broken = await brokenRules(connection, some);
        for (const name of broken) noticed.set(name, (noticed.get(name) ?? 0) + 1);
        if (broken.length > 0) return broken;
      }
      return [];
    };
    for (const [table, { key, kind }] of Object.entries(moneyTables)) {
      const columns = await query(
        database().url,
        `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS optional FROM information_schema.columns
         WHERE table_schema = DATABASE() AND table_name = '${table}' ORDER BY ordinal_position`,
      );
      noticed.clear();
      for (const row of await kindsOf(connection, { table, key, kind })) {
        const changes: Change[] = [deletion(row)];
        for (const column of columns as unknown as Column[])
          changes.push(...(await changesOf(connection, row, column)));
        const made = new Set<string>();
        for (const change of changes) {
          const excuse = excuseOf(change.what, row.label);
          const needed = `${excuse?.what} ${excuse?.of} ${change.what}`;
          // One value is enough of those that represent the same change, and one row that shows that an excuse is needed.
          if (made.has(change.what) || used.has(needed)) continue;
          const broken = await brokenBy(connection, change.sql, ask);
          if (broken === undefined) continue;
          made.add(change.what);
          tried++;
          if (broken.length > 0) continue;
          if (!excuse) missed(change.what, row.label);
          used.add(needed).add(`${excuse?.what} ${excuse?.of}`);
        }
        // Changes that could not be tried have not been noticed.
        for (const { what } of changes)
          if (!made.has(what) && !excuseOf(what, row.label)) missed(`${what} could not be changed`, row.label);
      }
    }
    expect([...unnoticed].map(([what, labels]) => `${what}: ${labels.join(', ')}`)).toEqual([]);
    expect(tried).toBeGreaterThan(700);
    // An excuse that nothing needs hides a guarantee that could be given.
    expect(provesNothing.filter(({ what, of }) => !used.has(`${what} ${of}`))).toEqual([]);
  });

  const paidWithKey = "state = 'settled' AND idempotency_key IS NOT NULL AND settled > 0";
  test.for([
    ['a-paid-key-is-never-free', `DELETE FROM idempotency WHERE captured_charge_id IS NOT NULL`],
    [
      'a-key-leads-to-its-charge',
      `UPDATE idempotency i JOIN charge c ON c.idempotency_key = i.idempotency_key AND c.state = 'expired' AND c.id <> i.charge_id
       SET i.charge_id = c.id, i.captured_charge_id = NULL`,
    ],
    [
      'a-key-leads-to-its-charge',
      "UPDATE idempotency SET fingerprint = REPEAT('a', 32) WHERE captured_charge_id IS NOT NULL",
    ],
    [
      'a-paid-key-is-never-free',
      `UPDATE charge c JOIN (SELECT * FROM charge WHERE ${paidWithKey} LIMIT 1) k ON k.wallet_id = c.wallet_id AND k.id <> c.id
       SET c.idempotency_scope = k.idempotency_scope, c.idempotency_key = k.idempotency_key,
         c.idempotency_fingerprint = k.idempotency_fingerprint, c.idempotency_fence = 2
       WHERE c.state = 'settled' AND c.idempotency_key IS NULL`,
    ],
    [
      'a-charge-knows-how-many-caps-it-counts-against',
      `DELETE FROM charge_cap WHERE owner LIKE 'device:%'; DELETE FROM cap WHERE owner LIKE 'device:%'`,
    ],
    [
      'a-charge-knows-how-many-caps-it-counts-against',
      `DELETE FROM charge_cap WHERE owner LIKE 'key:%'; UPDATE cap SET held = 0, spent = 0 WHERE owner LIKE 'key:%'`,
    ],
    [
      'a-charge-counts-against-its-own-caps',
      `UPDATE charge_cap SET owner = CONCAT(owner, 'x') WHERE owner LIKE 'key:%'; UPDATE cap SET owner = CONCAT(owner, 'x') WHERE owner LIKE 'key:%'`,
    ],
    ['credit-has-a-top-up', "UPDATE posting SET debit_account = 'payments:stripe' WHERE source_type = 'top_up'"],
    [
      'a-receivable-has-its-source',
      `UPDATE posting SET credit_account = 'payments' WHERE source_type IN ('refund', 'dispute') AND debit_account = 'wallet';
       UPDATE posting SET debit_account = 'payments' WHERE source_type IN ('refund', 'dispute') AND credit_account = 'wallet';
       UPDATE receivable SET counter_account = 'payments' WHERE kind <> 'usage'`,
    ],
    ['capture-has-a-charge', "UPDATE posting SET credit_account = 'payments:sandbox' WHERE source_type = 'charge'"],
    [
      'correction-has-an-adjustment',
      "UPDATE posting SET debit_account = 'gifts' WHERE kind = 'adjustment' AND debit_account <> 'wallet'",
    ],
    ['postings-are-of-known-kinds', "UPDATE posting SET kind = 'adjustment' WHERE kind = 'usage'"],
    ['settled-is-captured-once', "UPDATE charge SET state = 'expired' WHERE state = 'settled' AND settled > 0"],
    [
      'settled-is-captured-once',
      "UPDATE charge SET state = 'expired', progress_cost = settled WHERE state = 'settled' AND settled > 0 AND idempotency_key IS NULL",
    ],
    [
      'workflows-are-priced-by-the-book',
      `SELECT wallet_id, id INTO @w, @c FROM charge WHERE operation = 'workflow.risk';
       SELECT seq INTO @s FROM posting WHERE source_type = 'charge' AND source_id = @c;
       UPDATE charge SET settled = settled - 1 WHERE id = @c; UPDATE posting SET amount = amount - 1 WHERE source_id = @c;
       UPDATE posting SET balance_after = balance_after + 1 WHERE wallet_id = @w AND seq >= @s;
       UPDATE wallet SET posted = posted + 1 WHERE id = @w`,
    ],
    [
      'no-settlement-waits-for-a-person',
      "INSERT INTO settlement_dead_letter (charge_id, wallet_id, operation, error, created_at_us) VALUES ('chg_1', 'wal_1', '{}', 'no', 5)",
    ],
    ['no-hold-is-forgotten', "UPDATE charge SET expires_at_us = 5 WHERE state = 'held'"],
    ['no-use-after-revocation', "UPDATE credential_state SET state = 'revoked', revoked_at_ms = 5"],
    [
      'only-a-release-frees-a-key',
      `DELETE i FROM idempotency i JOIN charge c ON c.id = i.charge_id WHERE c.state = 'expired'`,
    ],
    [
      'a-wallet-counts-its-charges',
      `DELETE FROM charge WHERE state = 'released' AND caps = 0 AND idempotency_key IS NULL OR state = 'expired' AND settled = 0`,
    ],
  ] as const)('%s: notices %s', async ([rule, statements]) => {
    expect(await brokenBy(connection, statements)).toContain(rule);
  });

  test('the command prints one line a violation and exits with 1', async () => {
    const { url } = database();
    const lines: string[] = [];
    const audit = async () => {
      const program = new Command();
      const openDatabase = async () => {
        const db = connectDatabase({ url, log: silent });
        return { db, close: () => db.close() };
      };
      registerAudit(program, { openDatabase, write: (line) => lines.push(line), progress: () => undefined });
      await program.parseAsync(['audit'], { from: 'user' });
      const code = process.exitCode ?? 0;
      process.exitCode = undefined;
      return code;
    };
    expect(await audit()).toBe(0);
    await connection.query("UPDATE cap SET spent = spent + 1 WHERE owner = 'device:dev_1'");
    expect(await audit()).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^caps-are-their-charges\tdevice:dev_1\t/);
    await connection.query("UPDATE cap SET spent = spent - 1 WHERE owner = 'device:dev_1'");
  });
});
