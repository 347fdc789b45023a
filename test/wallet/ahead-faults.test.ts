import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd as usd } from '../../src/base/money.ts';
import { migrate } from '../../src/db/index.ts';
import { createCommitter } from '../../src/wallet/committer.ts';
import { createForesight } from '../../src/wallet/foresight.ts';
import { createGroupStore, type GroupStore } from '../../src/wallet/group-store.ts';
import { createHoldsAhead } from '../../src/wallet/holds-ahead.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { createIntake } from '../../src/wallet/intake.ts';
import type { ChargeOperation, Operation, SettleOperation } from '../../src/wallet/operation.ts';
import { eachServer, silent, startOwnServer, useDatabase } from '../support/database.ts';
import {
  addCustomer,
  balanceOf,
  chargesOf,
  expectRefusal,
  holdOf,
  holdOperation,
  known,
  mustHold,
  print,
  query,
  startNode,
} from './support.ts';

const usage = { inputTokens: 10, outputTokens: 3 };
const limits = { waitingMax: 4_000, operationsPerGroupMax: 400, bytesPerGroupMax: 4_194_304 };
/** Long enough that nothing is committed by time in a test that does not wait for it. */
const late = 60_000;

eachServer((server) => {
  const database = useDatabase(server);

  test.for(['before', 'after'] as const)(
    'a COMMIT with charges whose connection is lost %s it arrived is found out, and each is charged once',
    async (when) => {
      const { url } = database();
      const node = startNode(url);
      const customer = await addCustomer(node, url, 5n);
      const { walletId } = await mustHold(node, holdOf(customer, { ceiling: 1n }));
      let losses = 0;
      const over = aheadOver(url, (store) => ({
        commit: async (commit) => {
          losses += 1;
          if (losses % 2 === 0) return commit();
          if (when === 'after') await commit();
          store.disconnect();
          throw lost();
        },
      }));
      for (let round = 0; round < 3; round++) {
        const receipts = await Promise.all(
          [1n, 2n, 3n].map((cost) => {
            const hold = over.ahead.begin(holdOperation(walletId, holdOf(customer)), late);
            return over.ahead.settle(hold, settleOf(hold, cost));
          }),
        );
        expect(receipts.map(({ state, charged }) => [state, charged])).toEqual([1n, 2n, 3n].map((c) => ['settled', c]));
      }
      expect(losses).toBeGreaterThan(2);
      expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 18n, held: 1n });
      expect(await auditLedger(node.db)).toEqual([]);
      await over.committer.close(1_000);
      await node.close();
    },
  );

  test('while nobody can say whether a charge was committed its caller waits, and is answered the truth', async () => {
    const { url } = database();
    const node = startNode(url);
    const customer = await addCustomer(node, url, 5n);
    const { walletId } = await mustHold(node, holdOf(customer, { ceiling: 1n }));
    let asked = 0;
    let losing = true;
    const over = aheadOver(url, (store) => ({
      commit: async (commit) => {
        await commit();
        if (!losing) return;
        losing = false;
        store.disconnect();
        throw lost();
      },
      wasCommitted: async (groupId) => {
        asked += 1;
        if (asked < 4) throw lost();
        return store.wasCommitted(groupId);
      },
    }));
    const hold = over.ahead.begin(holdOperation(walletId, holdOf(customer)), late);
    const orphan = over.ahead.begin(holdOperation(walletId, holdOf(customer)), 0);
    const settled = over.ahead.settle(hold, settleOf(hold, 7n));
    expect(await orphan.pending).toMatchObject({ ok: false, failure: { kind: 'ledger_unavailable' } });
    expect(asked).toBeLessThan(4);
    expect(await settled).toMatchObject({ state: 'settled', charged: 7n });
    expect(over.orphans).toHaveLength(1);
    expect(over.orphans[0]).toContain(orphan.chargeId);
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 7n });
    await over.committer.close(1_000);
    await node.close();
  });

  test('a poisoned settlement that is one with its hold fails alone, and leaves nothing', async () => {
    const { url } = database();
    const node = startNode(url);
    const customer = await addCustomer(node, url, 5n);
    const { walletId } = await mustHold(node, holdOf(customer, { ceiling: 1n }));
    const { committer } = aheadOver(url);
    const charges = Array.from({ length: 60 }, (_, index): ChargeOperation => {
      const hold = holdOperation(walletId, holdOf(customer, { ceiling: 10n }));
      // A count that no door lets in: the packet with it can't even be written.
      const settlement = { ...settleOf(hold, 10n), usage: { inputTokens: index === 33 ? -1 : 1 } };
      return { type: 'charge', walletId, chargeId: hold.chargeId, hold, settlement };
    });
    const ended = await Promise.allSettled(charges.map((charge) => committer.submit(charge)));
    expect(ended.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([33]);
    expect(await chargesOf(url, charges[33]?.chargeId ?? '')).toEqual([]);
    expect(await query(url, 'SELECT charge_id FROM settlement_dead_letter')).toEqual([]);
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 590n, held: 1n });
    expect(await auditLedger(node.db)).toEqual([]);
    await committer.close(1_000);
    await node.close();
  });
});

test('a full queue refuses new holds, and never a charge whose work is done', () => {
  const intake = createIntake({ ...limits, waitingMax: 4 });
  const add = (operation: Operation) =>
    intake.add({ operation, bytes: 1, resolve: () => undefined, reject: () => undefined, abandoned: false });
  const hold = () => holdOperation('wal_1', holdOf({ accountId: 'acc_1', keyId: 'key_1' }));
  while (add(hold()));
  const done = hold();
  const { walletId, chargeId } = done;
  expect(add({ type: 'charge', walletId, chargeId, hold: done, settlement: settleOf(done, 1n) })).toBe(true);
  expect(add(hold())).toBe(false);
  expect(intake.take().map(({ operation }) => operation.type)).toEqual(['hold', 'hold', 'charge']);
});

test('a database that goes away between a hold and its settlement refuses both: nothing is charged, nothing is free', {
  timeout: 60_000,
}, async () => {
  const own = await startOwnServer();
  try {
    await migrate({ url: own.url, log: silent });
    const { node, customer } = await known(own.url);
    const { balance } = await balanceOf(node, customer);
    const [soon, late_] = [
      await mustHold(node, holdOf(customer, { aheadMs: 200 })),
      await mustHold(node, holdOf(customer, { aheadMs: late })),
    ];
    await own.kill();
    const settled = node.ledger.settle(late_, { cost: 9n, usage });
    await expectRefusal(settled, 'ledger_unavailable');
    expect(await soon.pending).toMatchObject({ ok: false, failure: { kind: 'ledger_unavailable' } });
    await node.ledger.release(soon, 'test');
    // While it is away nothing begins.
    expect(await node.ledger.hold(holdOf(customer, { aheadMs: late }))).toMatchObject({
      failure: { kind: 'ledger_unavailable' },
    });
    await own.start();
    const again = () => node.ledger.hold(holdOf(customer));
    await expect.poll(again, { timeout: 10_000 }).toMatchObject({ ok: true });
    expect(await chargesOf(own.url, soon.chargeId)).toEqual([]);
    expect(await chargesOf(own.url, late_.chargeId)).toEqual([]);
    expect(await balanceOf(node, customer)).toMatchObject({ balance });
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  } finally {
    await own.remove();
  }
});

function settleOf({ walletId, chargeId }: { walletId: string; chargeId: string }, cost: bigint): SettleOperation {
  const rest = { provider: undefined, model: undefined, sealedReply: undefined, replyTtlMs: 0 };
  return { type: 'settle', walletId, chargeId, capOwners: [], idempotency: undefined, cost, usage, ...rest };
}

function lost(): Error {
  return Object.assign(new Error('Connection lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
}

interface Faults {
  commit?: (commit: () => Promise<void>) => Promise<void>;
  wasCommitted?: GroupStore['wasCommitted'];
}

/** Holds ahead over a committer whose store fails as it is told. */
function aheadOver(url: string, faultsOf: (store: GroupStore) => Faults = () => ({})) {
  const store = createGroupStore({ url });
  const { commit, ...faults } = faultsOf(store);
  const orphans: string[] = [];
  const committer = createCommitter({
    store: {
      ...store,
      ...faults,
      begin: async (operations, nodeId) => {
        const open = await store.begin(operations, nodeId);
        return commit ? { ...open, commit: () => commit(open.commit) } : open;
      },
    },
    limits,
    log: silent,
    nodeId: newId('nod'),
    onOrphan: (operation) => orphans.push(print(operation)),
  });
  const ahead = createHoldsAhead(
    committer,
    createForesight(),
    ({ walletId, chargeId, ttlMs }, { amount, balance }) => ({
      ...{ walletId, chargeId, ttlMs, amount, balance, expiresAtMs: 0, caps: [] },
    }),
  );
  return { committer, ahead, orphans };
}
