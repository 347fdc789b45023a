import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerAudit } from '../../src/cli/audit.ts';
import { connectDatabase, openConnection } from '../../src/db/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { invariants } from '../../src/wallet/invariants.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { addCustomer, holdOf, keyOf, mustHold, type Node, startNode } from './support.ts';

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  beforeAll(async () => {
    const { url } = database();
    node = startNode(url);
    const account = await addCustomer(node, url, 5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: 1_000n }];
    const hold = await mustHold(node, holdOf(account, { ceiling: 100n, caps, idempotency: keyOf(account) }));
    await node.ledger.settle(hold, { cost: 60n, usage: {} });
    await mustHold(node, holdOf(account, { ceiling: 100n, caps }));
    const { accountId } = account;
    const correction = {
      accountId,
      kind: 'api',
      amount: 5n,
      reason: 'test',
      actor: 'test',
      idempotencyKey: 'a',
    } as const;
    await node.wallets.adjust({ ...correction, reversesChargeId: hold.chargeId });
    const topUp = await node.wallets.topUps.create({ accountId, kind: 'api', amount: 6_000_000_000n });
    const topUpId = topUp.ok ? topUp.value.topUpId : '';
    await node.wallets.topUps.reverse({ topUpId, kind: 'refund', amount: 7n, reference: 're_1' });
  });
  afterAll(() => node.close());

  test('a sound ledger breaks no invariant', async () => {
    const seen: string[] = [];
    expect(await auditLedger(node.db, { onProgress: ({ invariant }) => seen.push(invariant.name) })).toEqual([]);
    expect(seen.length).toBeGreaterThan(15);
  });

  test.for([
    ['balance-is-its-postings', 'UPDATE wallet SET posted = posted + 1'],
    ['balance-is-its-postings', "DELETE FROM posting WHERE kind = 'usage'"],
    ['balances-chain', 'UPDATE posting SET balance_after = balance_after + 1 WHERE seq = 2'],
    ['posting-has-a-wallet', 'DELETE FROM wallet'],
    ['held-is-its-open-charges', 'UPDATE wallet SET held = held - 1'],
    ['settled-is-captured-once', "UPDATE posting SET amount = amount + 1 WHERE kind = 'usage'"],
    ['settled-is-captured-once', "UPDATE charge SET settled = settled - 1 WHERE state = 'settled'"],
    ['capture-has-a-charge', "DELETE FROM charge WHERE state = 'settled'"],
    ['no-hold-is-forgotten', "UPDATE charge SET expires_at_us = 5 WHERE state = 'held'"],
    ['paid-is-credited-once', "UPDATE top_up SET state = 'failed', paid_at_us = NULL, reversed = 0"],
    ['credit-has-a-top-up', 'DELETE FROM top_up'],
    ['adjustment-is-posted-once', 'UPDATE adjustment SET amount = amount + 1'],
    ['reversals-stay-within-the-charge', 'UPDATE charge SET reversed = 0'],
    ['payments-taken-back-stay-within-the-payment', 'UPDATE top_up SET reversed = 0'],
    ['receivables-are-what-was-not-taken', 'UPDATE wallet SET owed = 3'],
    ['all-money-is-accounted-for', "UPDATE top_up SET amount = amount + 1 WHERE state = 'paid'"],
    ['caps-are-their-charges', 'UPDATE cap SET spent = spent - 1'],
    ['no-use-after-revocation', "UPDATE credential_state SET state = 'revoked', revoked_at_ms = 5"],
    ['a-key-leads-to-its-charge', "UPDATE idempotency SET charge_id = 'chg_of_nobody'"],
  ] as const)('%s: notices "%s"', async ([invariant, sql]) => {
    const connection = await openConnection(database().url);
    // Never committed: the rules are asked inside the transaction that breaks them.
    await connection.query('START TRANSACTION');
    try {
      await connection.query(sql);
      const rule = invariants.find(({ name }) => name === invariant);
      const [rows] = await connection.query(`${rule?.sql} LIMIT 10`);
      expect(rows).not.toEqual([]);
    } finally {
      await connection.query('ROLLBACK');
      await connection.end();
    }
  });

  test('the command prints one line a violation and exits with 1', async () => {
    const { url } = database();
    const connection = await openConnection(url);
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
    await connection.query('UPDATE cap SET spent = spent + 1');
    expect(await audit()).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^caps-are-their-charges\tkey:key_/);
    await connection.query('UPDATE cap SET spent = spent - 1');
    await connection.end();
  });
});
