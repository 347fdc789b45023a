import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const database = useDatabase(firstServer());
let app: TestApp;
let off: TestApp;
let withoutReplies: TestApp;
let upstream: Upstream;
let customer: Customer;
let number = 0;
let question: object;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answer(({ body }) =>
    body.stream === true ? { pieces: streamedCompletion(['An ', 'answer.']) } : { body: completion('An answer.') },
  );
  const settings = `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`;
  app = await startApp({ databaseUrl: database().url, settings });
  off = await startApp({ databaseUrl: database().url, settings: `${settings}\nchat: { cache: { enabled: false } }` });
  withoutReplies = await startApp({
    databaseUrl: database().url,
    settings: `${settings}\nledger: { storeReplies: false }`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  await off.close();
  await withoutReplies.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
  number++;
  question = { messages: [{ role: 'user', content: `Question ${number}` }], cache: { maxAgeSeconds: 600 } };
});

const ask = (body: object, headers: Record<string, string> = {}, key = customer.apiKey) =>
  send(app, 'POST', chatPath, key, body, headers);

test('a repeated request over JSON is free, says so in body and headers, and moves no money', async () => {
  const first = await ask(question);
  expect(first).toMatchObject({ status: 200, body: { cache: { hit: false }, usage: { costUsd: '0.00002' } } });
  expect(first.body.cache).not.toHaveProperty('ageSeconds');
  await app.rooms.chat.drained();
  const again = await ask(question);
  expect(again).toMatchObject({
    status: 200,
    body: {
      id: first.body.id,
      message: first.body.message,
      usage: { inputTokens: 10, outputTokens: 5, costUsd: '0.00' },
      balanceUsd: first.body.balanceUsd,
      cache: { hit: true },
      routing: { attempts: [] },
    },
  });
  expect(again.body.cache.ageSeconds).toBeGreaterThanOrEqual(0);
  expect(again.headers.get('x-charge-usd')).toBe('0.00');
  expect(again.headers.get('x-balance-usd')).toBe(first.body.balanceUsd);
  expect(upstream.seen).toHaveLength(1);
  const entries = await send(app, 'GET', '/v1/wallet/entries', customer.managementKey);
  expect(entries.body.entries.filter(({ kind }: { kind: string }) => kind === 'usage')).toHaveLength(1);
});

test('a repeated request over server-sent events is one piece and its end', async () => {
  await ask(question);
  await app.rooms.chat.drained();
  const { text } = await ask(question, { accept: 'text/event-stream' });
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
  expect(events).toMatchObject([
    { content: 'An answer.' },
    { end: { cache: { hit: true }, usage: { costUsd: '0.00' }, finishReason: 'stop' } },
  ]);
  expect(upstream.seen).toHaveLength(1);
});

test('a revoked key is not answered, whatever is kept', async () => {
  const made = await send(app, 'POST', '/v1/keys', customer.managementKey, { displayName: 'b', purpose: 'a test' });
  await ask(question, {}, made.body.secret);
  await app.rooms.chat.drained();
  await send(app, 'POST', `/v1/keys/${made.body.key.keyId}:revoke`, customer.managementKey);
  expect(reasonOf(await ask(question, {}, made.body.secret))).toBe('KEY_REVOKED');
});

test.each([
  ['no time', { cache: {} }],
  ['no time at all', { cache: { maxAgeSeconds: 0 } }],
  ['more than thirty days', { cache: { maxAgeSeconds: 2_592_001 } }],
  ['an unknown field', { cache: { maxAgeSeconds: 60, ttl: 5 } }],
])('a cache with %s is refused', async (_, cache) => {
  expect((await ask({ ...question, ...cache })).status).toBe(400);
});

test('a request that asks for no cache hears nothing of it', async () => {
  expect((await ask({ ...question, cache: undefined })).body).not.toHaveProperty('cache');
});

test.each<[string, () => TestApp]>([
  ['the cache', () => off],
  ['storing replies', () => withoutReplies],
])('an operator who switched off %s has none kept', async (_, which) => {
  const other = which();
  const owner = await onboard(other);
  for (let index = 0; index < 2; index++) {
    const { body } = await send(other, 'POST', chatPath, owner.apiKey, question);
    expect(body).toMatchObject({ cache: { hit: false }, usage: { costUsd: '0.00002' } });
    await other.rooms.chat.drained();
  }
  expect(upstream.seen).toHaveLength(2);
});

test('operators see hits, misses and what is kept', async () => {
  await ask(question);
  await app.rooms.chat.drained();
  await ask(question);
  const { text } = await send(app, 'GET', '/metrics', app.operatorToken);
  for (const event of ['hit', 'miss', 'stored'])
    expect(text).toMatch(new RegExp(`chat_cache_events_total{event="${event}"} [1-9]`));
});

test("clients made for OpenAI's API ask by Cache-Control, and hear of it in the reply", async () => {
  const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: customer.apiKey });
  const messages = [{ role: 'user' as const, content: `Question ${number}` }];
  const complete = async (cacheControl: string) => {
    const headers = { 'cache-control': cacheControl };
    const reply = await client.chat.completions.create({ model: 'auto', messages }, { headers });
    await app.rooms.chat.drained();
    return reply as typeof reply & { cache?: { hit: boolean; age_seconds?: number } };
  };
  expect(await complete('no-cache')).not.toHaveProperty('cache');
  expect(await complete('max-age=0')).not.toHaveProperty('cache');
  expect(await complete('max-age=600, no-store')).not.toHaveProperty('cache');
  expect((await complete('max-age=600')).cache).toEqual({ hit: false });
  const hit = await complete('max-age=600');
  expect(hit.cache?.hit).toBe(true);
  expect(hit.usage).toMatchObject({ prompt_tokens: 10, cost_usd: '0.00' });
  expect((await complete('max-age=600, no-cache')).cache).toEqual({ hit: false });
  expect(upstream.seen).toHaveLength(5);

  const stream = await client.chat.completions.create(
    { model: 'auto', messages, stream: true },
    { headers: { 'Cache-Control': 'max-age=600' } },
  );
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('An answer.');
  expect(chunks.at(-1)).toMatchObject({ cache: { hit: true } });
  expect(upstream.seen).toHaveLength(5);
});
