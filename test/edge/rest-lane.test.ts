import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusalOf } from '../../src/edge/failures.ts';
import { type GateServer, goodToken, scopelessToken, startGateServer } from '../support/gate-server.ts';
import { failures, secretInFault } from '../support/gate-service.ts';

let server: GateServer;
beforeAll(async () => {
  server = await startGateServer();
});
afterAll(() => server.close(0));

interface ErrorBody {
  error: { code: number; status: string; message: string; details: { '@type': string; reason?: string }[] };
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { response, text, json: () => JSON.parse(text) as ErrorBody };
}

function reasonOf(body: ErrorBody): string | undefined {
  const infos = body.error.details.filter((detail) => detail['@type'].endsWith('google.rpc.ErrorInfo'));
  expect(infos).toHaveLength(1);
  return infos[0]?.reason;
}

test('answers a call, with its request id', async () => {
  const { response, text } = await post(
    '/gate/say',
    { text: 'höi', number: 7, tags: ['a'] },
    { authorization: goodToken, 'x-request-id': 'my-id.1' },
  );
  expect(response.status).toBe(200);
  expect(JSON.parse(text)).toEqual({ text: 'höi', number: 7, tags: ['a'] });
  expect(response.headers.get('x-request-id')).toBe('my-id.1');
});

test.each([
  ['a reply', '/gate/say', { text: 'x' }, {}, 200],
  ['a refusal', '/gate/fail', { kind: 'rate_limited' }, {}, 429],
  ['a stream', '/gate/count', { to: 2 }, { accept: 'text/event-stream' }, 200],
  ['an unknown path', '/gate/nothing', {}, {}, 404],
  ['a reply over Connect', '/intelligence.test.v1.GateService/Say', { text: 'x' }, {}, 200],
])('no browser guesses the type of %s', async (_name, path, body, headers, status) => {
  const { response } = await post(path, body, { authorization: goodToken, ...headers });
  expect([response.status, response.headers.get('x-content-type-options')]).toEqual([status, 'nosniff']);
});

test('a stream whose caller leaves is logged as cancelled', async () => {
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/gate/count`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-request-id': 'leaves-1' },
    body: JSON.stringify({ to: 100_000, pauseMs: 2 }),
    signal: leaving.signal,
  });
  await response.body?.getReader().read();
  leaving.abort();
  const line = () =>
    server
      .logged()
      .split('\n')
      .find((entry) => entry.includes('leaves-1'));
  await expect.poll(line).toMatch(/"outcome":"cancelled"/);
});

test('a request id that is not safe to print is replaced', async () => {
  const { response } = await post('/gate/say', { text: 'x' }, { authorization: goodToken, 'x-request-id': 'a b"c' });
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
});

test.each(Object.values(failures))('prints $kind with its status, its reason and its headers', async (failure) => {
  const refusal = refusalOf(failure, { minimumTopUpUsd: '5.00' });
  const { response, json } = await post('/gate/fail', { kind: failure.kind });
  expect(response.status).toBe(refusal.status);
  expect(json().error.message).toBe(refusal.message);
  expect(reasonOf(json())).toBe(refusal.reason);
  for (const [name, value] of Object.entries(refusal.headers ?? {})) expect(response.headers.get(name)).toBe(value);
  if (refusal.retryAfterMs !== undefined) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a fault of the service says nothing of its inside and is logged under the request id', async () => {
  const { response, text, json } = await post('/gate/fail', {}, { 'x-request-id': 'fault-1' });
  expect(response.status).toBe(500);
  expect(text).not.toContain(secretInFault);
  expect(reasonOf(json())).toBe('INTERNAL');
  const line = server
    .logged()
    .split('\n')
    .filter((entry) => entry.includes('fault-1') && entry.includes(secretInFault));
  expect(line).toHaveLength(1);
});

describe('is refused before its body is read', () => {
  test.each([
    ['no credential', undefined, 401, 'CREDENTIAL_MISSING'],
    ['a wrong credential', 'Bearer nonsense', 401, 'CREDENTIAL_INVALID'],
    ['a credential without the scope', scopelessToken, 403, 'SCOPE_MISSING'],
  ])('%s', async (_name, authorization, status, reason) => {
    const { response, json } = await post('/gate/say', 'not json at all', authorization ? { authorization } : {});
    expect(response.status).toBe(status);
    expect(reasonOf(json())).toBe(reason);
  });
});

describe('bad requests', () => {
  const headers = { authorization: goodToken };
  test.each([
    ['an unknown field', { text: 'x', nope: 1 }, 'nope'],
    ['a field out of bounds', { text: '', number: 5 }, 'text'],
    ['a wrong type', { text: 5 }, 'text'],
    ['malformed JSON', '{"text": "x"', ''],
    ['a duplicate key', '{"text": "x", "text": "y"}', 'text'],
  ])('%s is 400 and names the place', async (_name, body, field) => {
    const { response, json } = await post('/gate/say', body, headers);
    expect(response.status).toBe(400);
    expect(reasonOf(json())).toBe('INVALID_ARGUMENT');
    expect(JSON.stringify(json())).toContain(field);
  });

  test('a body over the limit is 413', async () => {
    const { response, json } = await post('/gate/say', { text: 'x'.repeat(1_200_000) }, headers);
    expect(response.status).toBe(413);
    expect(reasonOf(json())).toBe('PAYLOAD_TOO_LARGE');
  });

  test('another content type is 415', async () => {
    const { response, json } = await post('/gate/say', 'text=x', { ...headers, 'content-type': 'text/plain' });
    expect(response.status).toBe(415);
    expect(reasonOf(json())).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  test('an unknown path is 404 and a wrong method 405 with Allow', async () => {
    const unknown = await post('/nothing/here', {});
    expect(unknown.response.status).toBe(404);
    const requestId = unknown.response.headers.get('x-request-id');
    expect(requestId).toMatch(/^req_/);
    expect((unknown.json() as ErrorBody).error.details[0]).toMatchObject({ metadata: { requestId } });
    const wrong = await fetch(`${server.url}/gate/say`, { method: 'GET' });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('POST');
    expect(reasonOf((await wrong.json()) as ErrorBody)).toBe('METHOD_NOT_ALLOWED');
  });

  test.each([
    ['/gate/say', 'OPTIONS, POST'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/intelligence.test.v1.GateService/Say', 'GET, OPTIONS, POST'],
    ['/intelligence.test.v1.GateService/Count', 'OPTIONS, POST'],
  ])('OPTIONS %s names the methods, and asks for no credential', async (path, allow) => {
    const answer = await fetch(`${server.url}${path}`, { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([204, allow, '']);
  });

  test('OPTIONS of an unknown path is 404', async () => {
    const unknown = await fetch(`${server.url}/nothing/here`, { method: 'OPTIONS' });
    expect(unknown.status).toBe(404);
    expect(reasonOf((await unknown.json()) as ErrorBody)).toBe('NOT_FOUND');
  });
});

test('a deadline that passes is 504, and the stream ends with the error when it had begun', async () => {
  const { response, text } = await post(
    '/gate/count',
    { to: 5000, pauseMs: 20 },
    // Long enough for it to begin, and a small part of what it takes to end.
    { 'grpc-timeout': '8S', accept: 'text/event-stream' },
  );
  expect(response.status).toBe(200);
  expect(text).toContain('data: {"number":1}');
  expect(text).toContain('event: error');
  expect(text).toContain('DEADLINE_EXCEEDED');
});

test('health, readiness and unknown gRPC-Web methods answer', async () => {
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});
