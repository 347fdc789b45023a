import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import { migrate, openConnection } from '../../src/db/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { createCommitter } from '../../src/wallet/ledger/committer.ts';
import type { ChargeReference, Operation } from '../../src/wallet/ledger/operation.ts';
import { createGroupStore, type GroupStore } from '../../src/wallet/ledger/store/group-store.ts';
import { eachServer, firstServer, silent, startOwnServer, useDatabase } from '../support/database.ts';
import {
  addCustomer,
  balanceOf,
  chargesOf,
  connectionLost,
  holdOf,
  holdOperation,
  keyOf,
  mustHold,
  postingsOf,
  query,
  settleOf,
  startNode,
  takeDeadLetters,
} from './support.ts';

const limits = { waitingMax: 4_000, operationsPerGroupMax: 400, bytesPerGroupMax: 4_194_304 };

function committerOver(store: GroupStore) {
  return createCommitter({ store, limits, log: silent, nodeId: newId('nod') });
}

/** A store that loses some COMMITs, before or after they arrive. */
function losing(store: GroupStore, when: 'before' | 'after', isLost: () => boolean): GroupStore {
  return {
    ...store,
    begin: async (operations, terms) => {
      const open = await store.begin(operations, terms);
      return {
        ...open,
        commit: async () => {
          if (!isLost()) return open.commit();
          if (when === 'after') await open.commit();
          store.disconnect();
          throw connectionLost();
        },
      };
    },
  };
}

eachServer((server) => {
  const database = useDatabase(server);

  test('one poisoned settlement in a group of 400 fails alone, into the dead letters', async () => {
    const { url } = database();
    const node = startNode(url);
    const committer = committerOver(createGroupStore({ url }));
    const account = await addCustomer(node, url, 5n);
    const holds = await Promise.all(
      Array.from({ length: 400 }, () => mustHold(node, holdOf(account, { ceiling: 10n }))),
    );
    // A count that no entry point admits: the packet with it can't even be written.
    const ended = await Promise.allSettled(
      holds.map((hold, index) =>
        committer.submit(settleOf(hold, 10n, { usage: { inputTokens: index === 200 ? -1 : 1 } })),
      ),
    );
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(ended[200]?.status).toBe('rejected');
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 3_990n, held: 10n });
    await takeDeadLetters(url, [holds[200]?.chargeId ?? '']);
    expect(await auditLedger(node.db)).toEqual([]);
    await committer.close(1_000);
    await node.close();
  });

  test.for(['before', 'after'] as const)(
    'each operation whose COMMIT is lost %s it arrived is done once, and answered as ever',
    async (when) => {
      const { url } = database();
      const node = startNode(url);
      let [losses, isNext] = [0, false];
      const store = losing(createGroupStore({ url }), when, () => {
        const isLost = isNext;
        isNext = false;
        losses += isLost ? 1 : 0;
        return isLost;
      });
      const committer = committerOver(store);
      const submit: typeof committer.submit = (operation) => {
        isNext = true;
        return committer.submit(operation);
      };
      const account = await addCustomer(node, url, 5n);
      const { walletId } = await mustHold(node, holdOf(account, { ceiling: 1n }));
      const idempotency = keyOf(account);
      const request = holdOf(account, { ceiling: 100n, idempotency });
      const hold = holdOperation(walletId, request);
      const { chargeId } = hold;
      const reference: ChargeReference = { walletId, chargeId, capOwners: [], idempotency };
      const balance = 5n * nanoPerUsd;

      const held = { ok: true, value: { kind: 'held', amount: 100n, balance } };
      expect(await submit(hold)).toMatchObject(held);
      const extend = { type: 'extend', ...reference, caps: [], total: 150n, minimum: 101n, ttlMs: 60_000 } as const;
      expect(await submit(extend)).toMatchObject({ ok: true, value: { amount: 150n } });
      await submit({ type: 'progress', ...reference, cost: 7n, usage: {}, ttlMs: 60_000 });
      expect(await chargesOf(url, chargeId)).toMatchObject([{ state: 'held', hold: 150n, progress_cost: 7n }]);
      const settle = settleOf(hold, 120n, { idempotency });
      const receipt = { chargeId, state: 'settled', charged: 120n, owed: 0n, balance: balance - 120n };
      expect(await submit(settle)).toEqual(receipt);
      const retried = holdOperation(walletId, request);
      expect(await submit(retried)).toEqual({ ok: true, value: { kind: 'replayed', receipt } });

      const released = holdOperation(walletId, holdOf(account));
      expect(await submit(released)).toMatchObject({ ok: true });
      const end = { walletId, chargeId: released.chargeId, capOwners: [], idempotency: undefined };
      await submit({ type: 'release', ...end });
      expect(await chargesOf(url, released.chargeId)).toMatchObject([{ state: 'released' }]);

      const done = holdOperation(walletId, holdOf(account));
      const charge = {
        type: 'charge',
        walletId,
        chargeId: done.chargeId,
        hold: done,
        settlement: settleOf(done, 9n),
      } as const;
      expect(await submit(charge)).toMatchObject({ ok: true, value: { receipt: { charged: 9n } } });
      const adjusted = { amount: 5n, reason: 'test', actor: 'test', idempotencyKey: 'k', chargeId: undefined };
      await submit({ type: 'adjust', walletId, adjustmentId: newId('adj'), ...adjusted });
      // Settled with what is available and what is owed, which is owed once.
      const poor = holdOperation(walletId, holdOf(account, { ceiling: balance }));
      expect(await submit(poor)).toMatchObject({ ok: true });
      const beyond = settleOf(poor, balance, { delivered: true });
      expect(await submit(beyond)).toMatchObject({ state: 'settled', charged: balance - 125n, owed: 125n });

      expect(losses).toBe(10);
      for (const id of [chargeId, done.chargeId, poor.chargeId]) expect(await postingsOf(url, id)).toHaveLength(1);
      expect(await balanceOf(node, account)).toMatchObject({ balance: 1n, held: 1n, owed: 125n });
      expect(await auditLedger(node.db)).toEqual([]);
      await committer.close(1_000);
      await node.close();
    },
  );

  test('a hold whose COMMIT is lost while the database is away is taken back, as its caller was told', async () => {
    const { url } = database();
    const node = startNode(url);
    const account = await addCustomer(node, url, 5n);
    const { walletId } = await mustHold(node, holdOf(account, { ceiling: 1n }));
    const store = createGroupStore({ url });
    let state: 'up' | 'lost' | 'away' = 'lost';
    const failing = losing(store, 'after', () => {
      if (state !== 'lost') return false;
      state = 'away';
      return true;
    });
    const committer = committerOver({
      ...failing,
      begin: (operations, terms) =>
        state === 'away' ? Promise.reject(connectionLost()) : failing.begin(operations, terms),
      ping: () => (state === 'away' ? Promise.reject(connectionLost()) : store.ping()),
    });
    const idempotency = keyOf(account);
    const hold = holdOperation(walletId, holdOf(account, { idempotency }));
    expect(await committer.submit(hold)).toMatchObject({ ok: false, failure: { kind: 'ledger_unavailable' } });
    expect(await chargesOf(url, hold.chargeId)).toMatchObject([{ state: 'held' }]);
    expect(committer.up).toBe(false);
    state = 'up';
    await expect.poll(() => chargesOf(url, hold.chargeId)).toMatchObject([{ state: 'released' }]);
    expect(await query(url, `SELECT * FROM idempotency WHERE charge_id = '${hold.chargeId}'`)).toEqual([]);
    expect(await balanceOf(node, account)).toMatchObject({ held: 1n });
    expect(await auditLedger(node.db)).toEqual([]);
    await committer.close(1_000);
    await node.close();
  });

  test('whoever locks the same rows in another order delays, meets no deadlock, and every request is charged once', async () => {
    const { url } = database();
    const node = startNode(url);
    const account = await addCustomer(node, url, 5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: nanoPerUsd }];
    const first = await mustHold(node, holdOf(account, { caps, ceiling: 1_000n }));
    let storming = true;
    let rounds = 0;
    // The ledger locks the wallet first and then the cap; this locks them the other way round.
    const storm = async () => {
      const connection = await openConnection(url);
      while (storming) {
        await connection.query('START TRANSACTION');
        await connection.query(`SELECT owner FROM cap WHERE owner = 'key:${account.keyId}' FOR UPDATE`);
        await sleep(3);
        await connection.query(`SELECT id FROM wallet WHERE id = '${first.walletId}' FOR UPDATE`);
        await connection.query('ROLLBACK');
        rounds += 1;
        await sleep(10);
      }
      await connection.end();
    };
    const storms = storm();
    const request = holdOf(account, { caps, ceiling: 1_000n });
    const payOne = async (): Promise<void> => {
      const held = await node.ledger.hold(request);
      if (held.ok && held.value.kind === 'held')
        return void (await node.ledger.settle(held.value.hold, { cost: 10n, usage: {} }));
      expect(held).toMatchObject({ failure: { kind: 'ledger_unavailable' } });
      await sleep(20);
      return payOne();
    };
    let paid = 0;
    // However slowly the storm's connection comes about: some of its rounds are meanwhile.
    for (; paid < 40 || (rounds < 2 && paid < 40_000); paid += 8) await Promise.all(Array.from({ length: 8 }, payOne));
    storming = false;
    await storms;
    expect(rounds).toBeGreaterThan(1);
    await node.ledger.settle(first, { cost: 10n, usage: {} });
    const cost = 10n * BigInt(paid + 1);
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - cost, held: 0n });
    await node.close();
  });

  test('a connection that the server killed is replaced without anyone noticing', async () => {
    const { url } = database();
    const node = startNode(url);
    const account = await addCustomer(node, url, 5n);
    for (let round = 0; round < 5; round++) {
      const hold = await mustHold(node, holdOf(account));
      await killOthers(url);
      expect(await node.ledger.settle(hold, { cost: 1n, usage: {} })).toMatchObject({ state: 'settled' });
      await killOthers(url);
    }
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 5n, held: 0n });
    await node.close();
  });
});

async function killOthers(url: string): Promise<void> {
  const connection = await openConnection(url);
  const [rows] = await connection.query(
    'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
  );
  for (const { id } of rows as { id: bigint }[]) await connection.query(`KILL ${id}`).catch(() => undefined);
  await connection.end();
}

test('while the database is down nothing is admitted; queued settlements survive, and service resumes by itself', async () => {
  const own = await startOwnServer();
  try {
    await migrate({ url: own.url, log: silent });
    const node = startNode(own.url, { answerTimeoutMs: 300_000 });
    const account = await addCustomer(node, own.url, 5n);
    const hold = await mustHold(node, holdOf(account));
    await own.kill();
    const settled = node.ledger.settle(hold, { cost: 9n, usage: {} });
    // Not only after the time that the database may take to answer.
    await expect
      .poll(() => node.ledger.hold(holdOf(account)))
      .toMatchObject({ failure: { kind: 'ledger_unavailable' } });
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'ledger_unavailable' } });
    await own.start();
    expect(await settled).toMatchObject({ state: 'settled', charged: 9n });
    await expect.poll(() => node.ledger.hold(holdOf(account))).toMatchObject({ ok: true });
    await node.close();
  } finally {
    await own.remove();
  }
});

test('a full queue refuses new holds, gives each wallet its share, and never refuses what finishes', async () => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store = createGroupStore({ url: firstServer().url });
  const stopped: GroupStore = {
    ...store,
    begin: async (operations, terms) => {
      await gate;
      return store.begin(operations, terms);
    },
  };
  const committer = createCommitter({
    store: stopped,
    limits: { ...limits, waitingMax: 100 },
    log: silent,
    nodeId: newId('nod'),
  });
  const refused: string[] = [];
  const submit = (walletId: string) => {
    const reference = { walletId, chargeId: newId('chg'), capOwners: [], idempotency: undefined };
    const operation = { type: 'extend', ...reference, caps: [], total: 1n, minimum: 1n, ttlMs: 1 } as const;
    void committer
      .submit(operation satisfies Operation)
      .then((outcome) => !outcome.ok && outcome.failure.kind === 'overloaded' && refused.push(walletId))
      .catch(() => undefined);
  };
  submit('wal_first');
  await sleep(20);
  for (let index = 0; index < 300; index++) submit('wal_busy');
  for (let index = 0; index < 10; index++) submit('wal_quiet');
  await sleep(20);
  expect(refused.filter((walletId) => walletId === 'wal_busy').length).toBeGreaterThan(200);
  expect(refused).not.toContain('wal_quiet');
  expect(committer.waiting).toBeLessThanOrEqual(100);
  release();
  await committer.close(100);
});
