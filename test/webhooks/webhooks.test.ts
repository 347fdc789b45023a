import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { WebhookService } from '../../src/gen/intelligence/webhook/v1/webhook_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let receiver: Receiver;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings: 'webhooks: { allowPrivateNetworks: true }' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    receiver = await startReceiver();
    customer = await onboard(app);
    return () => receiver.close();
  });

  const manage = (method: string, path: string, body?: object) => send(app, method, path, customer.managementKey, body);
  const addEndpoint = async () => (await manage('POST', '/v1/webhooks/endpoints', { url: receiver.url })).body;
  const deliveries = async () => (await manage('GET', '/v1/webhooks/deliveries')).body.deliveries;
  const setThreshold = (thresholdUsd: string) => manage('PATCH', '/v1/wallet/low-balance-alert', { thresholdUsd });
  let adjustments = 0;
  const adjust = (direction: string, amountUsd: string) =>
    send(
      app,
      'POST',
      `/v1/accounts/${customer.accountId}/adjustments`,
      app.operatorToken,
      { direction, amountUsd, reason: 'test' },
      { 'idempotency-key': `a${++adjustments}` },
    );
  /** What hooks wait for; the machine may be busy. */
  const soon = { timeout: 30_000, interval: 50 };
  const arrived = (count: number) =>
    vi.waitFor(async () => {
      await app.rooms.webhooks.deliver();
      expect(receiver.received).toHaveLength(count);
    }, soon);

  test('a message is signed so that the library of Standard Webhooks verifies it, and the secret is shown once', async () => {
    const { endpoint, secret } = await addEndpoint();
    expect(endpoint).toMatchObject({ url: receiver.url, state: 'active' });
    await manage('POST', `/v1/webhooks/endpoints/${endpoint.endpointId}:test`, {});
    await arrived(1);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'webhook.test',
      data: { endpointId: endpoint.endpointId },
    });
    expect(() => new Webhook(secret).verify(body.replace('test', 'best'), headers as Record<string, string>)).toThrow();
    const listed = await manage('GET', '/v1/webhooks/endpoints');
    expect(listed.body.endpoints).toHaveLength(1);
    expect(listed.text).not.toContain('whsec_');
    expect(app.logged()).not.toContain(secret);
    const { rows } = await sql<{ secret: Buffer }>`SELECT secret FROM webhook_endpoint`.execute(
      database().database.for<never>(),
    );
    const plain = Buffer.from(secret.slice(6), 'base64');
    for (const row of rows) expect(row.secret.includes(plain)).toBe(false);
    await vi.waitFor(async () => {
      const [delivery] = await deliveries();
      expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, lastStatus: 204 });
      expect(delivery.messageId).toBe(headers['webhook-id']);
    }, soon);
  });

  test('each fall below the threshold is told once, also when the balance has recovered since', async () => {
    await addEndpoint();
    expect((await setThreshold('2.00')).body.alert).toEqual({ thresholdUsd: '2.00', below: false });
    expect(await app.rooms.lowBalanceAlerts.check()).toBe(0);
    await adjust('take', '3.00');
    await app.rooms.lowBalanceAlerts.check();
    expect(receiver.received).toHaveLength(0);
    await adjust('take', '0.000000001');
    await adjust('take', '0.50');
    await app.rooms.lowBalanceAlerts.check();
    await arrived(1);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      type: 'wallet.low_balance',
      data: { wallet: 'api', balanceUsd: '1.999999999', thresholdUsd: '2.00', paused: false },
    });
    await adjust('take', '0.10');
    await app.rooms.lowBalanceAlerts.check();
    await adjust('add', '5.00');
    await adjust('take', '6.00');
    await adjust('add', '5.00');
    await app.rooms.lowBalanceAlerts.check();
    await app.rooms.lowBalanceAlerts.check();
    await arrived(2);
    expect((await manage('GET', '/v1/wallet/low-balance-alert')).body.alert.below).toBe(false);
    await setThreshold('0');
    await adjust('take', '5.00');
    await app.rooms.lowBalanceAlerts.check();
    await app.rooms.webhooks.deliver();
    expect(receiver.received).toHaveLength(2);
  });

  test('two nodes that look at once tell it once', async () => {
    await addEndpoint();
    await setThreshold('4.00');
    await adjust('take', '2.00');
    await Promise.all([1, 2, 3, 4].map(() => app.rooms.lowBalanceAlerts.check()));
    expect(await deliveries()).toHaveLength(1);
  });

  test('what is not answered with 2xx is posted again with the same id, and redirects are not followed', async () => {
    await addEndpoint();
    await setThreshold('4.00');
    receiver.status = 302;
    await adjust('take', '2.00');
    await app.rooms.lowBalanceAlerts.check();
    await arrived(1);
    await vi.waitFor(
      async () =>
        expect(await deliveries()).toMatchObject([
          { state: 'pending', attempts: 1, lastStatus: 302, lastProblem: 'answered 302' },
        ]),
      soon,
    );
    receiver.status = 200;
    await noted();
    await makeDue();
    await arrived(2);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }]), soon);
  });

  test('after ten attempts it is given up', async () => {
    await addEndpoint();
    receiver.status = 500;
    await setThreshold('4.00');
    await adjust('take', '2.00');
    await app.rooms.lowBalanceAlerts.check();
    for (let count = 1; count <= 10; count++) {
      await arrived(count);
      await noted();
      await makeDue();
    }
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject([{ state: 'failed', attempts: 10 }]), soon);
    await makeDue();
    await app.rooms.webhooks.deliver();
    expect(receiver.received).toHaveLength(10);
  });

  test('an endpoint that is gone is disabled, and one that is deleted gets nothing more', async () => {
    const { endpoint } = await addEndpoint();
    receiver.status = 410;
    await manage('POST', `/v1/webhooks/endpoints/${endpoint.endpointId}:test`, {});
    await arrived(1);
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject([{ state: 'failed' }]), soon);
    expect((await manage('GET', '/v1/webhooks/endpoints')).body.endpoints).toMatchObject([{ state: 'disabled' }]);
    const again = await manage('POST', `/v1/webhooks/endpoints/${endpoint.endpointId}:test`, {});
    expect(reasonOf(again)).toBe('PRECONDITION_FAILED');
    expect((await manage('DELETE', `/v1/webhooks/endpoints/${endpoint.endpointId}`)).status).toBe(200);
    expect((await manage('DELETE', `/v1/webhooks/endpoints/${endpoint.endpointId}`)).status).toBe(404);
    expect((await manage('GET', '/v1/webhooks/endpoints')).body.endpoints).toEqual([]);
  });

  test('another account’s endpoint is not found, and an account has ten', async () => {
    const { endpoint } = await addEndpoint();
    const other = await onboard(app, '0');
    for (const [method, path] of [
      ['DELETE', `/v1/webhooks/endpoints/${endpoint.endpointId}`],
      ['POST', `/v1/webhooks/endpoints/${endpoint.endpointId}:test`],
    ] as const)
      expect((await send(app, method, path, other.managementKey, method === 'POST' ? {} : undefined)).status).toBe(404);
    for (let count = 1; count < 10; count++) await addEndpoint();
    expect(reasonOf(await manage('POST', '/v1/webhooks/endpoints', { url: receiver.url }))).toBe('PRECONDITION_FAILED');
    const page = await manage('GET', '/v1/webhooks/endpoints?pageSize=6');
    const next = await manage('GET', `/v1/webhooks/endpoints?pageSize=6&pageToken=${page.body.nextPageToken}`);
    expect([page.body.endpoints.length, next.body.endpoints.length, next.body.nextPageToken]).toEqual([6, 4, '']);
  });

  test('the same is there over gRPC', async () => {
    const client = grpcClient(app.url);
    const headers = { authorization: `Bearer ${customer.managementKey}` };
    const made = await client.unary(WebhookService.method.createEndpoint, { url: receiver.url }, headers);
    const endpointId = made.message?.endpoint?.endpointId ?? '';
    const tested = await client.unary(WebhookService.method.testEndpoint, { endpointId }, headers);
    expect(tested.message?.delivery).toMatchObject({ state: 'pending', endpointId });
    expect((await client.unary(WebhookService.method.listEndpoints, {}, headers)).message?.endpoints).toHaveLength(1);
    expect((await client.unary(WebhookService.method.listDeliveries, {}, headers)).message?.deliveries).toHaveLength(1);
    const set = await client.unary(WalletService.method.updateLowBalanceAlert, { thresholdUsd: '9' }, headers);
    expect(set.message?.alert).toMatchObject({ thresholdUsd: '9.00', below: true });
    const got = await client.unary(WalletService.method.getLowBalanceAlert, { wallet: 'application' }, headers);
    expect(got.message?.alert).toMatchObject({ thresholdUsd: '0.00', below: false });
    expect((await client.unary(WebhookService.method.deleteEndpoint, { endpointId }, headers)).error).toBeUndefined();
    client.close();
  });

  /** Until the outcome of the attempt is noted: before, the next one is a minute after it, which no rest is. */
  const noted = () =>
    vi.waitFor(async () => {
      const [delivery] = await deliveries();
      const rest = Date.parse(delivery.nextAttemptTime ?? '') - Date.parse(delivery.lastAttemptTime);
      expect(rest > 59_000 && rest < 61_000).toBe(false);
    }, soon);

  /** As if the rest were over; only for deliveries of this test's account. */
  async function makeDue(): Promise<void> {
    await sql`UPDATE webhook_delivery SET next_attempt_at_us = 1 WHERE state = 'pending' AND account_id = ${customer.accountId}`.execute(
      database().database.for<never>(),
    );
  }

  describe('without private networks', () => {
    const own = useDatabase(server);
    let closed: TestApp;
    beforeAll(async () => {
      closed = await startApp({ databaseUrl: own().url });
    });
    afterAll(() => closed.close());

    test.each([
      'http://example.com/hook',
      'https://127.0.0.1/hook',
      'https://2130706433/hook',
      'https://0x7f.1/hook',
      'https://[::1]/hook',
      'https://[::ffff:10.0.0.1]/hook',
      'https://169.254.169.254/latest/meta-data',
      'https://10.1.2.3/hook',
      'https://localhost/hook',
      'https://x.localhost/hook',
      'https://user:secret@example.com/hook',
      'ftp://example.com',
      'https://example.com/a\r\nX-Injected: yes',
      'https://example.com/\u0000',
      ' https://example.com/hook',
      'https://example.com/a b',
      'nonsense',
    ])('%j can’t be an endpoint', async (url) => {
      const owner = await onboard(closed, '0');
      const answer = await send(closed, 'POST', '/v1/webhooks/endpoints', owner.managementKey, { url });
      expect(answer.status).toBe(400);
      expect(answer.body.error.message).toContain('url');
    });
  });
});
