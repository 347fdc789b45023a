import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

// The database does not matter here.
const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
let anthropic: Anthropic;
let openai: OpenAI;

beforeAll(async () => {
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }]
models:
  - { id: m, provider: up, quality: 50, contextTokens: 100000, maxOutputTokens: 500, capabilities: [images, reasoning], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }
  - { id: e, provider: up, quality: 50, contextTokens: 1000, embedding: { dimensions: 2 }, price: { inputPerMillionUsd: "1" } }`,
  });
  customer = await onboard(app);
  anthropic = new Anthropic({ apiKey: customer.apiKey, authToken: null, baseURL: app.url, maxRetries: 0 });
  openai = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(() => app.close());

const version = { 'anthropic-version': '2023-06-01' };

test.each<[method: string, path: string, headers: Record<string, string>, status: number, type: string]>([
  ['GET', '/v1/messages', {}, 405, 'invalid_request_error'],
  ['PROPFIND', '/v1/messages', {}, 405, 'invalid_request_error'],
  ['DELETE', '/v1/messages/count_tokens', {}, 405, 'invalid_request_error'],
  ['GET', '/v1/messages/batches', {}, 404, 'not_found_error'],
  ['POST', '/v1/messages/msg_1/more', {}, 404, 'not_found_error'],
  ['POST', '/v1/models', version, 405, 'invalid_request_error'],
  ['GET', '/v1/files', version, 404, 'not_found_error'],
])('%s %s is refused in the shape of Anthropic’s API', async (method, path, headers, status, type) => {
  const refused = await send(app, method, path, customer.apiKey, undefined, headers);
  expect([refused.status, refused.body]).toEqual([
    status,
    {
      type: 'error',
      error: { type, message: expect.any(String), reason: expect.any(String) },
      request_id: expect.any(String),
    },
  ]);
  expect(refused.headers.get('request-id')).toBe(refused.body.request_id);
  expect(refused.headers.has('allow')).toBe(status === 405);
});

test.each([
  ['GET', '/v1/chat/completions', 405],
  ['GET', '/v1/responses/resp_1', 404],
  ['POST', '/v1/responses/compact', 404],
  ['POST', '/v1/completions', 404],
  ['PUT', '/v1/embeddings', 405],
  ['GET', '/v2/rerank', 405],
  ['POST', '/chat/completions', 404],
])('%s %s is refused in the shape of OpenAI’s API', async (method, path, status) => {
  const refused = await send(app, method, path, customer.apiKey);
  expect([refused.status, refused.body]).toEqual([
    status,
    { error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: expect.any(String) } },
  ]);
});

test('our own paths keep their shape, whichever version a header names', async () => {
  const refused = await send(app, 'GET', '/v1/wallet/entries?pageSize=x', customer.managementKey, undefined, version);
  expect(refused.body.error.status).toBe('INVALID_ARGUMENT');
  expect((await send(app, 'GET', '/v1/nothing', customer.apiKey)).body.error.status).toBe('NOT_FOUND');
});

test('Anthropic’s client lists models page by page, forwards and backwards, and finds one', async () => {
  const ids: string[] = [];
  for await (const model of anthropic.models.list({ limit: 2 })) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining(['auto', 'auto:economy', 'm', 'extractive']));
  // Embedding and rerank models can't be named there.
  expect(ids).not.toContain('e');
  expect(new Set(ids).size).toBe(ids.length);

  const whole = await anthropic.models.list({ limit: 1_000 });
  expect(whole.data.map(({ id }) => id)).toEqual(ids);
  expect([whole.has_more, whole.first_id, whole.last_id]).toEqual([false, ids[0], ids.at(-1)]);
  const back = await anthropic.models.list({ limit: 2, before_id: ids[3] as string });
  expect(back.data.map(({ id }) => id)).toEqual(ids.slice(1, 3));
  expect(back.has_more).toBe(true);
  const start = await anthropic.models.list({ limit: 5, before_id: ids[1] as string });
  expect([start.data.map(({ id }) => id), start.has_more]).toEqual([ids.slice(0, 1), false]);

  expect(await anthropic.models.retrieve('m')).toMatchObject({
    ...{ type: 'model', id: 'm', lifecycle: 'active', max_input_tokens: 100_000, max_tokens: 500 },
    created_at: '1970-01-01T00:00:00Z',
    capabilities: { image_input: { supported: true }, pdf_input: { supported: false }, thinking: { supported: true } },
  });
  expect(await anthropic.models.retrieve('up/m')).toMatchObject({ id: 'up/m' });
  // The same path in the other API.
  expect(await openai.models.retrieve('m')).toMatchObject({ object: 'model', owned_by: 'up' });
});

test.each<[string, Anthropic.ModelListParams, string]>([
  ['a limit of none', { limit: 0 }, 'limit: '],
  ['a limit beyond a thousand', { limit: 1_001 }, 'limit: '],
  ['an id that is none', { after_id: 'nope' }, 'after_id: '],
  ['both directions', { after_id: 'auto', before_id: 'm' }, 'before_id: '],
])('models are not listed by %s', async (_, query, message) => {
  await expect(anthropic.models.list(query)).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    message: expect.stringContaining(message),
  });
});

test('models of Anthropic’s clients need a key, and are told missing in their words', async () => {
  await expect(anthropic.models.retrieve('e')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  const nobody = new Anthropic({ apiKey: 'x', authToken: null, baseURL: app.url, maxRetries: 0 });
  const refused = await nobody.models
    .list()
    .catch((error: unknown) => error as InstanceType<typeof Anthropic.APIError>);
  expect(refused).toBeInstanceOf(Anthropic.AuthenticationError);
  expect((refused as { requestID?: string }).requestID).toMatch(/^req_/);
  // Without the version it is OpenAI's path, where keys are bearer tokens.
  const bare = await fetch(`${app.url}/v1/models`, { headers: { 'x-api-key': customer.apiKey } });
  expect([bare.status, await bare.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }]);
});
