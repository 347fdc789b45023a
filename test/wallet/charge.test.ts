import { describe, expect, test } from 'vitest';
import { FailureError } from '../../src/base/failure.ts';
import { Budget, type HoldRequest, openCharge, settleInFull } from '../../src/wallet/index.ts';
import { memoryLedger } from '../support/memory-ledger.ts';

const request: HoldRequest = {
  accountId: 'acc_1',
  keyId: 'key_1',
  keyVersion: 1,
  operation: 'chat',
  priceVersion: 1,
  ceiling: 100n,
  minimum: 1n,
};

/** Reserved tokens, and what they were settled at. */
function reserve() {
  const settled: number[] = [];
  return { settled, tokens: { settle: (count: number) => void settled.push(count) } };
}

async function opened(balance = 1_000n, more: Partial<HoldRequest> = {}) {
  const ledger = memoryLedger(balance);
  const { settled, tokens } = reserve();
  const outcome = await openCharge(ledger, { ...request, ...more }, tokens);
  if (!outcome.ok || outcome.value.kind !== 'held') throw new Error('not held');
  return { ledger, settled, charge: outcome.value.charge };
}

const usage = { inputTokens: 3, outputTokens: 4 };

describe('a charge', () => {
  test('settles its credit and its tokens once', async () => {
    const { charge, ledger, settled } = await opened();
    const receipt = await charge.settle({ cost: 60n, usage });
    expect(await charge.settle({ cost: 90n, usage })).toBe(receipt);
    await charge.release('late');
    await charge[Symbol.asyncDispose]();
    expect(receipt).toMatchObject({ state: 'settled', charged: 60n, balance: 940n });
    expect(ledger).toMatchObject({ held: 0n, balance: 940n, releases: [] });
    expect(settled).toEqual([7]);
  });

  test('gives everything back when its block ends without a settlement', async () => {
    const { charge, ledger, settled } = await opened();
    const work = async () => {
      await using _ = charge;
      throw new Error('a fault');
    };
    await expect(work()).rejects.toThrow('a fault');
    expect(ledger).toMatchObject({ held: 0n, balance: 1_000n, releases: ['not settled'] });
    expect(settled).toEqual([0]);
  });

  test('tells what went wrong in its block when it can’t be released either', async () => {
    const { charge, ledger } = await opened();
    ledger.release = () => Promise.reject(new Error('the database is away'));
    const work = async () => {
      await using _ = charge;
      throw new FailureError({ kind: 'cancelled' });
    };
    await expect(work()).rejects.toThrow(FailureError);
  });

  test.each(['throws', 'is refused', 'is a repetition', 'is a repetition without a reply'])(
    'whose hold %s gives its tokens back',
    async (way) => {
      const ledger = memoryLedger(way === 'is refused' ? 0n : 1_000n);
      const { settled, tokens } = reserve();
      const receipt = { chargeId: 'chg_1', state: 'settled' as const, charged: 1n, owed: 0n, balance: 1n };
      if (way === 'throws') ledger.hold = () => Promise.reject(new Error('a fault'));
      if (way.startsWith('is a repetition')) {
        const reply = way.endsWith('reply') ? undefined : Buffer.from('x');
        ledger.hold = async () => ({ ok: true, value: { kind: 'replayed', receipt, reply } });
      }
      const opening = openCharge(ledger, request, tokens);
      if (way === 'throws') await expect(opening).rejects.toThrow('a fault');
      else if (way === 'is refused') expect(await opening).toMatchObject({ failure: { kind: 'insufficient_credit' } });
      else if (way === 'is a repetition') expect(await opening).toMatchObject({ value: { kind: 'replayed', receipt } });
      else expect(await opening).toMatchObject({ failure: { kind: 'reply_purged', chargeId: 'chg_1' } });
      expect(settled).toEqual([0]);
    },
  );

  test('grows', async () => {
    const { charge, ledger } = await opened();
    expect(await charge.extend(50n)).toMatchObject({ ok: true });
    expect(charge.amount).toBe(150n);
    expect(ledger.held).toBe(150n);
    expect(await charge.extend(5_000n, { minimum: 5_000n })).toMatchObject({
      failure: { kind: 'insufficient_credit' },
    });
    expect(charge.amount).toBe(150n);
  });

  test('that grows by less than it asked for is charged at most what it got, unless it asked for all of that', async () => {
    for (const [raisesCeiling, ceiling] of [
      [false, 1_000n],
      [true, 5_100n],
    ] as const) {
      const { charge } = await opened();
      expect(await charge.extend(5_000n, { raisesCeiling })).toMatchObject({ ok: true });
      expect(charge).toMatchObject({ amount: 1_000n, ceiling });
    }
  });
});

describe('what leaves whole', () => {
  test('is paid in full: its cost, or all that was held', async () => {
    for (const cost of [0n, 60n, 500n]) {
      const { charge } = await opened();
      expect(await settleInFull(charge, { cost, usage })).toMatchObject({
        ok: true,
        value: { charged: cost > 100n ? 100n : cost },
      });
    }
  });

  test('is not delivered when the credit is gone, or a retry has taken its place', async () => {
    const gone = await opened();
    await gone.ledger.expireHolds();
    gone.ledger.balance = 59n;
    expect(await settleInFull(gone.charge, { cost: 60n, usage })).toMatchObject({
      failure: { kind: 'insufficient_credit', needed: 60n },
    });
    const idempotency = { scope: 'acc_1', key: 'k', fingerprint: Buffer.from('x') };
    const taken = await opened(1_000n, { idempotency });
    await taken.ledger.expireHolds();
    expect(await taken.ledger.hold({ ...request, idempotency })).toMatchObject({ value: { kind: 'held' } });
    expect(await settleInFull(taken.charge, { cost: 60n, usage })).toMatchObject({
      failure: { kind: 'idempotency_in_flight', chargeId: taken.charge.id },
    });
  });

  test('hears why its hold was refused after all', async () => {
    const { charge, ledger } = await opened();
    ledger.settle = () => Promise.reject(new FailureError({ kind: 'key_revoked' }));
    expect(await settleInFull(charge, { cost: 60n, usage })).toEqual({ ok: false, failure: { kind: 'key_revoked' } });
  });
});

test('a budget adds up what its calls spend, never more than its charge may cost', async () => {
  const { charge } = await opened();
  const budget = new Budget(charge, 0n);
  const { settled, tokens } = reserve();
  await budget.open(tokens).settle({ cost: 30n, usage: { ...usage, estimated: true } });
  {
    await using _ = budget.open(tokens);
  }
  const last = budget.open(tokens);
  expect(last).toMatchObject({ id: charge.id, amount: 70n });
  await last.settle({ cost: 500n, usage: { ...usage, cachedInputTokens: 1 } });
  expect(budget.left).toBe(0n);
  expect(budget.spent).toEqual({
    cost: 100n,
    usage: { inputTokens: 6, outputTokens: 8, cachedInputTokens: 1, estimated: true },
  });
  expect(settled).toEqual([7, 0, 7]);
});

test('a budget of a charge that was granted in part plans for what is held, and spends what its calls cost', async () => {
  const budget = new Budget({ id: 'chg_1', amount: 60n, ceiling: 150n }, 10n);
  const first = budget.open();
  expect(first).toMatchObject({ amount: 50n, ceiling: 140n });
  expect(await first.settle({ cost: 90n, usage })).toMatchObject({ charged: 90n, balance: 0n });
  expect([budget.left, budget.spent.cost]).toEqual([0n, 90n]);
  const last = budget.open();
  expect(last).toMatchObject({ amount: 0n, ceiling: 50n });
  expect(await last.settle({ cost: 500n, usage })).toMatchObject({ charged: 50n });
  expect(budget.spent.cost).toBe(140n);
});
