import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

// Each field that today's clients can send is supported, reported as ignored, or refused by name.
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
  ['OpenAI', { tool_choice: { type: 'custom', custom: { name: 'f' } } }, 'tool_choice.type: must be function'],
  ['OpenAI', { tool_choice: { type: 'allowed_tools' } }, 'tool_choice.allowed_tools: must be an object'],
  ['OpenAI', { tool_choice: 'tool' }, 'tool_choice: must be one of auto, none, required'],
  ['OpenAI', { tool_choice: 'required' }, 'tool_choice: The model has to call a tool'],
  ['Anthropic', { tool_choice: { type: 'any' } }, 'tool_choice.type: The model has to call a tool'],
  ['OpenAI', { max_tokens: 5, max_completion_tokens: 9 }, 'max_tokens: is the older name'],
  ['OpenAI', { messages: [{ role: 'assistant', tool_calls: [custom] }] }, 'tool_calls[0].type: must be function'],
  ['OpenAI', said({ type: 'text', text: 'a', cache_control: { type: 'x' } }), 'content[0].cache_control.type: must be'],
])('%s: %o is refused by name', async (api, more, message) => {
  const { status, body } = await ask(api, more);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  expect(upstream.seen).toHaveLength(0);
});

test.each<[keyof typeof apis, object, string]>([
  // Only cache points that were read are reported as unsupported by the model.
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
  [
    'Anthropic',
    said({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'a' },
      citations: { enabled: true },
    }),
    'messages.content.citations',
  ],
  ['Anthropic', { thinking: { type: 'enabled', budget_tokens: 1_024 } }, 'thinking'],
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

const tools = ['weather', 'news', 'price'].map((name) => ({ name, parameters: { type: 'object', properties: {} } }));
const asFunctions = tools.map((each) => ({ type: 'function', function: each }));
const toolsSeen = () => {
  const told = (upstream.seen.at(-1)?.body.tools ?? []) as { function: { name: string } }[];
  return told.map((tool) => tool.function.name);
};

describe('a choice among some of the tools', () => {
  const chosen = (...names: string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode: 'required', tools: names.map((name) => ({ type: 'function', function: { name } })) },
  });

  test('shows the model those, and no others', async () => {
    const { status, text } = await ask('OpenAI', { tools: asFunctions, tool_choice: chosen('price', 'weather') });
    expect(status, text).toBe(200);
    expect([toolsSeen(), upstream.seen.at(-1)?.body.tool_choice]).toEqual([['weather', 'price'], 'required']);
  });

  test('does so for the Responses API, whose reply repeats what was sent', async () => {
    const sent = tools.map((each) => ({ type: 'function', ...each }));
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'news' }] };
    const asked = { model: 'm', input: 'Hi', tools: sent, tool_choice };
    const { status, body, text } = await send(app, 'POST', '/v1/responses', customer.apiKey, asked);
    expect(status, text).toBe(200);
    expect(toolsSeen()).toEqual(['news']);
    expect(body).toMatchObject({ tool_choice, tools: sent });
  });

  test('names a tool that is not there, and the place of one that is wrong', async () => {
    const unknown = await ask('OpenAI', { tools: asFunctions, tool_choice: chosen('weather', 'time') });
    expect([unknown.status, unknown.body.error.param]).toEqual([
      400,
      'tool_choice.allowed_tools.tools[1].function.name',
    ]);
    const wrong = [...asFunctions, { type: 'function', function: { name: 'a b' } }];
    const refused = await ask('OpenAI', { tools: wrong, tool_choice: chosen('news', 'a b') });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'tools[3].function.name']);
  });
});

test.each<[string, object, string]>([
  [
    '/v1/chat/completions',
    { messages: [...apis.OpenAI.body.messages, { role: 'tool', tool_call_id: 'c1', content: 'sun' }] },
    'messages[1].tool_call_id: No message before',
  ],
  [
    '/v1/messages',
    { max_tokens: 9, ...said({ type: 'tool_result', tool_use_id: 'c1', content: 'sun' }) },
    'messages[0].content[0].tool_use_id: No message before',
  ],
  [
    '/v1/responses',
    {
      input: [
        { type: 'message', role: 'user', content: 'Hi' },
        { type: 'function_call_output', call_id: 'c1', output: 'sun' },
      ],
    },
    'input[1].call_id: No message before',
  ],
  [
    '/api/v1/assistant/chat',
    {
      messages: [
        { role: 'tool', toolCallId: 'c1', content: 'sun' },
        { role: 'assistant', toolCalls: [{ id: 'c1', name: 'weather', arguments: '{}' }] },
      ],
    },
    'messages[0].toolCallId: No message before',
  ],
])('%s names a result whose call is not there', async (path, body, message) => {
  const refused = await send(app, 'POST', path, customer.apiKey, { model: 'm', ...body });
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(message)]);
  expect(upstream.seen).toHaveLength(0);
});

const twice = [{ name: 'weather' }, { name: 'time' }, { name: 'weather' }];
test.each<[string, object, string]>([
  [
    '/v1/chat/completions',
    { ...apis.OpenAI.body, tools: twice.map((tool) => ({ type: 'function', function: tool })) },
    'tools[2].function.name: Another tool',
  ],
  [
    '/v1/messages',
    {
      max_tokens: 9,
      ...said({ type: 'text', text: 'Hi' }),
      tools: twice.map((tool) => ({ ...tool, input_schema: { type: 'object' } })),
    },
    'tools[2].name: Another tool',
  ],
  [
    '/v1/responses',
    { input: 'Hi', tools: twice.map((tool) => ({ ...tool, type: 'function' })) },
    'tools[2].name: Another tool',
  ],
  [
    '/api/v1/assistant/chat',
    { messages: [{ role: 'user', content: 'Hi' }], tools: twice },
    'tools[2].name: Another tool',
  ],
])('%s names a tool whose name is taken', async (path, body, message) => {
  const refused = await send(app, 'POST', path, customer.apiKey, { model: 'm', ...body });
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(message)]);
  expect(upstream.seen).toHaveLength(0);
});
