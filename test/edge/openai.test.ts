import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import OpenAI from 'openai';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { chatService } from '../../src/api/chat.ts';
import { systemClock } from '../../src/base/clock.ts';
import { fail, succeed } from '../../src/base/failure.ts';
import { createGate } from '../../src/edge/gate.ts';
import { monitorReadiness, serveEdge } from '../../src/edge/index.ts';
import { caller, chatHarness, type Harness, testModel } from '../chat/harness.ts';
import {
  completion,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

interface Served {
  url: string;
  client: OpenAI;
  harness: Harness;
  upstream: Upstream;
}

async function serve(reply: UpstreamReply, more: Parameters<typeof chatHarness>[0] = {}): Promise<Served> {
  const upstream = await startUpstream(reply);
  const harness = await chatHarness({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    models: [
      testModel('p', 'm1'),
      testModel('p', 'm2', { price: { inputPerMillionUsd: '9', outputPerMillionUsd: '9' } }),
    ],
    ...more,
  });
  const log = pino({ level: 'silent' });
  const services = [chatService({ chat: harness.chat, fingerprintKey: Buffer.alloc(32), keepAliveMs: 10_000 })];
  const readiness = monitorReadiness(async () => {});
  const gate = createGate({
    services,
    authenticate: (authorization) => {
      if (authorization === undefined) return fail({ kind: 'credential_missing' });
      return authorization === 'Bearer ik_live_good' ? succeed(caller) : fail({ kind: 'credential_invalid' });
    },
    admission: {
      admit: () => succeed(() => {}),
      admitStream: () => succeed(() => {}),
      refused: () => succeed(undefined),
    },
    clock: systemClock,
    log,
    texts: { minimumTopUpUsd: '5.00' },
  });
  const server = await serveEdge({
    http: { host: '127.0.0.1', port: 0, pathPrefix: '', trustedProxies: [], tls: null },
    services,
    gate,
    readiness,
    log,
  });
  open.push(upstream, harness, { close: () => server.close(1_000) }, { close: async () => readiness.stop() });
  const client = new OpenAI({ apiKey: 'ik_live_good', baseURL: `${server.url}/v1`, maxRetries: 0 });
  return { url: server.url, client, harness, upstream };
}

const messages = [{ role: 'user' as const, content: 'Hi' }];

describe("OpenAI's own client", () => {
  test('gets a completion with its usage, paid from the wallet', async () => {
    const { client, harness } = await serve({ body: completion('Hello.') });
    const { data, response } = await client.chat.completions.create({ model: 'auto:economy', messages }).withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'm1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    expect(response.headers.get('x-charge-usd')).toBe('0.00002');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(harness.ledger.balance).toBe(5_000_000_000n - 20_000n);
  });

  test.each(['m2', 'p/m2'])('chooses the model by its name, %s', async (model) => {
    const { client, upstream } = await serve({ body: completion('Hello.') });
    expect((await client.chat.completions.create({ model, messages })).model).toBe('m2');
    expect(upstream.seen[0]?.body.model).toBe('m2');
  });

  test('reads a stream to its end, with usage when it asks for it', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 3 };
    const { client, harness } = await serve({ pieces: streamedCompletion(['Hel', 'lo', '.'], usage) });
    const stream = await client.chat.completions.create({
      model: 'auto',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant' });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello.');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 3 } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(harness.ledger.settlements).toHaveLength(1);
  });

  test('runs a tool: the call, its answer, the reply', async () => {
    const { client, upstream } = await serve({});
    const toolCall = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
    upstream.answer(({ body }) => ({
      body:
        (body.messages as unknown[]).length === 1
          ? {
              ...completion(''),
              choices: [
                {
                  index: 0,
                  message: { role: 'assistant', content: null, tool_calls: [toolCall] },
                  finish_reason: 'tool_calls',
                },
              ],
            }
          : completion('It is sunny.'),
    }));
    const runner = client.chat.completions.runTools({
      model: 'auto',
      messages,
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather of a city.',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `sunny in ${city}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It is sunny.');
    expect(upstream.seen[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny in Rome' },
    ]);
  });

  test('gets JSON that fits the schema that it asked for, also as a stream', async () => {
    const { client } = await serve({ body: completion('{"n": 5}') });
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'n', schema, strict: true } };
    const reply = await client.chat.completions.create({ model: 'auto', messages, response_format });
    expect(JSON.parse(reply.choices[0]?.message.content ?? '')).toEqual({ n: 5 });
    const stream = client.chat.completions.stream({ model: 'auto', messages, response_format });
    expect(JSON.parse((await stream.finalContent()) ?? '')).toEqual({ n: 5 });
  });

  test('sends a document and a recording', async () => {
    const price = { inputPerMillionUsd: '1', outputPerMillionUsd: '2', audioInputPerMillionUsd: '3' };
    const { client, upstream } = await serve(
      { body: completion('A bill.') },
      { models: [testModel('p', 'm1', { price, capabilities: ['documents', 'audio'] })] },
    );
    const file = { filename: 'bill.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
    const input_audio = { data: 'UklGRg==', format: 'wav' as const };
    const ask = (...content: OpenAI.ChatCompletionContentPart[]) =>
      client.chat.completions.create({ model: 'm1', messages: [{ role: 'user', content }] });
    await ask({ type: 'file', file }, { type: 'input_audio', input_audio });
    expect(upstream.seen[0]?.body.messages).toMatchObject([
      {
        content: [
          { type: 'file', file },
          { type: 'input_audio', input_audio },
        ],
      },
    ]);
    const wrong: [OpenAI.ChatCompletionContentPart, string][] = [
      [{ type: 'file', file: { file_id: 'file-1' } }, 'messages[0].content[0].file.file_id'],
      [{ type: 'file', file: { file_data: 'data:text/csv;base64,YQ==' } }, 'messages[0].content[0].file.file_data'],
      [{ type: 'file', file: { ...file, filename: 'x'.repeat(10_000) } }, 'messages[0].content[0].file.filename'],
      [
        { type: 'input_audio', input_audio: { data: 'YQ==', format: 'ogg' as 'wav' } },
        'messages[0].content[0].input_audio.format',
      ],
      [{ type: 'input_audio', input_audio: { data: '?', format: 'wav' } }, 'messages[0].content[0].input_audio.data'],
    ];
    for (const [part, param] of wrong) await expect(ask(part)).rejects.toMatchObject({ status: 400, param });
    expect(upstream.seen).toHaveLength(1);
  });

  test('whose base URL is wrong is told so', async () => {
    const { url } = await serve({ body: completion('Hello.') });
    const meant = async (path: string) =>
      /Did you mean (\S+)\?/.exec(await (await fetch(`${url}${path}`, { method: 'POST', body: '{}' })).text())?.[1];
    expect(await meant('/chat/completions')).toBe('/v1/chat/completions');
    expect(await meant('/responses')).toBe('/v1/responses');
    expect(await meant('/v1/v1/messages')).toBe('/v1/messages');
    expect(await meant('/messages/count_tokens')).toBe('/v1/messages/count_tokens');
    expect(await meant('/v1/images/generations')).toBeUndefined();
  });

  test('sends an image by value', async () => {
    const { client, upstream } = await serve({ body: completion('A dot.') });
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    await client.chat.completions.create({
      model: 'auto',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    });
    expect(upstream.seen[0]?.body.messages).toMatchObject([{ content: [{ text: 'What?' }, { image_url: { url } }] }]);
  });

  test('lists the models, needs no credit for that, and finds one by name', async () => {
    const { client } = await serve({}, { balance: 0n });
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['auto', 'auto:economy', 'm1', 'm2', 'extractive']));
    expect(await client.models.retrieve('m1')).toMatchObject({ id: 'm1', owned_by: 'p' });
    await expect(client.models.retrieve('nope')).rejects.toMatchObject({ status: 404 });
  });

  test.each<[string, object, object]>([
    ['a wrong key', { key: 'ik_live_bad' }, { status: 401, code: 'invalid_api_key' }],
    ['several choices', { n: 2 }, { status: 400, param: 'n' }],
    ['no messages', { messages: [] }, { status: 400, param: 'messages' }],
    ['an unknown model', { model: 'nope' }, { status: 404, param: 'model', code: 'model_not_found' }],
    ['an unknown mode', { model: 'auto:best' }, { status: 400, param: 'model' }],
    ['a hot temperature', { temperature: 3 }, { status: 400, param: 'temperature' }],
    [
      'a film',
      { messages: [{ role: 'user', content: [{ type: 'input_video' }] }] },
      { status: 400, param: 'messages[0].content[0].type' },
    ],
  ])('is told about %s in the shape that it knows', async (_, { key, ...more }: { key?: string }, expected) => {
    const { url } = await serve({ body: completion('x') });
    const client = new OpenAI({ apiKey: key ?? 'ik_live_good', baseURL: `${url}/v1`, maxRetries: 0 });
    for (const stream of [false, true])
      await expect(client.chat.completions.create({ model: 'auto', messages, stream, ...more })).rejects.toMatchObject(
        expected,
      );
  });

  test('is told that the credit is used up', async () => {
    const { client } = await serve({ body: completion('x') }, { balance: 0n });
    await expect(client.chat.completions.create({ model: 'auto', messages })).rejects.toMatchObject({
      status: 402,
      code: 'insufficient_quota',
    });
  });

  test('hears in the stream of an upstream that breaks off', async () => {
    const { client, harness } = await serve({
      pieces: streamedCompletion(['a', 'b']).slice(0, 3),
      pauseMs: 5,
      ending: 'reset',
    });
    const stream = await client.chat.completions.create({ model: 'auto', messages, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(harness.ledger.settlements).toHaveLength(1);
  });

  test('stops the upstream when it leaves', async () => {
    const { client, upstream, harness } = await serve({
      pieces: streamedCompletion(Array(1_000).fill(' word')),
      pauseMs: 10,
    });
    const stream = await client.chat.completions.create({ model: 'auto', messages, stream: true });
    for await (const _ of stream) break;
    await upstream.seen[0]?.aborted;
    await harness.chat.drained();
    expect(harness.ledger.settlements).toHaveLength(1);
    expect(harness.ledger.held).toBe(0n);
  });
});

test('the AI SDK works as a client, whole and streamed', async () => {
  const { url, upstream } = await serve({ body: completion('Hello.') });
  const model = createOpenAICompatible({
    name: 'here',
    baseURL: `${url}/v1`,
    apiKey: 'ik_live_good',
    includeUsage: true,
  }).chatModel('auto');
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
  expect(await model.doGenerate({ prompt })).toMatchObject({
    content: [{ type: 'text', text: 'Hello.' }],
    usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
  });
  upstream.answer(() => ({ pieces: streamedCompletion(['Hel', 'lo.'], { prompt_tokens: 10, completion_tokens: 2 }) }));
  const { stream } = await model.doStream({ prompt });
  let text = '';
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'finish')
      expect(part).toMatchObject({ finishReason: { unified: 'stop' }, usage: { outputTokens: { total: 2 } } });
  }
  expect(text).toBe('Hello.');
});

test('a body that is no JSON, or of another type, is refused by name', async () => {
  const { url } = await serve({});
  const post = (body: string, type: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer ik_live_good', 'content-type': type },
    });
  expect((await post('{"a":', 'application/json')).status).toBe(400);
  expect((await post('a=1', 'application/x-www-form-urlencoded')).status).toBe(415);
  const unauthenticated = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{' });
  expect(unauthenticated.status).toBe(401);
});
