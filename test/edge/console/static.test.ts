import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerConsoleFiles } from '../../../src/edge/console/static.ts';

const page = '<!doctype html><title>Console</title>';
const script = `console.log(${JSON.stringify('x'.repeat(500))});`;
let folder: string;
let app: FastifyInstance;
let unbuilt: FastifyInstance;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  const dist = join(folder, 'dist');
  mkdirSync(join(dist, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'not to be served');
  writeFileSync(join(dist, 'index.html'), page);
  writeFileSync(join(dist, 'favicon.svg'), '<svg/>');
  const ahead = { usage: { en: ['usage-en.js', 'usage.css'], de: ['usage-de.js'] } };
  const places = (names: string[]) => names.map((name) => `/console/assets/${name}`);
  writeFileSync(
    join(dist, 'ahead.json'),
    JSON.stringify({ usage: { en: places(ahead.usage.en), de: places(ahead.usage.de) } }),
  );
  const packed = [
    ['', Buffer.from(script)],
    ['.br', brotliCompressSync(script)],
    ['.gz', gzipSync(script)],
  ] as const;
  for (const [suffix, bytes] of packed) writeFileSync(join(dist, 'assets', `app-1a2b.js${suffix}`), bytes);
  app = Fastify();
  registerConsoleFiles(app, dist);
  unbuilt = Fastify();
  registerConsoleFiles(unbuilt, join(folder, 'nothing'));
});
afterAll(async () => {
  await app.close();
  await unbuilt.close();
  rmSync(folder, { recursive: true });
});

test('every path that is no file is a place in the console, under a strict policy', async () => {
  for (const url of ['/console/', '/console/usage', '/console/keys/key_1?x=1', '/console/index.html']) {
    const { statusCode, headers, body } = await app.inject(url);
    expect([url, statusCode, body]).toEqual([url, 200, page]);
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    const policy = String(headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"])
      expect(policy.split('; ')).toContain(rule);
  }
  const { statusCode, headers } = await app.inject('/console');
  expect([statusCode, headers.location]).toEqual([302, '/console/']);
});

test('a place names the files that it will need, in the language of the browser', async () => {
  const linkOf = async (url: string, language?: string) =>
    (await app.inject({ url, headers: language === undefined ? {} : { 'accept-language': language } })).headers.link;
  const session = '</console/session>; rel=preload; as=fetch; crossorigin';
  const english = `${session}, </console/assets/usage-en.js>; rel=modulepreload; crossorigin, </console/assets/usage.css>; rel=preload; as=style; crossorigin`;
  expect(await linkOf('/console/usage')).toBe(english);
  expect(await linkOf('/console/usage/of-a-day?x=1', 'fr, en;q=0.8')).toBe(english);
  expect(await linkOf('/console/usage', 'fr;q=0.9, de-AT, en')).toContain('/console/assets/usage-de.js');
  expect(await linkOf('/console/nowhere')).toBeUndefined();
  expect(await linkOf('/console/assets/app-1a2b.js')).toBeUndefined();
  // What it is told by is not served, and a cache knows what the answer depends on.
  expect((await app.inject('/console/ahead.json')).body).toBe(page);
  expect((await app.inject('/console/usage')).headers.vary).toBe('accept-language, accept-encoding');
});

test('the page is sent again only when it changed', async () => {
  const { headers } = await app.inject('/console/usage');
  const again = await app.inject({ url: '/console/charges', headers: { 'if-none-match': String(headers.etag) } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  const stale = await app.inject({ url: '/console/', headers: { 'if-none-match': '"other"' } });
  expect(stale.statusCode).toBe(200);
});

test('files come as they were packed, and those whose name tells their content are kept for good', async () => {
  const asset = '/console/assets/app-1a2b.js';
  const tags = new Set<unknown>();
  for (const [accepted, encoding, bytes] of [
    ['gzip, deflate, br', 'br', brotliCompressSync(script)],
    ['gzip', 'gzip', gzipSync(script)],
    ['br;q=0, gzip', 'gzip', gzipSync(script)],
    ['', undefined, Buffer.from(script)],
  ] as const) {
    const { headers, rawPayload } = await app.inject({ url: asset, headers: { 'accept-encoding': accepted } });
    expect([accepted, headers['content-encoding']]).toEqual([accepted, encoding]);
    expect(rawPayload.equals(bytes)).toBe(true);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers.vary).toBe('accept-encoding');
    tags.add(headers.etag);
  }
  expect(tags.size).toBe(3);
  expect((await app.inject('/console/favicon.svg')).headers['cache-control']).toBe('no-cache');
});

test('a file of an earlier build is missing, and nothing outside the build is reached', async () => {
  const gone = await app.inject('/console/assets/app-0000.js');
  expect([gone.statusCode, gone.body]).toEqual([
    404,
    'This file belongs to another build of the console. Reload the page.\n',
  ]);
  expect((await app.inject('/console/assets/app-1a2b.js.br')).statusCode).toBe(404);
  for (const url of [
    '/console/../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/assets/../../secret.txt',
  ])
    expect((await app.inject(url)).body).not.toContain('not to be served');
});

test('without a build, the console says so in one sentence', async () => {
  const { statusCode, headers, body } = await unbuilt.inject('/console/usage');
  expect([statusCode, headers['cache-control']]).toEqual([503, 'no-store']);
  expect(body).toMatch(/^The console is not built: .*\n$/);
});
