import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { nanoPerUsd } from '../../src/base/money.ts';
import { createReaper } from '../../src/wallet/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { balanceIn, eachBooks, type LedgerNode } from './books.ts';
import { addCustomer, type Customer, chargesOf, holdOf, keyOf, mustHold, pay, startNode } from './support.ts';

eachBooks((books) => {
  let node: LedgerNode;
  beforeAll(() => {
    node = books().startNode();
  });
  afterEach(async () => expect(await books().audit()).toEqual([]));
  afterAll(() => node.close());
  const customer = (usd: bigint) => books().addCustomer(usd);
  const balanceOf = (account: Customer) => balanceIn(books(), account);
  const shortHold = (account: Customer, change = {}) => mustHold(node, holdOf(account, { ttlMs: 20, ...change }));
  const expire = async () => {
    await sleep(40);
    await books().reap(node);
  };

  test('an expired hold without recorded use costs nothing and frees its idempotency key', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account);
    const caps = [{ owner: `key:${account.keyId}`, limit: 5n * nanoPerUsd }];
    const hold = await shortHold(account, { idempotency, caps });
    await expire();
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd, held: 0n });
    expect(await books().chargeOf(hold.chargeId)).toMatchObject({ state: 'expired', settled: 0n });
    await mustHold(node, holdOf(account, { idempotency, caps }));
  });

  test('an expired hold captures the use that was recorded last', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account);
    await node.ledger.recordProgress(hold, { cost: 300n, usage: { outputTokens: 3 } });
    await node.ledger.recordProgress(hold, { cost: 200n, usage: { outputTokens: 2 } });
    await expire();
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 300n, held: 0n });
  });

  test('a late settlement gives back what the expiry took in excess, once', async () => {
    const account = await customer(5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: 5n * nanoPerUsd }];
    const hold = await shortHold(account, { caps });
    await node.ledger.recordProgress(hold, { cost: 300n, usage: { outputTokens: 3 } });
    await expire();
    for (let time = 0; time < 2; time++)
      expect(await node.ledger.settle(hold, { cost: 200n, usage: { outputTokens: 2 }, delivered: true })).toMatchObject(
        {
          ...{ state: 'settled', charged: 200n, owed: 0n, balance: 5n * nanoPerUsd - 200n },
        },
      );
  });

  test('what can not be paid after its expiry, and nobody has seen, costs nothing', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account, { ceiling: 5n * nanoPerUsd });
    await node.ledger.recordProgress(hold, { cost: 300n, usage: {} });
    await expire();
    const rest = 5n * nanoPerUsd - 300n;
    await pay(node, holdOf(account, { ceiling: rest }), { cost: rest, usage: {} });
    const receipt = await node.ledger.settle(hold, { cost: 1_000n, usage: {} });
    expect(receipt).toMatchObject({ state: 'released', charged: 0n, owed: 0n, balance: 300n });
    expect(await node.ledger.settle(hold, { cost: 1_000n, usage: {} })).toEqual(receipt);
  });

  test('progress renews a hold, so it does not expire while its owner lives', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account, { ttlMs: 2_000 });
    for (let beat = 0; beat < 6; beat++) {
      await sleep(400);
      await node.ledger.recordProgress(hold, { cost: 1n, usage: {} });
      await books().reap(node);
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
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 1_000n });
  });

  test('a late settlement of what was delivered takes what is free and owes the rest, which a top-up repays', async () => {
    const account = await customer(5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: 50n * nanoPerUsd }];
    const hold = await shortHold(account, { ceiling: 5n * nanoPerUsd, caps });
    await expire();
    await pay(node, holdOf(account, { ceiling: 5n * nanoPerUsd }), { cost: 5n * nanoPerUsd - 3n, usage: {} });
    const settlement = { cost: 7n, usage: { outputTokens: 2 }, delivered: true };
    const receipt = { chargeId: hold.chargeId, state: 'settled', charged: 3n, owed: 4n, balance: 0n };
    expect(await node.ledger.settle(hold, settlement)).toEqual(receipt);
    expect(await node.ledger.settle(hold, { ...settlement, cost: 9n })).toEqual(receipt);
    expect(await balanceOf(account)).toEqual({ balance: 0n, held: 0n, available: 0n, owed: 4n });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    await books().addCredit(account, 5n * nanoPerUsd);
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 4n, owed: 0n });
    expect((await books().postingsOf(account)).slice(-3)).toMatchObject([
      { kind: 'usage', amount: -3n, balanceAfter: 0n, step: 'late' },
      { kind: 'top_up', amount: 5n * nanoPerUsd },
      { kind: 'usage', amount: -4n, balanceAfter: 5n * nanoPerUsd - 4n },
    ]);
    await pay(node, holdOf(account, { caps }), { cost: 1n, usage: {} });
  });

  test('a late settlement is paid up to its spending cap, which others have used since', async () => {
    const account = await customer(5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: 1_000n }];
    const late = await shortHold(account, { ceiling: 800n, caps });
    const idempotency = keyOf(account);
    const unseen = await shortHold(account, { ceiling: 100n, caps, idempotency });
    await expire();
    await pay(node, holdOf(account, { ceiling: 700n, caps }), { cost: 700n, usage: {} });
    const other = await mustHold(node, holdOf(account, { ceiling: 250n, caps }));
    // Nobody has seen it, so it is paid in full or not at all.
    expect(await node.ledger.settle(unseen, { cost: 60n, usage: {} })).toMatchObject({ state: 'expired', charged: 0n });
    const settlement = { cost: 800n, usage: { outputTokens: 8 }, delivered: true };
    const receipt = { chargeId: late.chargeId, state: 'settled', charged: 50n, owed: 0n };
    for (let time = 0; time < 2; time++) expect(await node.ledger.settle(late, settlement)).toMatchObject(receipt);
    expect(await node.ledger.settle(other, { cost: 250n, usage: {} })).toMatchObject({ charged: 250n });
    const full = { kind: 'spending_cap_reached', limit: 1_000n, spent: 1_000n, held: 0n };
    expect(await node.ledger.hold(holdOf(account, { caps }))).toMatchObject({ failure: full });
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 1_000n, owed: 0n });
  });

  test('a late settlement of what nobody has seen is paid in full or not at all', async () => {
    const account = await customer(5n);
    const hold = await shortHold(account, { ceiling: 5n * nanoPerUsd });
    await expire();
    await pay(node, holdOf(account, { ceiling: 5n * nanoPerUsd }), { cost: 5n * nanoPerUsd - 3n, usage: {} });
    const unpaid = { state: 'expired', charged: 0n, owed: 0n, balance: 3n };
    expect(await node.ledger.settle(hold, { cost: 4n, usage: {} })).toMatchObject(unpaid);
    expect(await balanceOf(account)).toMatchObject({ balance: 3n, held: 0n, owed: 0n });
    // It can still be paid once there is credit.
    await books().addCredit(account, 5n * nanoPerUsd);
    const paid = { state: 'settled', charged: 4n, owed: 0n, balance: 5n * nanoPerUsd - 1n };
    expect(await node.ledger.settle(hold, { cost: 4n, usage: {} })).toMatchObject(paid);
  });

  test('an expired hold with an idempotency key captures nothing, and a retry takes its place and pays alone', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account, 'taken over');
    const request = holdOf(account, { idempotency });
    const first = await shortHold(account, { idempotency });
    await node.ledger.recordProgress(first, { cost: 300n, usage: { outputTokens: 3 } });
    await expire();
    expect(await books().chargeOf(first.chargeId)).toMatchObject({ state: 'expired', settled: 0n, progressCost: 300n });
    const second = await mustHold(node, request);
    expect(await books().keyRow(idempotency.scope, idempotency.key)).toMatchObject({
      ...{ chargeId: second.chargeId, fence: 2n, capturedChargeId: undefined },
    });
    const superseded = { chargeId: first.chargeId, state: 'superseded', charged: 0n, owed: 0n };
    const late = { cost: 500n, usage: {}, reply: Buffer.from('late'), delivered: true };
    expect(await node.ledger.settle(first, late)).toMatchObject(superseded);
    const reply = Buffer.from('second');
    const receipt = await node.ledger.settle(second, { cost: 400n, usage: {}, reply });
    expect(receipt).toMatchObject({ state: 'settled', charged: 400n });
    expect(await node.ledger.settle(first, late)).toMatchObject(superseded);
    expect(await node.ledger.hold(request)).toEqual({ ok: true, value: { kind: 'replayed', receipt, reply } });
    expect(await balanceOf(account)).toEqual({
      ...{ balance: 5n * nanoPerUsd - 400n, available: 5n * nanoPerUsd - 400n, held: 0n, owed: 0n },
    });
  });

  test('a retry that paid before the late settlement came leaves it nothing', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account);
    const first = await shortHold(account, { idempotency });
    await expire();
    await pay(node, holdOf(account, { idempotency }), { cost: 400n, usage: {} });
    expect(await node.ledger.settle(first, { cost: 500n, usage: {} })).toMatchObject({
      state: 'superseded',
      charged: 0n,
    });
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 400n, held: 0n });
  });

  test('a late settlement without a takeover keeps its reply and its key, and the next retry replays it', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account);
    const hold = await shortHold(account, { idempotency });
    await expire();
    const reply = Buffer.from('late');
    const receipt = await node.ledger.settle(hold, { cost: 500n, usage: {}, reply });
    expect(receipt).toMatchObject({ state: 'settled', charged: 500n });
    const retried = await node.ledger.hold(holdOf(account, { idempotency }));
    expect(retried).toEqual({ ok: true, value: { kind: 'replayed', receipt, reply } });
    expect(await books().keyRow(idempotency.scope, idempotency.key)).toMatchObject({
      ...{ chargeId: hold.chargeId, fence: 1n, capturedChargeId: hold.chargeId },
    });
  });

  test('a takeover that is released gives the key back, to whoever comes first', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account);
    const request = holdOf(account, { idempotency });
    for (const lateFirst of [true, false]) {
      const key = { ...idempotency, key: `${idempotency.key} ${lateFirst}` };
      const first = await shortHold(account, { idempotency: key });
      await expire();
      await node.ledger.release(await mustHold(node, { ...request, idempotency: key }), 'test');
      expect(await books().keyRow(key.scope, key.key)).toBeUndefined();
      if (lateFirst) {
        const receipt = await node.ledger.settle(first, { cost: 5n, usage: {} });
        expect(receipt).toMatchObject({ state: 'settled', charged: 5n });
        const purged = { kind: 'reply_purged', chargeId: first.chargeId };
        expect(await node.ledger.hold({ ...request, idempotency: key })).toMatchObject({ failure: purged });
      } else {
        await pay(node, { ...request, idempotency: key }, { cost: 6n, usage: {} });
        expect(await node.ledger.settle(first, { cost: 5n, usage: {} })).toMatchObject({ state: 'superseded' });
      }
    }
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 11n, held: 0n });
  });

  test('a race of an expiry, a retry and the late settlement charges a key once, whoever wins', async () => {
    const second = books().startNode();
    try {
      const account = await customer(5n);
      const requests = Array.from({ length: 40 }, () => holdOf(account, { idempotency: keyOf(account), ttlMs: 20 }));
      const firsts = await Promise.all(requests.map((request) => mustHold(node, request)));
      await sleep(40);
      const retry = async (request: (typeof requests)[number]): Promise<bigint> => {
        for (;;) {
          const held = await second.ledger.hold({ ...request, ttlMs: 60_000 });
          if (!held.ok && held.failure.kind === 'idempotency_in_flight') await sleep(2);
          // Paid by the first, which stored no reply.
          else if (!held.ok) {
            expect(held.failure.kind).toBe('reply_purged');
            return 0n;
          } else if (held.value.kind === 'replayed') throw new Error('There is no reply to replay.');
          else return (await second.ledger.settle(held.value.hold, { cost: 10n, usage: {} })).charged;
        }
      };
      const [late, retried] = await Promise.all([
        Promise.all(firsts.map((hold) => node.ledger.settle(hold, { cost: 10n, usage: {} }))),
        Promise.all(requests.map(retry)),
        books().reap(second),
      ]);
      for (const [index, { state, charged }] of late.entries()) {
        expect(['settled', 'superseded']).toContain(state);
        expect(charged + (retried[index] ?? 0n)).toBe(10n);
      }
      expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 400n, held: 0n, owed: 0n });
    } finally {
      await second.close();
    }
  });

  test('two reapers and the settlement race, and the charge is paid once', async () => {
    const second = books().startNode();
    try {
      const account = await customer(5n);
      const holds = await Promise.all(Array.from({ length: 60 }, () => shortHold(account)));
      await sleep(40);
      const [receipts] = await Promise.all([
        Promise.all(holds.map((hold) => node.ledger.settle(hold, { cost: 10n, usage: {} }))),
        books().reap(node),
        books().reap(second),
      ]);
      expect(receipts.every(({ charged }) => charged === 10n)).toBe(true);
      expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 600n, held: 0n });
    } finally {
      await second.close();
    }
  });

  test('a purged reply answers with its charge and never charges again', async () => {
    const account = await customer(5n);
    const request = holdOf(account, { idempotency: keyOf(account) });
    const hold = await mustHold(node, request);
    await node.ledger.settle(hold, { cost: 3n, usage: {}, reply: Buffer.from('text') });
    await books().purgeReplies();
    await books().reap(node);
    expect(await node.ledger.hold(request)).toEqual({
      ok: false,
      failure: { kind: 'reply_purged', chargeId: hold.chargeId },
    });
  });

  test('with retention off a retry gets the receipt without the reply', async () => {
    const receiptsOnly = books().startNode({ replyRetentionMs: 0 });
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

eachServer((server) => {
  const database = useDatabase(server);

  test('the reaper of a node that has just started rests: others may be waiting to settle', async () => {
    const node = startNode(database().url);
    const account = await addCustomer(node, database().url, 5n);
    const { chargeId } = await mustHold(node, holdOf(account, { ttlMs: 1 }));
    await sleep(20);
    const reaper = (restAfterOutageMs?: number) =>
      createReaper({
        ...{ db: node.db, ledger: node.ledger, log: silent },
        ...(restAfterOutageMs !== undefined && { restAfterOutageMs }),
      });
    expect(await reaper().runOnce()).toBe(0);
    expect(await chargesOf(database().url, chargeId)).toMatchObject([{ state: 'held' }]);
    expect(await reaper(0).runOnce()).toBe(1);
    expect(await chargesOf(database().url, chargeId)).toMatchObject([{ state: 'expired' }]);
    await node.close();
  });

  test('what was given back by hand in part and cannot be paid is given back whole, and no more', async () => {
    const node = startNode(database().url);
    const account = await addCustomer(node, database().url, 5n);
    const hold = await mustHold(node, holdOf(account, { ceiling: 5n * nanoPerUsd, ttlMs: 20 }));
    await node.ledger.recordProgress(hold, { cost: 300n, usage: {} });
    await sleep(40);
    const reaper = createReaper({ db: node.db, ledger: node.ledger, log: silent, restAfterOutageMs: 0 });
    expect(await reaper.runOnce()).toBe(1);
    const byHand = { kind: 'api', amount: 100n, reason: 'goodwill', actor: 'test', idempotencyKey: 'once' } as const;
    const { accountId } = account;
    expect(await node.wallets.adjust({ accountId, ...byHand, reversesChargeId: hold.chargeId })).toMatchObject({
      ok: true,
    });
    const rest = 5n * nanoPerUsd - 200n;
    await pay(node, holdOf(account, { ceiling: rest }), { cost: rest, usage: {} });
    for (let time = 0; time < 2; time++)
      expect(await node.ledger.settle(hold, { cost: 1_000n, usage: {} })).toMatchObject({ owed: 0n, balance: 200n });
    expect(await chargesOf(database().url, hold.chargeId)).toMatchObject([{ settled: 100n, reversed: 100n }]);
    await node.close();
  });
});
