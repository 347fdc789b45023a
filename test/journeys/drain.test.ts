import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { startUpstream, streamedCompletion, type Upstream, type UpstreamReply } from '../support/upstream.ts';

const asked = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
/** For a stream, the upstream sends one word and nothing more; for a whole reply, nothing at all. */
const [first = '', word = ''] = streamedCompletion(['Yes.']);

/** What the caller on one lane received. */
interface Heard {
  /** How many pieces of content came first. */
  pieces: number;
  error: unknown;
}

const overRpc = { code: Code.Unavailable, reason: 'SHUTTING_DOWN' };
const overHttp = (status?: number) => ({ status, code: 'UNAVAILABLE', reason: 'SHUTTING_DOWN' });

eachServer((server) => {
  const database = useDatabase(server);
  const secrets = testSecrets();
  let failWhole = () => {};
  const whole = new Promise<UpstreamReply>((resolve) => {
    failWhole = () => resolve({ status: 400, body: {} });
  });
  let upstream: Upstream;
  let app: TestApp;
  let customer: Customer;
  const start = () =>
    startApp({
      ...{ databaseUrl: database().url, secrets },
      settings: `
http: { drainSeconds: 3 }
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
    });
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answer(({ body }) => (body.stream === true ? { pieces: [first, word], ending: 'silence' } : whole));
    app = await start();
    customer = await onboard(app);
  });
  afterAll(async () => {
    failWhole();
    await app.close();
    await upstream.close();
  });

  /** Pieces that the streams of all lanes have received. */
  let received = 0;
  const credential = () => ({ authorization: `Bearer ${customer.apiKey}` });
  const wallet = async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
  const balance = async () => Math.round(Number((await wallet()).balanceUsd) * 1e9);

  function rpc(make: (baseUrl: string) => Transport) {
    const client = () => createClient(ChatService, make(app.url));
    return {
      unary: () =>
        client()
          .chat(asked, { headers: credential() })
          .then(() => undefined, errorOf)
          .then((error) => ({ pieces: 0, error })),
      stream: async (signal?: AbortSignal): Promise<Heard> => {
        let pieces = 0;
        const read = async () => {
          for await (const { event } of client().streamChat(asked, {
            headers: credential(),
            ...(signal && { signal }),
          }))
            if (event.case === 'content') {
              pieces += 1;
              received += 1;
            }
        };
        return { error: await read().then(() => undefined, errorOf), pieces };
      },
    };
  }

  async function http(path: string, body: object, accept: string, headers = {}): Promise<Heard & { text: string }> {
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...credential(), 'content-type': 'application/json', accept, ...headers },
    });
    let text = '';
    let pieces = 0;
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString();
      if (pieces === 0 && text.includes('Yes.')) {
        pieces = 1;
        received += 1;
      }
    }
    return { text, pieces, error: errorIn(text, response.status) };
  }

  const chatPath = '/api/v1/assistant/chat';
  const openaiPath = '/v1/chat/completions';
  const connect = rpc((baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }));
  const connect2 = rpc((baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }));
  const web = rpc((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }));
  const grpc = rpc((baseUrl) => createGrpcTransport({ baseUrl }));
  const grpcJson = rpc((baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false }));
  const grpcJs = async (): Promise<Heard> => {
    const client = grpcClient(app.url);
    const reply = await client.unary(ChatService.method.chat, asked, credential());
    client.close();
    return { pieces: 0, error: { code: reply.error?.code, reason: reply.reason } };
  };
  const lanes: Record<string, [() => Promise<Heard>, Heard]> = {
    'gRPC by @grpc/grpc-js': [grpcJs, { pieces: 0, error: overRpc }],
    gRPC: [grpc.unary, { pieces: 0, error: overRpc }],
    'gRPC, streamed': [grpc.stream, { pieces: 1, error: overRpc }],
    'gRPC with JSON': [grpcJson.unary, { pieces: 0, error: overRpc }],
    'gRPC with JSON, streamed': [grpcJson.stream, { pieces: 1, error: overRpc }],
    'gRPC-Web': [web.unary, { pieces: 0, error: overRpc }],
    'gRPC-Web, streamed': [web.stream, { pieces: 1, error: overRpc }],
    Connect: [connect.unary, { pieces: 0, error: overRpc }],
    'Connect, streamed': [connect.stream, { pieces: 1, error: overRpc }],
    'Connect over HTTP/2': [connect2.unary, { pieces: 0, error: overRpc }],
    'Connect over HTTP/2, streamed': [connect2.stream, { pieces: 1, error: overRpc }],
    REST: [() => http(chatPath, asked, 'application/json'), { pieces: 0, error: overHttp(503) }],
    'REST with a deadline of its own': [
      () => http(chatPath, asked, 'application/json', { 'grpc-timeout': '10M' }),
      { pieces: 0, error: overHttp(503) },
    ],
    'server-sent events': [() => http(chatPath, asked, 'text/event-stream'), { pieces: 1, error: overHttp(200) }],
    NDJSON: [() => http(chatPath, asked, 'application/x-ndjson'), { pieces: 1, error: overHttp(200) }],
    'the OpenAI facade': [
      () => http(openaiPath, asked, 'application/json'),
      { pieces: 0, error: { status: 503, code: 'shutting_down', type: 'server_error' } },
    ],
    'the OpenAI facade, streamed': [
      () => http(openaiPath, { ...asked, stream: true }, 'text/event-stream'),
      { pieces: 1, error: { status: 200, code: 'shutting_down', type: 'server_error' } },
    ],
  };

  test('at the end of the drain every lane says so in its own words, and what was delivered is paid', async () => {
    // What a piece costs when its caller leaves.
    const before = await balance();
    const leaving = new AbortController();
    const left = grpc.stream(leaving.signal);
    await expect.poll(() => received, { timeout: 60_000 }).toBe(1);
    leaving.abort();
    await left;
    await expect.poll(async () => (await wallet()).heldUsd, { timeout: 60_000 }).toBe('0.00');
    const price = before - (await balance());
    expect(price).toBeGreaterThan(0);

    upstream.seen.length = 0;
    received = 0;
    const calls = Object.entries(lanes).map(async ([name, [call]]) => [name, await call()] as const);
    const streams = Object.values(lanes).filter(([, { pieces }]) => pieces > 0).length;
    await expect.poll(() => [upstream.seen.length, received], { timeout: 60_000 }).toEqual([calls.length, streams]);
    const closed = app.close();
    for (const [name, heard] of await Promise.all(calls)) {
      const { pieces, error } = heard;
      expect({ name, pieces, error }).toEqual({ name, ...lanes[name]?.[1] });
    }
    // Whole replies continue without their callers, as always; nobody pays for one that fails.
    failWhole();
    await closed;
    app = await start();
    expect((await wallet()).heldUsd).toBe('0.00');
    expect(before - (await balance())).toBe(price * (1 + streams));
  }, 180_000);
});

function errorOf(thrown: unknown): unknown {
  const error = ConnectError.from(thrown);
  return { code: error.code, reason: error.findDetails(ErrorInfoSchema)[0]?.reason };
}

/** The error in a body, or in the last line or event of a stream, by its dialect's fields. */
function errorIn(text: string, status: number): unknown {
  const last =
    text
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^data: /, '') ?? '';
  const { error } = JSON.parse(last) as {
    error: { code: string; type?: string; status?: string; details?: { reason?: string }[] };
  };
  if (error.details) return { status, code: error.status, reason: error.details[0]?.reason };
  return { status, code: error.code, type: error.type };
}
