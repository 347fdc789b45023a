import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { WebhookService } from '../../src/gen/intelligence/webhook/v1/webhook_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';

const path = '/v1/webhooks';

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let receiver: Receiver;
  let customer: Customer;
  let endpointId: string;
  let secret: string;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings: 'webhooks: { allowPrivateNetworks: true }' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    receiver = await startReceiver();
    customer = await onboard(app);
    const added = await manage('POST', `${path}/endpoints`, { url: receiver.url });
    ({ secret } = added.body);
    ({ endpointId } = added.body.endpoint);
    return () => receiver.close();
  });

  const manage = (method: string, to: string, body?: object) => send(app, method, to, customer.managementKey, body);
  const rotate = (overlapSeconds: number) =>
    manage('POST', `${path}/endpoints/${endpointId}:rotateSecret`, { overlapSeconds });
  const retry = (deliveryId: string) => manage('POST', `${path}/deliveries/${deliveryId}:retry`, {});
  const read = async (deliveryId: string) => (await manage('GET', `${path}/deliveries/${deliveryId}`)).body;
  const run = (statement: ReturnType<typeof sql>) => statement.execute(database().database.for<never>());

  /** A message that was answered: its delivery. */
  async function sendTest(): Promise<string> {
    const { deliveryId } = (await manage('POST', `${path}/endpoints/${endpointId}:test`, {})).body.delivery;
    await ended(deliveryId, 1);
    return deliveryId;
  }

  const ended = (deliveryId: string, attempts: number) =>
    vi.waitFor(
      async () => {
        await app.rooms.webhooks.deliver();
        const { delivery } = await read(deliveryId);
        expect(delivery).toMatchObject({ attempts });
        expect(delivery.state).not.toBe('pending');
      },
      { timeout: 20_000, interval: 50 },
    );
  const last = () => receiver.received.at(-1) as Received;
  const holds = (by: string, { headers, body } = last()) => {
    try {
      new Webhook(by).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  /** As if its retry had been a while ago. */
  const rested = () => run(sql`UPDATE webhook_delivery SET retried_at_us = 1 WHERE account_id = ${customer.accountId}`);

  test('within the overlap a message holds by the old secret and by the new one, after it by the new one alone', async () => {
    const { status, body } = await rotate(3_600);
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(secret);
    const until = Date.parse(body.endpoint.previousSecretExpireTime) - Date.now();
    expect(until).toBeGreaterThan(3_000_000);
    expect(until).toBeLessThan(4_200_000);
    await sendTest();
    expect([holds(secret), holds(body.secret)]).toEqual([true, true]);
    expect(last().headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);

    await run(sql`UPDATE webhook_endpoint SET previous_expires_at_us = 1 WHERE id = ${endpointId}`);
    await sendTest();
    expect([holds(secret), holds(body.secret)]).toEqual([false, true]);
    expect(last().headers['webhook-signature']).toMatch(/^v1,\S+$/);
    const [listed] = (await manage('GET', `${path}/endpoints`)).body.endpoints;
    expect(listed.previousSecretExpireTime).toBeUndefined();
  });

  test('without an overlap the old secret ends at once, and a rotation within one ends the oldest', async () => {
    const second = (await rotate(3_600)).body.secret;
    const third = (await rotate(3_600)).body.secret;
    await sendTest();
    expect([secret, second, third].map((by) => holds(by))).toEqual([false, true, true]);
    const fourth = (await rotate(0)).body;
    expect(fourth.endpoint.previousSecretExpireTime).toBeUndefined();
    await sendTest();
    expect([secret, second, third, fourth.secret].map((by) => holds(by))).toEqual([false, false, false, true]);
  });

  test('secrets are stored sealed, and one that signs no more is deleted', async () => {
    const { body } = await rotate(3_600);
    const stored = async () => {
      const { rows } = await sql<{ secret: Buffer; previous_secret: Buffer | null }>`
        SELECT secret, previous_secret FROM webhook_endpoint WHERE id = ${endpointId}`.execute(
        database().database.for<never>(),
      );
      return rows[0];
    };
    const row = await stored();
    for (const shown of [secret, body.secret])
      for (const sealed of [row?.secret, row?.previous_secret])
        expect(sealed?.includes(Buffer.from(shown.slice(6), 'base64'))).toBe(false);
    expect(app.logged()).not.toContain(body.secret);
    await run(sql`UPDATE webhook_endpoint SET previous_expires_at_us = 1 WHERE id = ${endpointId}`);
    // The service's own rounds do it.
    await vi.waitFor(async () => expect((await stored())?.previous_secret).toBeNull(), { timeout: 30_000 });
    await sendTest();
    expect(holds(body.secret)).toBe(true);
  });

  test('an overlap is 7 days at most', async () => {
    expect((await rotate(604_800)).status).toBe(200);
    const refused = await rotate(604_801);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('overlapSeconds');
  });

  test('a delivery says what is posted, byte for byte', async () => {
    const deliveryId = await sendTest();
    const { delivery, payload } = await read(deliveryId);
    expect(delivery).toMatchObject({
      deliveryId,
      endpointId,
      type: 'webhook.test',
      state: 'delivered',
      lastStatus: 204,
    });
    expect(payload).toBe(last().body);
  });

  test('deliveries are listed by endpoint and state, page by page', async () => {
    const delivered = await sendTest();
    receiver.status = 500;
    const failed = [await sendTest(), await sendTest()];
    const elsewhere = await startReceiver();
    const second = (await manage('POST', `${path}/endpoints`, { url: elsewhere.url })).body.endpoint.endpointId;
    const other = (await manage('POST', `${path}/endpoints/${second}:test`, {})).body.delivery.deliveryId;
    await ended(other, 1);
    await elsewhere.close();
    const listed = async (query: string) => {
      const { body } = await manage('GET', `${path}/deliveries?${query}`);
      const ids = body.deliveries.map(({ deliveryId }: { deliveryId: string }) => deliveryId);
      return { ids, next: body.nextPageToken as string };
    };
    expect((await listed('')).ids).toEqual([other, failed[1], failed[0], delivered]);
    expect((await listed(`endpointId=${endpointId}`)).ids).toEqual([failed[1], failed[0], delivered]);
    expect((await listed('state=delivered')).ids).toEqual([other, delivered]);
    expect((await listed(`endpointId=${second}&state=failed`)).ids).toEqual([]);
    const first = await listed('state=failed&pageSize=1');
    expect(first.ids).toEqual([failed[1]]);
    expect((await listed(`state=failed&pageSize=1&pageToken=${first.next}`)).ids).toEqual([failed[0]]);
    const refused = await manage('GET', `${path}/deliveries?state=lost`);
    expect([refused.status, reasonOf(refused)]).toEqual([400, 'INVALID_ARGUMENT']);
  });

  test('what failed is posted again under the same id, and so is what was delivered', async () => {
    receiver.status = 500;
    const deliveryId = await sendTest();
    expect((await read(deliveryId)).delivery).toMatchObject({ state: 'failed', lastProblem: 'answered 500' });
    receiver.status = 204;
    const due = await retry(deliveryId);
    expect(due.body.delivery).toMatchObject({ deliveryId, state: 'pending', attempts: 1 });
    await ended(deliveryId, 2);
    expect((await read(deliveryId)).delivery).toMatchObject({ state: 'delivered', lastStatus: 204 });
    await rested();
    expect((await retry(deliveryId)).status).toBe(200);
    await ended(deliveryId, 3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received).toHaveLength(3);
  });

  test('one that waits for its next time is posted now', async () => {
    receiver.status = 503;
    const { deliveryId } = (await manage('POST', `${path}/endpoints/${endpointId}:test`, {})).body.delivery;
    await ended(deliveryId, 1);
    // As a message that has a day to wait.
    const inADay = BigInt(Date.now() + 86_400_000) * 1_000n;
    await run(
      sql`UPDATE webhook_delivery SET state = 'pending', next_attempt_at_us = ${inADay} WHERE id = ${deliveryId}`,
    );
    expect(await app.rooms.webhooks.deliver()).toBe(0);
    receiver.status = 200;
    expect((await retry(deliveryId)).status).toBe(200);
    await ended(deliveryId, 2);
    expect((await read(deliveryId)).delivery.state).toBe('delivered');
  });

  test('one that is being posted at this moment is not posted twice', async () => {
    receiver.status = 500;
    const deliveryId = await sendTest();
    // As it stands between its claim and its answer.
    const now = BigInt(Date.now()) * 1_000n;
    await run(sql`UPDATE webhook_delivery SET state = 'pending', last_attempt_at_us = ${now},
      next_attempt_at_us = ${now + 60_000_000n} WHERE id = ${deliveryId}`);
    const asked = await retry(deliveryId);
    expect(asked.body.delivery).toMatchObject({ state: 'pending', attempts: 1 });
    expect(await app.rooms.webhooks.deliver()).toBe(0);
    expect(receiver.received).toHaveLength(1);
  });

  test('one delivery can be asked for once in ten seconds, and thirty of an account in a minute', async () => {
    const other = await sendTest();
    const deliveryId = await sendTest();
    expect((await retry(deliveryId)).status).toBe(200);
    await ended(deliveryId, 2);
    // However slow this machine is, it was a moment ago.
    const inAnHour = BigInt(Date.now() + 3_600_000) * 1_000n;
    await run(sql`UPDATE webhook_delivery SET retried_at_us = ${inAnHour} WHERE id = ${deliveryId}`);
    const again = await retry(deliveryId);
    expect([again.status, reasonOf(again)]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(again.headers.get('ratelimit')).toBe(`"default";r=0;t=${again.headers.get('retry-after')}`);
    expect(again.text).toContain('one retry of a delivery in 10 seconds');
    // Twenty-nine others of this account, asked for a moment ago.
    for (let index = 0; index < 29; index++)
      await run(sql`INSERT INTO webhook_delivery
        (id, account_id, endpoint_id, message_id, type, payload, state, attempts, created_at_us, retried_at_us)
        SELECT CONCAT(id, ${String(index)}), account_id, endpoint_id, message_id, type, payload, state, attempts, created_at_us, retried_at_us
        FROM webhook_delivery WHERE id = ${deliveryId}`);
    const tooMany = await retry(other);
    expect([tooMany.status, reasonOf(tooMany)]).toEqual([429, 'RATE_LIMITED']);
    expect(tooMany.text).toContain('retries of 30 deliveries a minute');
    // Another account has thirty of its own.
    const neighbour = await onboard(app, '0');
    expect((await send(app, 'POST', `${path}/deliveries/${other}:retry`, neighbour.managementKey, {})).status).toBe(
      404,
    );
    await rested();
    expect((await retry(other)).status).toBe(200);
  });

  test('an endpoint that is disabled or removed is told of nothing again', async () => {
    receiver.status = 410;
    const deliveryId = await sendTest();
    const disabled = await retry(deliveryId);
    expect([disabled.status, reasonOf(disabled)]).toEqual([409, 'PRECONDITION_FAILED']);
    expect(disabled.text).toContain('is disabled');
    await manage('DELETE', `${path}/endpoints/${endpointId}`);
    expect((await retry(deliveryId)).text).toContain('was removed');
    expect(receiver.received).toHaveLength(1);
  });

  test('another account’s endpoint and delivery are not found', async () => {
    const deliveryId = await sendTest();
    const stranger = await onboard(app, '0');
    for (const [method, to] of [
      ['POST', `${path}/endpoints/${endpointId}:rotateSecret`],
      ['POST', `${path}/deliveries/${deliveryId}:retry`],
      ['GET', `${path}/deliveries/${deliveryId}`],
      ['GET', `${path}/deliveries/nonsense`],
    ] as const) {
      const answer = await send(app, method, to, stranger.managementKey, method === 'POST' ? {} : undefined);
      expect([answer.status, reasonOf(answer)], to).toEqual([404, 'NOT_FOUND']);
    }
    await sendTest();
    expect(holds(secret)).toBe(true);
  });

  test('the same is there over gRPC', async () => {
    const client = grpcClient(app.url);
    const headers = { authorization: `Bearer ${customer.managementKey}` };
    const { method } = WebhookService;
    const rotated = await client.unary(method.rotateEndpointSecret, { endpointId, overlapSeconds: 60 }, headers);
    expect(rotated.message?.endpoint?.previousSecretExpireTime).toBeDefined();
    const deliveryId = await sendTest();
    expect(holds(rotated.message?.secret ?? '')).toBe(true);
    const got = await client.unary(method.getDelivery, { deliveryId }, headers);
    expect(got.message).toMatchObject({ payload: last().body, delivery: { state: 'delivered', attempts: 1 } });
    const due = await client.unary(method.retryDelivery, { deliveryId }, headers);
    expect(due.message?.delivery).toMatchObject({ deliveryId, state: 'pending' });
    await ended(deliveryId, 2);
    client.close();
  });
});
