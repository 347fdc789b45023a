import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatUsd } from '../../src/base/money.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { script, startAnthropic, startGemini, startResponses, stated } from '../support/thinking-upstreams.ts';
import type { Upstream } from '../support/upstream.ts';

const path = '/api/v1/assistant/chat';
const question = { role: 'user', content: 'What is the weather in Paris?' };
const models = { 'gpt-5.6': 'openai', 'claude-sonnet-4-5': 'anthropic', 'gemini-3-pro': 'google' };

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
const upstreams: Upstream[] = [];

beforeAll(async () => {
  for (const start of [startResponses, startAnthropic, startGemini]) upstreams.push(await start());
  const kinds = Object.entries(models);
  app = await startApp({
    databaseUrl: database().url,
    variables: { THE_KEY: 'sk-1' },
    settings: `
providers:
${kinds.map(([, kind], index) => `  - { id: ${kind}, kind: ${kind}, baseUrl: "${upstreams[index]?.url}", apiKeyEnv: THE_KEY }`).join('\n')}
models:
${kinds
  .map(
    ([id, kind]) =>
      `  - { id: ${id}, provider: ${kind}, quality: 50, contextTokens: 100000, capabilities: [tools, reasoning], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }`,
  )
  .join('\n')}`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  for (const upstream of upstreams) await upstream.close();
});

const asking = (model: string) => ({
  model,
  messages: [question],
  tools: [{ name: script.tool, parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
  reasoning: { effort: 'low', summary: true },
  maxOutputTokens: 8_000,
});

/** At 1 USD per million input tokens, and 2 per million output tokens. */
const cost = ({ input, output }: { input: number; output: number }) =>
  formatUsd(BigInt(input * 1_000 + output * 2_000));

// biome-ignore lint/suspicious/noExplicitAny: messages as a client has them
type Message = any;

interface Turn {
  message: Message;
  summary: string;
  costUsd: string | undefined;
}

const headers = () => ({ authorization: `Bearer ${customer.apiKey}` });

/** Puts a reply together from the events of a stream, as the contract says. */
function assembled(events: readonly { [name: string]: Message }[]): Turn {
  const message: Message = { role: 'assistant', content: '', toolCalls: [] };
  let summary = '';
  for (const { content = '', reasoningSummary = '', toolCall } of events) {
    message.content += content;
    summary += reasoningSummary;
    if (!toolCall) continue;
    const { index, id, name, arguments: text = '', providerState } = toolCall;
    message.toolCalls[index ?? 0] ??= { id, name, arguments: '' };
    message.toolCalls[index ?? 0].arguments += text;
    if (providerState) message.toolCalls[index ?? 0].providerState = providerState;
  }
  const end = events.at(-1)?.end;
  if (end.providerState) message.providerState = end.providerState;
  return { message, summary, costUsd: end.usage.costUsd };
}

const lanes: Record<string, (request: object) => Promise<Turn>> = {
  REST: async (request) => {
    const { body, status, text } = await send(app, 'POST', path, customer.apiKey, request);
    if (status !== 200) throw new Error(text);
    return { message: body.message, summary: body.reasoningSummary, costUsd: body.usage.costUsd };
  },
  'REST, streamed': async (request) => {
    const answer = await send(app, 'POST', path, customer.apiKey, request, { accept: 'text/event-stream' });
    if (answer.status !== 200) throw new Error(answer.text);
    return assembled([...answer.text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json)));
  },
  gRPC: async (request) => {
    const client = createClient(ChatService, createGrpcTransport({ baseUrl: app.url }));
    const reply = await client.chat(request, { headers: headers() });
    return { message: reply.message, summary: reply.reasoningSummary, costUsd: reply.usage?.costUsd };
  },
  'gRPC, streamed': async (request) => {
    const client = createClient(ChatService, createGrpcTransport({ baseUrl: app.url }));
    const events: Record<string, Message>[] = [];
    for await (const { event } of client.streamChat(request, { headers: headers() }))
      if (event.case) events.push({ [event.case]: event.value });
    return assembled(events);
  },
};

describe.each(Object.keys(lanes))('a loop of tools over %s', (name) => {
  const ask = (request: object) => (lanes[name] as (typeof lanes)[string])(request);

  test.each(Object.keys(models))('goes on with %s, and each turn costs what it took', async (model) => {
    const first = await ask(asking(model));
    expect(first.message).toMatchObject({ content: script.said, toolCalls: [{ name: script.tool }] });
    expect(first.summary.split(/\s+/).join(' ')).toBe(script.thoughts.join(' '));
    expect(first.costUsd).toBe(cost(stated.first));
    const [call] = first.message.toolCalls;
    const result = { role: 'tool', toolCallId: call.id, content: '{"degrees":21}' };
    const messages = [question, first.message, result];
    const second = await ask({ ...asking(model), messages });
    expect(second.message.content).toBe(script.answer);
    expect(second.costUsd).toBe(cost(stated.second));

    const { content, role, toolCalls } = first.message;
    const bare = toolCalls.map(({ id, name: tool, arguments: text }: Message) => ({ id, name: tool, arguments: text }));
    const forgotten = [question, { role, content, toolCalls: bare }, result];
    await expect(ask({ ...asking(model), messages: forgotten })).rejects.toThrow(/messages\[1\]\.providerState/);
  });

  test('goes on with Gemini, which asked for two tools at once and wants both results together', async () => {
    const [tool] = asking('gemini-3-pro').tools;
    const request = { ...asking('gemini-3-pro'), tools: [tool, { ...tool, name: 'get_time' }] };
    const { message } = await ask(request);
    expect(message.toolCalls.map((call: Message) => call.name)).toEqual([script.tool, 'get_time']);
    const results = message.toolCalls.map(({ id, name: of }: Message) => {
      return { role: 'tool', toolCallId: id, content: `{"of":"${of}"}` };
    });
    const second = await ask({ ...request, messages: [question, message, ...results] });
    expect(second.message.content).toBe(script.answer);
    const contents = upstreams[2]?.seen.at(-1)?.body.contents as { parts: Message[] }[];
    expect(contents.at(-1)?.parts.map(({ functionResponse }) => functionResponse.name)).toEqual([
      script.tool,
      'get_time',
    ]);
  });
});

test.each(['gpt-5.6', 'claude-sonnet-4-5'])(
  'a stream of %s tells what goes back of its thoughts before it goes on, and that is enough',
  async (model) => {
    const stream = (request: object) =>
      send(app, 'POST', path, customer.apiKey, request, { accept: 'text/event-stream' }).then(({ text }) =>
        [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']): Message => JSON.parse(json)),
      );
    const events = await stream(asking(model));
    const kinds = events.map((event: Message) => Object.keys(event)[0]);
    const told = kinds.indexOf('providerState');
    expect(told).toBe(kinds.lastIndexOf('reasoningSummary') + 1);
    expect(kinds[told + 1]).toBe('content');
    const { message } = assembled(events);
    const { providerState } = events[told];
    const result = { role: 'tool', toolCallId: message.toolCalls[0].id, content: '{"degrees":21}' };
    const messages = [question, { ...message, providerState }, result];
    expect(assembled(await stream({ ...asking(model), messages })).message.content).toBe(script.answer);
  },
);
