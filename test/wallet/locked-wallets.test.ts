import { setTimeout as sleep } from 'node:timers/promises';
import type { RowDataPacket } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import { openConnection } from '../../src/db/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { createCommitter } from '../../src/wallet/ledger/committer.ts';
import type { ChargeOperation, SettleOperation } from '../../src/wallet/ledger/operation.ts';
import { openLedgerConnection } from '../../src/wallet/ledger/store/connection-store.ts';
import { createGroupStore, type GroupStore } from '../../src/wallet/ledger/store/group-store.ts';
import { lockRows } from '../../src/wallet/ledger/store/lock-rows-store.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import {
  addCustomer,
  balanceOf,
  type Customer,
  chargesOf,
  connectionLost,
  holdOf,
  holdOperation,
  mustHold,
  type Node,
  pay,
  settleOf,
  startNode,
  takeDeadLetters,
} from './support.ts';

const limits = { waitingMax: 4_000, operationsPerGroupMax: 400, bytesPerGroupMax: 4_194_304 };

/** Locks a row on its own connection, until told to release it. */
async function lock(url: string, table: 'wallet' | 'credential_state', id: string) {
  const connection = await openConnection(url);
  await connection.query('START TRANSACTION');
  await connection.query(`SELECT id FROM ${table} WHERE id = '${id}' FOR UPDATE`);
  return {
    connection,
    async release(end: 'ROLLBACK' | 'COMMIT' = 'ROLLBACK') {
      await connection.query(end);
      await connection.end();
    },
  };
}

/** Runs pairs of a hold and a settlement for each customer concurrently, this many one after the other. */
async function payPairs(node: Node, customers: readonly Customer[], pairs: number): Promise<void> {
  const payOne = async (customer: Customer) => {
    for (let pair = 0; pair < pairs; pair++)
      await pay(node, holdOf(customer, { ceiling: 10n }), { cost: 1n, usage: {} });
  };
  await Promise.all(customers.map(payOne));
}

/** Checks repeatedly, until it is ended, whether a transaction of this database waits for a lock; returns how often it looked and saw one. */
async function watchLockWaits(url: string): Promise<() => Promise<{ looks: number; waits: number }>> {
  const connection = await openConnection(url);
  let ended = false;
  let [looks, waits] = [0, 0];
  const watching = (async () => {
    while (!ended) {
      const [rows] = await connection.query<RowDataPacket[]>(
        `SELECT t.trx_id FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
         WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT'`,
      );
      looks += 1;
      waits += rows.length;
      // MariaDB shows what it once read until nobody has asked for 100 ms.
      await sleep(150);
    }
  })();
  return async () => {
    ended = true;
    await watching;
    await connection.end();
    return { looks, waits };
  };
}

eachServer((server) => {
  const database = useDatabase(server);

  test('while one wallet is locked the others go on, and no transaction waits for it', {
    timeout: 60_000,
  }, async () => {
    const { url } = database();
    const node = startNode(url);
    const [stuck, ...others] = await Promise.all(Array.from({ length: 9 }, () => addCustomer(node, url, 5n)));
    if (!stuck) throw new Error('nobody');
    const hold = await mustHold(node, holdOf(stuck));
    const order: string[] = [];
    const locked = await lock(url, 'wallet', hold.walletId);
    const endWatch = await watchLockWaits(url);
    const settled = node.ledger.settle(hold, { cost: 7n, usage: {} }).then((receipt) => {
      order.push('settled');
      return receipt;
    });
    const early = node.ledger.hold(holdOf(stuck)).then((outcome) => {
      order.push('an early hold is refused');
      return outcome;
    });
    // The lock is released only after these, so a pair that waits for it would never end.
    await payPairs(node, others, 20);
    await early;
    await payPairs(node, others, 20);
    const late = await node.ledger.hold(holdOf(stuck));
    order.push('a late hold is refused');
    await payPairs(node, others, 20);
    const { looks, waits } = await endWatch();
    order.push('let go');
    await locked.release();

    const refused = { ok: false, failure: { kind: 'ledger_unavailable' } };
    expect([await early, late]).toMatchObject([refused, refused]);
    expect(await settled).toMatchObject({ state: 'settled', charged: 7n });
    expect(order).toEqual(['an early hold is refused', 'a late hold is refused', 'let go', 'settled']);
    expect(looks).toBeGreaterThan(0);
    expect(waits).toBe(0);
    await pay(node, holdOf(stuck), { cost: 1n, usage: {} });
    expect(await balanceOf(node, stuck)).toMatchObject({ balance: 5n * nanoPerUsd - 8n, held: 0n });
    expect(await auditLedger(node.db)).toEqual([]);
    await node.close();
  });

  test('a wallet that does not exist is told from one that is locked', async () => {
    const { url } = database();
    const node = startNode(url);
    const [stuck, free] = [await addCustomer(node, url, 5n), await addCustomer(node, url, 5n)];
    const holds = [await mustHold(node, holdOf(stuck)), await mustHold(node, holdOf(free))] as const;
    const locked = await lock(url, 'wallet', holds[0].walletId);
    const nobody = settleOf({ walletId: newId('wal'), chargeId: newId('chg') }, 1n);

    const connection = await openLedgerConnection(url, { answerTimeoutMs: 10_000 });
    const group: SettleOperation[] = [settleOf(holds[0], 1n), settleOf(holds[1], 1n), nobody];
    const rows = await lockRows(connection, group, { nodeId: 'nod_1', skipLocked: true });
    expect([...rows.lockedElsewhere]).toEqual([holds[0].walletId]);
    expect([...rows.state.wallets.values()].map(({ id }) => id)).toEqual([holds[1].walletId]);
    await connection.close();

    const { committer } = node.ledger;
    const settled = committer.submit(settleOf(holds[0], 1n));
    const [refused, done] = await Promise.allSettled(
      [nobody, settleOf(holds[1], 1n)].map((one) => committer.submit(one)),
    );
    expect(refused).toMatchObject({ status: 'rejected' });
    expect(done).toMatchObject({ status: 'fulfilled', value: { state: 'settled', charged: 1n } });
    await locked.release();
    expect(await settled).toMatchObject({ state: 'settled', charged: 1n });
    await takeDeadLetters(url, [nobody.chargeId]);
    await node.close();
  });

  test.for(['COMMIT', 'ROLLBACK'] as const)(
    'a revocation in progress delays its own wallet alone, and counts as it ends: %s',
    async (end) => {
      const { url } = database();
      // The pairs take long on a busy machine: the hold waits for as long as the lock is there.
      const node = startNode(url, { lockedMaxMs: 120_000 });
      const [revoked, free] = [await addCustomer(node, url, 5n), await addCustomer(node, url, 5n)];
      const order: string[] = [];
      const locked = await lock(url, 'credential_state', revoked.keyId);
      await locked.connection.query(
        `UPDATE credential_state SET state = 'revoked', revoked_at_ms = ${Date.now()} WHERE id = '${revoked.keyId}'`,
      );
      const held = node.ledger.hold(holdOf(revoked)).then((outcome) => {
        order.push('decided');
        return outcome;
      });
      for (let pair = 0; pair < 5; pair++) await pay(node, holdOf(free), { cost: 1n, usage: {} });
      order.push('let go');
      await locked.release(end);
      const refused = { ok: false, failure: { kind: 'key_revoked' } };
      expect(await held).toMatchObject(end === 'COMMIT' ? refused : { ok: true });
      expect(order).toEqual(['let go', 'decided']);
      await node.close();
    },
  );

  test.for(['hold', 'charge'] as const)(
    'a %s whose COMMIT was lost and whose wallet is then locked is found out afterwards',
    async (type) => {
      const { url } = database();
      const node = startNode(url);
      const customer = await addCustomer(node, url, 5n);
      const { walletId } = await mustHold(node, holdOf(customer, { ceiling: 1n }));
      const store = createGroupStore({ url });
      const locks: Awaited<ReturnType<typeof lock>>[] = [];
      const losing: GroupStore = {
        ...store,
        begin: async (operations, terms) => {
          const open = await store.begin(operations, terms);
          return {
            ...open,
            commit: async () => {
              await open.commit();
              if (locks.length > 0) return;
              locks.push(await lock(url, 'wallet', walletId));
              store.disconnect();
              throw connectionLost();
            },
          };
        },
      };
      const committer = createCommitter({ store: losing, limits, log: silent, nodeId: newId('nod') });
      const hold = holdOperation(walletId, holdOf(customer));
      const { chargeId } = hold;
      const charge: ChargeOperation = { type: 'charge', walletId, chargeId, hold, settlement: settleOf(hold, 9n) };
      let answered = false;
      const answer = committer.submit(type === 'hold' ? hold : charge).finally(() => {
        answered = true;
      });
      if (type === 'hold') {
        // Its caller is told that nothing is held, so it is given back.
        expect(await answer).toMatchObject({ ok: false, failure: { kind: 'ledger_unavailable' } });
        await locks[0]?.release();
        await expect.poll(() => chargesOf(url, chargeId)).toMatchObject([{ state: 'released' }]);
      } else {
        // It may have been paid for, so its caller waits for the truth.
        await sleep(4_000);
        expect(answered).toBe(false);
        await locks[0]?.release();
        expect(await answer).toMatchObject({ ok: true, value: { receipt: { state: 'settled', charged: 9n } } });
      }
      expect(await balanceOf(node, customer)).toMatchObject({ held: 1n });
      expect(await auditLedger(node.db)).toEqual([]);
      await committer.close(1_000);
      await node.close();
    },
  );
});
