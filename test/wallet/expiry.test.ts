import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { nanoPerUsd } from '../../src/base/money.ts';
import { auditLedger, type Caretaker, createCaretaker } from '../../src/wallet/index.ts';
import { eachServer, runOnce, silent, useDatabase } from '../support/database.ts';
import { addCustomer, balanceOf, type Customer, holdOf, keyOf, mustHold, type Node, startNode } from './support.ts';

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  let caretaker: Caretaker;
  beforeAll(() => {
    node = startNode(database().url);
    caretaker = createCaretaker({ db: node.db, ledger: node.ledger, log: silent });
  });
  afterEach(async () => expect(await auditLedger(node.db)).toEqual([]));
  afterAll(() => node.close());
  const customer = (usd: bigint) => addCustomer(node, database().url, usd);
  const shortHold = (account: Customer, change = {}) => mustHold(node, holdOf(account, { ttlMs: 20, ...change }));
  const expire = async () => {
    await sleep(40);
    await caretaker.runOnce();
  };

  test('an expired hold without recorded use costs nothing and frees its idempotency key', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account);
    const caps = [{ owner: `key:${account.keyId}`, limit: 5n * nanoPerUsd }];
    const hold = await shortHold(account, { idempotency, caps });
    await expire();
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd, held: 0n });
    expect(await node.wallets.getCharge(account.accountId, hold.chargeId)).toMatchObject({
      value: { state: 'expired', charged: 0n },
    });
    await mustHold(node, holdOf(account, { idempotency, caps }));
  });

  test('an expired hold captures the use that was recorded last', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account);
    await node.ledger.recordProgress(hold, { cost: 300n, usage: { outputTokens: 3 } });
    await node.ledger.recordProgress(hold, { cost: 200n, usage: { outputTokens: 2 } });
    await expire();
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 300n, held: 0n });
  });

  test('progress renews a hold, so it does not expire while its owner lives', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account, { ttlMs: 300 });
    for (let beat = 0; beat < 6; beat++) {
      await sleep(80);
      await node.ledger.recordProgress(hold, { cost: 1n, usage: {} });
      await caretaker.runOnce();
    }
    expect(await node.ledger.settle(hold, { cost: 5n, usage: {} })).toMatchObject({ state: 'settled', charged: 5n });
  });

  test('a late settlement charges the rest when there is credit, once', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account);
    await node.ledger.recordProgress(hold, { cost: 300n, usage: {} });
    await expire();
    expect(await node.ledger.settle(hold, { cost: 1_000n, usage: {} })).toMatchObject({
      state: 'settled',
      charged: 1_000n,
      balance: 5n * nanoPerUsd - 1_000n,
    });
    expect(await node.ledger.settle(hold, { cost: 1_000n, usage: {} })).toMatchObject({ charged: 1_000n });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 1_000n });
  });

  test('a late settlement after the credit is gone is uncollected and never goes below zero', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account, { ceiling: 5n * nanoPerUsd });
    await expire();
    const other = await mustHold(node, holdOf(account, { ceiling: 5n * nanoPerUsd }));
    await node.ledger.settle(other, { cost: 5n * nanoPerUsd, usage: {} });
    expect(await node.ledger.settle(hold, { cost: 7n, usage: {} })).toMatchObject({
      state: 'uncollected',
      charged: 0n,
      balance: 0n,
    });
  });

  test('two reapers and the settlement race, and the charge is paid once', async () => {
    const second = startNode(database().url);
    const other = createCaretaker({ db: second.db, ledger: second.ledger, log: silent });
    try {
      const account = await customer(5n);
      const holds = await Promise.all(Array.from({ length: 60 }, () => shortHold(account)));
      await sleep(40);
      const [receipts] = await Promise.all([
        Promise.all(holds.map((hold) => node.ledger.settle(hold, { cost: 10n, usage: {} }))),
        caretaker.runOnce(),
        other.runOnce(),
      ]);
      expect(receipts.every(({ charged }) => charged === 10n)).toBe(true);
      expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 600n, held: 0n });
    } finally {
      await second.close();
    }
  });

  test('a purged reply answers with its charge and never charges again', async () => {
    const account = await customer(5n);
    const request = holdOf(account, { idempotency: keyOf(account) });
    const hold = await mustHold(node, request);
    await node.ledger.settle(hold, { cost: 3n, usage: {}, reply: Buffer.from('text') });
    await runOnce(database().url, ['UPDATE stored_reply SET expires_at_us = 1']);
    await caretaker.runOnce();
    expect(await node.ledger.hold(request)).toEqual({
      ok: false,
      failure: { kind: 'reply_purged', chargeId: hold.chargeId },
    });
  });

  test('with retention off a retry gets the receipt without the reply', async () => {
    const receiptsOnly = startNode(database().url, { replyRetentionMs: 0 });
    try {
      const account = await customer(5n);
      const request = holdOf(account, { idempotency: keyOf(account) });
      const hold = await mustHold(receiptsOnly, request);
      const receipt = await receiptsOnly.ledger.settle(hold, { cost: 3n, usage: {}, reply: Buffer.from('text') });
      expect(await receiptsOnly.ledger.hold(request)).toEqual({
        ok: true,
        value: { kind: 'replayed', receipt, reply: undefined },
      });
    } finally {
      await receiptsOnly.close();
    }
  });
});
