import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { chatAnswer, chatChunk, functionCall, nanoUsd } from '../support/chat-upstream.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

type Json = Record<string, unknown>;

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;
let client: Anthropic;

// 10 tokens in and 5 out, at 1 and 2 USD a million.
const cost = 20_000n;
const messages = [{ role: 'user' as const, content: 'Hi' }];
const asked = { model: 'm', max_tokens: 500, messages };

beforeAll(async () => {
  upstream = await startUpstream();
  const price = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, capabilities: [tools, json, images], price: ${price} }]`,
  });
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});
beforeEach(async () => {
  customer = await onboard(app);
  client = new Anthropic({ apiKey: customer.apiKey, authToken: null, baseURL: app.url, maxRetries: 0 });
  upstream.seen.length = 0;
  upstream.answer(chatAnswer(() => ({ content: 'Hello there.' })));
});

async function spent(): Promise<bigint> {
  const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(body.wallet.heldUsd).toBe('0.00');
  return nanoUsd('5.00') - nanoUsd(body.wallet.balanceUsd);
}

test('chats with the key where that API has it, and is told the charge', async () => {
  const { data, response, request_id } = await client.messages.create(asked).withResponse();
  expect(data).toMatchObject({
    ...{ type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text: 'Hello there.' }],
    usage: { input_tokens: 10, output_tokens: 5, cost_usd: '0.00002' },
  });
  expect(data.id).toMatch(/^msg_chg_/);
  expect(response.headers.get('x-charge-usd')).toBe('0.00002');
  expect(request_id).toBe(response.headers.get('x-request-id'));
  expect(await spent()).toBe(cost);
});

test('streams in the order of that API, with a key as bearer', async () => {
  const bearer = new Anthropic({ apiKey: null, authToken: customer.apiKey, baseURL: app.url, maxRetries: 0 });
  const events: string[] = [];
  const stream = bearer.messages.stream(asked);
  stream.on('streamEvent', (event) => events.push(event.type));
  const message = await stream.finalMessage();
  expect(message.content).toMatchObject([{ type: 'text', text: 'Hello there.' }]);
  expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 10, output_tokens: 5 } });
  expect(events.filter((type, index) => type !== events[index - 1])).toEqual([
    ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
    ...['message_delta', 'message_stop'],
  ]);
  expect(await spent()).toBe(cost);
});

test.each([false, true])('runs a loop of two tools (stream: %s)', async (stream) => {
  upstream.answer(
    chatAnswer(({ messages: said }) => {
      const results = (said as Json[]).filter(({ role }) => role === 'tool');
      if (results.length === 2) return { content: results.map(({ content }) => content).join(' and ') };
      return {
        content: 'Let me look.',
        tool_calls: ['Rome', 'Oslo'].map((city, index) => functionCall(`call_${index}`, 'weather', { city })),
      };
    }),
  );
  const tools: Anthropic.Tool[] = [
    { name: 'weather', description: 'w', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
  ];
  const turn = async (conversation: Anthropic.MessageParam[]) => {
    const request = { ...asked, tools, messages: conversation };
    return stream ? client.messages.stream(request).finalMessage() : client.messages.create(request);
  };
  const first = await turn(messages);
  expect(first.stop_reason).toBe('tool_use');
  const calls = first.content.filter((block) => block.type === 'tool_use');
  expect(calls).toMatchObject([
    { id: 'call_0', name: 'weather', input: { city: 'Rome' } },
    { id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
  ]);
  const second = await turn([
    ...messages,
    { role: 'assistant', content: first.content },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_0', content: 'sun' },
        { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'snow' }], is_error: true },
      ],
    },
  ]);
  expect(second.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/sun and .*snow/s) }]);
  // The model is told that it failed.
  expect(JSON.stringify(upstream.seen.at(-1)?.body.messages)).toContain('The tool failed:');
  expect(await spent()).toBe(2n * cost);
});

test('takes images, a system text with cache marks, and structured output', async () => {
  upstream.answer(chatAnswer(() => ({ content: '{"colour":"red"}' })));
  const data = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]).toString('base64');
  const { content } = await client.messages.create({
    ...asked,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          { type: 'text', text: 'Which colour?' },
        ],
      },
    ],
    output_config: {
      format: { type: 'json_schema', schema: { type: 'object', properties: { colour: { type: 'string' } } } },
    },
  });
  expect(content).toMatchObject([{ type: 'text', text: '{"colour":"red"}' }]);
  const sent = JSON.stringify(upstream.seen[0]?.body);
  expect(sent).toContain('Be brief.');
  expect(sent).toContain(`data:image/png;base64,${data}`);
  expect(upstream.seen[0]?.body.response_format).toMatchObject({ type: 'json_schema' });
});

test('counts tokens for nothing', async () => {
  const counted = await client.messages.countTokens({ model: 'm', messages });
  expect(counted.input_tokens).toBeGreaterThan(0);
  const longer = await client.messages.countTokens({ model: 'm', system: 'Be brief and kind to all.', messages });
  expect(longer.input_tokens).toBeGreaterThan(counted.input_tokens);
  expect(upstream.seen).toHaveLength(0);
  expect(await spent()).toBe(0n);
});

test('errors have the shape and the class of that API', async () => {
  const wrong = new Anthropic({
    apiKey: `ik_live_${'x'.repeat(43)}`,
    authToken: null,
    baseURL: app.url,
    maxRetries: 0,
  });
  await expect(wrong.messages.create(asked)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  const error = await client.messages.create({ ...asked, model: 'no-such-model' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.APIError);
  expect(error).toMatchObject({ status: 404, error: { type: 'error', error: { type: 'not_found_error' } } });
  await expect(
    client.messages.create({ ...asked, messages: [{ role: 'user', content: [{ type: 'video' } as never] }] }),
  ).rejects.toThrow(/messages\[0\]\.content\[0\]\.type/);
  await expect(client.messages.create({ ...asked, max_tokens: 0 })).rejects.toThrow(/max_tokens/);
  const state = { type: 'redacted_thinking' as const, data: 'forged' };
  await expect(
    client.messages.create({ ...asked, messages: [...messages, { role: 'assistant', content: [state] }] }),
  ).rejects.toThrow(/messages\[1\]\.content\[0\]\.data/);
  const poor = await onboard(app, '0');
  const unpaid = new Anthropic({ apiKey: poor.apiKey, authToken: null, baseURL: app.url, maxRetries: 0 });
  await expect(unpaid.messages.create(asked)).rejects.toMatchObject({
    status: 402,
    error: { error: { type: 'billing_error', reason: 'INSUFFICIENT_CREDIT' } },
  });
  upstream.answer(() => ({ status: 500, body: { error: { message: 'boom' } } }));
  await expect(client.messages.create(asked)).rejects.toMatchObject({
    status: 502,
    error: { error: { type: 'api_error' } },
  });
  expect(await spent()).toBe(0n);
});

test('what the model does not have is named', async () => {
  const marked = { type: 'text' as const, text: 'Hi', cache_control: { type: 'ephemeral' as const } };
  const { response } = await client.messages
    .create({ ...asked, messages: [{ role: 'user', content: [marked] }] })
    .withResponse();
  expect(response.headers.get('x-ignored-parameters')).toBe('messages.content.cache_control');
});

test('what is not used is named', async () => {
  const more = { top_k: 5, context_management: { edits: [] } } as object;
  const { response } = await client.messages.create({ ...asked, ...more }).withResponse();
  expect(response.headers.get('x-ignored-parameters')).toBe('top_k, context_management');
});

test('a stream that is left is charged for what came', async () => {
  upstream.answer(() => ({
    pieces: Array.from({ length: 50 }, (_, index) => chatChunk({ content: `word${index} ` })),
    pauseMs: 20,
    ending: 'silence',
  }));
  const stream = client.messages.stream(asked);
  await new Promise<void>((resolve) => stream.on('text', () => resolve()));
  stream.abort();
  await expect(stream.finalMessage()).rejects.toThrow();
  await upstream.seen[0]?.aborted;
  await expect
    .poll(async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet.heldUsd, {
      timeout: 20_000,
    })
    .toBe('0.00');
  const charged = await spent();
  expect(charged).toBeGreaterThan(0n);
  expect(charged).toBeLessThan(500n * 2_000n);
});

test('a key in x-api-key counts for these paths alone', async () => {
  const response = await fetch(`${app.url}/v1/wallet`, { headers: { 'x-api-key': customer.apiKey } });
  expect(response.status).toBe(401);
});
