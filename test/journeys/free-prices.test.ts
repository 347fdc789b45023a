import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { pulseInvariants } from '../../src/pulse/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

const free = (upstream: string) => `workflows: { pricePerRequestUsd: "0" }
pulse: { pricePerThousandEventsUsd: "0" }
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream}/v1" }]
models:
  - id: free
    provider: up
    quality: 50
    contextTokens: 100000
    capabilities: [json]
    price: { inputPerMillionUsd: "0", outputPerMillionUsd: "0" }`;

const listing = { assist: 'off', listing: { title: 'Oak table', attributes: { age: 3 } } };
const events = (prefix: string) => ({
  events: [0, 1].map((index) => ({
    id: `${prefix}-${index}`,
    journey: 'publish',
    step: 'photos',
    kind: 'entered',
    sessionId: 's',
    occurredAt: sentAt,
  })),
});
const sentAt = new Date(Date.now() - 60_000).toISOString();

eachServer((server) => {
  const database = useDatabase(server);
  let upstream: Upstream;
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ databaseUrl: database().url, settings: free(upstream.url) });
    customer = await onboard(app);
  });
  afterAll(async () => {
    expect(await auditLedger(app.rooms.db, { more: [...chatInvariants, ...pulseInvariants] })).toEqual([]);
    await app.close();
    await upstream.close();
  });

  const chargeOf = async (chargeId: string) =>
    (await send(app, 'GET', `/v1/charges/${chargeId}`, customer.apiKey)).body.charge;
  const walletNow = async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;

  test('a workflow at 0 is settled at 0, and a retry hears the same answer', async () => {
    const key = { 'idempotency-key': 'w-1' };
    const scored = await send(app, 'POST', '/v1/readiness/listing', customer.apiKey, listing, key);
    expect([scored.status, scored.body.usage?.costUsd]).toEqual([200, '0.00']);
    expect(await chargeOf(scored.body.usage.chargeId)).toMatchObject({
      state: 'settled',
      heldUsd: '0.000000001',
      chargedUsd: '0.00',
    });
    const again = await send(app, 'POST', '/v1/readiness/listing', customer.apiKey, listing, key);
    expect(again.body).toEqual(scored.body);
    expect(await walletNow()).toMatchObject({ balanceUsd: '5.00', heldUsd: '0.00' });
  });

  test('a model at 0 helps a workflow at 0', async () => {
    const advice = { summary: 'Add a price.', nextBestAction: 'Add a price.' };
    upstream.answer(() => ({
      body: completion(JSON.stringify(advice), { prompt_tokens: 300, completion_tokens: 20 }),
    }));
    const scored = await send(app, 'POST', '/v1/readiness/listing', customer.apiKey, { ...listing, assist: '' });
    expect(scored.status).toBe(200);
    expect(upstream.seen.length).toBeGreaterThan(0);
    expect(scored.body.usage).toMatchObject({ costUsd: '0.00', inputTokens: expect.any(Number) });
    expect(await chargeOf(scored.body.usage.chargeId)).toMatchObject({ state: 'settled', chargedUsd: '0.00' });
    expect(await walletNow()).toMatchObject({ balanceUsd: '5.00', heldUsd: '0.00' });
  });

  test('events at 0 are recorded and settled at 0, and a retry hears the same answer', async () => {
    const key = { 'idempotency-key': 'p-1' };
    const recorded = await send(app, 'POST', '/v1/pulse/events', customer.apiKey, events('a'), key);
    expect([recorded.status, recorded.body]).toMatchObject([200, { accepted: 2, costUsd: '0.00', balanceUsd: '5.00' }]);
    expect(await chargeOf(recorded.body.chargeId)).toMatchObject({ state: 'settled', chargedUsd: '0.00' });
    const again = await send(app, 'POST', '/v1/pulse/events', customer.apiKey, events('a'), key);
    expect(again.body).toMatchObject({ accepted: 2, chargeId: recorded.body.chargeId });
    const known = await send(app, 'POST', '/v1/pulse/events', customer.apiKey, events('a'));
    expect(known.body).toMatchObject({ accepted: 0, duplicates: 2, costUsd: '0.00' });
    expect(await walletNow()).toMatchObject({ balanceUsd: '5.00', heldUsd: '0.00' });
  });

  test('at exactly 0 use pauses all the same, and a top-up resumes it', async () => {
    const poor = await onboard(app, '0');
    for (const [path, body] of [
      ['/v1/readiness/listing', listing],
      ['/v1/pulse/events', events('b')],
    ] as const) {
      const refused = await send(app, 'POST', path, poor.apiKey, body);
      expect([refused.status, reasonOf(refused)]).toEqual([402, 'INSUFFICIENT_CREDIT']);
    }
    const wallet = await send(app, 'GET', '/v1/wallet', poor.managementKey);
    expect(wallet.body.wallet).toMatchObject({ balanceUsd: '0.00', paused: true });
    await send(app, 'POST', '/v1/wallet/top-ups', poor.managementKey, { amountUsd: '5.00' });
    expect((await send(app, 'POST', '/v1/pulse/events', poor.apiKey, events('b'))).body).toMatchObject({ accepted: 2 });
  });

  test('the list of prices says 0', async () => {
    const { body } = await send(app, 'GET', '/v1/workflows/prices', customer.apiKey);
    expect(body.prices).toContainEqual({ family: 'readiness', priceUsd: '0.00', unit: 'request' });
    expect(body.prices).toContainEqual({ family: 'pulse', priceUsd: '0.00', unit: 'thousand_events' });
  });
});
