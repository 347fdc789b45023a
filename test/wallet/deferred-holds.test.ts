import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Failure, FailureError } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd as usd } from '../../src/base/money.ts';
import { auditLedger, createReaper, type Hold, type HoldRequest } from '../../src/wallet/index.ts';
import { createAdmissionForecast } from '../../src/wallet/ledger/admission-forecast.ts';
import { seededRandom } from '../faults/protocol.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import {
  addCredit,
  addCustomer,
  balanceOf,
  type Customer,
  chargesOf,
  drain,
  expectRefusal,
  holdOf,
  keyOf,
  known,
  mustHold,
  type Node,
  pay,
  postingsOf,
  query,
  revoke,
  run,
  startNode,
} from './support.ts';

const usage = { inputTokens: 10, outputTokens: 3 };
/** So long that nothing is committed by time in a test that does not wait for it. */
const late = 60_000;

eachServer((server) => {
  const database = useDatabase(server);

  test('a hold after one that passed is answered at once, and both its steps are one commit', async () => {
    const { url } = database();
    const groups: number[] = [];
    const { node, customer } = await known(url, { onGroup: (operations) => groups.push(operations) });
    const before = await balanceOf(node, customer);
    groups.length = 0;
    const hold = await mustHold(node, holdOf(customer, { ceiling: 2_000n, deferMs: late, provider: 'p', model: 'm' }));
    expect(hold).toMatchObject({ amount: 2_000n, caps: [] });
    expect(hold.pending).toBeInstanceOf(Promise);
    await sleep(30);
    expect(groups).toEqual([]);
    expect(await chargesOf(url, hold.chargeId)).toEqual([]);

    const settled = await node.ledger.settle(hold, { cost: 700n, usage, provider: 'q', model: 'n' });
    const balance = before.balance - 700n;
    expect(settled).toEqual({ chargeId: hold.chargeId, state: 'settled', charged: 700n, owed: 0n, balance });
    expect(groups).toEqual([1]);
    expect(await hold.pending).toMatchObject({ ok: true, value: { amount: 2_000n, balance: before.balance } });
    expect(await balanceOf(node, customer)).toMatchObject({ balance, held: 0n });
    const [charge] = await chargesOf(url, hold.chargeId);
    expect(charge).toMatchObject({
      ...{ state: 'settled', hold: 2_000n, settled: 700n, provider: 'q', model: 'n', expires_at_us: null },
      ...{ input_tokens: 10n, output_tokens: 3n, cached_input_tokens: null, owed: 0n, reversed: 0n },
    });
    expect(charge?.created_at_us).toBe(charge?.ended_at_us);
    expect(await postingsOf(url, hold.chargeId)).toMatchObject([
      { kind: 'usage', amount: 700n, balance_after: balance, step: 'capture' },
    ]);
    expect(node.ledger.openHolds).toBe(0);
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  });

  test('it is stored as it is in two steps', async () => {
    const { url } = database();
    const { node, customer } = await known(url);
    const request = holdOf(customer, {
      ceiling: 2_000n,
      ...{ tokenId: 'tok_1', subject: 'user', deviceId: 'dev_1', metadata: { team: "o'ne" }, model: 'm' },
    });
    const settlement = { cost: 5_000n, usage: { ...usage, estimated: true, requests: 2 }, model: 'n' };
    await pay(node, request, settlement);
    const [deferred, regular] = [
      await mustHold(node, { ...request, deferMs: late }),
      await mustHold(node, { ...request }),
    ] as const;
    expect([deferred.pending !== undefined, regular.pending]).toEqual([true, undefined]);
    await node.ledger.settle(regular, settlement);
    await node.ledger.settle(deferred, settlement);
    const rows = [await chargesOf(url, deferred.chargeId), await chargesOf(url, regular.chargeId)].map(([row]) => {
      const { id: _, created_at_us: _created, ended_at_us: _ended, ...rest } = row ?? {};
      return rest;
    });
    expect(rows[0]).toEqual(rows[1]);
    expect(rows[0]).toMatchObject({ settled: 2_000n, requests: 2n, estimated: 1 });
    const labels = await query(url, `SELECT name, value FROM charge_metadata WHERE charge_id = '${deferred.chargeId}'`);
    expect(labels).toEqual([{ name: 'team', value: "o'ne" }]);
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  });

  test('when nothing comes before its time it is committed by itself, seen as held, and settled as any other', async () => {
    const { url } = database();
    const groups: number[] = [];
    const { node, customer } = await known(url, { onGroup: (operations) => groups.push(operations) });
    groups.length = 0;
    const hold = await mustHold(node, holdOf(customer, { ceiling: 3_000n, deferMs: 20 }));
    expect(await hold.pending).toMatchObject({ ok: true, value: { chargeId: hold.chargeId, amount: 3_000n } });
    expect(await balanceOf(node, customer)).toMatchObject({ held: 3_000n });
    expect(await node.ledger.settle(hold, { cost: 40n, usage })).toMatchObject({ charged: 40n });
    expect(groups).toEqual([1, 1]);
    expect(await balanceOf(node, customer)).toMatchObject({ held: 0n });
    await node.close();
  });

  test('a commit at once answers the hold before it is durable', async () => {
    const { url } = database();
    const { node, customer } = await known(url);
    const hold = await mustHold(node, holdOf(customer, { deferMs: 0 }));
    expect(hold.pending).toBeInstanceOf(Promise);
    expect(await hold.pending).toMatchObject({ ok: true });
    await node.ledger.release(hold, 'test');
    expect(await chargesOf(url, hold.chargeId)).toMatchObject([{ state: 'released' }]);
    await node.close();
  });

  const refusals: [string, (other: Node, customer: Customer, url: string) => Promise<unknown>, Failure['kind']][] = [
    ['whose key was revoked', (_, customer, url) => revoke(url, customer), 'key_revoked'],
    [
      'whose key was rotated',
      (_, { keyId }, url) => run(url, `UPDATE credential_state SET least_version = 2 WHERE id = '${keyId}'`),
      'credential_invalid',
    ],
    ['whose wallet another node has drained', (other, customer) => drain(other, customer, 0n), 'insufficient_credit'],
    ['whose wallet a dispute blocks', (other, customer, url) => dispute(other, customer, url), 'insufficient_credit'],
  ];
  test.for(refusals)(
    'one %s is refused in its commit: nothing is charged, and the next goes the regular way',
    async ([, spoil, kind]) => {
      const { url } = database();
      const other = startNode(url);
      for (const deferMs of [late, 400]) {
        const { node, customer } = await known(url);
        const hold = await mustHold(node, holdOf(customer, { deferMs }));
        const slow = await mustHold(node, holdOf(customer, { deferMs: late }));
        await spoil(other, customer, url);
        if (deferMs !== late) expect(await hold.pending).toMatchObject({ ok: false, failure: { kind } });
        const { balance } = await balanceOf(node, customer);
        await expectRefusal(node.ledger.settle(hold, { cost: 9n, usage }), kind);
        expect(await hold.pending).toMatchObject({ ok: false, failure: { kind } });
        expect(await chargesOf(url, hold.chargeId)).toEqual([]);
        expect(await balanceOf(node, customer)).toMatchObject({ balance, held: 0n });
        expect(await node.ledger.hold(holdOf(customer, { deferMs: late }))).toMatchObject({
          ok: false,
          failure: { kind },
        });
        // One that started before the refusal was known is refused as well.
        await expectRefusal(node.ledger.settle(slow, { cost: 9n, usage }), kind);
        expect(node.ledger.openHolds).toBe(0);
        expect(await auditLedger(node.db)).toEqual([]);
        await node.close();
      }
      await other.close();
    },
  );

  test('after one was refused none is deferred for ten minutes, whatever another node holds and gives back', async () => {
    const { url } = database();
    let time = 0;
    const other = startNode(url);
    const { node, customer } = await known(url, { now: () => time });
    const isDeferred = async () => {
      const hold = await mustHold(node, holdOf(customer, { deferMs: late }));
      await node.ledger.release(hold, 'test');
      return hold.pending !== undefined;
    };
    const hold = await mustHold(node, holdOf(customer, { ceiling: usd, deferMs: late }));
    expect(hold.pending).toBeDefined();
    const { balance } = await balanceOf(node, customer);
    const elsewhere = await mustHold(other, holdOf(customer, { ceiling: balance, minimum: balance }));
    await expectRefusal(node.ledger.settle(hold, { cost: 9n, usage }), 'insufficient_credit');
    await other.ledger.release(elsewhere, 'test');
    for (time of [0, 0, 0, 599_000, 599_999]) expect(await isDeferred()).toBe(false);
    time = 600_000;
    expect(await isDeferred()).toBe(true);
    expect(await auditLedger(node.db)).toEqual([]);
    await other.close();
    await node.close();
  });

  test('a settlement is never taken for less than the work cost, where another node has left less', async () => {
    const { url } = database();
    const other = startNode(url);
    const { node, customer } = await known(url);
    const request = holdOf(customer, { ceiling: usd, deferMs: late });
    const [cheap, dear] = [await mustHold(node, request), await mustHold(node, { ...request, ceiling: usd / 10n })];
    expect([cheap, dear].every(({ pending }) => pending)).toBe(true);
    await drain(other, customer, 1_000n);
    await expectRefusal(node.ledger.settle(dear, { cost: 1_001n, usage }), 'insufficient_credit');
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 1_000n, held: 0n });
    expect(await node.ledger.settle(cheap, { cost: 1_000n, usage })).toMatchObject({ charged: 1_000n, balance: 0n });
    expect(await auditLedger(node.db)).toEqual([]);
    await other.close();
    await node.close();
  });

  test.for([
    ['by its time', false],
    ['by its time, and has expired', true],
  ] as const)(
    'a hold that was given in part %s is filled up from free credit, or nothing is charged',
    async ([, expires]) => {
      const { url } = database();
      const other = startNode(url);
      for (const filled of [true, false]) {
        const { node, customer } = await known(url);
        const ttlMs = expires ? 1 : 60_000;
        const hold = await mustHold(node, holdOf(customer, { ceiling: usd, deferMs: 300, ttlMs }));
        await drain(other, customer, 1_000n);
        expect(await hold.pending).toMatchObject({ ok: true, value: { amount: 1_000n } });
        if (expires) await reap(other);
        if (filled) await addCredit(other, customer, 5n * usd);
        const settled = await node.ledger.settle(hold, { cost: 2_000n, usage });
        if (filled) {
          const receipt = { state: 'settled', charged: 2_000n, owed: 0n, balance: 5n * usd - 1_000n };
          expect(settled).toMatchObject(receipt);
          expect(await node.ledger.settle(hold, { cost: 3_000n, usage })).toMatchObject(receipt);
        } else {
          const state = expires ? 'expired' : 'released';
          expect(settled).toMatchObject({ state, charged: 0n, owed: 0n, balance: 1_000n });
          expect(await chargesOf(url, hold.chargeId)).toMatchObject([{ state, settled: 0n }]);
          expect(await balanceOf(node, customer)).toMatchObject({ balance: 1_000n, held: 0n });
        }
        expect(await auditLedger(node.db)).toEqual([]);
        await node.close();
      }
      await other.close();
    },
  );

  test('what was given in part and is delivered already is paid as far as it goes, and the rest is owed', async () => {
    const { url } = database();
    const other = startNode(url);
    const { node, customer } = await known(url);
    const hold = await mustHold(node, holdOf(customer, { ceiling: usd, deferMs: 300 }));
    await drain(other, customer, 1_000n);
    await hold.pending;
    const receipt = { state: 'settled', charged: 1_000n, owed: 1_500n, balance: 0n };
    expect(await node.ledger.settle(hold, { cost: 2_500n, usage, delivered: true })).toMatchObject(receipt);
    expect(await node.ledger.hold(holdOf(customer, { deferMs: late }))).toMatchObject({
      failure: { kind: 'insufficient_credit' },
    });
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 0n, held: 0n, owed: 1_500n });
    expect(await auditLedger(node.db)).toEqual([]);
    await other.close();
    await node.close();
  });

  test('a hold waits for its commit where it is not as good as sure', async () => {
    const { url } = database();
    const { node, customer } = await known(url);
    const isDeferred = async (change: Partial<HoldRequest>) => {
      const hold = await mustHold(node, holdOf(customer, { deferMs: late, ceiling: 1_000n, ...change }));
      await node.ledger.release(hold, 'test');
      return hold.pending !== undefined;
    };
    const { available } = await balanceOf(node, customer);
    expect(await isDeferred({})).toBe(true);
    expect(await isDeferred({ ceiling: available / 4n })).toBe(true);
    expect(await isDeferred({ ceiling: available / 4n + 1n })).toBe(false);
    expect(await isDeferred({ idempotency: keyOf(customer) })).toBe(false);
    expect(await isDeferred({ caps: [{ owner: `key:${customer.keyId}`, limit: usd }] })).toBe(false);
    expect(await isDeferred({ tokenId: newId('tok') })).toBe(false);
    expect(await isDeferred({ deviceId: newId('dev') })).toBe(false);
    const plain = await mustHold(node, holdOf(customer));
    expect(plain.pending).toBeUndefined();
    await node.ledger.release(plain, 'test');

    const stranger = await addCustomer(node, url, 5n);
    const first = await mustHold(node, holdOf(stranger, { deferMs: late }));
    expect(first.pending).toBeUndefined();
    await node.ledger.release(first, 'test');
    await node.close();
  });

  test('what is deferred is a quarter of the free credit at most, all together, and is free again afterwards', async () => {
    const { url } = database();
    const { node, customer } = await known(url);
    const { available } = await balanceOf(node, customer);
    const request = holdOf(customer, { ceiling: available / 8n, deferMs: late });
    for (let round = 0; round < 3; round++) {
      const holds = [await mustHold(node, request), await mustHold(node, request), await mustHold(node, request)];
      expect(holds.map(({ pending }) => pending !== undefined)).toEqual([true, true, false]);
      await Promise.all(
        holds.map((hold, index) =>
          (index + round) % 3 === 0 ? node.ledger.settle(hold, { cost: 0n, usage }) : node.ledger.release(hold, 'test'),
        ),
      );
    }
    expect(await balanceOf(node, customer)).toMatchObject({ available, held: 0n });
    await node.close();
  });

  test('knowledge that is older than 30 seconds is not trusted', async () => {
    const { url } = database();
    let time = 0;
    const { node, customer } = await known(url, { now: () => time });
    const pending = async () => {
      const hold = await mustHold(node, holdOf(customer, { deferMs: late }));
      await node.ledger.release(hold, 'test');
      return hold.pending !== undefined;
    };
    expect(await pending()).toBe(true);
    time = 30_000;
    expect(await pending()).toBe(true);
    // The wallet was seen a moment ago, but whether the key is valid was not.
    time = 30_001;
    await addCredit(node, customer, 5n * usd);
    expect(await pending()).toBe(false);
    expect(await pending()).toBe(true);
    await node.close();
  });

  test('none is deferred where the queue is half full or the ledger closes', async () => {
    const { url } = database();
    const { node, customer } = await known(url, {}, { waitingMax: 4 });
    const request = holdOf(customer, { deferMs: late });
    const holds = [await mustHold(node, request), await mustHold(node, request), await mustHold(node, request)];
    expect(holds.map(({ pending }) => pending !== undefined)).toEqual([true, true, false]);
    const [first, second, third] = holds as [Hold, Hold, Hold];
    await node.ledger.release(third, 'test');
    await node.ledger.settle(first, { cost: 1n, usage });
    await node.ledger.close();
    expect(await second.pending).toMatchObject({ ok: false, failure: { kind: 'ledger_unavailable' } });
    await expectRefusal(node.ledger.settle(second, { cost: 1n, usage }), 'ledger_unavailable');
    await expect(node.ledger.hold(request)).rejects.toThrow('closed');
    const after = startNode(url);
    expect(await chargesOf(url, second.chargeId)).toEqual([]);
    expect(await balanceOf(after, customer)).toMatchObject({ held: 0n });
    expect(await auditLedger(after.db)).toEqual([]);
    await after.close();
    await node.db.close();
  });

  test('released before its commit it leaves nothing at all, after it a released charge', async () => {
    const { url } = database();
    const { node, customer } = await known(url);
    const written = await chargesIn(url);
    const before = await mustHold(node, holdOf(customer, { deferMs: late }));
    await node.ledger.release(before, 'test');
    await node.ledger.release(before, 'test');
    expect(await before.pending).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
    expect(await chargesIn(url)).toBe(written);
    expect(await chargesOf(url, before.chargeId)).toEqual([]);
    const after = await mustHold(node, holdOf(customer, { deferMs: 5 }));
    await after.pending;
    await node.ledger.release(after, 'test');
    expect(await chargesOf(url, after.chargeId)).toMatchObject([{ state: 'released', settled: 0n }]);
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  });

  test('settled many times, before and after its commit, it charges once and gives the same receipt', async () => {
    const { url } = database();
    const { node, customer } = await known(url);
    for (const deferMs of [late, 0, 3]) {
      const { balance } = await balanceOf(node, customer);
      const hold = await mustHold(node, holdOf(customer, { deferMs }));
      if (deferMs === 3) await sleep(3);
      const receipts = await Promise.all([4n, 5n, 6n].map((cost) => node.ledger.settle(hold, { cost, usage })));
      await node.ledger.release(hold, 'test');
      receipts.push(await node.ledger.settle(hold, { cost: 9n, usage }));
      const [first] = receipts;
      expect(receipts).toEqual(receipts.map(() => first));
      expect(await balanceOf(node, customer)).toMatchObject({ balance: balance - (first?.charged ?? 0n), held: 0n });
      expect(await postingsOf(url, hold.chargeId)).toHaveLength(1);
    }
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  });

  test('extensions and progress wait for its commit, and what was extended is charged', async () => {
    const { url } = database();
    const { node, customer } = await known(url);
    const hold = await mustHold(node, holdOf(customer, { ceiling: 1_000n, deferMs: 10 }));
    const [extended] = await Promise.all([
      node.ledger.extend(hold, 500n),
      node.ledger.recordProgress(hold, { cost: 10n, usage }),
    ]);
    if (!extended.ok) throw new Error('not extended');
    expect(extended.value).toMatchObject({ amount: 1_500n });
    expect(extended.value.pending).toBeUndefined();
    expect(await node.ledger.settle(extended.value, { cost: 9_000n, usage })).toMatchObject({ charged: 1_500n });
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  });

  test('two nodes defer holds on one wallet to its last cent: what was charged is what left it', {
    timeout: 120_000,
  }, async () => {
    const { url } = database();
    const seed = Number(process.env.DEFERRED_SEED ?? Date.now() % 1_000_000);
    const random = seededRandom(seed);
    const nodes = [startNode(url), startNode(url)] as const;
    const customer = await addCustomer(nodes[0], url, 5n);
    let [charged, deferred, refused] = [0n, 0, 0];
    const client = async (node: Node) => {
      for (let request = 0; request < 60 && refused < 60; request++) {
        const ceiling = BigInt(1 + Math.floor(random() * 80_000_000));
        const deferMs = [0, 1, 20][Math.floor(random() * 3)] ?? 0;
        const held = await node.ledger.hold(holdOf(customer, { ceiling, minimum: ceiling / 2n + 1n, deferMs }));
        if (!held.ok) {
          refused += 1;
          continue;
        }
        if (held.value.kind !== 'held') throw new Error('replayed');
        const { hold } = held.value;
        if (hold.pending) deferred += 1;
        if (random() < 0.5) await sleep(random() * 4);
        if (random() < 0.1) {
          await node.ledger.release(hold, 'test');
          continue;
        }
        const cost = BigInt(1 + Math.floor(random() * Number(hold.amount)));
        try {
          const receipt = await node.ledger.settle(hold, { cost, usage });
          // A deferred hold may turn out to be granted in part. What it can't pay then costs nothing.
          const part = await grantedInPart(hold, cost);
          if (receipt.state === 'released') {
            expect(part, `seed ${seed}`).toBe(true);
            expect(receipt.charged, `seed ${seed}`).toBe(0n);
            refused += 1;
          } else expect(receipt.charged, `seed ${seed}`).toBe(cost);
          expect(receipt.balance, `seed ${seed}`).toBeGreaterThanOrEqual(0n);
          charged += receipt.charged;
        } catch (error) {
          if (!(error instanceof FailureError)) throw error;
          refused += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: 24 }, (_, index) => client(nodes[index % 2 === 0 ? 0 : 1])));
    expect(deferred, `seed ${seed}`).toBeGreaterThan(100);
    expect(refused, `seed ${seed}`).toBeGreaterThan(0);
    expect(await balanceOf(nodes[0], customer), `seed ${seed}`).toMatchObject({
      balance: 5n * usd - charged,
      held: 0n,
    });
    expect(await auditLedger(nodes[0].db), `seed ${seed}`).toEqual([]);
    for (const node of nodes) {
      expect(node.ledger.openHolds).toBe(0);
      await node.close();
    }
  });
});

test('what is expected of a wallet follows what is seen of it', () => {
  let time = 0;
  const forecast = createAdmissionForecast(() => time);
  const request = holdOf({ accountId: 'acc_1', keyId: 'key_1' }, { ceiling: 25n });
  const wallet = (posted: bigint, held = 0n, change = {}) => [
    { id: 'w', posted, held, owed: 0n, openDisputes: 0n, seq: 1n, summed: 1n, charges: 0n, version: 1n, ...change },
  ];
  const held = { ok: true, value: { kind: 'held', amount: 1n, balance: 1n, expiresAtUs: 1n } } as const;
  const expects = () => forecast.expects('w', request);
  expect(expects()).toBe(false);
  forecast.sawWallets(wallet(100n));
  expect(expects()).toBe(false);
  forecast.sawHold(request, held);
  expect(expects()).toBe(true);
  forecast.sawWallets(wallet(100n, 1n));
  expect(expects()).toBe(false);
  for (const change of [{ owed: 1n }, { openDisputes: 1n }]) {
    forecast.sawWallets(wallet(1_000n, 0n, change));
    expect(expects()).toBe(false);
  }
  forecast.sawWallets(wallet(200n));
  forecast.defer('w', 25n);
  forecast.sawWallets(wallet(200n));
  expect(expects()).toBe(true);
  forecast.defer('w', 1n);
  expect(expects()).toBe(false);
  forecast.defer('w', -1n);
  forecast.defer('w', -25n);
  forecast.defer('w', -25n);
  forecast.defer('w', 25n);
  expect(expects()).toBe(true);
  expect(forecast.expects('w', { ...request, keyVersion: 2 })).toBe(false);
  forecast.sawHold(request, { ok: false, failure: { kind: 'key_revoked' } });
  expect(expects()).toBe(false);
  forecast.sawHold(request, held);
  time = 30_001;
  expect(expects()).toBe(false);
});

/** Whether a deferred hold was granted with less than this cost. */
async function grantedInPart({ pending }: Hold, cost: bigint): Promise<boolean> {
  const granted = await pending;
  return granted?.ok === true && granted.value.amount < cost;
}

async function dispute(other: Node, { accountId }: Customer, url: string): Promise<void> {
  const [topUp] = await query(
    url,
    `SELECT t.id FROM top_up t JOIN wallet w ON w.id = t.wallet_id WHERE w.account_id = '${accountId}'`,
  );
  const reversal = { topUpId: String(topUp?.id), kind: 'dispute', amount: usd, reference: newId('req') } as const;
  expect(await other.wallets.topUps.reverse(reversal)).toMatchObject({ ok: true });
}

async function chargesIn(url: string): Promise<unknown> {
  const [row] = await query(url, 'SELECT COUNT(*) AS n FROM charge');
  return row?.n;
}

async function reap({ db, ledger }: Node): Promise<void> {
  const reaper = createReaper({ db, ledger, log: silent, restAfterOutageMs: 0 });
  expect(await reaper.runOnce()).toBe(1);
}
