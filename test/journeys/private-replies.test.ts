import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

const messages = [{ role: 'user', content: 'Hello' }];
const anthropic = { 'anthropic-version': '2023-06-01' };
const byKeyHeader = () => ({ ...anthropic, 'x-api-key': customer.apiKey });
const asConnect = '/intelligence.chat.v1.ChatService/ListModels?connect=v1&encoding=json&message=%7B%7D';
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const toMcp = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

/** What is asked, by whom, and the status of the answer. */
const own: [what: string, status: number, ask: () => ReturnType<typeof send>][] = [
  ['a read', 200, () => send(app, 'GET', '/v1/wallet', customer.managementKey)],
  ['a list of many', 200, () => send(app, 'GET', '/v1/charges', customer.managementKey)],
  [
    'a key that is made',
    200,
    () => send(app, 'POST', '/v1/keys', customer.managementKey, { displayName: 'k', purpose: 'p' }),
  ],
  ['a chat', 200, () => send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { messages })],
  [
    'a stream',
    200,
    () => send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { messages }, { accept: 'text/event-stream' }),
  ],
  [
    'what is not there',
    404,
    () => send(app, 'GET', '/v1/charges/chg_01m7y7rq7he7kt4cnf9s97def0', customer.managementKey),
  ],
  ['a body that is wrong', 400, () => send(app, 'POST', '/v1/keys', customer.managementKey, { none: 1 })],
  ['no credential', 401, () => send(app, 'GET', '/v1/wallet')],
  ['too little scope', 403, () => send(app, 'GET', '/v1/keys', customer.apiKey)],
  ["OpenAI's models", 200, () => send(app, 'GET', '/v1/models', customer.apiKey)],
  ["one of OpenAI's models", 404, () => send(app, 'GET', '/v1/models/none', customer.apiKey)],
  ["OpenAI's chat", 200, () => send(app, 'POST', '/v1/chat/completions', customer.apiKey, { model: 'auto', messages })],
  [
    "OpenAI's stream",
    200,
    () => send(app, 'POST', '/v1/chat/completions', customer.apiKey, { model: 'auto', messages, stream: true }),
  ],
  [
    "OpenAI's responses",
    200,
    () => send(app, 'POST', '/v1/responses', customer.apiKey, { model: 'auto', input: 'Hello', store: false }),
  ],
  [
    "Anthropic's models, by a header that caches know nothing of",
    200,
    () => send(app, 'GET', '/v1/models', undefined, undefined, byKeyHeader()),
  ],
  [
    "Anthropic's messages",
    200,
    () => send(app, 'POST', '/v1/messages', undefined, { model: 'auto', max_tokens: 10, messages }, byKeyHeader()),
  ],
  ["Anthropic's refusal", 400, () => send(app, 'POST', '/v1/messages', undefined, { model: 'auto' }, byKeyHeader())],
  [
    'a ranking',
    200,
    () =>
      send(app, 'POST', '/v1/rerank', customer.apiKey, { model: 'builtin/lexical', query: 'a', documents: ['a', 'b'] }),
  ],
  ['a tool of agents', 200, () => send(app, 'POST', '/mcp', customer.apiKey, ping, toMcp)],
  ['a GET of Connect', 200, () => send(app, 'GET', asConnect, customer.apiKey)],
  ['a GET of Connect without a credential', 401, () => send(app, 'GET', asConnect)],
];

test.each(own)('no cache keeps %s (%i)', async (_what, status, ask) => {
  const answer = await ask();
  expect([answer.status, answer.headers.get('cache-control')], answer.text).toEqual([status, 'no-store']);
});

test('what everybody may read is kept as before', async () => {
  const kept = async (path: string) => (await send(app, 'GET', path)).headers.get('cache-control');
  expect(await kept('/openapi.json')).toBe('no-cache');
  expect(await kept('/docs')).toBe('no-cache');
  expect(await kept('/.well-known/jwks.json')).toMatch(/^public, max-age=\d+$/);
  expect(await kept('/.well-known/oauth-protected-resource/mcp')).toBe('public, max-age=600');
});

test('gRPC, which is never cached, has no header more', async () => {
  const { Http2SessionManager, createGrpcTransport } = await import('@connectrpc/connect-node');
  const { createClient } = await import('@connectrpc/connect');
  const { ChatService } = await import('../../src/gen/intelligence/chat/v1/chat_service_pb.ts');
  const sessionManager = new Http2SessionManager(app.url);
  const client = createClient(ChatService, createGrpcTransport({ baseUrl: app.url, sessionManager }));
  let header: Headers | undefined;
  await client.listModels(
    {},
    { headers: { authorization: `Bearer ${customer.apiKey}` }, onHeader: (headers) => (header = headers) },
  );
  expect(header?.get('x-request-id')).toBeTruthy();
  expect(header?.get('cache-control')).toBeNull();
  sessionManager.abort();
});
