import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { RunningServer } from '../../src/edge/index.ts';
import { PulseService } from '../../src/gen/intelligence/pulse/v1/pulse_service_pb.ts';
import type { Pulse } from '../../src/pulse/index.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { startPulseServer } from './server.ts';
import { MemoryLedger, startPulse } from './support.ts';

const fresh = useDatabase(firstServer());
let pulse: Pulse;
let server: RunningServer;
const ledger = new MemoryLedger();

beforeAll(async () => {
  pulse = startPulse(fresh().database, ledger, { clock: systemClock });
  server = await startPulseServer(pulse);
});
afterAll(async () => {
  await server.close(0);
  await pulse.close();
});

async function rest(method: string, path: string, credential: string, body?: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const sample = (id: string, step: string, kind: string, minutes: number, more: object = {}) => ({
  id,
  journey: 'listing-publish',
  step,
  kind,
  sessionId: 'session-1',
  occurredAt: minutesAgo(minutes),
  ...more,
});

test('JSON over HTTP: events are recorded, listed and reported; bad ones are named and lose nothing', async () => {
  const recorded = await rest('POST', '/v1/pulse/events', 'api acc_rest', {
    events: [
      sample('r-1', 'details', 'entered', 9),
      sample('r-2', 'details', 'completed', 8, { userId: 'u1', properties: { browser: 'Firefox' } }),
      sample('r-3', 'payment', 'entered', 8),
      sample('r-4', 'payment', 'error', 7, { error: { code: 'CARD_DECLINED', message: 'Declined' } }),
      { ...sample('r-5', 'payment', 'entered', 6), occurredAt: 'yesterday' },
      sample('r-6', 'payment', 'exploded', 6),
      {},
    ],
  });
  expect(recorded.status).toBe(200);
  expect(recorded.body).toMatchObject({ accepted: 4, duplicates: 0, costUsd: '0.00004', balanceUsd: '4.99996' });
  expect(recorded.body.rejected).toMatchObject([
    { index: 4, reason: 'occurred_at_invalid' },
    { index: 5, reason: 'kind_unknown' },
    { index: 6, reason: 'id_invalid' },
  ]);
  expect(recorded.headers.get('x-charge-usd')).toBe('0.00004');

  const journeys = await rest('GET', '/v1/pulse/journeys', 'owner acc_rest');
  expect(journeys.body).toMatchObject({ journeys: [{ journey: 'listing-publish', sessionsLast30Days: '1' }] });

  const report = await rest('GET', '/v1/pulse/journeys/listing-publish/report?groupBy=day', 'api acc_rest');
  expect(report.status).toBe(200);
  expect(report.body).toMatchObject({
    journey: 'listing-publish',
    goal: 'payment',
    // Minutes ago: it may still go on.
    totals: { sessions: '1', active: '1', completed: '0', conversion: 0, abandoned: '0' },
    funnel: [
      { step: 'details', entered: '1', completed: '1', conversion: 1 },
      { step: 'payment', entered: '1', completed: '0', fromPrevious: 1 },
    ],
    errors: [{ step: 'payment', code: 'CARD_DECLINED', occurrences: '1', rate: 1, recoveredSessions: '0' }],
    series: [{ totals: { sessions: '1' } }],
  });
  expect(report.body.nextBestAction).toContain('CARD_DECLINED');
});

test('gRPC: the same events give the same answers', async () => {
  const client = grpcClient(server.url);
  const headers = { authorization: 'Bearer api acc_grpc' };
  const recorded = await client.unary(
    PulseService.method.recordEvents,
    { events: [sample('g-1', 'details', 'entered', 5), sample('g-1', 'details', 'entered', 5), { id: 'x' }] },
    headers,
  );
  expect(recorded.message).toMatchObject({ accepted: 1, duplicates: 1, costUsd: '0.00001' });
  expect(recorded.message?.rejected).toMatchObject([{ index: 2, reason: 'journey_invalid' }]);
  const report = await client.unary(PulseService.method.getJourneyReport, { journey: 'listing-publish' }, headers);
  expect(report.message?.report?.totals?.sessions).toBe(1n);
  const missing = await client.unary(PulseService.method.getJourneyReport, { journey: 'nowhere' }, headers);
  expect(missing.reason).toBe('NOT_FOUND');
  client.close();
});

test("another account's journey is not found", async () => {
  await rest('POST', '/v1/pulse/events', 'api acc_mine', { events: [sample('m-1', 'details', 'entered', 5)] });
  expect((await rest('GET', '/v1/pulse/journeys/listing-publish/report', 'api acc_mine')).status).toBe(200);
  expect((await rest('GET', '/v1/pulse/journeys/listing-publish/report', 'api acc_stranger')).status).toBe(404);
  const slip = await rest('GET', '/v1/pulse/journeys/listing-publsh/report', 'api acc_mine');
  expect(JSON.stringify(slip.body)).toContain('Perhaps listing-publish is meant.');
});

test('a journey is reported whatever its name holds', async () => {
  const journey = 'プロフィール/step: one 1.0';
  await rest('POST', '/v1/pulse/events', 'api acc_names', {
    events: [{ ...sample('n-1', 'a:b', 'entered', 5), journey }],
  });
  const path = `/v1/pulse/journeys/${encodeURIComponent(journey)}/report`;
  const report = await rest('GET', path, 'api acc_names');
  expect(report.body).toMatchObject({ journey, funnel: [{ step: 'a:b' }] });
});

test.each([
  ['no event at all', 'api acc_1', { events: [] }, 400],
  ['1,001 events', 'api acc_1', { events: Array.from({ length: 1_001 }, () => ({})) }, 400],
  ['an unknown field', 'api acc_1', { events: [], event: 1 }, 400],
  ['a key without the scope', 'other acc_1', { events: [{}] }, 403],
  ['a management key', 'owner acc_1', { events: [{}] }, 403],
  ['no credential', 'nobody', { events: [{}] }, 401],
])('recording is refused for %s', async (_, credential, body, status) => {
  expect((await rest('POST', '/v1/pulse/events', credential, body)).status).toBe(status);
});

test.each([
  ['groupBy=week', 400],
  ['from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 400],
  ['from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 400],
])('a report with %s is refused', async (query, status) => {
  expect((await rest('GET', `/v1/pulse/journeys/any/report?${query}`, 'api acc_1')).status).toBe(status);
});

test('only the owner may have a person forgotten', async () => {
  expect((await rest('POST', '/v1/pulse/persons:erase', 'owner acc_rest', { userId: 'u1' })).status).toBe(200);
  expect((await rest('POST', '/v1/pulse/persons:erase', 'api acc_rest', { userId: 'u1' })).status).toBe(403);
});

test('segments, declarations, comparisons and differences over JSON, for those who may', async () => {
  const declared = await rest('PUT', '/v1/pulse/properties', 'owner acc_seg', { properties: ['platform'] });
  expect(declared).toMatchObject({ status: 200, body: { properties: [{ property: 'platform' }] } });
  expect((await rest('PUT', '/v1/pulse/properties', 'api acc_seg', { properties: [] })).status).toBe(403);
  const nine = Array.from({ length: 9 }, (_, i) => `p${i}`);
  expect((await rest('PUT', '/v1/pulse/properties', 'owner acc_seg', { properties: nine })).status).toBe(400);
  const steps = [{ step: 'details' }, { step: 'extras', optional: true }, { step: 'payment' }];
  const path = '/v1/pulse/journeys/listing-publish';
  const plan = { steps, conversionWindowSeconds: 3_600, sessionTimeoutSeconds: 60 };
  expect(await rest('PUT', `${path}/declaration`, 'owner acc_seg', plan)).toMatchObject({ status: 200, body: plan });
  expect((await rest('PUT', `${path}/declaration`, 'owner acc_seg', { steps: [{ step: '' }] })).status).toBe(400);
  await rest('POST', '/v1/pulse/events', 'api acc_seg', {
    events: Array.from({ length: 80 }, (_, i) => {
      const properties = { platform: i % 2 ? 'ios' : 'android' };
      const more = { sessionId: `s${i}`, properties };
      const kind = i % 2 ? 'completed' : 'error';
      const error = i % 2 ? {} : { error: { code: 'E1' } };
      return [
        sample(`d${i}`, 'details', 'entered', 9, more),
        sample(`p${i}`, 'payment', kind, 8, { ...more, ...error }),
      ];
    }).flat(),
  });
  expect((await rest('GET', `${path}/declaration`, 'api acc_seg')).body).toMatchObject(plan);
  expect((await rest('GET', '/v1/pulse/properties', 'api acc_seg')).body).toEqual({
    properties: [{ property: 'platform', values: ['android', 'ios'] }],
  });
  const report = await rest('GET', `${path}/report?breakDownBy=platform`, 'api acc_seg');
  expect(report.body).toMatchObject({
    goal: 'payment',
    totals: { sessions: '80', active: '0', completed: '40', abandoned: '40' },
    funnel: [
      { step: 'details', reached: '80', optional: false },
      { step: 'extras', entered: '0', reached: '0', optional: true },
      { step: 'payment', reached: '80', fromPrevious: 1 },
    ],
    segments: [
      { value: 'android', totals: { sessions: '40', abandoned: '40' } },
      { value: 'ios', totals: { sessions: '40', completed: '40' } },
    ],
  });
  const german = await rest('GET', `${path}/report?locale=de-AT`, 'api acc_seg');
  expect(JSON.stringify(german.body)).toMatch(/"nextBestAction":"Beheben Sie den Fehler E1 im Schritt „payment“/);
  const ios = await rest('GET', `${path}/report?property=platform&value=ios`, 'api acc_seg');
  expect(ios.body).toMatchObject({ totals: { sessions: '40', completed: '40' }, errors: [] });
  expect((await rest('GET', `${path}/report?property=platform`, 'api acc_seg')).status).toBe(400);
  expect((await rest('GET', `${path}/report?property=browser&value=x`, 'api acc_seg')).status).toBe(400);
  const compared = await rest('GET', `${path}/comparison?property=platform&first=android&second=ios`, 'api acc_seg');
  expect(compared.body).toMatchObject({
    first: { sessions: '40' },
    metrics: [
      { metric: 'conversion', first: { part: '0', whole: '40' }, difference: { value: -1, significant: true } },
      {},
      {},
      {},
      {},
      {},
      {},
    ],
  });
  const differs = await rest('GET', `${path}/differences`, 'api acc_seg');
  expect(differs.body).toMatchObject({
    loss: 'abandoned',
    lost: '40',
    tested: 2,
    differences: [
      {
        property: 'platform',
        value: 'android',
        lost: '40',
        excess: 40,
        explained: 1,
        step: { step: 'payment' },
        error: { code: 'E1' },
      },
    ],
  });
  const client = grpcClient(server.url);
  const headers = { authorization: 'Bearer api acc_seg' };
  const overGrpc = await client.unary(PulseService.method.findDifferences, { journey: 'listing-publish' }, headers);
  expect(overGrpc.message?.differences?.differences[0]?.value).toBe('android');
  client.close();
});

test('the owner sets, lists and ends alerts', async () => {
  await rest('POST', '/v1/pulse/events', 'api acc_alert', { events: [sample('a-1', 'details', 'entered', 5)] });
  const path = '/v1/pulse/journeys/listing-publish/alerts';
  const set = await rest('PUT', `${path}/error_rate`, 'owner acc_alert', { above: 0.05 });
  const alert = { metric: 'error_rate', above: 0.05, windowHours: 1, leastSessions: 50, state: 'inside' };
  expect(set).toMatchObject({ status: 200, body: { journey: 'listing-publish', ...alert } });
  expect((await rest('GET', '/v1/pulse/alerts', 'owner acc_alert')).body).toMatchObject({ alerts: [alert] });
  expect((await rest('GET', '/v1/pulse/alerts', 'owner acc_other')).body).toEqual({ alerts: [] });
  expect((await rest('PUT', `${path}/error_rate`, 'api acc_alert', { above: 0.05 })).status).toBe(403);
  expect((await rest('PUT', `${path}/smile_rate`, 'owner acc_alert', { above: 0.05 })).status).toBe(400);
  expect((await rest('PUT', `${path}/error_rate`, 'owner acc_alert', { above: 1.5 })).status).toBe(400);
  expect((await rest('DELETE', `${path}/error_rate`, 'owner acc_alert')).status).toBe(200);
  expect((await rest('DELETE', `${path}/error_rate`, 'owner acc_alert')).status).toBe(404);
});
