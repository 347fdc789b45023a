import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import { migrate, openConnection } from '../../src/db/index.ts';
import { createCommitter } from '../../src/wallet/committer.ts';
import { createGroupStore, type GroupStore } from '../../src/wallet/group-store.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import type { Operation, SettleOperation } from '../../src/wallet/operation.ts';
import { eachServer, firstServer, silent, startOwnServer, useDatabase } from '../support/database.ts';
import { addCustomer, balanceOf, holdOf, mustHold, startNode } from './support.ts';

const limits = { waitingMax: 4_000, operationsPerGroupMax: 400, bytesPerGroupMax: 4_194_304 };

function committerOver(store: GroupStore) {
  return createCommitter({ store, limits, log: silent, nodeId: newId('nod') });
}

function settleOf(hold: { walletId: string; chargeId: string }, cost: bigint, usage = {}): SettleOperation {
  const { walletId, chargeId } = hold;
  const rest = { provider: undefined, model: undefined, sealedReply: undefined, replyTtlMs: 0 };
  return { type: 'settle', walletId, chargeId, capOwners: [], idempotency: undefined, cost, usage, ...rest };
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
    // A count that no door lets in: the packet with it can't even be written.
    const ended = await Promise.allSettled(
      holds.map((hold, index) =>
        committer.submit(settleOf(hold, 10n, index === 200 ? { inputTokens: -1 } : { inputTokens: 1 })),
      ),
    );
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(ended[200]?.status).toBe('rejected');
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 3_990n, held: 10n });
    const connection = await openConnection(url);
    const [letters] = await connection.query('SELECT charge_id FROM settlement_dead_letter');
    expect(letters).toEqual([{ charge_id: holds[200]?.chargeId }]);
    await connection.end();
    expect(await auditLedger(node.db)).toEqual([]);
    await committer.close(1_000);
    await node.close();
  });

  test.for(['before', 'after'] as const)(
    'a COMMIT whose connection is lost %s it arrived is found out, and charged once',
    async (when) => {
      const { url } = database();
      const node = startNode(url);
      const store = createGroupStore({ url });
      let losses = 0;
      const losing: GroupStore = {
        ...store,
        begin: async (operations, nodeId) => {
          const open = await store.begin(operations, nodeId);
          return {
            ...open,
            commit: async () => {
              losses += 1;
              if (losses % 2 === 0) return open.commit();
              if (when === 'after') await open.commit();
              store.disconnect();
              throw Object.assign(new Error('Connection lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
            },
          };
        },
      };
      const committer = committerOver(losing);
      const account = await addCustomer(node, url, 5n);
      for (let round = 0; round < 4; round++) {
        const hold = await mustHold(node, holdOf(account));
        expect(await committer.submit(settleOf(hold, 10n))).toMatchObject({ state: 'settled', charged: 10n });
      }
      expect(losses).toBeGreaterThan(2);
      expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 40n, held: 0n });
      expect(await auditLedger(node.db)).toEqual([]);
      await committer.close(1_000);
      await node.close();
    },
  );

  test('a wallet that someone locks too long does not keep the others waiting for ever, and is settled afterwards', async () => {
    const { url } = database();
    const node = startNode(url);
    const [stuck, free] = [await addCustomer(node, url, 5n), await addCustomer(node, url, 5n)];
    const holds = { stuck: await mustHold(node, holdOf(stuck)), free: await mustHold(node, holdOf(free)) };
    const blocker = await openConnection(url);
    await blocker.query('START TRANSACTION');
    await blocker.query(`SELECT id FROM wallet WHERE id = '${holds.stuck.walletId}' FOR UPDATE`);
    const late = node.ledger.settle(holds.stuck, { cost: 1n, usage: {} });
    expect(await node.ledger.settle(holds.free, { cost: 1n, usage: {} })).toMatchObject({ state: 'settled' });
    await blocker.query('ROLLBACK');
    await blocker.end();
    expect(await late).toMatchObject({ state: 'settled', charged: 1n });
    await node.close();
  });

  test('a storm of deadlocks delays, and every request is charged once', async () => {
    const { url } = database();
    const node = startNode(url);
    const account = await addCustomer(node, url, 5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: nanoPerUsd }];
    const first = await mustHold(node, holdOf(account, { caps, ceiling: 1_000n }));
    let storming = true;
    let deadlocks = 0;
    const storm = async () => {
      // The ledger takes the wallet first and then the cap; this takes them the other way round.
      const connection = await openConnection(url);
      while (storming) {
        try {
          await connection.query('START TRANSACTION');
          await connection.query(`SELECT owner FROM cap WHERE owner = 'key:${account.keyId}' FOR UPDATE`);
          await sleep(3);
          await connection.query(`SELECT id FROM wallet WHERE id = '${first.walletId}' FOR UPDATE`);
        } catch {
          deadlocks += 1;
        }
        await connection.query('ROLLBACK');
        await sleep(3);
      }
      await connection.end();
    };
    const storms = [storm(), storm()];
    const pay = async () => {
      for (let round = 0; round < 5; round++) {
        const hold = await mustHold(node, holdOf(account, { caps, ceiling: 1_000n }));
        await node.ledger.settle(hold, { cost: 10n, usage: {} });
      }
    };
    await Promise.all(Array.from({ length: 8 }, pay));
    storming = false;
    await Promise.all(storms);
    expect(deadlocks).toBeGreaterThan(0);
    await node.ledger.settle(first, { cost: 10n, usage: {} });
    expect(await balanceOf(node, account)).toMatchObject({ balance: 5n * nanoPerUsd - 410n, held: 0n });
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
    const node = startNode(own.url);
    const account = await addCustomer(node, own.url, 5n);
    const hold = await mustHold(node, holdOf(account));
    await own.kill();
    const settled = node.ledger.settle(hold, { cost: 9n, usage: {} });
    await expect
      .poll(() => node.ledger.hold(holdOf(account)), { timeout: 5_000 })
      .toMatchObject({ failure: { kind: 'ledger_unavailable' } });
    const began = performance.now();
    expect(await node.ledger.hold(holdOf(account))).toMatchObject({ failure: { kind: 'ledger_unavailable' } });
    expect(performance.now() - began).toBeLessThan(500);
    await own.start();
    expect(await settled).toMatchObject({ state: 'settled', charged: 9n });
    await expect.poll(() => node.ledger.hold(holdOf(account)), { timeout: 5_000 }).toMatchObject({ ok: true });
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
    begin: async (operations, nodeId) => {
      await gate;
      return store.begin(operations, nodeId);
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
    const operation = {
      type: 'extend',
      walletId,
      chargeId: newId('chg'),
      capOwners: [],
      idempotency: undefined,
    } as const;
    void committer
      .submit({ ...operation, more: 1n, minimum: 1n, ttlMs: 1 } satisfies Operation)
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
