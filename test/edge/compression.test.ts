import { request as http1Request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNoneMatch } from '../../src/edge/conditional.ts';
import { type Customer, onboard, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

interface Raw {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  bytes: Buffer;
}

/** A request whose headers nobody adds to, and whose answer nobody unpacks. */
function raw(
  path: string,
  headers: Record<string, string>,
  body?: string,
  method = body ? 'POST' : 'GET',
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const request = http1Request(`${app.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

const owner = () => ({ authorization: `Bearer ${customer.managementKey}` });
const replies: [string, () => Promise<{ path: string; headers: Record<string, string>; body?: string }>][] = [
  ['/openapi.json', async () => ({ path: '/openapi.json', headers: {} })],
  ['/docs/app.js', async () => ({ path: '/docs/app.js', headers: {} })],
  ['the entries as CSV', async () => ({ path: '/v1/wallet/entries:export?format=csv', headers: owner() })],
  ['the entries as JSON Lines', async () => ({ path: '/v1/wallet/entries:export?format=jsonl', headers: owner() })],
  ['usage as CSV', async () => ({ path: '/v1/usage:export?groupBy=day', headers: owner() })],
];

describe.each(replies)('%s', (_name, asked) => {
  const ask = async (accepted?: string, more: Record<string, string> = {}) => {
    const { path, headers, body } = await asked();
    return raw(path, { ...headers, ...more, ...(accepted !== undefined && { 'accept-encoding': accepted }) }, body);
  };

  test('is compressed where the caller takes gzip, and the same bytes where not', async () => {
    const plain = await ask();
    expect(plain.status, plain.bytes.toString()).toBe(200);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers.vary).toBe('accept-encoding');
    for (const accepted of ['gzip', 'br, gzip;q=0.8', 'GZIP', '*', 'identity;q=0.5, gzip', 'x-gzip']) {
      const packed = await ask(accepted);
      expect([packed.headers['content-encoding'], packed.headers.vary], accepted).toEqual(['gzip', 'accept-encoding']);
      expect(gunzipSync(packed.bytes).equals(plain.bytes), accepted).toBe(true);
    }
    for (const accepted of ['', 'br', 'gzip;q=0', 'gzip;q=0, *', 'identity, gzip;q=0.5', '*;q=0']) {
      const sent = await ask(accepted);
      expect(sent.headers, accepted).not.toHaveProperty('content-encoding');
      expect(sent.bytes.equals(plain.bytes), accepted).toBe(true);
    }
  });
});

describe('the OpenAI facade', () => {
  const ask = (accepted: string | undefined, more: object = {}) =>
    raw(
      '/v1/chat/completions',
      {
        ...{ authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
        ...(accepted !== undefined && { 'accept-encoding': accepted }),
      },
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    );
  const contentOf = (bytes: Buffer) => JSON.parse(bytes.toString()).choices[0].message.content;

  test('compresses a long reply for who takes it, and no short one', async () => {
    const long = 'A long answer. '.repeat(100);
    upstream.answer(() => ({ body: completion(long) }));
    const packed = await ask('gzip');
    expect([packed.status, packed.headers['content-encoding'], packed.headers.vary]).toEqual([
      ...[200, 'gzip', 'accept-encoding'],
    ]);
    expect(contentOf(gunzipSync(packed.bytes))).toBe(long);
    const plain = await ask('gzip;q=0');
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding']);
    expect(contentOf(plain.bytes)).toBe(long);
    upstream.answer(() => ({ body: completion('Short.') }));
    const short = await ask('gzip');
    expect(short.headers).not.toHaveProperty('content-encoding');
    expect(contentOf(short.bytes)).toBe('Short.');
  });

  test('never holds a stream back to compress it', async () => {
    upstream.answer(() => ({ pieces: streamedCompletion(['A ', 'long '.repeat(500)]) }));
    const streamed = await ask('gzip', { stream: true });
    expect(streamed.headers['content-type']).toContain('text/event-stream');
    expect(streamed.headers).not.toHaveProperty('content-encoding');
  });
});

describe('If-None-Match', () => {
  const ask = (headers: Record<string, string>, method = 'GET') => raw('/openapi.json', headers, undefined, method);

  test('names what the caller has: weakly, in a list, or whatever it is', async () => {
    const { headers } = await ask({});
    const etag = String(headers.etag);
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const named of [etag, `W/${etag}`, `"a", ${etag}`, `"a,b" , W/"c",W/${etag}`, '*', ' * ']) {
      const known = await ask({ 'if-none-match': named });
      expect([known.status, known.bytes.length, known.headers.etag, known.headers.vary], named).toEqual([
        ...[304, 0, etag, 'accept-encoding'],
      ]);
      expect((await ask({ 'if-none-match': named }, 'HEAD')).status).toBe(304);
    }
    for (const named of ['"a"', etag.slice(1, -1), `"x${etag.slice(1)}`, 'W/"a", "b"', '**', ''])
      expect((await ask({ 'if-none-match': named })).status, named).toBe(200);
  });

  test('is of the bytes that would be sent', async () => {
    const packed = await ask({ 'accept-encoding': 'gzip' });
    const plain = await ask({});
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    const known = { 'accept-encoding': 'gzip', 'if-none-match': String(packed.headers.etag) };
    expect((await ask(known)).status).toBe(304);
    expect((await ask({ ...known, 'if-none-match': String(plain.headers.etag) })).status).toBe(200);
  });

  test('may hold commas and bytes beyond ASCII within a tag', () => {
    expect(isNoneMatch('"a,b", "ü"', '"a,b"')).toBe(true);
    expect(isNoneMatch('"a,b", "ü"', '"ü"')).toBe(true);
    expect(isNoneMatch('"a,b"', '"b"')).toBe(false);
  });
});
