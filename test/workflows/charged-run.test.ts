import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import { fail, invalid, succeed } from '../../src/base/failure.ts';
import { createUnpaidWork } from '../../src/limits/index.ts';
import type { HoldRequest, Ledger } from '../../src/wallet/index.ts';
import { type ChargedRequest, chargedRun, type WorkflowCall } from '../../src/workflows/charged-run.ts';
import type { PriceList } from '../../src/workflows/index.ts';
import { silent } from '../support/database.ts';
import { memoryLedger } from '../support/memory-ledger.ts';

const prices: PriceList = { version: 1, price: () => ({ version: 1, perRequest: 100n }) };
const caller = (spendingCap?: bigint): Caller => ({
  credential: 'api_key',
  name: 'key_1',
  accountId: 'acc_1',
  key: { id: 'key_1', version: 1, ...(spendingCap === undefined ? {} : { spendingCap }) },
  scopes: new Set(['workflows']),
});

interface Reply {
  said: string;
}

/** A service with a wallet, and what it did: `plan` each time a request was judged, and the least and most of each hold. */
function serviceOf(balance: bigint) {
  const memory = memoryLedger(balance);
  const did: string[] = [];
  const ledger: Ledger = {
    ...memory,
    hold(request: Readonly<HoldRequest>) {
      did.push(`hold ${request.minimum}-${request.ceiling}`);
      return memory.hold(request);
    },
    extend(hold, more, terms) {
      did.push(`extend ${more}`);
      return memory.extend(hold, more, terms);
    },
  };
  const unpaid = createUnpaidWork(systemClock, 'a test');
  const deps = { ledger, prices, log: silent, keepJudgements: false, unpaid };
  const run = (
    options: {
      key?: string;
      modelCeiling?: bigint;
      fails?: boolean;
      by?: Caller;
      spend?: (left: bigint) => bigint;
    } = {},
  ) => {
    const { key, modelCeiling = 0n, fails = false, by = caller(), spend = () => 0n } = options;
    const request: ChargedRequest<Reply> = {
      family: 'risk',
      plan: async () => {
        did.push('plan');
        if (fails) return fail(invalid('text', 'is wrong'));
        return succeed({
          modelCeiling,
          make: async (budget) => {
            const cost = spend(budget.left);
            did.push(`budget ${budget.left}`);
            if (cost > 0n) await budget.open().settle({ cost, usage: { inputTokens: 1 } });
            return { result: succeed({ said: 'yes' }), model: '' };
          },
        });
      },
      evidence: () => undefined,
      store: (reply) => Buffer.from(JSON.stringify(reply)),
      restore: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as ReturnType<typeof JSON.parse>,
    };
    const call: WorkflowCall = {
      signal: new AbortController().signal,
      ...(key === undefined ? {} : { idempotency: { key, fingerprint: Buffer.alloc(32, 1) } }),
    };
    return chargedRun(deps, by, call, request);
  };
  return { memory, did, run };
}

const refusal = { ok: false, failure: { kind: 'insufficient_credit' } };

describe('a request is judged', () => {
  test('never for an account without credit, whoever asks how often; and again at once after a top-up', async () => {
    const { did, run, memory } = serviceOf(0n);
    for (let times = 0; times < 5; times++) expect(await run({ modelCeiling: 50n })).toMatchObject(refusal);
    expect(await run({ key: 'k' })).toMatchObject(refusal);
    expect(did).toEqual(Array(6).fill('hold 100-100'));
    memory.balance = 1_000n;
    did.length = 0;
    expect((await run()).ok).toBe(true);
    expect(did).toEqual(['hold 100-100', 'plan', 'budget 0']);
  });

  test('not once the credit came to its end, and not for a key that has spent what it may', async () => {
    const { did, run } = serviceOf(250n);
    for (let times = 0; times < 2; times++) expect((await run()).ok).toBe(true);
    did.length = 0;
    expect(await run()).toMatchObject(refusal);
    expect(did).toEqual(['hold 100-100']);

    const capped = serviceOf(1_000n);
    const by = caller(150n);
    expect((await capped.run({ by })).ok).toBe(true);
    for (let times = 0; times < 3; times++) await capped.run({ by });
    // The node knew nothing of the cap's rest when the second request came.
    expect(capped.did.filter((done) => done === 'plan')).toHaveLength(2);
  });

  test('once for one idempotency key, however often it comes', async () => {
    const { did, run, memory } = serviceOf(1_000n);
    const first = await run({ key: 'once', modelCeiling: 50n });
    for (let times = 0; times < 3; times++) expect(await run({ key: 'once', modelCeiling: 50n })).toEqual(first);
    expect(did.filter((done) => done === 'plan')).toHaveLength(1);
    expect(memory.balance).toBe(900n);
  });

  test('before anything is held where a moment ago there was credit: one hold covers all', async () => {
    const { did, run } = serviceOf(1_000n);
    await run();
    did.length = 0;
    expect((await run({ modelCeiling: 50n })).ok).toBe(true);
    expect(did).toEqual(['plan', 'hold 100-150', 'budget 50']);
    did.length = 0;
    expect(await run({ fails: true })).toMatchObject({ failure: { kind: 'invalid_argument' } });
    expect(did).toEqual(['plan']);
  });
});

describe('a price that is held before the request is planned', () => {
  test('is joined by what the model may cost, and both are settled as one charge', async () => {
    const { did, run, memory } = serviceOf(1_000n);
    const ran = await run({ key: 'k', modelCeiling: 50n, spend: () => 30n });
    expect(ran).toMatchObject({ ok: true, value: { cost: 130n, balance: 870n } });
    expect(did).toEqual(['hold 100-100', 'plan', 'extend 50', 'budget 50']);
    expect(memory.settlements).toMatchObject([{ charged: 130n }]);
    expect(memory.held).toBe(0n);
  });

  test('leaves the model what credit there is, and none where there is none', async () => {
    const some = serviceOf(120n);
    expect((await some.run({ key: 'k', modelCeiling: 50n })).ok).toBe(true);
    expect(some.did.at(-1)).toBe('budget 20');
    const none = serviceOf(100n);
    expect((await none.run({ key: 'k', modelCeiling: 50n })).ok).toBe(true);
    expect(none.did.at(-1)).toBe('budget 0');
    expect(none.memory.balance).toBe(0n);
  });

  test('leaves a reply to be paid in full when its model cost more than was free: from free credit, and the rest is owed', async () => {
    for (const key of ['k', undefined]) {
      const { run, memory, did } = serviceOf(1_000n);
      await run();
      memory.balance = 120n;
      const freed = (balance: bigint) => () => {
        memory.balance = balance;
        return 45n;
      };
      expect(await run({ ...(key && { key }), modelCeiling: 50n, spend: freed(500n) })).toMatchObject({
        ok: true,
        value: { cost: 145n, balance: 355n },
      });
      expect(did.at(-1)).toBe('budget 20');
      memory.balance = 120n;
      expect(await run({ ...(key && { key: 'k2' }), modelCeiling: 50n, spend: () => 45n })).toMatchObject({
        ok: true,
        value: { cost: 145n, balance: 0n, reply: { usage: { costUsd: '0.000000145' } } },
      });
      memory.balance = 1_000n;
      expect(await run()).toMatchObject(refusal);
    }
  });

  test('never costs more than a spending cap allows', async () => {
    for (const key of ['k', undefined]) {
      const { run, memory } = serviceOf(1_000n);
      const ran = await run({ ...(key && { key }), by: caller(120n), modelCeiling: 50n, spend: () => 45n });
      expect(ran).toMatchObject({ ok: true, value: { cost: 120n } });
      expect(memory.balance).toBe(880n);
    }
  });

  test('goes back, with the key, when the request is refused', async () => {
    const { run, memory } = serviceOf(1_000n);
    expect(await run({ key: 'k', fails: true })).toMatchObject({ failure: { kind: 'invalid_argument' } });
    expect({ held: memory.held, balance: memory.balance }).toEqual({ held: 0n, balance: 1_000n });
    expect((await run({ key: 'k' })).ok).toBe(true);
  });
});
