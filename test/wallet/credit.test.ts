import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { addCustomer, balanceOf, type Customer, holdOf, mustHold, type Node, run, startNode } from './support.ts';

const usd = nanoPerUsd;

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  beforeAll(() => {
    node = startNode(database().url);
  });
  afterEach(async () => expect(await auditLedger(node.db)).toEqual([]));
  afterAll(() => node.close());
  const customer = (amount: bigint) => addCustomer(node, database().url, amount);
  const topUp = (account: Customer, amount: bigint, idempotencyKey?: string) =>
    node.wallets.topUps.create({
      accountId: account.accountId,
      kind: 'api',
      amount,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  const paidTopUp = async (account: Customer, amount: bigint) => {
    const made = await topUp(account, amount);
    if (!made.ok) throw new Error('The top-up failed.');
    return made.value.topUpId;
  };
  const spend = async (account: Customer, amount: bigint) => {
    const hold = await mustHold(node, holdOf(account, { ceiling: amount, minimum: amount }));
    await node.ledger.settle(hold, { cost: amount, usage: {} });
  };

  test('5 USD is the least, exactly, and the configured maximum the most', async () => {
    const account = await customer(0n);
    for (const amount of [-5n * usd, 0n, 5n * usd - 1n, 10_000n * usd + 1n, 10n ** 18n])
      expect(await topUp(account, amount)).toMatchObject({ failure: { kind: 'invalid_argument' } });
    for (const amount of [5n * usd, 10_000n * usd]) expect(await topUp(account, amount)).toMatchObject({ ok: true });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 10_005n * usd });
  });

  test('the same idempotency key makes one top-up for ever, and refuses another amount', async () => {
    const account = await customer(0n);
    const made = await Promise.all(Array.from({ length: 8 }, () => topUp(account, 6n * usd, 'k')));
    expect(new Set(made.map((result) => result.ok && result.value.topUpId)).size).toBe(1);
    expect(await topUp(account, 7n * usd, 'k')).toMatchObject({ failure: { kind: 'idempotency_mismatch' } });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 6n * usd });
  });

  test('two bank references with one key and amount are two payments, and the second is refused', async () => {
    const account = await customer(0n);
    const record = (reference: string) =>
      node.wallets.topUps.record({
        ...{ accountId: account.accountId, kind: 'api', amount: 5n * usd, reference, actor: 'operator' },
        idempotencyKey: 'k',
      });
    const made = await Promise.all([record('SEPA 1'), record('SEPA 1')]);
    expect(made).toMatchObject([
      { value: { topUp: { state: 'paid', providerReference: 'SEPA 1' } } },
      { value: { topUp: { state: 'paid' } } },
    ]);
    expect(await record('SEPA 2')).toMatchObject({ failure: { kind: 'idempotency_mismatch' } });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * usd });
  });

  test('a payment that is reported many times at once credits once', async () => {
    const account = await customer(0n);
    const topUpId = await paidTopUp(account, 5n * usd);
    await Promise.all(Array.from({ length: 20 }, () => node.wallets.topUps.credit(topUpId)));
    expect(await node.wallets.topUps.close(topUpId, 'failed')).toMatchObject({ value: { state: 'paid' } });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * usd });
  });

  test('the application wallet is a wallet of its own and never pays for API use', async () => {
    const account = await customer(0n);
    await node.wallets.create(account.accountId, 'application');
    const bought = await node.wallets.topUps.create({ ...account, kind: 'application', amount: 50n * usd });
    expect(bought).toMatchObject({ ok: true });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 0n });
    expect(await node.wallets.get(account.accountId, 'application')).toMatchObject({ value: { balance: 50n * usd } });
    const topUpId = bought.ok ? bought.value.topUpId : '';
    expect(await node.wallets.topUps.get(account.accountId, 'api', topUpId)).toMatchObject({
      failure: { kind: 'not_found' },
    });
    expect(await node.wallets.topUps.get(newId('acc'), 'application', topUpId)).toMatchObject({
      failure: { kind: 'not_found' },
    });
  });

  test('entries come newest first in pages that stay as they are while new ones arrive', async () => {
    const account = await customer(5n);
    for (let cost = 1n; cost <= 6n; cost++) await spend(account, cost);
    const list = (pageToken: string) => node.wallets.listEntries(account.accountId, 'api', { pageSize: 3, pageToken });
    const first = await list('');
    if (!first.ok) throw new Error('No page.');
    await spend(account, 99n);
    const second = await list(first.value.nextPageToken);
    const third = second.ok ? await list(second.value.nextPageToken) : second;
    if (!second.ok || !third.ok) throw new Error('No page.');
    const all = [...first.value.items, ...second.value.items, ...third.value.items];
    expect(all.map(({ amount }) => amount)).toEqual([-6n, -5n, -4n, -3n, -2n, -1n, 5n * usd]);
    expect(third.value.nextPageToken).toBe('');
    expect(all.at(-1)).toMatchObject({ kind: 'top_up', balanceAfter: 5n * usd });
    expect(await list('nonsense')).toMatchObject({ failure: { kind: 'invalid_argument' } });
  });

  test('a correction is made once per key, with its reason, and never takes what is not there', async () => {
    const account = await customer(5n);
    const adjust = (amount: bigint, idempotencyKey: string, reversesChargeId?: string, other?: string) =>
      node.wallets.adjust({
        accountId: account.accountId,
        kind: 'api',
        amount,
        reason: other ?? 'goodwill for ’the outage’',
        actor: 'operator "a"',
        idempotencyKey,
        ...(reversesChargeId && { reversesChargeId }),
      });
    const made = await Promise.all([adjust(10n, 'a'), adjust(10n, 'a')]);
    expect(made[0]).toMatchObject({
      value: { amount: 10n, reason: 'goodwill for ’the outage’', actor: 'operator "a"' },
    });
    expect(made[0]?.ok && made[0].value.adjustmentId).toBe(made[1]?.ok && made[1].value.adjustmentId);
    expect(await adjust(11n, 'a')).toMatchObject({ failure: { kind: 'idempotency_mismatch' } });
    // As much for another reason is another correction, which must not be dropped.
    expect(await adjust(10n, 'a', undefined, 'a mistake')).toMatchObject({ failure: { kind: 'idempotency_mismatch' } });
    expect(await adjust(-6n * usd, 'b')).toMatchObject({ failure: { kind: 'insufficient_credit' } });

    const hold = await mustHold(node, holdOf(account));
    await node.ledger.settle(hold, { cost: 100n, usage: {} });
    expect(await adjust(60n, 'c', hold.chargeId)).toMatchObject({ ok: true });
    expect(await adjust(60n, 'd', hold.chargeId)).toMatchObject({ failure: { kind: 'precondition_failed' } });
    expect(await adjust(40n, 'e', hold.chargeId)).toMatchObject({ ok: true });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * usd + 10n });
  });

  test('what is given back for a charge includes what was repaid of its debt, and no more', async () => {
    const account = await customer(5n);
    const back = (amount: bigint, idempotencyKey: string, reversesChargeId: string) =>
      node.wallets.adjust({
        ...{ accountId: account.accountId, kind: 'api', amount, reason: 'test', actor: 'op' },
        ...{ idempotencyKey, reversesChargeId },
      });
    // Delivered after its hold had expired and all but 1 USD was spent: 1 USD is collected, 2 are owed.
    const hold = await mustHold(node, holdOf(account, { ceiling: 3n * usd }));
    await run(database().url, `UPDATE charge SET expires_at_us = 1 WHERE id = '${hold.chargeId}'`);
    await node.ledger.committer.submit({
      ...{ type: 'expire', walletId: hold.walletId, chargeId: hold.chargeId, capOwners: [], idempotency: undefined },
    });
    await spend(account, 4n * usd);
    await node.ledger.settle(hold, { cost: 3n * usd, usage: {}, delivered: true });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 0n, owed: 2n * usd });
    const refused = await back(1n * usd + 1n, 'too much', hold.chargeId);
    expect(refused).toMatchObject({
      failure: { kind: 'precondition_failed', description: expect.stringContaining(': 1.00 USD') },
    });
    // It repays part of the debt at once, and so has been paid for, too.
    expect(await back(1n * usd, 'first', hold.chargeId)).toMatchObject({ ok: true });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 0n, owed: 1n * usd });
    expect(await back(1n * usd + 1n, 'too much again', hold.chargeId)).toMatchObject({ ok: false });
    await topUp(account, 5n * usd);
    expect(await balanceOf(node, account)).toMatchObject({ balance: 4n * usd, owed: 0n });
    expect(await back(2n * usd + 1n, 'still too much', hold.chargeId)).toMatchObject({ ok: false });
    expect(await back(2n * usd, 'rest', hold.chargeId)).toMatchObject({ ok: true });
    expect(await back(1n, 'one more', hold.chargeId)).toMatchObject({ ok: false });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 6n * usd, owed: 0n });
  });

  test('a refund takes what is there; the rest is owed, blocks use, and is paid by the next credit', async () => {
    const account = await customer(0n);
    const topUpId = await paidTopUp(account, 10n * usd);
    await spend(account, 7n * usd);
    const refund = { topUpId, kind: 'refund', amount: 8n * usd, reference: 're_1' } as const;
    await node.wallets.topUps.reverse(refund);
    await node.wallets.topUps.reverse(refund);
    expect(await balanceOf(node, account)).toMatchObject({ balance: 0n, owed: 5n * usd });
    // With the tax paid on top, refunds are more than what was credited: they take what is left of that.
    await node.wallets.topUps.reverse({ ...refund, reference: 're_2' });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 0n, owed: 7n * usd });
    expect(await node.wallets.topUps.reverse({ ...refund, reference: 're_3' })).toMatchObject({
      failure: { kind: 'precondition_failed' },
    });
    await topUp(account, 9n * usd);
    expect(await balanceOf(node, account)).toMatchObject({ balance: 2n * usd, owed: 0n });
    await spend(account, 1n);
  });

  test('a dispute blocks use until it ends; a won one restores everything', async () => {
    const account = await customer(0n);
    const topUpId = await paidTopUp(account, 10n * usd);
    await spend(account, 4n * usd);
    await node.wallets.topUps.reverse({ topUpId, kind: 'dispute', amount: 10n * usd, reference: 'dp_1' });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 0n, owed: 4n * usd });
    await topUp(account, 5n * usd);
    expect(await balanceOf(node, account)).toMatchObject({ balance: 1n * usd, owed: 0n });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    await node.wallets.topUps.conclude(topUpId, 'dp_1', 'won');
    await node.wallets.topUps.conclude(topUpId, 'dp_1', 'lost');
    expect(await balanceOf(node, account)).toMatchObject({ balance: 11n * usd, owed: 0n });
    await spend(account, 1n);
  });

  test('a dispute of a whole payment of which some was paid back takes what is left, and blocks use', async () => {
    const account = await customer(0n);
    const topUpId = await paidTopUp(account, 10n * usd);
    const { topUps } = node.wallets;
    await topUps.reverse({ topUpId, kind: 'refund', amount: 4n * usd, reference: 're_1' });
    const dispute = { topUpId, kind: 'dispute', amount: 10n * usd, reference: 'dp_1' } as const;
    for (let time = 0; time < 2; time++) expect(await topUps.reverse(dispute)).toMatchObject({ ok: true });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 0n, owed: 0n });
    await topUp(account, 5n * usd);
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    expect(await topUps.conclude(topUpId, 'dp_1', 'won')).toMatchObject({ ok: true });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 11n * usd, owed: 0n });
    await spend(account, 1n);
    // Of a refunded payment there is nothing left to take.
    await topUps.reverse({ topUpId, kind: 'refund', amount: 6n * usd, reference: 're_2' });
    expect(await topUps.reverse({ ...dispute, reference: 'dp_2' })).toMatchObject({
      failure: { kind: 'precondition_failed' },
    });
  });
});
