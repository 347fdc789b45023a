import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { chatAnswer, functionCall, nanoUsd } from '../support/chat-upstream.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { script, startResponses } from '../support/thinking-upstreams.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// Calls as the codex client makes them: `/v1/responses`, streamed, nothing stored, reasoning encrypted, tools of three types in one request.
type Json = Record<string, unknown>;

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let thinking: Upstream;
let customer: Customer;

const grammar = 'start: "*** Begin Patch" LF';
const tools = [
  {
    ...{ type: 'function', name: 'update_plan', description: 'Updates the plan.', strict: false },
    parameters: { type: 'object', properties: { plan: { type: 'string' } }, additionalProperties: false },
  },
  {
    ...{ type: 'custom', name: 'apply_patch', description: 'Edits files.' },
    format: { type: 'grammar', syntax: 'lark', definition: grammar },
  },
  { type: 'local_shell' },
];
const message = (role: string, text: string) => ({
  ...{ type: 'message', role },
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const asked = (input: unknown[], more: Json = {}) => ({
  ...{ model: 'm', instructions: 'You are a coding agent.', input, tools, tool_choice: 'auto' },
  ...{ parallel_tool_calls: true, reasoning: { effort: 'medium', summary: 'auto' }, store: false, stream: true },
  ...{ include: ['reasoning.encrypted_content'], prompt_cache_key: 'thread-1', text: { verbosity: 'low' } },
  client_metadata: { 'x-codex-installation-id': 'a' },
  ...more,
});

beforeAll(async () => {
  [upstream, thinking] = await Promise.all([startUpstream(), startResponses()]);
  const price = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
  app = await startApp({
    databaseUrl: database().url,
    variables: { THE_KEY: 'sk-1' },
    settings: `
providers:
  - { id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }
  - { id: openai, kind: openai, baseUrl: "${thinking.url}", apiKeyEnv: THE_KEY }
models:
  - { id: m, provider: up, quality: 50, contextTokens: 100000, capabilities: [tools], price: ${price} }
  - { id: gpt-5.6, provider: openai, quality: 50, contextTokens: 100000, capabilities: [tools, reasoning], price: ${price} }`,
  });
});
afterAll(async () => {
  await app.close();
  await upstream.close();
  await thinking.close();
});
beforeEach(async () => {
  customer = await onboard(app);
  upstream.seen.length = 0;
});

async function turn(input: unknown[], more: Json = {}) {
  const response = await fetch(`${app.url}/v1/responses`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'text/event-stream', originator: 'codex_cli_rs' },
      ...{ authorization: `Bearer ${customer.apiKey}`, 'session-id': 's-1', 'thread-id': 's-1' },
    },
    body: JSON.stringify(asked(input, more)),
  });
  const text = await response.text();
  // A refusal before the stream is one object.
  const all = response.ok ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '') : [text];
  const events = all.map((data) => JSON.parse(data) as Json);
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Json);
  return { response, events, done, last: events.at(-1) as Json };
}

test('calls of functions, of free text and of the shell run in parallel, each in its own form, and go on', async () => {
  const patch = '*** Begin Patch\n*** Add File: "a"\n*** End Patch';
  upstream.answer(
    chatAnswer(({ messages }) =>
      (messages as Json[]).some(({ role }) => role === 'tool')
        ? { content: 'Done.' }
        : {
            content: null,
            tool_calls: [
              functionCall('call_0', 'update_plan', { plan: 'patch' }),
              functionCall('call_1', 'apply_patch', { input: patch }),
              functionCall('call_2', 'local_shell', { command: ['ls', '-l'], timeout_ms: 1_000 }),
            ],
          },
    ),
  );
  const first = await turn([message('developer', 'Sandboxed.'), message('user', 'Add a file.')]);
  expect(first.last.type).toBe('response.completed');
  expect(first.done).toMatchObject([
    { type: 'function_call', call_id: 'call_0', name: 'update_plan', arguments: '{"plan":"patch"}' },
    { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch, status: 'completed' },
    {
      ...{ type: 'local_shell_call', call_id: 'call_2', status: 'completed' },
      action: { type: 'exec', command: ['ls', '-l'], timeout_ms: 1_000, env: {}, working_directory: null },
    },
  ]);
  const custom = first.events.filter(({ type }) => String(type).startsWith('response.custom_tool_call_input'));
  expect(custom).toMatchObject([{ delta: patch, item_id: first.done[1]?.id, output_index: 1 }, { input: patch }]);
  expect((first.last.response as Json).output).toEqual(first.done);
  // The grammar reaches the model as text, and its caller is told that nothing enforces it.
  expect(JSON.stringify(upstream.seen[0]?.body.tools)).toContain(JSON.stringify(grammar).slice(1, -1));
  const ignored = first.response.headers.get('x-ignored-parameters')?.split(', ');
  expect(ignored).toEqual(expect.arrayContaining(['prompt_cache_key', 'text.verbosity', 'tools.format']));

  const second = await turn([
    ...[message('user', 'Add a file.'), ...first.done],
    { type: 'function_call_output', call_id: 'call_0', output: 'Plan updated' },
    { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Success' },
    { type: 'local_shell_call_output', call_id: 'call_2', output: '{"output":"a"}' },
  ]);
  expect(second.done).toMatchObject([{ type: 'message', content: [{ text: 'Done.' }] }]);
  const said = upstream.seen[1]?.body.messages as { role: string; tool_calls?: { function: Json }[] }[];
  expect(said.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'tool']);
  expect(said[2]?.tool_calls?.map((call) => JSON.parse(String(call.function.arguments)))).toEqual([
    { plan: 'patch' },
    { input: patch },
    { command: ['ls', '-l'], env: {}, timeout_ms: 1_000 },
  ]);
  const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(nanoUsd('5.00') - nanoUsd(body.wallet.balanceUsd)).toBe(2n * 20_000n);
});

test('encrypted reasoning goes on after a tool, and without it the loop is refused', async () => {
  const only = [{ ...tools[0], name: script.tool }];
  const user = message('user', 'What is the weather in Paris?');
  const more = { model: 'gpt-5.6', tools: only, max_output_tokens: 8_000 };
  const first = await turn([user], more);
  const reasoning = first.done.find(({ type }) => type === 'reasoning');
  expect(reasoning?.encrypted_content).toEqual(expect.any(String));
  const call = first.done.find(({ type }) => type === 'function_call');
  const result = { type: 'function_call_output', call_id: call?.call_id, output: '{"degrees":21}' };
  const second = await turn([user, ...first.done, result], more);
  expect((second.last.response as Json).output).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ type: 'message' })]),
  );
  expect(JSON.stringify(second.done)).toContain(script.answer);
  const forgotten = await turn([user, ...first.done.filter((item) => item !== reasoning), result], more);
  expect(forgotten.last).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test.each([false, true])('OpenAI’s client puts the same items together (stream: %s)', async (stream) => {
  const calls = [
    functionCall('call_1', 'apply_patch', { input: 'x' }),
    functionCall('call_2', 'local_shell', { command: ['ls'] }),
  ];
  upstream.answer(chatAnswer(() => ({ content: 'Let me see.', tool_calls: calls })));
  const client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const asks = {
    ...{ model: 'm', input: 'Hi', tools: tools as OpenAI.Responses.Tool[] },
    tool_choice: { type: 'custom' as const, name: 'apply_patch' },
  };
  const { output } = await (stream ? client.responses.stream(asks).finalResponse() : client.responses.create(asks));
  expect(output).toMatchObject([
    { type: 'message', content: [{ text: 'Let me see.' }] },
    { type: 'custom_tool_call', name: 'apply_patch', input: 'x' },
    { type: 'local_shell_call', action: { command: ['ls'] } },
  ]);
  expect(upstream.seen[0]?.body.tool_choice).toMatchObject({ function: { name: 'apply_patch' } });
});

test.each<[string, Json, string, RegExp]>([
  ['a tool of the provider', { tools: [...tools, { type: 'web_search' }] }, 'tools[3].type', /leave them out/],
  ['a speed that costs more', { service_tier: 'priority' }, 'service_tier', /must be auto or default/],
  ['moderation', { moderation: { model: 'omni' } }, 'moderation', /guardrail/],
  [
    'a cache that is filled alone',
    { prompt_cache_options: { prewarm: true } },
    'prompt_cache_options.prewarm',
    /false/,
  ],
  ['reasoning of another mode', { reasoning: { mode: 'pro' } }, 'reasoning.mode', /standard/],
  ['a tool of the provider as the choice', { tool_choice: { type: 'web_search' } }, 'tool_choice', /only the tools/],
  ['an item of the provider', { input: [{ type: 'item_reference', id: 'a' }] }, 'input[0].type', /must be one of/],
])('%s is refused by name', async (_, more, param, advice) => {
  const refused = await send(app, 'POST', '/v1/responses', customer.apiKey, asked([], { input: 'Hi', ...more }));
  expect([refused.status, refused.body.error]).toMatchObject([400, { param: expect.stringContaining(param) }]);
  expect(refused.body.error.message).toMatch(advice);
  expect(upstream.seen).toHaveLength(0);
});
