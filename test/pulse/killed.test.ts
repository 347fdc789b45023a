import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { unwrap } from '../../src/base/failure.ts';
import { migrate } from '../../src/db/index.ts';
import { silent, startOwnServer } from '../support/database.ts';
import { addCustomer, balanceOf, startNode } from '../wallet/support.ts';
import { callerOf, event, noon, startPulse } from './support.ts';

const usd = 1_000_000_000n;
const perEvent = 10_000n;
const senders = 4;
const batchesEach = 25;
const batchSize = 40;

test('a database killed three times under load: every event is stored once and charged once', async () => {
  const server = await startOwnServer();
  await migrate({ url: server.url, log: silent });
  const node = startNode(server.url);
  const pulse = startPulse(node.db, node.ledger, { leftBehindAfterSeconds: 0 });
  const customer = await addCustomer(node, server.url, 100n);
  const caller: Caller = { ...callerOf(customer.accountId), key: { id: customer.keyId, version: 1 } };

  let refused = 0;
  let sending = true;
  const send = async (sender: number) => {
    for (let batch = 0; batch < batchesEach; batch++) {
      const events = Array.from({ length: batchSize }, (_, i) =>
        // Neighbouring senders share a quarter of their events.
        event({ id: `e-${sender * 750 + batch * batchSize + i}`, sessionId: `s${i}`, step: `step ${batch % 6}` }),
      );
      for (;;) {
        const answer = await pulse.recordEvents(caller, events).catch(() => undefined);
        if (answer?.ok) break;
        refused++;
        await sleep(20);
      }
    }
  };
  const kills = async () => {
    for (let kill = 0; kill < 3 && sending; kill++) {
      await sleep(60);
      await server.kill();
      await sleep(30);
      await server.start();
    }
  };
  await Promise.all([
    Promise.all(Array.from({ length: senders }, (_, i) => send(i))).finally(() => {
      sending = false;
    }),
    kills(),
  ]);
  while ((await pulse.recoverCharges()) > 0);

  const distinct = new Set(
    Array.from({ length: senders }, (_, sender) =>
      Array.from({ length: batchesEach * batchSize }, (_, i) => sender * 750 + i),
    ).flat(),
  ).size;
  const { count } = await node.db
    .for<{ pulse_event: { event_id: string } }>()
    .selectFrom('pulse_event')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(distinct);
  const { balance } = await balanceOf(node, customer);
  expect(100n * usd - balance).toBe(BigInt(distinct) * perEvent);
  const period = { fromMs: noon - 86_400_000, toMs: noon };
  const report = unwrap(await pulse.readReport({ accountId: customer.accountId, journey: 'publish', ...period }));
  expect(report.totals.sessions).toBe(batchSize);
  expect(refused).toBeGreaterThan(0);
  await pulse.close();
  await node.close();
  await server.remove();
});
