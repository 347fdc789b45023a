import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd as usd } from '../../src/base/money.ts';
import { migrate } from '../../src/db/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { createAdmissionForecast } from '../../src/wallet/ledger/admission-forecast.ts';
import { createCommitter } from '../../src/wallet/ledger/committer.ts';
import { createDeferredHolds } from '../../src/wallet/ledger/deferred-holds.ts';
import type { ChargeOperation } from '../../src/wallet/ledger/operation.ts';
import { createGroupStore, type GroupStore } from '../../src/wallet/ledger/store/group-store.ts';
import { eachServer, silent, startOwnServer, useDatabase } from '../support/database.ts';
import {
  addCustomer,
  balanceOf,
  chargesOf,
  connectionLost,
  expectRefusal,
  holdOf,
  holdOperation,
  known,
  mustHold,
  query,
  settleOf,
  startNode,
} from './support.ts';

const usage = { inputTokens: 10, outputTokens: 3 };
const limits = { waitingMax: 4_000, operationsPerGroupMax: 400, bytesPerGroupMax: 4_194_304 };
/** So long that nothing is committed by time in a test that does not wait for it. */
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
      const over = deferredOver(url, (store) => ({
        commit: async (commit) => {
          losses += 1;
          if (losses % 2 === 0) return commit();
          if (when === 'after') await commit();
          store.disconnect();
          throw connectionLost();
        },
      }));
      for (let round = 0; round < 3; round++) {
        const receipts = await Promise.all(
          [1n, 2n, 3n].map((cost) => {
            const hold = over.deferred.begin(holdOperation(walletId, holdOf(customer)), late);
            return over.deferred.settle(hold, settleOf(hold, cost));
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
    const over = deferredOver(url, (store) => ({
      commit: async (commit) => {
        await commit();
        if (!losing) return;
        losing = false;
        store.disconnect();
        throw connectionLost();
      },
      begin: async (operations, terms) => {
        if (!losing) asked += 1;
        if (!losing && asked < 4) throw connectionLost();
        return store.begin(operations, terms);
      },
    }));
    const hold = over.deferred.begin(holdOperation(walletId, holdOf(customer)), late);
    const lost = over.deferred.begin(holdOperation(walletId, holdOf(customer)), 0);
    const settled = over.deferred.settle(hold, settleOf(hold, 7n));
    // Both were committed. The caller waiting for the hold is told that nothing is held, so it is taken back.
    expect(await lost.pending).toMatchObject({ ok: false, failure: { kind: 'ledger_unavailable' } });
    expect(asked).toBeLessThan(4);
    expect(await settled).toMatchObject({ state: 'settled', charged: 7n });
    expect(await chargesOf(url, lost.chargeId)).toMatchObject([{ state: 'released', settled: 0n }]);
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 7n, held: 1n });
    expect(await auditLedger(node.db)).toEqual([]);
    await over.committer.close(1_000);
    await node.close();
  });

  test('a poisoned settlement that is one with its hold fails alone, and leaves nothing', async () => {
    const { url } = database();
    const node = startNode(url);
    const customer = await addCustomer(node, url, 5n);
    const { walletId } = await mustHold(node, holdOf(customer, { ceiling: 1n }));
    const { committer } = deferredOver(url);
    const charges = Array.from({ length: 60 }, (_, index): ChargeOperation => {
      const hold = holdOperation(walletId, holdOf(customer, { ceiling: 10n }));
      // A count that no entry point admits: the packet with it can't even be written.
      const settlement = settleOf(hold, 10n, { usage: { inputTokens: index === 33 ? -1 : 1 } });
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

test('a database that goes away between a hold and its settlement refuses both: nothing is charged, nothing is free', {
  timeout: 60_000,
}, async () => {
  const own = await startOwnServer();
  try {
    await migrate({ url: own.url, log: silent });
    const { node, customer } = await known(own.url);
    const { balance } = await balanceOf(node, customer);
    const [soon, late_] = [
      await mustHold(node, holdOf(customer, { deferMs: 200 })),
      await mustHold(node, holdOf(customer, { deferMs: late })),
    ];
    await own.kill();
    const settled = node.ledger.settle(late_, { cost: 9n, usage });
    await expectRefusal(settled, 'ledger_unavailable');
    expect(await soon.pending).toMatchObject({ ok: false, failure: { kind: 'ledger_unavailable' } });
    await node.ledger.release(soon, 'test');
    // While it is away, nothing can start.
    expect(await node.ledger.hold(holdOf(customer, { deferMs: late }))).toMatchObject({
      failure: { kind: 'ledger_unavailable' },
    });
    await own.start();
    const again = () => node.ledger.hold(holdOf(customer));
    await expect.poll(again).toMatchObject({ ok: true });
    expect(await chargesOf(own.url, soon.chargeId)).toEqual([]);
    expect(await chargesOf(own.url, late_.chargeId)).toEqual([]);
    expect(await balanceOf(node, customer)).toMatchObject({ balance });
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  } finally {
    await own.remove();
  }
});

interface Faults {
  commit?: (commit: () => Promise<void>) => Promise<void>;
  begin?: GroupStore['begin'];
}

/** Deferred holds over a committer whose store fails on demand. */
function deferredOver(url: string, faultsOf: (store: GroupStore) => Faults = () => ({})) {
  const store = createGroupStore({ url });
  const { commit, begin = store.begin } = faultsOf(store);
  const committer = createCommitter({
    store: {
      ...store,
      begin: async (operations, terms) => {
        const open = await begin(operations, terms);
        return commit ? { ...open, commit: () => commit(open.commit) } : open;
      },
    },
    limits,
    log: silent,
    nodeId: newId('nod'),
  });
  const deferred = createDeferredHolds(
    committer,
    createAdmissionForecast(),
    ({ walletId, chargeId, ttlMs }, { amount, balance }) => ({
      ...{ walletId, chargeId, ttlMs, amount, ceiling: amount, balance, expiresAtMs: 0, caps: [] },
    }),
  );
  return { committer, deferred };
}
