import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { type FakeStripe, startStripe, webhookSecret } from '../support/stripe.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let stripe: FakeStripe;
beforeAll(async () => {
  stripe = await startStripe();
  // With Stripe, its webhook is served.
  const payments = `{ provider: stripe, allowSandbox: true, stripe: { successUrl: "https://shop.test/paid", apiUrl: "${stripe.url}" } }`;
  app = await startApp({
    ...{
      databaseUrl: database().url,
      payments,
      variables: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: webhookSecret },
    },
  });
});
afterAll(async () => {
  await app.close();
  await stripe.close();
});

interface Refusal {
  status: number;
  allow: string | undefined;
  reason: string | undefined;
}

/** One request over HTTP/1.1, with any method, and without anything that a client would add. */
function overHttp1(method: string, target: string): Promise<Refusal> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(refusalIn(text)));
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}

function refusalIn(text: string): Refusal {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  return {
    status: Number(head.split(' ')[1]),
    allow: /^allow: ?(.*)$/im.exec(head)?.[1]?.trim(),
    reason: reasonIn(body),
  };
}

function overHttp2(headers: OutgoingHttpHeaders): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(app.url);
    session.on('error', reject);
    const stream = session.request(headers);
    let status = 0;
    let allow: string | undefined;
    let body = '';
    stream.on('response', (received) => {
      status = Number(received[':status']);
      allow = received.allow as string | undefined;
    });
    stream.on('data', (piece) => {
      body += String(piece);
    });
    stream.on('error', reject);
    stream.on('close', () => {
      session.destroy();
      resolve({ status, allow, reason: reasonIn(body) });
    });
    stream.end();
  });
}

function reasonIn(body: string): string | undefined {
  if (body === '') return undefined;
  const { error } = JSON.parse(body);
  // At paths of OpenAI's API it is the code.
  return error?.details?.[0]?.reason ?? error?.code.toUpperCase();
}

const rpc = '/intelligence.wallet.v1.WalletService/CreateTopUp';
const known: [path: string, allow: string][] = [
  ['/', 'GET, HEAD'],
  ['/healthz', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
  ['/metrics', 'GET, HEAD'],
  ['/openapi.json', 'GET, HEAD'],
  ['/docs', 'GET, HEAD'],
  ['/docs/app.js', 'GET, HEAD'],
  ['/.well-known/jwks.json', 'GET, HEAD'],
  ['/.well-known/oauth-authorization-server', 'GET, HEAD'],
  ['/oauth/token', 'POST'],
  ['/oauth/revoke', 'POST'],
  ['/webhooks/stripe', 'POST'],
  ['/activate', 'GET, HEAD, POST'],
  ['/v1/chat/completions', 'POST'],
  ['/v1/models', 'GET, HEAD'],
  ['/v1/models/some/model', 'GET, HEAD'],
  ['/v1/keys', 'GET, HEAD, POST'],
  ['/v1/keys/key_1', 'GET, HEAD, PATCH'],
  ['/v1/wallet', 'GET, HEAD'],
  ['/api/v1/assistant/chat', 'POST'],
  [rpc, 'POST'],
  ['/grpc.health.v1.Health/Check', 'POST'],
  ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 'POST'],
];

describe.each(known)('%s', (path, allow) => {
  test.each(['PUT', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'])('by %s is 405, with what it takes', async (method) => {
    expect(await overHttp1(method, path)).toEqual({ status: 405, allow, reason: 'METHOD_NOT_ALLOWED' });
    expect(await overHttp2({ ':method': method, ':path': path })).toEqual({
      ...{ status: 405, allow, reason: 'METHOD_NOT_ALLOWED' },
    });
  });

  test('tells the same to OPTIONS', async () => {
    const { status, headers } = await fetch(`${app.url}${path}`, { method: 'OPTIONS' });
    expect([status, headers.get('allow')]).toEqual([204, [...allow.split(', '), 'OPTIONS'].sort().join(', ')]);
  });
});

test.each([
  ['GET', rpc],
  ['PATCH', '/grpc.health.v1.Health/Check'],
  ['GET', '/oauth/token'],
  ['POST', '/healthz?verbose=1'],
  ['POST', '/v1/wallet'],
])('%s %s is 405 too', async (method, path) => {
  expect(await overHttp1(method, path)).toMatchObject({ status: 405, reason: 'METHOD_NOT_ALLOWED' });
});

test.each(['GET', 'POST', 'TRACE', 'PROPFIND', 'QUERY', 'DELETE'])('%s of an unknown path is 404', async (method) => {
  expect(await overHttp1(method, '/nothing/here')).toEqual({ status: 404, allow: undefined, reason: 'NOT_FOUND' });
});

test('a method that nobody knows is 501', async () => {
  const refused = { status: 501, allow: undefined, reason: 'UNIMPLEMENTED' };
  for (const method of ['BREW', 'x-own', 'get']) {
    expect(await overHttp1(method, '/v1/wallet')).toEqual(refused);
    expect(await overHttp2({ ':method': method, ':path': '/v1/wallet' })).toEqual(refused);
  }
});

test('CONNECT is 405: this is no proxy', async () => {
  const refused = { status: 405, allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT', reason: 'METHOD_NOT_ALLOWED' };
  expect(await overHttp1('CONNECT', 'example.com:443')).toEqual(refused);
  expect(await overHttp2({ ':method': 'CONNECT', ':authority': 'example.com:443' })).toEqual(refused);
});

test('a path below a prefix is as well known as one without', async () => {
  const below = await startApp({ databaseUrl: database().url, settings: 'http: { pathPrefix: /ai }' });
  const ask = async (method: string, path: string) => {
    const { status, headers } = await fetch(`${below.url}${path}`, { method });
    return [status, headers.get('allow')];
  };
  expect(await ask('PUT', '/healthz')).toEqual([405, 'GET, HEAD']);
  expect(await ask('PUT', '/ai/v1/wallet')).toEqual([405, 'GET, HEAD']);
  expect(await ask('PUT', '/ai/v1/models/x')).toEqual([405, 'GET, HEAD']);
  expect(await ask('PUT', '/v1/wallet')).toEqual([404, null]);
  await below.close();
});
