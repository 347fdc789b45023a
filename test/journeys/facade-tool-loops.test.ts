import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { tool as aiTool, generateText, isStepCount, jsonSchema, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { nanoUsd } from '../support/chat-upstream.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { script, startAnthropic, startGemini, startResponses, stated } from '../support/thinking-upstreams.ts';
import type { Upstream } from '../support/upstream.ts';

// Upstreams that refuse to continue after a tool without the thoughts that preceded it.
const models = { 'gpt-5.6': 'openai', 'claude-sonnet-4-5': 'anthropic', 'gemini-3-pro': 'google' };
const question = 'What is the weather in Paris?';
const parameters = { type: 'object' as const, properties: { city: { type: 'string' } } };
const result = '{"degrees":21}';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
const upstreams: Upstream[] = [];

beforeAll(async () => {
  for (const start of [startResponses, startAnthropic, startGemini]) upstreams.push(await start());
  const kinds = Object.entries(models);
  const price = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
  app = await startApp({
    databaseUrl: database().url,
    variables: { THE_KEY: 'sk-1' },
    settings: [
      'providers:',
      ...kinds.map(
        ([, kind], index) =>
          `  - { id: ${kind}, kind: ${kind}, baseUrl: "${upstreams[index]?.url}", apiKeyEnv: THE_KEY }`,
      ),
      'models:',
      ...kinds.map(
        ([id, kind]) =>
          `  - { id: ${id}, provider: ${kind}, quality: 50, contextTokens: 100000, capabilities: [tools, reasoning], price: ${price} }`,
      ),
    ].join('\n'),
  });
});
afterAll(async () => {
  await app.close();
  for (const upstream of upstreams) await upstream.close();
});
beforeEach(async () => {
  customer = await onboard(app);
});

/** A conversation, turn by turn: the whole loop, and the loop without what the provider wanted back. */
type Loop = (model: string, stream: boolean, forget: boolean) => Promise<string>;

const loops: Record<string, Loop> = {
  'chat completions': async (model, stream, forget) => {
    const client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: script.tool, parameters } }];
    const turn = async () => {
      const asked = { model, messages, tools, reasoning_effort: 'low' as const, max_completion_tokens: 8_000 };
      const reply = stream
        ? await client.chat.completions.stream(asked).finalChatCompletion()
        : await client.chat.completions.create(asked);
      return reply.choices[0]?.message as OpenAI.ChatCompletionMessage;
    };
    const first = await turn();
    if (forget) delete (first as { provider_state?: string }).provider_state;
    const id = first.tool_calls?.[0]?.id ?? '';
    messages.push(first, { role: 'tool', tool_call_id: id, content: result });
    return (await turn()).content ?? '';
  },
  responses: async (model, stream, forget) => {
    const client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: question }];
    const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: script.tool, parameters, strict: null }];
    const turn = () => {
      const asked = {
        ...{ model, input, tools, store: false, max_output_tokens: 8_000 },
        reasoning: { effort: 'low' as const, summary: 'auto' as const },
      };
      return stream ? client.responses.stream(asked).finalResponse() : client.responses.create(asked);
    };
    const { output } = await turn();
    const said = forget ? output.filter(({ type }) => type !== 'reasoning') : output;
    const call = output.find(({ type }) => type === 'function_call') as OpenAI.Responses.ResponseFunctionToolCall;
    input.push(...(said as OpenAI.Responses.ResponseInputItem[]), {
      ...{ type: 'function_call_output', call_id: call.call_id, output: result },
    });
    return (await turn()).output_text;
  },
  messages: async (model, stream, forget) => {
    const client = new Anthropic({ apiKey: customer.apiKey, authToken: null, baseURL: app.url, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
    const tools: Anthropic.Tool[] = [{ name: script.tool, input_schema: parameters }];
    const turn = () => {
      const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
      const asked = { model, messages, tools, thinking, max_tokens: 8_000 };
      return stream ? client.messages.stream(asked).finalMessage() : client.messages.create(asked);
    };
    const { content } = await turn();
    const said = forget ? content.filter(({ type }) => !/thinking$/.test(type)) : content;
    const call = content.find(({ type }) => type === 'tool_use') as Anthropic.ToolUseBlock;
    messages.push(
      { role: 'assistant', content: said },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: result }] },
    );
    return (await turn()).content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
};

describe.each(Object.keys(loops))('a loop of tools over %s', (name) => {
  const loop = loops[name] as Loop;

  describe.each(Object.keys(models))('with %s', (model) => {
    test.each([false, true])('goes on, and costs what it took (stream: %s)', async (stream) => {
      expect(await loop(model, stream, false)).toBe(script.answer);
      const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
      const { first, second } = stated;
      const took = (first.input + second.input) * 1_000 + (first.output + second.output) * 2_000;
      expect(nanoUsd('5.00') - nanoUsd(body.wallet.balanceUsd)).toBe(BigInt(took));
    });

    test('without what the provider wants back it is refused, and says so', async () => {
      await expect(loop(model, false, true)).rejects.toMatchObject({
        ...{ status: 400, message: expect.stringMatching(/provider_?state/i) },
      });
    });
  });
});

describe.each(Object.keys(models))('what %s thought is signed as Anthropic’s API does', (model) => {
  const ask = (stream: boolean, display: 'summarized' | 'omitted') => {
    const client = new Anthropic({ apiKey: customer.apiKey, authToken: null, baseURL: app.url, maxRetries: 0 });
    const asked = {
      ...{ model, max_tokens: 8_000, messages: [{ role: 'user' as const, content: question }] },
      thinking: { type: 'enabled' as const, budget_tokens: 1_024, display },
      tools: [{ name: script.tool, input_schema: parameters }],
    };
    return stream ? client.messages.stream(asked).finalMessage() : client.messages.create(asked);
  };
  // Gemini signs its calls, so the signature is known only after them; in streams it is the last block.
  const late = model.startsWith('gemini') ? ['redacted_thinking'] : [];

  test.each([false, true])('first, before what it says (stream: %s)', async (stream) => {
    const { content } = await ask(stream, 'summarized');
    const types = content.map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      ...['thinking', 'text', 'tool_use'],
      ...(stream ? late : []),
    ]);
    expect(content[0]).toMatchObject({ thinking: expect.stringContaining(script.thoughts[0]) });
    expect((content[0] as Anthropic.ThinkingBlock).signature).not.toBe('');
  });

  test('also where the thoughts are not shown', async () => {
    const { content } = await ask(false, 'omitted');
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: '', signature: expect.stringMatching(/.{40}/) });
  });

  test.each([false, true])('the AI SDK goes on from it by its provider of that API (stream: %s)', async (stream) => {
    const provider = createAnthropic({ baseURL: `${app.url}/v1`, apiKey: customer.apiKey });
    const asked = {
      ...{ model: provider(model), prompt: question, maxRetries: 0, maxOutputTokens: 8_000, stopWhen: isStepCount(3) },
      providerOptions: { anthropic: { thinking: { type: 'enabled' as const, budgetTokens: 1_024 } } },
      tools: {
        [script.tool]: aiTool({
          ...{ description: 'w', inputSchema: jsonSchema<object>({ ...parameters }) },
          execute: async () => JSON.parse(result),
        }),
      },
    };
    expect(await (stream ? streamText(asked).text : (await generateText(asked)).text)).toBe(script.answer);
  });
});

test('a signature that is not ours is refused with its place, and none is no fault', async () => {
  const ask = (signature: string) =>
    send(app, 'POST', '/v1/messages', customer.apiKey, {
      ...{ model: 'claude-sonnet-4-5', max_tokens: 2_000 },
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature },
            { type: 'text', text: 'Hello.' },
          ],
        },
        { role: 'user', content: question },
      ],
    });
  const refused = await ask('EqQBCkYIBxgCKkDx');
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringContaining('messages[1].content[0].signature'),
  ]);
  expect((await ask('')).status).toBe(200);
});

test('reasoning of responses ends before the text begins, with what goes back', async () => {
  const client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const seen: string[] = [];
  const stream = client.responses.stream({
    ...{ model: 'gpt-5.6', input: question, reasoning: { effort: 'low', summary: 'auto' }, store: false },
    tools: [{ type: 'function', name: script.tool, parameters, strict: null }],
  });
  for await (const event of stream)
    if (event.type === 'response.output_item.added' || event.type === 'response.output_item.done')
      seen.push(`${event.item.type} ${event.type.slice('response.output_item.'.length)}`);
  expect(seen).toEqual(['reasoning', 'message', 'function_call'].flatMap((type) => [`${type} added`, `${type} done`]));
  const { output } = await stream.finalResponse();
  expect(output[0]).toMatchObject({ type: 'reasoning', encrypted_content: expect.stringMatching(/.{40}/) });
});
