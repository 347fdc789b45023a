import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { nanoPerUsd } from '../../src/base/money.ts';
import { balanceIn, eachBooks, type LedgerNode } from './books.ts';
import { type Customer, holdOf, keyOf, mustHold, pay } from './support.ts';

eachBooks((books) => {
  let node: LedgerNode;
  beforeAll(() => {
    node = books().startNode();
  });
  afterEach(async () => expect(await books().audit()).toEqual([]));
  afterAll(() => node.close());
  const customer = (usd: bigint) => books().addCustomer(usd);
  const balanceOf = (account: Customer) => balanceIn(books(), account);

  test('a new wallet holds nothing, and nothing is admitted', async () => {
    const account = await customer(0n);
    expect(await balanceOf(account)).toEqual({ balance: 0n, held: 0n, available: 0n, owed: 0n });
    expect(await node.ledger.hold(holdOf(account))).toEqual({
      ok: false,
      failure: { kind: 'insufficient_credit', balance: 0n, held: 0n, needed: 1n },
    });
  });

  test('a settlement charges the cost and gives back the rest of the hold', async () => {
    const account = await customer(5n);
    const hold = await mustHold(node, holdOf(account, { ceiling: 2_000n }));
    expect(hold).toMatchObject({ amount: 2_000n, balance: 5n * nanoPerUsd });
    expect(await balanceOf(account)).toMatchObject({ held: 2_000n, available: 5n * nanoPerUsd - 2_000n });
    const receipt = await node.ledger.settle(hold, { cost: 700n, usage: { inputTokens: 10, outputTokens: 3 } });
    expect(receipt).toEqual({
      chargeId: hold.chargeId,
      state: 'settled',
      charged: 700n,
      owed: 0n,
      balance: 5n * nanoPerUsd - 700n,
    });
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 700n, held: 0n });
    expect(await books().chargeOf(hold.chargeId)).toMatchObject({
      ...{ state: 'settled', settled: 700n, inputTokens: 10, outputTokens: 3, estimated: false },
    });
  });

  test('a cost above the hold charges the hold, and the balance reaches exactly 0', async () => {
    const account = await customer(5n);
    const hold = await mustHold(node, holdOf(account, { ceiling: 100n * nanoPerUsd }));
    expect(hold.amount).toBe(5n * nanoPerUsd);
    const receipt = await node.ledger.settle(hold, { cost: 100n * nanoPerUsd, usage: {} });
    expect(receipt).toMatchObject({ charged: 5n * nanoPerUsd, balance: 0n });
    expect(await balanceOf(account)).toMatchObject({ balance: 0n, held: 0n });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    await books().addCredit(account, 5n * nanoPerUsd);
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ ok: true });
  });

  test('delivered work whose hold was granted in part is paid up to what was asked for, and what is missing is owed', async () => {
    const account = await customer(5n);
    const other = await mustHold(node, holdOf(account, { ceiling: 2n * nanoPerUsd }));
    const hold = await mustHold(node, holdOf(account, { ceiling: 6n * nanoPerUsd }));
    expect(hold).toMatchObject({ amount: 3n * nanoPerUsd, ceiling: 6n * nanoPerUsd });
    const receipt = await node.ledger.settle(hold, { cost: 100n * nanoPerUsd, usage: {}, delivered: true });
    expect(receipt).toMatchObject({ charged: 3n * nanoPerUsd, owed: 3n * nanoPerUsd });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    await node.ledger.release(other, 'test');
    await books().addCredit(account, 5n * nanoPerUsd);
    expect(await balanceOf(account)).toMatchObject({ balance: 4n * nanoPerUsd, held: 0n });
  });

  test('a settlement that comes twice charges once and gives the same receipt', async () => {
    const account = await customer(5n);
    const hold = await mustHold(node, holdOf(account));
    const receipts = await Promise.all([1n, 2n, 3n].map((cost) => node.ledger.settle(hold, { cost, usage: {} })));
    expect(receipts.map(({ charged }) => charged)).toEqual([1n, 1n, 1n]);
    expect(await node.ledger.settle(hold, { cost: 9n, usage: {} })).toEqual(receipts[0]);
    await node.ledger.release(hold, 'too late');
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 1n, held: 0n });
  });

  test('a released hold costs nothing and frees its idempotency key', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account);
    const hold = await mustHold(node, holdOf(account, { idempotency }));
    await node.ledger.release(hold, 'upstream failed');
    await node.ledger.release(hold, 'twice');
    expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd, held: 0n });
    expect((await mustHold(node, holdOf(account, { idempotency }))).chargeId).not.toBe(hold.chargeId);
  });

  test('a cost of 0 settles without an entry', async () => {
    const account = await customer(5n);
    const hold = await mustHold(node, holdOf(account));
    expect(await node.ledger.settle(hold, { cost: 0n, usage: {} })).toMatchObject({ state: 'settled', charged: 0n });
    expect((await books().postingsOf(account)).map(({ kind }) => kind)).toEqual(['top_up']);
  });

  test('the same idempotency key replays the reply, refuses another body, and waits for the first', async () => {
    const account = await customer(5n);
    const idempotency = keyOf(account, 'k1');
    const request = holdOf(account, { idempotency });
    const hold = await mustHold(node, request);
    expect(await node.ledger.hold(request)).toMatchObject({
      failure: { kind: 'idempotency_in_flight', chargeId: hold.chargeId },
    });
    const reply = Buffer.from('a reply with \0 and ü');
    const receipt = await node.ledger.settle(hold, { cost: 5n, usage: {}, reply });
    const replayed = await node.ledger.hold(request);
    expect(replayed).toEqual({ ok: true, value: { kind: 'replayed', receipt, reply } });
    expect(await node.ledger.hold(holdOf(account, { idempotency: keyOf(account, 'k1', 'other') }))).toMatchObject({
      failure: { kind: 'idempotency_mismatch' },
    });
    // Another account, or another end user, has its own keys; and since they are compared byte by byte, K1 is not k1.
    const other = await customer(5n);
    await mustHold(node, holdOf(other, { idempotency: keyOf(other, 'k1') }));
    await mustHold(node, holdOf(account, { idempotency: { ...idempotency, scope: `${account.accountId}/user` } }));
    await mustHold(node, holdOf(account, { idempotency: keyOf(account, 'K1') }));
    expect(await books().keyRow(account.accountId, 'k1')).toMatchObject({
      ...{ chargeId: hold.chargeId, capturedChargeId: hold.chargeId, fence: 1n },
    });
  });

  test('of many equal requests at once one is admitted', async () => {
    const account = await customer(5n);
    const request = holdOf(account, { idempotency: keyOf(account) });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => node.ledger.hold(request)));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('1,000 requests at once with funds for 10 are 10 admissions', async () => {
    const account = await customer(5n);
    const price = nanoPerUsd / 2n;
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, () => node.ledger.hold(holdOf(account, { ceiling: price, minimum: price }))),
    );
    const holds = outcomes.flatMap((outcome) =>
      outcome.ok && outcome.value.kind === 'held' ? [outcome.value.hold] : [],
    );
    expect(holds).toHaveLength(10);
    await Promise.all(holds.map((hold) => node.ledger.settle(hold, { cost: price, usage: {} })));
    expect(await balanceOf(account)).toMatchObject({ balance: 0n, held: 0n });
  });

  test('two nodes race for the last cent and one gets it', async () => {
    const second = books().startNode();
    try {
      const account = await customer(5n);
      const all = holdOf(account, { ceiling: 5n * nanoPerUsd, minimum: 5n * nanoPerUsd });
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 ? node : second).ledger.hold(all)),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    } finally {
      await second.close();
    }
  });

  test('a spending cap holds under parallel requests and counts what was spent, not what was held', async () => {
    const account = await customer(5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: 10n }];
    const request = holdOf(account, { ceiling: 4n, minimum: 4n, caps });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => node.ledger.hold(request)));
    const holds = outcomes.flatMap((outcome) =>
      outcome.ok && outcome.value.kind === 'held' ? [outcome.value.hold] : [],
    );
    expect(holds).toHaveLength(2);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
      failure: { kind: 'spending_cap_reached', owner: 'key', limit: 10n, spent: 0n, held: 8n, needed: 4n },
    });
    for (const hold of holds) await node.ledger.settle(hold, { cost: 1n, usage: {} });
    // 8 are left, which is the most that the next one gets.
    const last = await mustHold(node, holdOf(account, { ceiling: 100n, minimum: 4n, caps }));
    expect(last.amount).toBe(8n);
  });

  test('a hold grows within the cap of its own request, and within a lower one that another has stated since', async () => {
    const account = await customer(5n);
    const under = (limit: bigint) => [{ owner: `token:${account.keyId}:ada`, limit }];
    const own = await mustHold(node, holdOf(account, { subject: 'ada', ceiling: 4n, caps: under(10n) }));
    // Another token of the same end user has a larger cap.
    await pay(node, holdOf(account, { subject: 'ada', ceiling: 2n, caps: under(100n) }), { cost: 2n, usage: {} });
    const grown = await node.ledger.extend(own, 3n);
    expect(grown).toMatchObject({ ok: true, value: { amount: 7n } });
    expect(await node.ledger.extend(own, 20n)).toMatchObject({ ok: true, value: { amount: 8n } });
    // A request that is refused has brought a smaller one.
    const full = { kind: 'spending_cap_reached', limit: 5n, spent: 2n, held: 8n };
    expect(await node.ledger.hold(holdOf(account, { subject: 'ada', caps: under(5n) }))).toMatchObject({
      failure: full,
    });
    const larger = await node.ledger.hold(holdOf(account, { subject: 'ada', minimum: 50n, caps: under(40n) }));
    expect(larger).toMatchObject({ failure: { kind: 'spending_cap_reached', limit: 40n } });
    expect(await node.ledger.hold(holdOf(account, { subject: 'ada', caps: under(5n) }))).toMatchObject({
      failure: full,
    });
    expect(await node.ledger.extend({ ...own, amount: 8n, ceiling: 8n }, 1n)).toMatchObject({ failure: full });
    const settled = await node.ledger.settle({ ...own, amount: 8n, ceiling: 8n }, { cost: 8n, usage: {} });
    expect(settled).toMatchObject({ state: 'settled', charged: 8n });
  });

  test('a revoked or rotated key, and a revoked token, admit nothing', async () => {
    const account = await customer(5n);
    const change = (state: Parameters<ReturnType<typeof books>['changeCredential']>[1]) =>
      books().changeCredential(account.keyId, { accountId: account.accountId, ...state });
    expect(await node.ledger.hold(holdOf(account, { keyId: 'key_of_nobody' }))).toMatchObject({
      failure: { kind: 'credential_invalid' },
    });
    await change({ leastVersion: 2n });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'credential_invalid' } });
    await mustHold(node, holdOf(account, { keyVersion: 2 }));
    await change({ leastVersion: 2n, leastVersionFromMs: BigInt(Date.now() + 60_000) });
    await mustHold(node, holdOf(account));
    await books().changeCredential('tok_1', { accountId: account.accountId, state: 'revoked' });
    expect(await node.ledger.hold(holdOf(account, { tokenId: 'tok_1' }))).toMatchObject({
      failure: { kind: 'token_expired' },
    });
    await change({ state: 'revoked' });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'key_revoked' } });
  });

  test('a hold grows while its request runs, as far as credit goes, to a total that may be asked for twice', async () => {
    const account = await customer(5n);
    const hold = await mustHold(node, holdOf(account, { ceiling: 2n * nanoPerUsd }));
    const [once, twice] = [await node.ledger.extend(hold, nanoPerUsd), await node.ledger.extend(hold, nanoPerUsd)];
    expect([once, twice]).toMatchObject([
      { value: { amount: 3n * nanoPerUsd } },
      { value: { amount: 3n * nanoPerUsd } },
    ]);
    if (!once.ok) throw new Error('not extended');
    const more = await node.ledger.extend(once.value, 3n * nanoPerUsd);
    if (!more.ok) throw new Error('not extended');
    expect(more.value.amount).toBe(5n * nanoPerUsd);
    expect(await node.ledger.extend(more.value, 1n)).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    await node.ledger.recordProgress(more.value, { cost: 7n, usage: { outputTokens: 7 } });
    const receipt = await node.ledger.settle(more.value, { cost: 5n * nanoPerUsd, usage: { outputTokens: 9 } });
    expect(receipt.charged).toBe(5n * nanoPerUsd);
    expect(await node.ledger.extend(more.value, 1n)).toMatchObject({ failure: { kind: 'precondition_failed' } });
  });

  test('a hold that the ledger could not decide does not count as open', async () => {
    const account = await customer(5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: 1_000n }];
    const own = await mustHold(node, holdOf(account, { caps }));
    const before = node.ledger.openHolds;
    const other = await customer(5n);
    await expect(node.ledger.hold(holdOf(other, { caps }))).rejects.toThrow('The ledger could not do "hold".');
    expect(node.ledger.openHolds).toBe(before);
    expect(await balanceOf(other)).toMatchObject({ held: 0n });
    await node.ledger.release(own, 'test');
  });

  test('progress only grows, and a renewal never shortens a hold', async () => {
    const account = await customer(5n);
    const hold = await mustHold(node, holdOf(account, { ceiling: 1_000n, ttlMs: 60_000 }));
    const { expiresAtUs } = (await books().chargeOf(hold.chargeId)) ?? {};
    await node.ledger.recordProgress({ ...hold, ttlMs: 10 }, { cost: 20n, usage: { outputTokens: 20 } });
    await node.ledger.recordProgress({ ...hold, ttlMs: 10 }, { cost: 10n, usage: { outputTokens: 10 } });
    await node.ledger.recordProgress({ ...hold, ttlMs: 10 }, { cost: 2_000n, usage: { outputTokens: 30 } });
    await node.ledger.extend({ ...hold, ttlMs: 10 }, 1n);
    expect(await books().chargeOf(hold.chargeId)).toMatchObject({
      progressCost: 1_000n,
      outputTokens: 30,
      expiresAtUs,
    });
    await node.ledger.recordProgress({ ...hold, ttlMs: 90_000 }, { cost: 1n, usage: {} });
    expect((await books().chargeOf(hold.chargeId))?.expiresAtUs).toBeGreaterThan(expiresAtUs ?? 0n);
    await node.ledger.release(hold, 'test');
  });

  test('many wallets in opposite orders on two nodes all settle', async () => {
    const second = books().startNode();
    try {
      const accounts = await Promise.all(Array.from({ length: 40 }, () => customer(5n)));
      const run = async (which: LedgerNode, order: typeof accounts) =>
        Promise.all(
          order.map(async (account) => {
            const hold = await mustHold(which, holdOf(account));
            await which.ledger.settle(hold, { cost: 10n, usage: {} });
          }),
        );
      for (let round = 0; round < 3; round++)
        await Promise.all([run(node, accounts), run(second, accounts.toReversed())]);
      for (const account of accounts)
        expect(await balanceOf(account)).toMatchObject({ balance: 5n * nanoPerUsd - 60n, held: 0n });
    } finally {
      await second.close();
    }
  });
});
