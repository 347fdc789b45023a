import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { tool as aiTool, generateText, isStepCount, jsonSchema, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { chatAnswer, functionCall, nanoUsd } from '../support/chat-upstream.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

type Json = Record<string, unknown>;

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;
let client: OpenAI;

// 10 tokens in and 5 out, at 1 and 2 USD a million.
const cost = 20_000n;

beforeAll(async () => {
  setTracingDisabled(true);
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
  client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  upstream.seen.length = 0;
  upstream.answer(chatAnswer(() => ({ content: 'Hello there.' })));
});

async function spent(): Promise<bigint> {
  const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(body.wallet.heldUsd).toBe('0.00');
  return nanoUsd('5.00') - nanoUsd(body.wallet.balanceUsd);
}

/** Calls two tools, one after the other, and then answers with what they said. */
function twoTools() {
  return chatAnswer(({ messages }) => {
    const results = (messages as Json[]).filter(({ role }) => role === 'tool');
    if (results.length === 2) return { content: `A ${results.map(({ content }) => content).join(' ')}.` };
    const [name, args] = results.length === 0 ? ['weather', { city: 'Rome' }] : ['clothes', { weather: 'sunny' }];
    return { content: null, tool_calls: [functionCall(`call_${results.length}`, String(name), args as object)] };
  });
}

test("OpenAI's client gets a response with its usage, and is told the charge", async () => {
  const { data, response } = await client.responses
    .create({ model: 'm', input: 'Hi', instructions: 'Be kind.' })
    .withResponse();
  expect(data).toMatchObject({
    ...{ object: 'response', status: 'completed', model: 'm', store: false, output_text: 'Hello there.' },
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello there.' }] }],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, cost_usd: '0.00002' },
  });
  expect((data as unknown as Json).charge_id).toMatch(/^chg_/);
  expect(response.headers.get('x-charge-usd')).toBe('0.00002');
  expect(upstream.seen[0]?.body.messages).toMatchObject([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi' },
  ]);
  expect(await spent()).toBe(cost);
});

test("OpenAI's client streams: each event in its place and numbered", async () => {
  const stream = client.responses.stream({ model: 'm', input: [{ role: 'user', content: 'Hi' }] });
  const events: { type: string; sequence_number: number }[] = [];
  for await (const event of stream) events.push(event);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
    ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
    ...['response.output_text.delta', 'response.output_text.done', 'response.content_part.done'],
    ...['response.output_item.done', 'response.completed'],
  ]);
  expect((await stream.finalResponse()).output_text).toBe('Hello there.');
  expect(await spent()).toBe(cost);
});

test.each([false, true])("OpenAI's client runs a loop of two tools (stream: %s)", async (streamed) => {
  upstream.answer(twoTools());
  const tools: OpenAI.Responses.Tool[] = ['weather', 'clothes'].map((name) => ({
    ...{ type: 'function', name, description: name, strict: false },
    parameters: { type: 'object', properties: {} },
  }));
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'What to wear?' }];
  const turn = () => {
    const asked = { model: 'm', input, tools, store: false };
    return streamed ? client.responses.stream(asked).finalResponse() : client.responses.create(asked);
  };
  for (const answer of ['sunny', 'hat']) {
    const { output } = await turn();
    const call = output.find(({ type }) => type === 'function_call') as
      | OpenAI.Responses.ResponseFunctionToolCall
      | undefined;
    expect(call).toMatchObject({ type: 'function_call', name: answer === 'sunny' ? 'weather' : 'clothes' });
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]), {
      ...{ type: 'function_call_output', call_id: call?.call_id ?? '', output: answer },
    });
  }
  expect((await turn()).output_text).toBe('A sunny hat.');
  expect(await spent()).toBe(3n * cost);
});

test("OpenAI's client gets structured output, and sends images", async () => {
  upstream.answer(chatAnswer(() => ({ content: '{"colour":"red"}' })));
  const data = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]).toString('base64');
  const parsed = await client.responses.parse({
    model: 'm',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Which colour?' },
          { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${data}` },
        ],
      },
    ],
    text: {
      format: {
        ...{ type: 'json_schema', name: 'colour', strict: true },
        schema: {
          type: 'object',
          properties: { colour: { type: 'string' } },
          required: ['colour'],
          additionalProperties: false,
        },
      },
    },
  });
  expect(parsed.output_text).toBe('{"colour":"red"}');
  expect(JSON.stringify(upstream.seen[0]?.body)).toContain(`data:image/png;base64,${data}`);
  expect(upstream.seen[0]?.body.response_format).toMatchObject({ type: 'json_schema' });
  expect(await spent()).toBe(cost);
});

test('what needs a memory, and what is not known, is refused or named', async () => {
  const refused = async (more: object) =>
    client.responses.create({ model: 'm', input: 'Hi', ...more }).then(
      () => undefined,
      (error: { status: number; param: string; message: string }) => error,
    );
  expect(await refused({ previous_response_id: 'resp_1' })).toMatchObject({
    status: 400,
    param: 'previous_response_id',
  });
  expect(await refused({ background: true })).toMatchObject({ status: 400, param: 'background' });
  expect(await refused({ tools: [{ type: 'web_search' }] })).toMatchObject({ status: 400, param: 'tools[0].type' });
  expect(await refused({ input: [{ type: 'item_reference', id: 'x' }] })).toMatchObject({ status: 400 });
  expect(await refused({ input: [{ type: 'reasoning', summary: [], encrypted_content: 'forged' }] })).toMatchObject({
    ...{ status: 400, param: 'input[0].encrypted_content' },
  });
  expect(await refused({ include: ['message.output_text.logprobs'] })).toMatchObject({
    ...{ status: 400, param: 'include[0]' },
  });
  expect(await refused({ presence_penalty: 3 })).toMatchObject({ status: 400, param: 'presence_penalty' });
  expect(await refused({ model: 'extractive', presence_penalty: 1 })).toMatchObject({
    ...{ status: 400, param: 'presence_penalty' },
  });
  const { response } = await client.responses
    .create({ model: 'm', input: 'Hi', service_tier: 'auto', store: true })
    .withResponse();
  expect(response.headers.get('x-ignored-parameters')).toBe('store');
  const poor = await onboard(app, '0');
  const unpaid = new OpenAI({ apiKey: poor.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  await expect(unpaid.responses.create({ model: 'm', input: 'Hi' })).rejects.toMatchObject({
    ...{ status: 402, code: 'insufficient_quota' },
  });
  upstream.answer(() => ({ status: 500, body: { error: { message: 'boom' } } }));
  expect(await refused({})).toMatchObject({ status: 502 });
  expect(await spent()).toBe(cost);
});

test('penalties, as the AI SDK sends them, reach the model', async () => {
  const provider = createOpenResponses({ name: 'ours', url: `${app.url}/v1/responses`, apiKey: customer.apiKey });
  await generateText({
    model: provider('m'),
    prompt: 'Hi',
    presencePenalty: 0.5,
    frequencyPenalty: -0.5,
    maxRetries: 0,
  });
  expect(upstream.seen[0]?.body).toMatchObject({ presence_penalty: 0.5, frequency_penalty: -0.5 });
});

test('a tool may answer with an image, which follows its result', async () => {
  const image_url = 'data:image/png;base64,iVBORw0KGgo=';
  await client.responses.create({
    model: 'm',
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} }, strict: false }],
    input: [
      { role: 'user', content: 'Look' },
      { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url, detail: 'auto' }] },
    ],
  });
  const [, , ...said] = upstream.seen.flatMap(({ body }) => body.messages as Json[]);
  expect(said.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual(['c', 'user']);
  expect(JSON.stringify(said[1])).toContain(image_url);
  expect(await spent()).toBe(cost);
});

test('a reply that is cut says so', async () => {
  upstream.answer(() => ({
    body: {
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hel' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    },
  }));
  const cut = await client.responses.create({ model: 'm', input: 'Hi', max_output_tokens: 16 });
  expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
});

test("OpenAI's agents run a loop of two tools over it", async () => {
  upstream.answer(twoTools());
  const told: string[] = [];
  const says = (name: string, parameter: string, answer: string) =>
    tool({
      ...{ name, description: name, parameters: z.object({ [parameter]: z.string() }) },
      execute: async (args) => {
        told.push(`${name} ${(args as Json)[parameter]}`);
        return answer;
      },
    });
  const agent = new Agent({
    ...{ name: 'Wardrobe', instructions: 'Say what to wear.', model: 'm' },
    tools: [says('weather', 'city', 'sunny'), says('clothes', 'weather', 'hat')],
  });
  const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses: true });
  const result = await new Runner({ modelProvider }).run(agent, 'What to wear?');
  expect(result.finalOutput).toBe('A sunny hat.');
  expect(told).toEqual(['weather Rome', 'clothes sunny']);
  expect(await spent()).toBe(3n * cost);
});

test.each([false, true])('LangChain streams, and runs a loop of two tools (responses: %s)', async (useResponsesApi) => {
  const model = new ChatOpenAI({
    ...{ model: 'm', apiKey: customer.apiKey, useResponsesApi, maxRetries: 0 },
    configuration: { baseURL: `${app.url}/v1` },
  });
  let pieces = '';
  for await (const piece of await model.stream('Hi')) pieces += piece.text;
  expect(pieces).toBe('Hello there.');

  upstream.answer(twoTools());
  const schema = { type: 'object', properties: {} };
  const bound = model.bindTools(['weather', 'clothes'].map((name) => ({ name, description: name, schema })));
  const said: (HumanMessage | ToolMessage | Awaited<ReturnType<typeof bound.invoke>>)[] = [
    new HumanMessage('What to wear?'),
  ];
  for (const answer of ['sunny', 'hat']) {
    const reply = await bound.invoke(said);
    const [call] = reply.tool_calls ?? [];
    expect(call?.name).toBe(answer === 'sunny' ? 'weather' : 'clothes');
    said.push(reply, new ToolMessage({ tool_call_id: call?.id ?? '', content: answer }));
  }
  expect((await bound.invoke(said)).text).toBe('A sunny hat.');
  expect(await spent()).toBe(4n * cost);
});

test.each(['open-responses', 'openai-compatible'])('the AI SDK works by its provider %s', async (kind) => {
  const provider =
    kind === 'open-responses'
      ? createOpenResponses({ name: 'ours', url: `${app.url}/v1/responses`, apiKey: customer.apiKey })
      : createOpenAICompatible({ name: 'ours', baseURL: `${app.url}/v1`, apiKey: customer.apiKey, includeUsage: true });
  const { text, usage } = await generateText({ model: provider('m'), prompt: 'Hi', maxRetries: 0 });
  expect([text, usage.inputTokens, usage.outputTokens]).toEqual(['Hello there.', 10, 5]);
  const streamed = streamText({ model: provider('m'), prompt: 'Hi', maxRetries: 0 });
  let pieces = '';
  for await (const piece of streamed.textStream) pieces += piece;
  expect(pieces).toBe('Hello there.');

  upstream.answer(twoTools());
  const says = (answer: string) =>
    aiTool({
      description: answer,
      inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
      execute: async () => answer,
    });
  const looped = await generateText({
    ...{ model: provider('m'), prompt: 'What to wear?', maxRetries: 0, stopWhen: isStepCount(5) },
    tools: { weather: says('sunny'), clothes: says('hat') },
  });
  expect(looped.text).toBe('A sunny hat.');
  expect(await spent()).toBe(5n * cost);
});
