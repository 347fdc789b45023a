import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { startUpstream, streamedCompletion, type Upstream, type UpstreamReply } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const asked = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hi' }] });
/** The visible answer is 10 tokens; the other 11,990 are thoughts that nobody is shown. */
const usage = {
  prompt_tokens: 10,
  completion_tokens: 12_000,
  completion_tokens_details: { reasoning_tokens: 11_990 },
};
/** 10 input tokens at 1 USD per million, and 12,000 output tokens at 2. */
const cost = 24_010_000;
/** The answer, and then the end with its usage. */
const thinking: UpstreamReply = { pieces: streamedCompletion(['Yes.'], usage) };

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  beforeAll(async () => {
    upstream = await startUpstream();
    const model = (id: string, capabilities: string, price: string) =>
      `{ id: ${id}, provider: up, quality: 50, contextTokens: 100000, capabilities: [${capabilities}], price: ${price} }`;
    const paid = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
    app = await startApp({
      databaseUrl: database().url,
      settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
limits: { concurrentStreams: 1 }
models:
  - ${model('thinker', 'reasoning', paid)}
  - ${model('plain', '', paid)}
  - ${model('free', '', '{ inputPerMillionUsd: "0", outputPerMillionUsd: "0" }')}`,
    });
    customer = await onboard(app);
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  const credential = () => ({ authorization: `Bearer ${customer.apiKey}` });
  const wallet = async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
  const balance = async () => Math.round(Number((await wallet()).balanceUsd) * 1e9);
  const settled = () => expect.poll(async () => (await wallet()).heldUsd).toBe('0.00');

  const transports: Record<string, (baseUrl: string) => Transport> = {
    'gRPC by Connect': (baseUrl) => createGrpcTransport({ baseUrl }),
    'gRPC-Web': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    'Connect over HTTP/2': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }),
    'Connect over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  };
  /** Each reads the first piece of the answer and leaves. */
  const leaving: Record<string, (model: string) => Promise<void>> = {
    ...Object.fromEntries(
      Object.entries(transports).map(([name, make]) => [
        name,
        async (model: string) => {
          const gone = new AbortController();
          const options = { headers: credential(), signal: gone.signal };
          const read = async () => {
            for await (const { event } of createClient(ChatService, make(app.url)).streamChat(asked(model), options))
              if (event.case === 'content') gone.abort();
          };
          await expect(read()).rejects.toThrow('aborted');
        },
      ]),
    ),
    'gRPC by @grpc/grpc-js': async (model) => {
      const client = grpcClient(app.url);
      await client.serverStream(ChatService.method.streamChat, asked(model), credential(), ({ event }, cancel) => {
        if (event.case === 'content') cancel();
      });
      client.close();
    },
    'server-sent events': (model) => readOne(chatPath, asked(model), 'text/event-stream'),
    NDJSON: (model) => readOne(chatPath, asked(model), 'application/x-ndjson'),
    'the OpenAI facade': (model) =>
      readOne('/v1/chat/completions', { ...asked(model), stream: true }, 'text/event-stream'),
  };

  /** The previous stream may still have its slot for a moment: only one may run at a time. */
  const leave = (name: string, model: string) =>
    expect.poll(() => leaving[name]?.(model).then(() => 'left', String), { interval: 100 }).toBe('left');

  async function readOne(path: string, body: object, accept: string): Promise<void> {
    const gone = new AbortController();
    const reply = await fetch(`${app.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...credential(), 'content-type': 'application/json', accept },
      signal: gone.signal,
    });
    let text = '';
    for await (const piece of reply.body ?? []) {
      text += Buffer.from(piece).toString();
      if (text.includes('Yes.')) break;
    }
    gone.abort();
    expect(text).toContain('Yes.');
  }

  describe.each(Object.keys(leaving))('a stream that is left before its end over %s', (name) => {
    test('of a model that reasons is charged what the upstream states, and keeps its place until then', async () => {
      const thought = Promise.withResolvers<void>();
      upstream.answer(() => ({ ...thinking, gate: { before: 2, open: thought.promise } }));
      const before = await balance();
      await leave(name, 'thinker');
      const second = await send(app, 'POST', chatPath, customer.apiKey, asked('plain'), {
        accept: 'text/event-stream',
      });
      expect(second.status).toBe(429);
      expect(reasonOf(second)).toBe('RATE_LIMITED');
      thought.resolve();
      await settled();
      expect(before - (await balance())).toBe(cost);
      upstream.answer(() => ({ pieces: streamedCompletion(['Go.'], { prompt_tokens: 10, completion_tokens: 1 }) }));
      const again = () => send(app, 'POST', chatPath, customer.apiKey, asked('plain'), { accept: 'text/event-stream' });
      await expect.poll(async () => (await again()).status).toBe(200);
    });

    test('of a model that does not is stopped at once, and charged as received', async () => {
      upstream.seen.length = 0;
      upstream.answer(() => ({ ...thinking, pauseMs: 100, ending: 'silence' }));
      const before = await balance();
      await leave(name, 'plain');
      await upstream.seen[0]?.aborted;
      await settled();
      const charged = before - (await balance());
      expect(charged).toBeGreaterThan(0);
      expect(charged).toBeLessThan(100_000);
    });
  });

  test('a model that reasons is paid as stated when it is left before its first piece', async () => {
    const left = Promise.withResolvers<void>();
    upstream.answer(() => left.promise.then(() => thinking));
    const before = await balance();
    const gone = new AbortController();
    const work = fetch(`${app.url}${chatPath}`, {
      method: 'POST',
      body: JSON.stringify(asked('thinker')),
      headers: { ...credential(), 'content-type': 'application/json', accept: 'text/event-stream' },
      signal: gone.signal,
    });
    upstream.seen.length = 0;
    await expect.poll(() => upstream.seen.length).toBe(1);
    gone.abort();
    await expect(work).rejects.toThrow();
    left.resolve();
    // The hold may still be on its way to the database, so that nothing is held does not say yet that it is paid.
    await expect.poll(async () => before - (await balance())).toBe(cost);
    await settled();
    expect(before - (await balance())).toBe(cost);
  });

  test('a model that costs nothing answers whole and in pieces, and nothing is charged', async () => {
    const before = await balance();
    upstream.answer(() => ({ pieces: streamedCompletion(['Yes.'], usage) }));
    const streamed = await send(app, 'POST', chatPath, customer.apiKey, asked('free'), { accept: 'text/event-stream' });
    expect(streamed.status).toBe(200);
    expect(streamed.text).toContain('"finishReason":"stop"');
    upstream.answer(() => ({
      body: { choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }], usage },
    }));
    const whole = await send(app, 'POST', chatPath, customer.apiKey, asked('free'));
    expect(whole).toMatchObject({ status: 200, body: { usage: { costUsd: '0.00' } } });
    expect(await wallet()).toMatchObject({ heldUsd: '0.00' });
    expect(await balance()).toBe(before);
    const { body } = await send(app, 'GET', '/v1/charges', customer.managementKey);
    expect(body.charges.slice(0, 2)).toMatchObject([{ state: 'settled' }, { state: 'settled' }]);
  });
});
