import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

// Each field that today's clients can send is done, told as ignored, or refused by name.
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
  - { id: m, provider: up, quality: 50, contextTokens: 100000, maxOutputTokens: 500, capabilities: [images, tools], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
});

const apis = {
  Anthropic: { path: '/v1/messages', body: { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] } },
  OpenAI: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }] } },
};
const ask = (api: keyof typeof apis, more: object) =>
  send(app, 'POST', apis[api].path, customer.apiKey, { model: 'm', ...apis[api].body, ...more });
const said = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const custom = { type: 'custom', custom: { name: 'f', input: '' }, id: 'a' };

test.each<[keyof typeof apis, object, string]>([
  ['Anthropic', { speed: 'fast' }, 'speed: must be standard'],
  ['Anthropic', { container: 'c' }, 'container: is not available'],
  ['Anthropic', { inference_geo: 'eu' }, 'inference_geo: is not available'],
  ['Anthropic', { mcp_servers: [{ type: 'url' }] }, 'mcp_servers: is not available'],
  ['Anthropic', { tools: [{ type: 'web_search_20260318', name: 'w' }] }, 'tools[0].type: must be custom'],
  ['Anthropic', said({ type: 'search_result' }), 'messages[0].content[0].type: must be'],
  ['OpenAI', { moderation: { model: 'omni' } }, 'moderation: is not supported'],
  ['OpenAI', { prompt_cache_options: { prewarm: true } }, 'prompt_cache_options.prewarm: must be false'],
  ['OpenAI', { prompt_cache_options: { mood: 1 } }, 'prompt_cache_options.mood: is not'],
  ['OpenAI', { tools: [{ type: 'custom', custom: { name: 'f' } }] }, 'tools[0].type: must be function'],
  ['OpenAI', { tool_choice: { type: 'allowed_tools' } }, 'tool_choice.type: must be function'],
  ['OpenAI', { messages: [{ role: 'assistant', tool_calls: [custom] }] }, 'tool_calls[0].type: must be function'],
  ['OpenAI', said({ type: 'text', text: 'a', cache_control: { type: 'x' } }), 'content[0].cache_control.type: must be'],
])('%s: %o is refused by name', async (api, more, message) => {
  const { status, body } = await ask(api, more);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  expect(upstream.seen).toHaveLength(0);
});

test.each<[keyof typeof apis, object, string]>([
  // That the model has no cache points is told of points that were read.
  ['Anthropic', { cache_control: { type: 'ephemeral' } }, 'messages.cache_control'],
  ['OpenAI', said({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }), 'messages.content.cache_point'],
  [
    'OpenAI',
    said({ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }),
    'messages.content.cache_point',
  ],
  ['OpenAI', said({ type: 'text', text: 'a', colour: 'red' }), 'messages.content.colour'],
  [
    'OpenAI',
    { prompt_cache_options: { mode: 'explicit', ttl: '12h' } },
    'prompt_cache_options.mode, prompt_cache_options.ttl',
  ],
  ['Anthropic', { diagnostics: { previous_message_id: 'a' }, service_tier: 'auto' }, 'diagnostics, service_tier'],
])('%s: %o is told as ignored', async (api, more, names) => {
  const { status, headers, text } = await ask(api, more);
  expect([status, headers.get('x-ignored-parameters')], text).toEqual([200, names]);
});

test('Anthropic’s reply has the members that its clients read', async () => {
  const { body } = await ask('Anthropic', {});
  expect(body).toMatchObject({
    ...{ stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
    usage: {
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens_details: { thinking_tokens: 0 },
    },
  });
});

test.each<[string, object | string, Record<string, string>, string]>([
  ['/v1/responses', { model: 'm', input: 'Hi', max_output_tokens: 0 }, {}, 'max_output_tokens: must be at least 1'],
  ['/v1/chat/completions', { ...apis.OpenAI.body, tool_choice: 'must' }, {}, 'tool_choice: must be one of'],
  ['/v1/chat/completions', { ...apis.OpenAI.body, seed: 1.5 }, {}, 'seed: must be a whole number'],
  ['/v1/chat/completions', apis.OpenAI.body, { 'idempotency-key': 'a b' }, 'Idempotency-Key: must be'],
  ['/v1/messages', { model: 'm', ...apis.Anthropic.body }, { 'idempotency-key': 'a b' }, 'Idempotency-Key: must be'],
  ['/v1/messages', '', {}, 'body: is empty'],
])('%s names what is wrong as its caller knows it: %o', async (path, body, headers, message) => {
  const refused = await send(app, 'POST', path, customer.apiKey, body, headers);
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(message)]);
});
