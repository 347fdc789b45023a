import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { create, type Message } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpBody } from '../../../test/gen/google/api/httpbody_pb.ts';
import {
  DownloadReplySchema,
  type DownloadRequest,
  type StoreReply,
  StoreReplySchema,
  type StoreRequest,
  UploadService,
} from '../../../test/gen/intelligence/test/v1/upload_pb.ts';
import type { CallContext } from '../src/index.ts';
import { adapters, startEchoServer } from './server.ts';

const bodyBytes = 8 * 1024 * 1024;

/** What the handlers did, for tests that look behind the reply. */
const seen = { calls: 0, messages: 0, ended: 0, failures: [] as string[], downloaded: 0, downloadsLeft: 0 };
/** Handlers wait for it before they read the second message. */
let gate = Promise.resolve();

const options = {
  methods: UploadService.methods,
  limits: { bodyBytes, uploadChunkBytes: 10_000 },
  async clientStreaming(_method: unknown, requests: AsyncIterable<Message>, context: CallContext): Promise<Message> {
    seen.calls++;
    if (context.headers['x-early'] !== undefined) return create(StoreReplySchema, { name: 'early' });
    try {
      return await store(requests);
    } catch (error) {
      seen.failures.push(`${(error as Error).message}, ${context.signal.aborted ? 'aborted' : 'not aborted'}`);
      throw new Error('a cause of the handler');
    } finally {
      seen.ended++;
    }
  },
  bidiStreaming: (_method: unknown, requests: AsyncIterable<Message>) => requests,
  async *serverStreaming(_method: unknown, request: Message): AsyncGenerator<Message> {
    const { chunks } = request as DownloadRequest;
    try {
      for (let index = 0; index < chunks; index++) {
        seen.downloaded++;
        const content = { contentType: index === 0 ? 'text/csv' : '', data: Buffer.alloc(10_000, `${index % 10}`) };
        yield create(DownloadReplySchema, { content });
      }
    } finally {
      seen.downloadsLeft++;
    }
  },
};

async function store(requests: AsyncIterable<Message>): Promise<StoreReply> {
  const reply = create(StoreReplySchema);
  const hash = createHash('sha256');
  for await (const message of requests) {
    const named = message.$typeName === 'google.api.HttpBody' ? undefined : (message as StoreRequest);
    const { contentType = '', data = new Uint8Array() } = (named ? named.content : (message as HttpBody)) ?? {};
    if (named?.name) reply.name = named.name;
    if (named?.number) reply.number = named.number;
    reply.contentTypes.push(contentType);
    reply.bytes += data.length;
    reply.largest = Math.max(reply.largest, data.length);
    hash.update(data);
    seen.messages++;
    await gate;
  }
  reply.sha256 = hash.digest('hex');
  return reply;
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const typed = { 'content-type': 'image/png' };

describe.each(Object.entries(adapters))('%s', (adapter, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  let url: string;
  beforeAll(async () => {
    server = await start(options);
    url = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.close());

  const upload = (path: string, body: Uint8Array, headers: Record<string, string> = typed, method = 'POST') =>
    fetch(`${url}${path}`, { method, headers, body: body as Uint8Array<ArrayBuffer> });

  test('a body of any type comes as messages of bounded size', async () => {
    const bytes = randomBytes(1_000_000);
    const reply = (await (await upload('/v1/stores', bytes)).json()) as StoreReply;
    expect(reply).toMatchObject({ bytes: 1_000_000, sha256: digest(bytes) });
    expect(reply.largest).toBe(10_000);
    expect(reply.contentTypes.length).toBeGreaterThanOrEqual(100);
    expect(reply.contentTypes.slice(0, 2)).toEqual(['image/png', '']);
  });

  test('the first message has what path and query say', async () => {
    const bytes = randomBytes(200_000);
    const reply = await (await upload('/v1/stores/a%2Fb?number=7', bytes, typed, 'PUT')).json();
    expect(reply).toMatchObject({ name: 'a/b', number: 7, bytes: 200_000, sha256: digest(bytes) });
  });

  test('an empty body is one message', async () => {
    const reply = await (await upload('/v1/stores/a', new Uint8Array(), typed, 'PUT')).json();
    expect(reply).toMatchObject({ name: 'a', bytes: 0, contentTypes: ['image/png'] });
  });

  test('what is wrong with path and query is told before anything is read', async () => {
    const { calls } = seen;
    const reply = await upload('/v1/stores/a?number=x', randomBytes(10), typed, 'PUT');
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { violations: [{ field: 'number' }] } }]);
    expect(seen.calls).toBe(calls);
  });

  test('a handler that does not read holds the sender back', async () => {
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    const { messages } = seen;
    const socket = await open(server.port, 'POST /v1/stores', { 'content-length': String(bodyBytes) });
    const bytes = Buffer.alloc(bodyBytes, 'b');
    socket.write(bytes);
    await until(() => seen.messages === messages + 1);
    // Nothing goes on: what fits into the buffers of both ends has gone, and most has not.
    await pause(300);
    const [read, waiting] = [seen.messages - messages, socket.writableLength];
    opened.resolve();
    expect(read).toBe(1);
    expect(waiting).toBeGreaterThan(0);
    expect(await received(socket)).toContain(digest(bytes));
  });

  test.each([
    ['of a declared length', { 'content-length': String(bodyBytes + 1) }, 0],
    ['that shows it on the way', { 'transfer-encoding': 'chunked' }, 1],
  ])('more than the limit, %s, is refused', async (_, headers, calls) => {
    const before = seen.calls;
    const socket = await open(server.port, 'POST /v1/stores', headers);
    if (calls > 0) {
      const size = bodyBytes + 1;
      socket.write(`${size.toString(16)}\r\n`);
      socket.write(Buffer.alloc(size));
    }
    const reply = await received(socket, 'payload_too_large');
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(seen.calls - before).toBe(calls);
  });

  test('a compressed body is opened on the way', async () => {
    const bytes = Buffer.from('a line of text that repeats itself\n'.repeat(5_000));
    const reply = await (await upload('/v1/stores', gzipSync(bytes), { ...typed, 'content-encoding': 'gzip' })).json();
    expect(reply).toMatchObject({ bytes: bytes.length, sha256: digest(bytes) });
  });

  test.each<[string, Uint8Array, string, string]>([
    ['opens to far more than it is', gzipSync(Buffer.alloc(4_000_000)), 'gzip', 'more than 100 times'],
    ['is not gzip', Buffer.from('plain'), 'gzip', 'is not valid gzip'],
    ['is cut off', gzipSync(randomBytes(1_000)).subarray(0, 500), 'gzip', 'is not valid gzip'],
    ['is in another encoding', Buffer.from('x'), 'br', 'unsupported_media_type'],
  ])('a compressed body that %s is refused, whatever the handler throws', async (_, bytes, encoding, says) => {
    const reply = await upload('/v1/stores', bytes, { ...typed, 'content-encoding': encoding });
    expect(reply.status).toBe(encoding === 'gzip' ? 400 : 415);
    expect(await reply.text()).toContain(says);
  });

  test('a caller that leaves ends the messages with an error', async () => {
    const { messages, ended } = seen;
    const socket = await open(server.port, 'POST /v1/stores', { 'content-length': '1000' });
    socket.write('some of it');
    await until(() => seen.messages > messages);
    socket.destroy();
    await until(() => seen.ended > ended);
    expect(seen.failures.at(-1)).toMatch(/^cancelled/);
  });

  test('a deadline ends the messages with an error', async () => {
    const socket = await open(server.port, 'POST /v1/stores', { 'content-length': '1000', 'grpc-timeout': '200m' });
    socket.write('some of it');
    expect(await received(socket, 'deadline_exceeded')).toMatch(/^HTTP\/1.1 504 /);
    expect(seen.failures.at(-1)).toBe('deadline_exceeded, aborted');
  });

  test('an answer need not wait for the whole body', async () => {
    const socket = await open(server.port, 'POST /v1/stores', { 'content-length': '1000', 'x-early': 'yes' });
    socket.write('some of it');
    const reply = await received(socket, 'early');
    expect(reply).toMatch(/^HTTP\/1.1 200 /);
    if (adapter === 'Fastify') expect(reply).toMatch(/connection: close/i);
  });

  test('a stream in is a stream out while it comes', async () => {
    const request = httpRequest(`${url}/v1/copies`, { method: 'POST', headers: typed });
    request.write('first');
    const [reply] = (await once(request, 'response')) as [IncomingMessage];
    expect(reply.headers['content-type']).toBe('image/png');
    const [piece] = (await once(reply, 'data')) as [Buffer];
    expect(piece.toString()).toBe('first');
    request.end('last');
    let rest = '';
    for await (const chunk of reply) rest += chunk;
    expect(rest).toBe('last');
  });

  test('a stream of bytes goes out as it is', async () => {
    const reply = await fetch(`${url}/v1/downloads/25`);
    expect(reply.headers.get('content-type')).toBe('text/csv');
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.length).toBe(250_000);
    expect(bytes.subarray(-10_000).toString()).toBe('4'.repeat(10_000));
  });

  test('a reader that stops holds a download back, and one that leaves ends it', async () => {
    const { downloaded, downloadsLeft } = seen;
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /v1/downloads/100000 HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'readable');
    socket.pause();
    await pause(300);
    expect(seen.downloaded - downloaded).toBeLessThan(50_000);
    socket.destroy();
    await until(() => seen.downloadsLeft > downloadsLeft);
  });
});

test('over HTTP/2, an early answer ends the upload', async () => {
  const { app, url } = await startEchoServer(options, undefined, true);
  const session = connectHttp2(url);
  try {
    const stream = session.request({ ':method': 'POST', ':path': '/v1/stores', 'x-early': 'yes', ...typed });
    stream.on('error', () => undefined);
    stream.write(Buffer.alloc(1_000_000));
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    expect(text).toContain('early');
    await until(() => stream.closed);
    const again = session.request({ ':method': 'POST', ':path': '/v1/stores', ...typed });
    again.end('whole');
    let reply = '';
    for await (const chunk of again.setEncoding('utf8')) reply += chunk;
    expect(JSON.parse(reply)).toMatchObject({ bytes: 5 });
  } finally {
    session.destroy();
    await app.close();
  }
});

async function open(port: number, line: string, headers: Record<string, string>): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const lines = Object.entries({ host: 'x', ...typed, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
  return socket;
}

/** What came until the last word, or the end of the connection or of a JSON body. */
async function received(socket: Socket, last = '"}'): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes(last)) break;
  }
  return text;
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < 20_000; waited += 10) {
    if (condition()) return;
    await pause(10);
  }
  throw new Error('it did not happen within 20 s');
}
