import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** A customer's server that answers nothing until it is told to. */
async function startSlowReceiver() {
  const waiting = new Set<ServerResponse>();
  const bodies: string[] = [];
  let mostAtOnce = 0;
  let isSlow = true;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      bodies.push(body);
      if (!isSlow) return response.writeHead(204).end();
      waiting.add(response);
      mostAtOnce = Math.max(mostAtOnce, waiting.size);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `http://127.0.0.1:${port}/${path}`,
    bodies,
    mostAtOnce: () => mostAtOnce,
    release() {
      isSlow = false;
      for (const response of waiting) response.writeHead(204).end();
      waiting.clear();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let slow: Awaited<ReturnType<typeof startSlowReceiver>>;
  let quick: Receiver;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings: 'webhooks: { allowPrivateNetworks: true }' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    slow = await startSlowReceiver();
    quick = await startReceiver();
  });
  afterEach(async () => {
    slow.release();
    await app.rooms.webhooks.deliver();
    await slow.close();
    await quick.close();
  });

  const addEndpoint = (customer: Customer, url: string) =>
    send(app, 'POST', '/v1/webhooks/endpoints', customer.managementKey, { url });
  type Type = 'webhook.test' | 'wallet.low_balance';
  /** All of them become due at one moment. */
  const enqueue = (customer: Customer, ...messages: [type: Type, count: number][]) =>
    database().database.transaction(async (tx) => {
      for (const [type, count] of messages)
        for (let n = 1; n <= count; n++) await app.rooms.webhooks.enqueue(tx, customer.accountId, type, { n });
    });
  // Generous: a round begins every two seconds, and the machine may be busy. An attempt that is not answered takes 15 s.
  const soon = { timeout: 12_000, interval: 20 };

  for (const type of ['webhook.test', 'wallet.low_balance'] as const)
    test(`80 times ${type} to a slow endpoint of one account do not hold up the message of another`, async () => {
      const [noisy, calm] = [await onboard(app, '0'), await onboard(app, '0')];
      await addEndpoint(noisy, slow.url('one'));
      await addEndpoint(calm, quick.url);
      await enqueue(noisy, [type, 80]);
      await vi.waitFor(() => expect(slow.bodies.length).toBeGreaterThan(0), soon);
      await enqueue(calm, ['wallet.low_balance', 1]);
      // None of the 80 has been answered when it arrives.
      await vi.waitFor(() => expect(quick.received).toHaveLength(1), soon);
      expect(slow.bodies.length).toBeLessThanOrEqual(2);
      slow.release();
      await app.rooms.webhooks.deliver();
      expect(slow.bodies).toHaveLength(80);
      expect(slow.mostAtOnce()).toBe(2);
    });

  test('an account has four attempts in flight, however many endpoints it has, and its tests come last', async () => {
    const noisy = await onboard(app, '0');
    for (let n = 0; n < 10; n++) await addEndpoint(noisy, slow.url(String(n)));
    await enqueue(noisy, ['webhook.test', 5], ['wallet.low_balance', 3]);
    await vi.waitFor(() => expect(slow.bodies.length).toBe(4), soon);
    slow.release();
    await app.rooms.webhooks.deliver();
    expect(slow.mostAtOnce()).toBe(4);
    const types = slow.bodies.map((body) => JSON.parse(body).type);
    expect(types).toHaveLength(80);
    expect(types.slice(0, 30)).toEqual(types.slice(0, 30).map(() => 'wallet.low_balance'));
  });

  test('25 endpoints that are added at once leave ten', async () => {
    const customer = await onboard(app, '0');
    const answers = await Promise.all(Array.from({ length: 25 }, () => addEndpoint(customer, quick.url)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter((answer) => reasonOf(answer) === 'PRECONDITION_FAILED')).toHaveLength(15);
    const listed = await send(app, 'GET', '/v1/webhooks/endpoints', customer.managementKey);
    expect(listed.body.endpoints).toHaveLength(10);
  });

  test('an account sends ten tests a minute, also at once, and a test is posted once', async () => {
    const customer = await onboard(app, '0');
    quick.status = 500;
    const { body } = await addEndpoint(customer, quick.url);
    const path = `/v1/webhooks/endpoints/${body.endpoint.endpointId}:test`;
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => send(app, 'POST', path, customer.managementKey, {})),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.filter((answer) => reasonOf(answer) === 'RATE_LIMITED');
    expect(refused).toHaveLength(15);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    await app.rooms.webhooks.deliver();
    expect(quick.received).toHaveLength(10);
    const { deliveries } = (await send(app, 'GET', '/v1/webhooks/deliveries', customer.managementKey)).body;
    for (const delivery of deliveries)
      expect(delivery).toMatchObject({ state: 'failed', attempts: 1, lastProblem: 'answered 500' });
  });
});
