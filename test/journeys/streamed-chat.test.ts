import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

const chatPath = '/api/v1/assistant/chat';
const request = { messages: [{ role: 'user', content: 'Hi' }], routing: { mode: 'economy' } };
const usage = { prompt_tokens: 10, completion_tokens: 3 };
/** 10 input tokens at 1 USD and 3 output tokens at 2 USD a million. */
const cost = '0.000016';

interface Heard {
  text: string;
  end: { finishReason?: string; usage?: { costUsd?: string } | undefined; balanceUsd?: string } | undefined;
}

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let upstream: Upstream;
  let customer: Customer;
  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({
      databaseUrl: database().url,
      settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
    });
    customer = await onboard(app);
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  const credential = () => ({ authorization: `Bearer ${customer.apiKey}` });
  const transports: Record<string, (baseUrl: string) => Transport> = {
    gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
    'gRPC-Web': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    Connect: (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  };
  const protocols: Record<string, () => Promise<Heard>> = {
    ...Object.fromEntries(
      Object.entries(transports).map(([name, make]) => [
        name,
        async () => {
          const heard: Heard = { text: '', end: undefined };
          for await (const { event } of createClient(ChatService, make(app.url)).streamChat(request, {
            headers: credential(),
          })) {
            if (event.case === 'content') heard.text += event.value;
            if (event.case === 'end') heard.end = event.value;
          }
          return heard;
        },
      ]),
    ),
    'gRPC by @grpc/grpc-js': async () => {
      const client = grpcClient(app.url);
      const { messages } = await client.serverStream(ChatService.method.streamChat, request, credential());
      client.close();
      const events = messages.map(({ event }) => event);
      const end = events.find((event) => event.case === 'end');
      return {
        text: events.map((event) => (event.case === 'content' ? event.value : '')).join(''),
        end: end?.value as Heard['end'],
      };
    },
    'server-sent events': async () =>
      heardFrom(await streamed('text/event-stream'), /^data: (.*)$/gm, (line) => line as object),
    NDJSON: async () =>
      heardFrom(await streamed('application/x-ndjson'), /^(.*)$/gm, (line) => (line as { result: object }).result),
  };

  async function streamed(accept: string): Promise<string> {
    const answer = await send(app, 'POST', chatPath, customer.apiKey, request, { accept });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain(accept);
    return answer.text;
  }

  describe('a streamed reply', () => {
    test.each(Object.keys(protocols))('has the same pieces and the same charge over %s', async (name) => {
      upstream.answer(() => ({ pieces: streamedCompletion(['Hel', 'lo', '.'], usage) }));
      const before = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet.balanceUsd;
      const heard = await protocols[name]?.();
      expect(heard).toMatchObject({ text: 'Hello.', end: { finishReason: 'stop', usage: { costUsd: cost } } });
      const { body } = await send(app, 'GET', '/v1/wallet', customer.managementKey);
      expect(body.wallet).toMatchObject({ balanceUsd: heard?.end?.balanceUsd, heldUsd: '0.00' });
      expect(nano(before) - nano(body.wallet.balanceUsd)).toBe(16_000);
    });

    test('that fails before its first piece is an error like any other', async () => {
      upstream.answer(() => ({ status: 500, body: 'no' }));
      const answer = await send(app, 'POST', chatPath, customer.apiKey, request, { accept: 'text/event-stream' });
      expect(answer.status).toBe(502);
      expect(answer.body.error.status).toBe('UNAVAILABLE');
    });

    test('is stopped at the upstream when the caller leaves, and charged as received', async () => {
      upstream.answer(() => ({ pieces: streamedCompletion(Array(5_000).fill(' word')), pauseMs: 10 }));
      upstream.seen.length = 0;
      const leaving = new AbortController();
      const reply = await fetch(`${app.url}${chatPath}`, {
        method: 'POST',
        body: JSON.stringify(request),
        headers: { ...credential(), 'content-type': 'application/json', accept: 'text/event-stream' },
        signal: leaving.signal,
      });
      await reply.body?.getReader().read();
      leaving.abort();
      // Would never resolve if it had completed.
      await upstream.seen[0]?.aborted;
      await expect
        .poll(async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet.heldUsd)
        .toBe('0.00');
    });
  });

  test('an estimate says what a request could cost, and neither calls nor holds', async () => {
    upstream.seen.length = 0;
    const body = { ...request, maxOutputTokens: 100 };
    const estimated = await send(app, 'POST', `${chatPath}:estimate`, customer.apiKey, body);
    expect(estimated.status).toBe(200);
    expect(estimated.body.routes).toMatchObject([{ provider: 'up', model: 'm', maxOutputTokens: 100 }]);
    expect(Number(estimated.body.ceilingUsd)).toBeGreaterThanOrEqual(0.0002);
    expect(Number(estimated.body.minimumUsd)).toBeLessThan(Number(estimated.body.ceilingUsd));
    expect(upstream.seen).toHaveLength(0);
    const missing = await send(app, 'POST', `${chatPath}:estimate`, customer.apiKey, { ...body, model: 'nope' });
    expect(missing.status).toBe(400);
  });

  test('models are listed with their prices, for the owner and for a key without credit', async () => {
    const poor = await onboard(app, '0');
    for (const key of [poor.apiKey, poor.managementKey]) {
      const { status, body } = await send(app, 'GET', '/api/v1/assistant/models?provider=up', key);
      expect(status).toBe(200);
      expect(body.models).toMatchObject([
        {
          id: 'm',
          provider: 'up',
          contextTokens: 100_000,
          price: { inputPerMillionUsd: '1.00', outputPerMillionUsd: '2.00' },
        },
      ]);
    }
  });
});

function heardFrom(text: string, lines: RegExp, eventOf: (line: unknown) => object): Heard {
  const heard: Heard = { text: '', end: undefined };
  for (const [, line = ''] of text.matchAll(lines)) {
    if (line === '') continue;
    const event = eventOf(JSON.parse(line)) as { content?: string; end?: Heard['end'] };
    heard.text += event.content ?? '';
    heard.end ??= event.end;
  }
  return heard;
}

function nano(usd: string): number {
  return Math.round(Number(usd) * 1e9);
}
