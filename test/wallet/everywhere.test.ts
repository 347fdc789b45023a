import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FailureError } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd as usd } from '../../src/base/money.ts';
import type { Hold } from '../../src/wallet/index.ts';
import { balanceIn, eachBooks, type LedgerNode } from './books.ts';
import { type Customer, holdOf, mustHold, pay } from './support.ts';

// What bought credit and deferred holds guarantee wherever the books are; what their modules add has its own suites.
eachBooks((books) => {
  let node: LedgerNode;
  let groups = 0;
  beforeAll(() => {
    node = books().startNode({}, { onGroup: () => (groups += 1) });
  });
  afterEach(async () => expect(await books().audit()).toEqual([]));
  afterAll(() => node.close());
  const balanceOf = (account: Customer) => balanceIn(books(), account);
  const spend = (account: Customer, cost: bigint) => pay(node, holdOf(account, { ceiling: cost }), { cost, usage: {} });
  /** A customer who has bought 10 USD, and the operations on that payment. */
  const bought = async () => {
    const account = await books().addCustomer();
    const topUpId = await books().addCredit(account, 10n * usd);
    const { id: walletId } = await books().walletOf(account);
    return { account, walletId, payment: { walletId, topUpId } };
  };
  /** A long-deferred hold of a known customer. */
  const deferred = async (account: Customer, ceiling: bigint): Promise<Hold> => {
    await spend(account, 1n);
    const hold = await mustHold(node, holdOf(account, { ceiling, deferMs: 60_000 }));
    expect(hold.pending).toBeInstanceOf(Promise);
    return hold;
  };

  test('a refund takes what is there, once for its reference; the rest is owed and paid by the next credit', async () => {
    const { account, payment } = await bought();
    await spend(account, 7n * usd);
    const refund = { type: 'reverse', ...payment, kind: 'refund', amount: 8n * usd, reference: 're_1' } as const;
    for (let times = 0; times < 2; times++)
      expect(await node.ledger.committer.submit(refund)).toMatchObject({ ok: true });
    expect(await balanceOf(account)).toMatchObject({ balance: 0n, owed: 5n * usd });
    await books().addCredit(account, 9n * usd);
    expect(await balanceOf(account)).toMatchObject({ balance: 4n * usd, owed: 0n });
    await spend(account, 1n);
  });

  test('a dispute blocks use until it ends; a won one restores everything', async () => {
    const { account, payment } = await bought();
    await spend(account, 4n * usd);
    const { committer } = node.ledger;
    await committer.submit({ type: 'reverse', ...payment, kind: 'dispute', amount: 10n * usd, reference: 'dp_1' });
    await books().addCredit(account, 5n * usd);
    expect(await balanceOf(account)).toMatchObject({ balance: 1n * usd, owed: 0n });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    const won = { type: 'conclude', ...payment, reference: 'dp_1', outcome: 'won' } as const;
    for (let times = 0; times < 2; times++) expect(await committer.submit(won)).toMatchObject({ ok: true });
    expect(await balanceOf(account)).toMatchObject({ balance: 11n * usd, owed: 0n });
  });

  test('a correction is made once per key, and gives back no more than was charged', async () => {
    const { account, walletId } = await bought();
    const { chargeId } = await spend(account, 100n);
    const adjust = (amount: bigint, idempotencyKey: string) =>
      node.ledger.committer.submit({
        ...{ type: 'adjust', walletId, adjustmentId: newId('adj'), amount },
        ...{ reason: 'test', actor: 'test', idempotencyKey, chargeId },
      });
    expect(await adjust(60n, 'a')).toMatchObject({ ok: true });
    expect(await adjust(60n, 'a')).toMatchObject({ ok: true, value: { balance: 10n * usd - 40n } });
    expect(await adjust(50n, 'a')).toMatchObject({ failure: { kind: 'idempotency_mismatch' } });
    expect(await adjust(60n, 'b')).toMatchObject({ failure: { kind: 'precondition_failed' } });
    expect(await balanceOf(account)).toMatchObject({ balance: 10n * usd - 40n });
  });

  test('a deferred hold and its settlement are one commit', async () => {
    const { account } = await bought();
    const hold = await deferred(account, 1_000n);
    groups = 0;
    expect(await node.ledger.settle(hold, { cost: 700n, usage: {} })).toMatchObject({
      state: 'settled',
      charged: 700n,
    });
    expect(groups).toBe(1);
    const balance = 10n * usd - 1n;
    expect(await hold.pending).toMatchObject({ ok: true, value: { amount: 1_000n, balance } });
    expect(await balanceOf(account)).toMatchObject({ balance: balance - 700n, held: 0n });
  });

  test('a deferred hold whose key is revoked, or whose credit is spent elsewhere, is refused and charges nothing', async () => {
    const second = books().startNode();
    for (const kind of ['key_revoked', 'insufficient_credit'] as const) {
      const { account } = await bought();
      const hold = await deferred(account, 1_000n);
      if (kind === 'key_revoked')
        await books().changeCredential(account.keyId, { accountId: account.accountId, state: 'revoked' });
      else await pay(second, holdOf(account, { ceiling: 10n * usd }), { cost: 10n * usd - 500n, usage: {} });
      const { balance } = await balanceOf(account);
      const refused = await node.ledger.settle(hold, { cost: 700n, usage: {} }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(FailureError);
      expect(refused).toMatchObject({ failure: { kind } });
      expect(await books().chargeOf(hold.chargeId)).toBeUndefined();
      expect(await balanceOf(account)).toMatchObject({ balance, held: 0n });
    }
    await second.close();
  });
});
