import { once } from 'node:events';
import { createServer } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { defaultListenerLimits, type ListenerLimits } from '../../src/edge/listener.ts';
import { PortTakenError, type RunningServer, startServer } from '../../src/edge/server.ts';
import { connectionPreface, flag, frame, frameType, headerBlock } from '../support/http2-frames.ts';

const log = pino({ level: 'silent' });
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

/** Requests for what is slow: how many have arrived, and what lets them be answered. */
interface Slow {
  arrived: number;
  answer(): void;
}

async function serverWith(limits: Partial<ListenerLimits> = {}): Promise<RunningServer & { port: number; slow: Slow }> {
  const over = Promise.withResolvers<void>();
  const slow: Slow = { arrived: 0, answer: over.resolve };
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    trustedProxies: [],
    tls: null,
    log,
    limits: { ...defaultListenerLimits, ...limits },
    routes: (app) => {
      app.get('/version', async (request) => ({ version: request.raw.httpVersion }));
      app.get('/slow', async () => {
        slow.arrived += 1;
        await over.promise;
        return { slow: true };
      });
    },
  });
  open.push({ close: () => server.close(0) });
  return { ...server, port: Number(new URL(server.url).port), slow };
}

function socketTo(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  open.push({ close: () => socket.destroy() });
  return socket;
}

async function everythingFrom(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

function sessionTo(port: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  open.push({ close: () => session.destroy() });
  return session;
}

async function get(session: ClientHttp2Session, path: string): Promise<string> {
  let text = '';
  const stream = session.request({ ':path': path });
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    text += chunk;
  });
  await once(stream, 'end');
  return text;
}

describe('one port', () => {
  test('answers HTTP/1.1 and HTTP/2 side by side', async () => {
    const { url, port } = await serverWith();
    const http1 = await (await fetch(`${url}/version`)).json();
    expect(http1).toEqual({ version: '1.1' });
    expect(JSON.parse(await get(sessionTo(port), '/version'))).toEqual({ version: '2.0' });
  });

  test('a request whose first bytes arrive one at a time is answered', async () => {
    const { port } = await serverWith();
    const socket = socketTo(port);
    for (const byte of 'GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n') {
      socket.write(byte);
      await sleep(1);
    }
    expect(await everythingFrom(socket)).toContain('{"version":"1.1"}');
  });

  test('what is neither HTTP/1.1 nor HTTP/2 is told so', async () => {
    const { port } = await serverWith();
    const socket = socketTo(port);
    socket.write('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03');
    const answer = await everythingFrom(socket);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('This is not a request of HTTP/1.1 or HTTP/2.');
  });

  test('headers over the limit are refused with 431', async () => {
    const { url } = await serverWith();
    const response = await fetch(`${url}/version`, { headers: { 'x-long': 'x'.repeat(40_000) } });
    expect(response.status).toBe(431);
  });

  test('a connection that sends nothing is closed after the header time-out', async () => {
    const { port } = await serverWith({ headersTimeoutMs: 100 });
    const socket = socketTo(port);
    await once(socket, 'connect');
    expect(await everythingFrom(socket)).toBe('');
  });

  test('a connection that never ends its headers is closed', async () => {
    const { port } = await serverWith({ headersTimeoutMs: 1_500, requestTimeoutMs: 3_000 });
    const socket = socketTo(port);
    socket.write('GET /version HTTP/1.1\r\nHost: x\r\n');
    expect(await everythingFrom(socket)).toMatch(/^HTTP\/1.1 408 /);
  });

  test('a connection whose CONNECT was refused is closed, even if its peer keeps it open', async () => {
    const { port, connections } = await serverWith({ lingerMs: 100 });
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    open.push({ close: () => socket.destroy() });
    socket.write('CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 405 /);
    await expect.poll(connections).toBe(0);
    expect(socket.writable).toBe(true);
  });

  test('a taken port is a clear error', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    open.push({ close: () => other.close() });
    const { port } = other.address() as { port: number };
    const starting = startServer({ host: '127.0.0.1', port, trustedProxies: [], tls: null, log, routes: () => {} });
    await expect(starting).rejects.toThrow(PortTakenError);
    await expect(starting).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use by another program`);
  });
});

describe('closing', () => {
  test('lets a request in flight end, on both protocols, and does not wait for idle connections', async () => {
    const { url, port, close, slow } = await serverWith();
    const idle = socketTo(port);
    await once(idle, 'connect');
    const idleSession = sessionTo(port);
    await get(idleSession, '/version');
    const session = sessionTo(port);
    const answers = [fetch(`${url}/slow`).then((response) => response.text()), get(session, '/slow')];
    await expect.poll(() => slow.arrived).toBe(2);
    // Far longer than this test has.
    const closing = close(600_000);
    slow.answer();
    await closing;
    expect(await Promise.all(answers)).toEqual(['{"slow":true}', '{"slow":true}']);
  });

  test('ends what is not done by the deadline', async () => {
    const { url, close, slow } = await serverWith();
    const answer = fetch(`${url}/slow`).then(
      () => 'answered',
      () => 'ended',
    );
    await expect.poll(() => slow.arrived).toBe(1);
    await close(50);
    expect(await answer).toBe('ended');
  });
});

describe('streams that are opened and reset at once', () => {
  const head = headerBlock({ ':method': 'GET', ':scheme': 'http', ':path': '/slow', ':authority': 'a' });
  const reset = Buffer.from([0, 0, 0, 8]);
  const openings = (count: number, areReset: boolean) =>
    Array.from({ length: count }, (_, at) => {
      const opened = frame(frameType.headers, flag.endStream | flag.endHeaders, 2 * at + 1, head);
      return areReset ? Buffer.concat([opened, frame(frameType.reset, 0, 2 * at + 1, reset)]) : opened;
    });
  const write = (socket: Socket, frames: Buffer[]) =>
    socket.write(Buffer.concat([connectionPreface, frame(frameType.settings, 0, 0), ...frames]));

  test('end their session before they are served', async () => {
    const { port, slow } = await serverWith({ concurrentStreams: 8 });
    const socket = socketTo(port);
    const closed = everythingFrom(socket);
    write(socket, openings(5_000, true));
    await closed;
    expect(slow.arrived).toBeLessThanOrEqual(16);
  });

  test('are served if they are as many as may be open', async () => {
    const { port, slow } = await serverWith({ concurrentStreams: 8 });
    write(socketTo(port), openings(8, false));
    await expect.poll(() => slow.arrived).toBe(8);
    slow.answer();
  });
});
