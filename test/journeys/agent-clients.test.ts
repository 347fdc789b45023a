import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';
import { generateText, jsonSchema, Output, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { chatAnswer, chatChunk, nanoUsd } from '../support/chat-upstream.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// What clients built on other clients do besides chats and tool loops: structured output, images, errors, leaving.

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;

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
  upstream.seen.length = 0;
});

const png = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]).toString('base64');
const image = `data:image/png;base64,${png}`;
const schema = {
  ...{ type: 'object' as const, properties: { colour: { type: 'string' as const } } },
  ...{ required: ['colour'], additionalProperties: false },
};

interface Client {
  /** What the image shows, in a schema. */
  colourOf(apiKey: string): Promise<unknown>;
  /** A whole reply; rejects as the client reports errors. */
  ask(apiKey: string): Promise<string>;
  /** A streamed reply, piece by piece, until the signal says to leave. */
  stream(apiKey: string, signal: AbortSignal): AsyncIterable<string>;
}

const aiSdk = (kind: 'open-responses' | 'openai-compatible'): Client => {
  const model = (apiKey: string) =>
    (kind === 'open-responses'
      ? createOpenResponses({ name: 'ours', url: `${app.url}/v1/responses`, apiKey })
      : createOpenAICompatible({
          ...{ name: 'ours', baseURL: `${app.url}/v1`, apiKey },
          ...{ includeUsage: true, supportsStructuredOutputs: true },
        }))('m');
  const content = [
    { type: 'text' as const, text: 'Which colour?' },
    { type: 'image' as const, image: Buffer.from(png, 'base64'), mediaType: 'image/png' },
  ];
  return {
    async colourOf(apiKey) {
      const { output } = await generateText({
        ...{ model: model(apiKey), maxRetries: 0, messages: [{ role: 'user', content }] },
        output: Output.object({ schema: jsonSchema<{ colour: string }>(schema) }),
      });
      return output;
    },
    ask: async (apiKey) => (await generateText({ model: model(apiKey), prompt: 'Hi', maxRetries: 0 })).text,
    stream: (apiKey, abortSignal) =>
      streamText({ model: model(apiKey), prompt: 'Hi', maxRetries: 0, abortSignal }).textStream,
  };
};

const langChain = (useResponsesApi: boolean): Client => {
  const model = (apiKey: string) =>
    new ChatOpenAI({
      ...{ model: 'm', apiKey, useResponsesApi, maxRetries: 0 },
      configuration: { baseURL: `${app.url}/v1` },
    });
  return {
    colourOf: (apiKey) =>
      model(apiKey)
        .withStructuredOutput(schema, { name: 'colour', method: 'jsonSchema' })
        .invoke([
          new HumanMessage({
            content: [
              { type: 'text', text: 'Which colour?' },
              { type: 'image_url', image_url: { url: image } },
            ],
          }),
        ]),
    ask: async (apiKey) => (await model(apiKey).invoke('Hi')).text,
    async *stream(apiKey, signal) {
      for await (const piece of await model(apiKey).stream('Hi', { signal })) yield piece.text;
    },
  };
};

const agents = (useResponses: boolean): Client => {
  const runner = (apiKey: string) => {
    const openAIClient = new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 }) as never;
    return new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }) });
  };
  const agent = new Agent({ name: 'Painter', instructions: 'Name colours.', model: 'm' });
  return {
    async colourOf(apiKey) {
      const typed = new Agent({
        ...{ name: 'Painter', instructions: 'Name colours.', model: 'm' },
        outputType: z.object({ colour: z.string() }),
      });
      const content = [
        { type: 'input_text', text: 'Which colour?' },
        { type: 'input_image', image },
      ];
      const { finalOutput } = await runner(apiKey).run(typed, [{ role: 'user', content } as AgentInputItem]);
      return finalOutput;
    },
    ask: async (apiKey) => (await runner(apiKey).run(agent, 'Hi')).finalOutput ?? '',
    async *stream(apiKey, signal) {
      const run = await runner(apiKey).run(agent, 'Hi', { stream: true, signal });
      for await (const event of run)
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') yield event.data.delta;
    },
  };
};

const clients: Record<string, () => Client> = {
  'the AI SDK, over open-responses': () => aiSdk('open-responses'),
  'the AI SDK, over openai-compatible': () => aiSdk('openai-compatible'),
  'LangChain, over chat completions': () => langChain(false),
  'LangChain, over responses': () => langChain(true),
  "OpenAI's agents, over responses": () => agents(true),
  "OpenAI's agents, over chat completions": () => agents(false),
};

async function settled() {
  await app.rooms.chat.drained();
  const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(body.wallet.heldUsd).toBe('0.00');
  return nanoUsd('5.00') - nanoUsd(body.wallet.balanceUsd);
}

describe.each(Object.keys(clients))('%s', (name) => {
  const client = clients[name]?.() as Client;

  test('gets structured output of an image', async () => {
    upstream.answer(chatAnswer(() => ({ content: '{"colour":"red"}' })));
    expect(await client.colourOf(customer.apiKey)).toEqual({ colour: 'red' });
    expect(upstream.seen).toHaveLength(1);
    expect(JSON.stringify(upstream.seen[0]?.body.messages)).toContain(image);
    expect(upstream.seen[0]?.body.response_format).toMatchObject({ type: 'json_schema' });
    expect(await settled()).toBe(20_000n);
  });

  test('is told of a wrong key, of no credit and of an upstream that fails, by status', async () => {
    upstream.answer(() => ({ status: 500, body: { error: { message: 'boom' } } }));
    const poor = await onboard(app, '0');
    for (const [key, status] of [
      ['sk-wrong', 401],
      [poor.apiKey, 402],
      [customer.apiKey, 502],
    ] as const) {
      const error = await client.ask(key).then(
        () => expect.unreachable('it was answered'),
        (reason: { status?: number; statusCode?: number }) => reason,
      );
      expect(error.status ?? error.statusCode).toBe(status);
    }
    expect(await settled()).toBe(0n);
  });

  test('leaves a stream, which ends at the model and is charged for what came', async () => {
    upstream.answer(() => ({
      pieces: Array.from({ length: 5 }, (_, index) => chatChunk({ content: `word${index} ` })),
      ending: 'silence',
    }));
    const leaving = new AbortController();
    let heard = '';
    const read = async () => {
      for await (const piece of client.stream(customer.apiKey, leaving.signal)) {
        heard += piece;
        if (heard.includes('word4')) leaving.abort();
      }
    };
    // Some clients throw then, and some end their stream.
    await read().catch(() => undefined);
    expect(leaving.signal.aborted).toBe(true);
    await upstream.seen[0]?.aborted;
    const { body } = await send(app, 'GET', '/v1/charges', customer.managementKey);
    const cost = await settled();
    expect(body.charges).toHaveLength(1);
    expect(cost).toBeGreaterThan(0n);
    // No more than the hold of such a short request: the words that arrived, not what the model might have said.
    expect(cost).toBeLessThan(500n * 2_000n);
  });
});
