import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

// The database does not matter here.
const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;

beforeAll(async () => {
  upstream = await startUpstream({ body: completion('Hello', { prompt_tokens: 10, completion_tokens: 3 }) });
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models:
  - { id: m, provider: up, quality: 50, contextTokens: 100000, maxOutputTokens: 500, capabilities: [images, tools], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }
  - { id: e, provider: up, quality: 50, contextTokens: 1000, embedding: { dimensions: 2 }, price: { inputPerMillionUsd: "1" } }`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

const user = (...content: object[]) => ({ role: 'user', content });
const text = { type: 'text', text: 'Look' };
const insecure = 'http://example.com/a.png';
const hi = [{ role: 'user', content: 'Hi' }];

test.each<[string, string, object, string]>([
  ['Anthropic', 'the length', { messages: hi, max_tokens: 2_000_000 }, 'max_tokens'],
  [
    'Anthropic',
    'a tool’s name',
    { messages: hi, max_tokens: 9, tools: [{ name: '', input_schema: {} }] },
    'tools[0].name',
  ],
  [
    'Anthropic',
    'an image after a result',
    {
      ...{ max_tokens: 9, system: 'Be brief.' },
      messages: [
        ...hi,
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        user(
          { type: 'tool_result', tool_use_id: 't', content: 'ok' },
          { type: 'image', source: { type: 'url', url: insecure } },
        ),
      ],
    },
    'messages[2].content[1].source.url',
  ],
  [
    'Anthropic',
    'an image within a result',
    {
      max_tokens: 9,
      messages: [
        ...hi,
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        user({
          ...{ type: 'tool_result', tool_use_id: 't', is_error: true },
          content: [text, { type: 'image', source: { type: 'url', url: insecure } }],
        }),
      ],
    },
    'messages[2].content[0].content[1].source.url',
  ],
  [
    'Responses',
    'an image',
    {
      instructions: 'Be brief.',
      input: [user({ type: 'input_text', text: 'a' }, { type: 'input_image', image_url: insecure })],
    },
    'input[0].content[1].image_url',
  ],
  [
    'Responses',
    'the name of a call',
    {
      input: [
        ...hi,
        { type: 'function_call', call_id: 'c', name: '', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'x' },
      ],
    },
    'input[1].name',
  ],
  [
    'Responses',
    'a format',
    { input: 'Hi', text: { format: { type: 'json_schema', name: 'a b', schema: {} } } },
    'text.format',
  ],
  [
    'OpenAI',
    'an image',
    { messages: [user(text, { type: 'image_url', image_url: { url: insecure } })] },
    'messages[0].content[1].image_url.url',
  ],
  [
    'OpenAI',
    'the name of a call',
    {
      messages: [
        ...hi,
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: '', arguments: '{}' } }] },
      ],
    },
    'messages[1].tool_calls[0].function.name',
  ],
])('%s’s clients are told of %s by their own words, whole and in streams', async (api, _, body, place) => {
  const path = { Anthropic: '/v1/messages', Responses: '/v1/responses', OpenAI: '/v1/chat/completions' }[api] ?? '';
  for (const stream of [false, true]) {
    const answer = await send(app, 'POST', path, customer.apiKey, { model: 'm', stream, ...body });
    expect(answer.text).toContain(`${place}: `);
    if (api !== 'Anthropic') expect(answer.text).toContain(`"param":"${place}"`);
  }
  expect(upstream.seen).toHaveLength(0);
});

test('a longer reply than the model gives is told by the caller’s own word for it', async () => {
  const ignored = async (path: string, body: object) =>
    (await send(app, 'POST', path, customer.apiKey, { model: 'm', ...body })).headers.get('x-ignored-parameters');
  expect(await ignored('/v1/messages', { messages: hi, max_tokens: 501 })).toBe('max_tokens');
  expect(await ignored('/v1/messages', { messages: hi, max_tokens: 500 })).toBeNull();
  expect(await ignored('/v1/responses', { input: 'Hi', max_output_tokens: 501 })).toBe('max_output_tokens');
  expect(await ignored('/v1/chat/completions', { messages: hi, max_tokens: 501 })).toBe('max_completion_tokens');
  const { body } = await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, {
    ...{ model: 'm', messages: hi, maxOutputTokens: 501 },
  });
  expect(body.ignored).toEqual([{ field: 'maxOutputTokens', reason: expect.stringContaining('500') }]);
});

test('403 names the credential that is needed', async () => {
  const made = await send(app, 'POST', '/v1/keys', customer.apiKey, { displayName: 'a', purpose: 'b' });
  expect([made.status, made.body.error.message]).toEqual([403, expect.stringContaining('needs a management key')]);
  expect(made.body.error.details[0].metadata).toMatchObject({ requiredCredentials: 'management_key' });
  const chat = await send(app, 'POST', '/v1/chat/completions', customer.managementKey, { messages: hi });
  expect(chat.body.error.message).toBe(
    'This call needs an API key or an access token with the scope "chat"; the credential that was sent is a management key.',
  );
});

test('no client of another API hears the name of an RPC', async () => {
  for (const [path, body] of [
    ['/v1/messages', { messages: hi, max_tokens: 5 }],
    ['/v1/responses', { input: 'Hi' }],
    ['/v1/chat/completions', { messages: hi }],
    ['/v1/embeddings', { input: 'Hi' }],
    ['/v1/rerank', { query: 'a', documents: ['b'] }],
  ] as const) {
    const { status, text } = await send(app, 'POST', path, customer.apiKey, { model: 'nope', ...body });
    expect([status, text]).toEqual([404, expect.not.stringMatching(/List\w*Models|CreateProviderKey/)]);
  }
});

test('models say what they are for, and are found by either name', async () => {
  const client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const types = Object.fromEntries(
    (await client.models.list()).data.map((model) => [model.id, (model as unknown as { type: string }).type]),
  );
  expect(types).toMatchObject({ auto: 'chat', m: 'chat', extractive: 'chat', e: 'embedding', lexical: 'rerank' });
  for (const id of ['builtin/extractive', 'up/e', 'extractive'])
    expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model' });
  const plain = await send(app, 'GET', '/v1/models/builtin/extractive', customer.apiKey);
  expect(plain.body).toMatchObject({ id: 'builtin/extractive', owned_by: 'builtin' });
  await expect(client.models.retrieve('nobody/extractive')).rejects.toMatchObject({ status: 404 });
});
