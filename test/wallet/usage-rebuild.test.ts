import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerUsage } from '../../src/cli/usage.ts';
import { connectDatabase } from '../../src/db/index.ts';
import { auditLedger, rebuildUsage } from '../../src/wallet/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { addCustomer, type Customer, holdOf, type Node, pay, query, run, startNode } from './support.ts';

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  let customer: Customer;
  let walletId: string;
  beforeAll(async () => {
    node = startNode(database().url);
    customer = await addCustomer(node, database().url, 20n);
    const wallet = await node.wallets.get(customer.accountId, 'api');
    walletId = wallet.ok ? wallet.value.walletId : '';
    await spend(120);
    // Over three days, so that there are many hours.
    await run(
      database().url,
      `UPDATE posting SET created_at_us = created_at_us - (200 - seq) * 2200000000 WHERE wallet_id = '${walletId}';
       DELETE FROM usage_hour WHERE wallet_id = '${walletId}'; DELETE FROM usage_user_hour WHERE wallet_id = '${walletId}'`,
    );
  });
  afterAll(() => node.close());

  const spend = (charges: number) =>
    Promise.all(
      Array.from({ length: charges }, (_, index) =>
        pay(
          node,
          holdOf(customer, {
            ...(index % 3 === 0 && { subject: `user-${index % 6}` }),
            ...{ provider: 'up', model: `m${index % 4}` },
          }),
          { cost: BigInt(index + 1), usage: { inputTokens: index, outputTokens: 2, searchUnits: 1 } },
        ),
      ),
    );
  const broken = async () =>
    [...new Set((await auditLedger(node.db)).map(({ invariant }) => invariant))].filter((name) =>
      name.startsWith('usage'),
    );

  test('sums that are gone, wrong or of nothing are found by the audit and made right, while more is posted', {
    timeout: 120_000,
  }, async () => {
    expect(await broken()).toEqual(['usage-sums-are-the-entries', 'usage-sums-of-users-are-the-entries']);
    const steps: number[] = [];
    const rebuilding = rebuildUsage({ db: node.db, stepSize: 20, onProgress: ({ entries }) => steps.push(entries) });
    await Promise.all([rebuilding, spend(60)]);
    const done = await rebuilding;
    expect(done.corrected).toBeGreaterThan(100);
    expect(steps.length).toBeGreaterThan(4);
    expect(Math.max(...steps.map((entries, index) => entries - (steps[index - 1] ?? 0)))).toBeLessThan(100);
    expect(await broken()).toEqual([]);

    const [{ hour = 0n } = {}] = await query(
      database().url,
      `SELECT MIN(hour) AS hour FROM usage_hour WHERE wallet_id = '${walletId}'`,
    );
    await run(
      database().url,
      `UPDATE usage_hour SET cost = cost + 5, charges = charges + 1, output_tokens = output_tokens - 1 WHERE wallet_id = '${walletId}' AND hour = ${hour};
       UPDATE usage_user_hour SET model = 'other' WHERE wallet_id = '${walletId}' AND subject = 'user-3' AND model = 'm1';
       INSERT INTO usage_hour (wallet_id, hour, key_id, operation, provider, model, charges, cost)
         VALUES ('${walletId}', ${BigInt(hour as bigint) - 50n}, 'key_ghost', 'chat', '', '', 1, 7)`,
    );
    expect(await broken()).toHaveLength(2);
    // Two concurrent ones take turns, and neither adds what the other has added.
    const twice = await Promise.all([1, 2].map(() => rebuildUsage({ db: node.db, stepSize: 20 })));
    expect(twice.map(({ corrected }) => corrected > 0)).toContain(true);
    expect(await broken()).toEqual([]);
    const ghosts = await query(database().url, `SELECT 1 FROM usage_hour WHERE key_id = 'key_ghost'`);
    expect(ghosts).toEqual([]);
    expect(await rebuildUsage({ db: node.db })).toMatchObject({ corrected: 0 });
  });

  test('what is not summed yet is left to be summed', async () => {
    await run(database().url, `UPDATE wallet SET summed = seq - 40 WHERE id = '${walletId}'`);
    expect(await broken()).not.toEqual([]);
    await rebuildUsage({ db: node.db });
    expect(await broken()).toEqual([]);
    const [wallet] = await query(database().url, `SELECT seq - summed AS behind FROM wallet WHERE id = '${walletId}'`);
    expect(Number(wallet?.behind)).toBe(40);
  });

  test('the command says what it did, of one account or of all', async () => {
    const lines: string[] = [];
    const command = async (...words: string[]) => {
      const program = new Command().exitOverride();
      const openDatabase = async () => {
        const db = connectDatabase({ url: database().url, log: silent });
        return { db, close: () => db.close() };
      };
      registerUsage(program, { openDatabase, write: (line) => lines.push(line), progress: () => undefined });
      await program.parseAsync(['usage', 'rebuild', ...words], { from: 'user' });
    };
    await run(database().url, `DELETE FROM usage_hour WHERE wallet_id = '${walletId}' AND model = 'm1'`);
    expect(await broken()).toEqual(['usage-sums-are-the-entries']);
    const other = await addCustomer(node, database().url, 5n);
    await command('--json', '--account', other.accountId);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ wallets: 1, corrected: 0 });
    await command('--json', '--account', customer.accountId);
    expect(JSON.parse(lines[1] ?? '').corrected).toBeGreaterThan(1);
    expect(await broken()).toEqual([]);
    await command();
    expect(lines[2]).toMatch(/^[0-9]+ entries of 2 wallets read, 0 sums corrected$/);
    await expect(command('--account', 'acc_unknown')).rejects.toThrow('acc_unknown');
  });
});
