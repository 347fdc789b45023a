import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { create } from '@bufbuild/protobuf';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EchoResponseSchema, EchoService } from '../../../test/gen/intelligence/test/v1/echo_pb.ts';
import { type EchoServer, startEchoServer } from './server.ts';

let server: EchoServer;

beforeAll(async () => {
  server = await startEchoServer({}, (app) => {
    app.get('/healthz', async () => 'well');
    app.post('/v1/chat/completions', async () => ({ own: true }));
    app.register(fastifyConnectPlugin, {
      routes: (router) => {
        router.service(EchoService, { echo: ({ text }) => create(EchoResponseSchema, { text }) });
      },
    });
  });
});
afterAll(() => server.app.close());

const json = { 'content-type': 'application/json' };

const post = (path: string, body: RequestInit['body'], headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { method: 'POST', body: body ?? null, headers: { ...json, ...headers } });

describe('beside other routes of the same server', () => {
  test('specific routes win', async () => {
    expect(await (await fetch(`${server.url}/healthz`)).text()).toBe('well');
    expect(await (await post('/v1/chat/completions', '{}')).json()).toEqual({ own: true });
  });

  test('a method that a specific route does not have is unknown here', async () => {
    expect((await post('/healthz', '{}')).status).toBe(404);
  });

  test("Connect's plugin serves its own paths", async () => {
    const reply = await post('/intelligence.test.v1.EchoService/Echo', '{"text":"a"}');
    expect(await reply.json()).toEqual({ text: 'a' });
  });

  test('a path prefix stands in front of every path', async () => {
    const prefixed = await startEchoServer({ pathPrefix: '/deep/er' });
    try {
      const statusOf = async (path: string) => (await fetch(`${prefixed.url}${path}`)).status;
      expect(await statusOf('/deep/er/v1/literal/here')).toBe(200);
      expect(await statusOf('/deep/er/v1/numbers/1')).toBe(200);
      expect(await statusOf('/deep/er/v1/numbers/%zz')).toBe(400);
      expect(await statusOf('/deep/er/nothing')).toBe(404);
      expect(await statusOf('/v1/numbers/1')).toBe(404);
    } finally {
      await prefixed.app.close();
    }
  });
});

describe('compression', () => {
  const large = JSON.stringify({ text: 'x'.repeat(5000) });

  test('a compressed body is read', async () => {
    const reply = await post('/echo', gzipSync('{"text":"packed"}'), { 'content-encoding': 'gzip' });
    expect(await reply.json()).toEqual({ text: 'packed' });
  });

  test('the limit counts decompressed bytes', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 32));
    expect(bomb.length).toBeLessThan(200_000);
    expect((await post('/echo', bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
  });

  test('a large reply is compressed when the caller takes it', async () => {
    const reply = await exchange('POST /echo HTTP/1.1', { 'accept-encoding': 'gzip' }, large);
    expect(reply.head).toMatch(/content-encoding: gzip/i);
    expect(reply.head).toMatch(/vary: accept-encoding/i);
    expect(JSON.parse(gunzipSync(reply.body).toString())).toEqual(JSON.parse(large));
  });

  test.each([
    ['identity', large],
    ['gzip;q=0', large],
    ['gzip', '{"text":"short"}'],
  ])('with "%s" it may stay as it is', async (accepted, body) => {
    const reply = await exchange('POST /echo HTTP/1.1', { 'accept-encoding': accepted }, body);
    expect(reply.head).not.toMatch(/content-encoding/i);
    expect(reply.body.toString()).toBe(body);
  });
});

describe('bodies', () => {
  test('one byte at a time', async () => {
    const socket = await open();
    const body = '{"text":"é🌍"}';
    socket.write(`POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n`);
    socket.write(`content-length: ${Buffer.byteLength(body)}\r\n\r\n`);
    for (const byte of Buffer.from(body)) {
      socket.write(Buffer.of(byte));
      await pause(1);
    }
    expect((await received(socket)).toString()).toContain(body);
  });

  test('a chunked body over the limit is refused before it ends, and the connection closed', async () => {
    const socket = await open();
    socket.write(
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    for (let count = 0; count < 5; count++) socket.write(chunk);
    const reply = (await received(socket)).toString();
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(reply).toMatch(/connection: close/i);
  });

  test('a body at the limit is taken', async () => {
    const body = `{"text":"${'x'.repeat(200_000 - 11)}"}`;
    expect(Buffer.byteLength(body)).toBe(200_000);
    expect((await post('/echo', body)).status).toBe(200);
    expect((await post('/echo', ` ${body}`)).status).toBe(413);
  });
});

describe('what handlers see', () => {
  test('headers that they set are sent', async () => {
    expect((await post('/v1/clients/a', '{"note":"headers"}')).headers.get('x-echo')).toBe('yes');
  });

  test('a thrown cause never leaks', async () => {
    const reply = await post('/v1/clients/a', '{"note":"fail"}');
    expect([reply.status, await reply.text()]).toEqual([500, '{"error":{"reason":"internal"}}']);
  });

  test('a longer deadline than the maximum is the maximum', async () => {
    await post('/v1/clients/a', '{}', { 'grpc-timeout': '1H' });
    expect(server.observed.lastTimeoutMs).toBe(60_000);
    await post('/v1/clients/a', '{}', { 'grpc-timeout': '5S' });
    expect(server.observed.lastTimeoutMs).toBe(5000);
    await post('/v1/clients/a', '{}');
    expect(server.observed.lastTimeoutMs).toBeUndefined();
  });

  test('a passed deadline aborts the signal', async () => {
    const before = server.observed.aborted;
    const reply = await post('/v1/clients/a', '{"note":"hang"}', { 'grpc-timeout': '30m' });
    expect(reply.status).toBe(504);
    await until(() => server.observed.aborted > before);
  });

  test('a caller that leaves aborts a unary call', async () => {
    const before = server.observed.aborted;
    const socket = await open();
    socket.write(requestText('POST /v1/clients/a HTTP/1.1', {}, '{"note":"hang"}'));
    await pause(50);
    socket.destroy();
    await until(() => server.observed.aborted > before);
  });

  test('a caller that leaves stops a stream', async () => {
    const { aborted, finished } = server.observed;
    const socket = await open();
    const body = '{"count":1000,"pauseMs":20}';
    socket.write(requestText('POST /v1/talk HTTP/1.1', { accept: 'text/event-stream' }, body));
    await once(socket, 'data');
    socket.destroy();
    await until(() => server.observed.aborted > aborted && server.observed.finished > finished);
  });

  test('a caller that does not read holds the stream back, and leaving ends it', async () => {
    const { sent, finished } = server.observed;
    const socket = await open();
    socket.pause();
    const body = '{"count":100000,"padding":10000}';
    socket.write(requestText('POST /v1/talk HTTP/1.1', { accept: 'text/event-stream' }, body));
    await pause(500);
    const held = server.observed.sent;
    await pause(200);
    expect(server.observed.sent).toBe(held);
    expect(held - sent).toBeLessThan(2000);
    socket.destroy();
    await until(() => server.observed.finished > finished);
  });

  test('a caller that reads nothing for longer than is allowed is broken off, and one that reads slowly is not', async () => {
    const { finished } = server.observed;
    const silent = await open();
    silent.pause();
    const body = '{"count":100000,"padding":10000}';
    silent.write(requestText('POST /v1/talk HTTP/1.1', { accept: 'text/event-stream' }, body));
    const slow = await open();
    slow.write(requestText('POST /v1/talk HTTP/1.1', { accept: 'text/event-stream' }, body));
    slow.on('data', () => {
      slow.pause();
      setTimeout(() => slow.resume(), 5);
    });
    await until(() => server.observed.finished > finished);
    expect(server.observed.finished).toBe(finished + 1);
    expect(slow.closed).toBe(false);
    slow.destroy();
    silent.destroy();
    await until(() => server.observed.finished === finished + 2);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < 3000; waited += 10) {
    if (condition()) return;
    await pause(10);
  }
  throw new Error('it did not happen within 3 s');
}

async function open(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function received(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => socket.on('close', () => resolve(Buffer.concat(chunks))));
}

function requestText(line: string, headers: Record<string, string>, body: string): string {
  const all = { host: 'x', connection: 'close', ...json, 'content-length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${[line, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

async function exchange(
  line: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ head: string; body: Buffer }> {
  const socket = await open();
  socket.write(requestText(line, headers, body));
  const reply = await received(socket);
  const split = reply.indexOf('\r\n\r\n');
  return { head: reply.subarray(0, split).toString(), body: reply.subarray(split + 4) };
}
