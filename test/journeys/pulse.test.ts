import { afterAll, beforeAll, expect, test } from 'vitest';
import { PulseService } from '../../src/gen/intelligence/pulse/v1/pulse_service_pb.ts';
import { pulseInvariants } from '../../src/pulse/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const sentAt = new Date().toISOString();
const database = useDatabase(firstServer());
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
});
afterAll(async () => {
  // Whatever the tests did, the books agree with it.
  expect(await auditLedger(app.rooms.db, { more: pulseInvariants })).toEqual([]);
  await app.close();
});

const events = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `${prefix}-${i}`,
    journey: 'listing-publish',
    step: i % 2 ? 'payment' : 'photos',
    kind: 'entered',
    sessionId: `session-${i >> 1}`,
    occurredAt: new Date(Date.now() - 60_000 + i).toISOString(),
  }));

test('events are paid per thousand from the API wallet, in one entry a request, and reported at once', async () => {
  const customer = await onboard(app);
  const recorded = await send(app, 'POST', '/v1/pulse/events', customer.apiKey, { events: events('a', 500) });
  expect(recorded.status).toBe(200);
  // 0.01 USD per thousand unless configured otherwise.
  expect(recorded.body).toMatchObject({ accepted: 500, costUsd: '0.005', balanceUsd: '4.995' });
  const again = await send(app, 'POST', '/v1/pulse/events', customer.apiKey, { events: events('a', 500) });
  expect(again.body).toMatchObject({ accepted: 0, duplicates: 500, costUsd: '0.00', balanceUsd: '4.995' });
  const entries = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
  const usage = entries.body.entries.filter(({ kind }: { kind: string }) => kind === 'usage');
  expect(usage).toMatchObject([{ amountUsd: '-0.005', chargeId: recorded.body.chargeId }]);
  const charge = await send(app, 'GET', `/v1/charges/${recorded.body.chargeId}`, customer.apiKey);
  expect(charge.body.charge).toMatchObject({ operation: 'pulse', state: 'settled', chargedUsd: '0.005' });
  const report = await send(app, 'GET', '/v1/pulse/journeys/listing-publish/report', customer.managementKey);
  expect(report.body.totals).toMatchObject({ sessions: '250', abandoned: '0' });
});

test('a retry with its idempotency key hears the first answer over either protocol and pays once', async () => {
  const customer = await onboard(app);
  const headers = { 'idempotency-key': 'batch-1' };
  const client = grpcClient(app.url);
  const record = () =>
    client.unary(
      PulseService.method.recordEvents,
      { events: events('b', 3).map((one) => ({ ...one, occurredAt: sentAt })) },
      { authorization: `Bearer ${customer.apiKey}`, ...headers },
    );
  const first = await record();
  const second = await record();
  client.close();
  expect(first.message).toMatchObject({ accepted: 3, duplicates: 0, costUsd: '0.00003' });
  expect(second.message).toEqual(first.message);
  const wallet = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(wallet.body.wallet).toMatchObject({ balanceUsd: '4.99997', heldUsd: '0.00' });
});

test('without credit events are refused with 402 and not stored; reports stay free', async () => {
  const customer = await onboard(app, '0');
  const refused = await send(app, 'POST', '/v1/pulse/events', customer.apiKey, { events: events('c', 2) });
  expect([refused.status, reasonOf(refused)]).toEqual([402, 'INSUFFICIENT_CREDIT']);
  expect((await send(app, 'GET', '/v1/pulse/journeys', customer.apiKey)).body).toMatchObject({ journeys: [] });
  expect((await send(app, 'GET', '/v1/pulse/journeys/listing-publish/report', customer.apiKey)).status).toBe(404);
});
