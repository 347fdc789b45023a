import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatService, type StreamChatResponse } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { findNginx, type Nginx, startNginx } from '../support/nginx.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const path = '/api/v1/assistant/chat';
const request = { messages: [{ role: 'user', content: 'Hi' }] };
const usage = { prompt_tokens: 10, completion_tokens: 3 };
/** The silence between the request and the reply behind the proxy: more than twice its read time-out, unless a longer one is requested. */
const silenceMs = Number(process.env.SILENCE_SECONDS ?? 12) * 1_000;

const database = useDatabase(firstServer());
let app: TestApp;
/** The app with the default settings for silence. */
let byDefault: TestApp;
let upstream: Upstream;
let customer: Customer;
let delayMs = silenceMs;
let failing = false;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answer(({ body }) => {
    if (failing) return { status: 500, delayMs, body: {} };
    if (body.stream) return { pieces: streamedCompletion(['Hel', 'lo'], usage), delayMs };
    return { body: completion('Hello', usage), delayMs };
  });
  const secrets = testSecrets();
  const settings = `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`;
  const databaseUrl = database().url;
  app = await startApp({ databaseUrl, secrets, settings: `chat: { keepAliveSeconds: 1 }${settings}` });
  byDefault = await startApp({ databaseUrl, secrets, settings });
  customer = await onboard(app);
});
afterAll(async () => {
  await byDefault.close();
  await app.close();
  await upstream.close();
});

const credential = () => ({ authorization: `Bearer ${customer.apiKey}` });

interface Heard {
  text: string;
  /** Messages or comments without content, before the first with content. */
  silences: number;
  finishReason: string | undefined;
}

function heardOf(messages: readonly StreamChatResponse[]): Heard {
  const heard: Heard = { text: '', silences: 0, finishReason: undefined };
  for (const { event } of messages) {
    if (event.case === undefined && heard.text === '') heard.silences++;
    if (event.case === 'content') heard.text += event.value;
    if (event.case === 'end') heard.finishReason = event.value.finishReason;
  }
  return heard;
}

const protocols: Record<string, (url: string, grpcUrl: string) => Promise<Heard>> = {
  'server-sent events': async (url) => {
    const { text } = await send({ url }, 'POST', path, customer.apiKey, request, { accept: 'text/event-stream' });
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
    return {
      text: events.map(({ content = '' }) => content).join(''),
      silences: text.slice(0, text.indexOf('data: ')).split(': keep-alive\n\n').length - 1,
      finishReason: events.at(-1)?.end?.finishReason,
    };
  },
  "OpenAI's chat completions": async (url) => {
    const body = { model: 'auto', messages: request.messages, stream: true };
    const { chunks, silences } = await eventsOf(url, '/v1/chat/completions', body);
    return {
      text: chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join(''),
      silences,
      finishReason: chunks.at(-1)?.choices[0]?.finish_reason,
    };
  },
  "OpenAI's responses": async (url) => {
    const { chunks, silences } = await eventsOf(url, '/v1/responses', { model: 'auto', input: 'Hi', stream: true });
    const { response } = chunks.at(-1) ?? {};
    return {
      text: chunks.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')).join(''),
      silences,
      finishReason: response?.status === 'completed' ? 'stop' : response?.status,
    };
  },
  "Anthropic's messages": async (url) => {
    const body = { model: 'auto', max_tokens: 500, messages: request.messages, stream: true };
    const { chunks, silences } = await eventsOf(url, '/v1/messages', body);
    const reason = chunks.find(({ type }) => type === 'message_delta')?.delta.stop_reason;
    return {
      text: chunks.map(({ delta }) => delta?.text ?? '').join(''),
      silences,
      finishReason: reason === 'end_turn' && chunks.at(-1)?.type === 'message_stop' ? 'stop' : reason,
    };
  },
  NDJSON: async (url) => {
    const { text } = await send({ url }, 'POST', path, customer.apiKey, request, { accept: 'application/x-ndjson' });
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).result);
    return {
      text: events.map(({ content = '' }) => content).join(''),
      silences: events.filter((event) => Object.keys(event).length === 0).length,
      finishReason: events.at(-1)?.end?.finishReason,
    };
  },
  gRPC: (_url, baseUrl) => streamed(createGrpcTransport({ baseUrl })),
  'gRPC-Web': (baseUrl) => streamed(createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })),
  Connect: (baseUrl) => streamed(createConnectTransport({ baseUrl, httpVersion: '1.1' })),
};

/** The events of another API's stream. */
async function eventsOf(url: string, of: string, body: object) {
  const { text, headers } = await send({ url }, 'POST', of, customer.apiKey, body);
  expect(headers.get('x-charge-id')).toMatch(/^chg_/);
  return {
    // biome-ignore lint/suspicious/noExplicitAny: events as their API has them
    chunks: [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']): any => JSON.parse(json)),
    silences: text.split(': keep-alive\n\n').length - 1,
  };
}

async function streamed(transport: ReturnType<typeof createGrpcTransport>): Promise<Heard> {
  const messages: StreamChatResponse[] = [];
  const options = { headers: credential() };
  for await (const message of createClient(ChatService, transport).streamChat(request, options)) messages.push(message);
  return heardOf(messages);
}

describe('a stream whose model says nothing for long', () => {
  beforeAll(() => {
    delayMs = 8_000;
  });
  // Concurrently, because each waits for the same silence: eight times as long as that until the first sign.
  test.concurrent.each(Object.keys(protocols))(
    'says that it is at work, over %s',
    { timeout: 60_000 },
    async (name) => {
      const heard = await protocols[name]?.(app.url, app.url);
      expect(heard).toMatchObject({ text: 'Hello', finishReason: 'stop' });
      expect(heard?.silences).toBeGreaterThanOrEqual(2);
    },
  );

  test('tells a failure that comes after that in the stream, and one before with its status', async () => {
    failing = true;
    const ask = () => send(app, 'POST', path, customer.apiKey, request, { accept: 'text/event-stream' });
    delayMs = 2_500;
    const late = await ask();
    expect(late.status).toBe(200);
    expect(late.text).toMatch(/^: keep-alive\n\n/);
    expect(late.text).toContain('event: error\n');
    expect(late.text).toContain('UPSTREAM_FAILED');
    delayMs = 0;
    expect((await ask()).status).toBe(502);
  });

  test('a caller who leaves in the silence ends the call of the model', async () => {
    failing = false;
    delayMs = 60_000;
    const leaving = new AbortController();
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { ...credential(), 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(request),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    const called = upstream.seen.at(-1);
    leaving.abort();
    // Otherwise it would continue for a minute, and the test would time out.
    await called?.aborted;
  });
});

describe.skipIf(!findNginx())('behind nginx, which waits for 5 s', () => {
  let nginx: Nginx;
  beforeAll(async () => {
    nginx = await startNginx({ upstream: byDefault.url, readTimeout: '5s' });
  });
  afterAll(() => nginx?.close());

  beforeAll(() => {
    failing = false;
    delayMs = silenceMs;
  });
  // Concurrently, because each waits for the same long silence.
  test.concurrent.each(Object.keys(protocols))(
    'the reply arrives over %s',
    { timeout: silenceMs + 60_000 },
    async (name) => {
      const heard = await protocols[name]?.(nginx.url, nginx.grpcUrl);
      expect(heard).toMatchObject({ text: 'Hello', finishReason: 'stop' });
    },
  );
});
