import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GateServer, goodToken, startGateServer } from '../support/gate-server.ts';

/** Whoever is to be answered has longer than any machine needs to send a few megabytes. */
const lingerMs = 60_000;
const lingerBytes = 16 * 1024 * 1024;

let server: GateServer;
beforeAll(async () => {
  server = await startGateServer({ limits: { lingerMs, lingerBytes } });
});
afterAll(() => server.close(0));

const tooLong = JSON.stringify({ text: 'x'.repeat(6_000_000) });
const rpcPath = '/intelligence.test.v1.GateService/Say';

describe.each([
  ['the REST lane', '/gate/say', 413],
  ['Connect', rpcPath, 429],
])('an answer that comes before the body has ended, from %s', (_lane, path, status) => {
  const authorization = goodToken;

  test('reaches fetch, every time', async () => {
    for (let time = 0; time < 20; time += 1) {
      const response = await post(path, tooLong, { authorization });
      expect(response.status).toBe(status);
      expect(JSON.stringify(await response.json())).toContain('PAYLOAD_TOO_LARGE');
    }
  });

  test('reaches fetch that streams its body', async () => {
    const response = await post(path, new Blob([tooLong]).stream(), { authorization });
    expect(response.status).toBe(status);
    expect(JSON.stringify(await response.json())).toContain('PAYLOAD_TOO_LARGE');
  });

  test('reaches fetch when it is about the credential', async () => {
    for (let time = 0; time < 20; time += 1) {
      const response = await post(path, tooLong, {});
      expect(response.status).toBe(401);
      expect(JSON.stringify(await response.json())).toContain('CREDENTIAL_MISSING');
    }
  });

  test('reaches a caller that reads only after all is sent', async () => {
    const caller = call(path, { authorization, 'content-length': String(tooLong.length) });
    caller.socket.pause();
    await new Promise((sent) => caller.socket.write(tooLong, sent));
    caller.socket.resume();
    await expect.poll(() => caller.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*PAYLOAD_TOO_LARGE`));
    expect(caller.failed()).toBeUndefined();
    caller.socket.destroy();
  });

  test('a caller that sends for ever is cut off, and not before its time', async () => {
    const hastyMs = 400;
    const hasty = await startGateServer({ limits: { lingerMs: hastyMs, lingerBytes } });
    const caller = call(path, { authorization, 'transfer-encoding': 'chunked' }, hasty.url);
    const started = performance.now();
    caller.socket.write(chunk(2_000_000));
    const dripping = setInterval(() => caller.socket.write(chunk(10)), 20);
    await caller.closed;
    clearInterval(dripping);
    expect(caller.received()).toContain(`HTTP/1.1 ${status} `);
    expect(performance.now() - started).toBeGreaterThan(hastyMs * 0.9);
    await hasty.close(0);
  });
});

test('a refusal of the size says that the connection closes, and closes it once the body is there', async () => {
  const caller = call('/gate/say', { authorization: goodToken, 'content-length': String(tooLong.length) });
  caller.socket.write(tooLong.slice(0, -1));
  await expect.poll(() => caller.received()).toMatch(/^HTTP\/1.1 413 /);
  expect(caller.received().toLowerCase()).toContain('connection: close');
  await caller.ended;
  caller.socket.end('}');
  await caller.closed;
  expect(caller.failed()).toBeUndefined();
});

test('a caller that sends a lot at once is cut off at the bytes', async () => {
  const unhurried = await startGateServer({ limits: { lingerMs: 60_000, lingerBytes: 4_000_000 } });
  const caller = call('/gate/say', { 'transfer-encoding': 'chunked' }, unhurried.url);
  const sendMore = () => {
    while (!caller.socket.destroyed && caller.socket.write(chunk(100_000)));
  };
  caller.socket.on('drain', sendMore);
  sendMore();
  await caller.closed;
  expect(caller.received()).toContain('HTTP/1.1 401 ');
  await unhurried.close(0);
});

test('a connection goes on after a refused body has ended', async () => {
  const caller = call('/gate/say', { 'content-length': '3000000' });
  caller.socket.write(Buffer.alloc(3_000_000));
  await expect.poll(() => caller.received()).toContain('HTTP/1.1 401 ');
  caller.socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => caller.received()).toContain('HTTP/1.1 200 ');
  caller.socket.destroy();
});

describe.each([
  ['REST', '/gate/say', 'application/json', Buffer.from('{"text":"'), Buffer.from('{"text":"')],
  // Envelopes that promise 4 KiB, and 2 GiB.
  ['gRPC', rpcPath, 'application/grpc', Buffer.from([0, 0, 0, 16, 0]), Buffer.from([0, 127, 255, 255, 255])],
])('over HTTP/2, by %s,', (_name, path, type, start, tooMuch) => {
  const open = (url: string, beginning: Buffer) => {
    const session = connectHttp2(url);
    const headers = { ':method': 'POST', ':path': path, 'content-type': type, authorization: goodToken };
    const stream = session.request(headers);
    let status: unknown;
    stream.on('response', (answer) => {
      status = answer[':status'];
    });
    stream.on('error', () => {});
    stream.resume();
    stream.write(beginning);
    return { session, stream, status: () => status, closed: new Promise((resolve) => stream.once('close', resolve)) };
  };

  test('a caller that goes on sending after its answer is stopped without harm to the answer', async () => {
    const { session, stream, status, closed } = open(server.url, tooMuch);
    const sending = setInterval(() => {
      if (stream.writable && stream.writableLength < 1_000_000) stream.write(Buffer.alloc(200_000, 'x'));
    }, 2);
    await closed;
    clearInterval(sending);
    expect(status()).toBe(type === 'application/json' ? 413 : 200);
    expect(stream.rstCode).toBe(0);
    session.destroy();
  });

  test('a body that does not end in time is given up, and its call with it', async () => {
    const impatient = await startGateServer({ limits: { headersTimeoutMs: 3_000, requestTimeoutMs: 3_000 } });
    const { session, stream, closed } = open(impatient.url, start);
    await expect.poll(() => impatient.occupied()).toBe(1);
    const dripping = setInterval(() => stream.writable && stream.write('x'), 20);
    await closed;
    clearInterval(dripping);
    await expect.poll(() => impatient.occupied()).toBe(0);
    session.destroy();
    await impatient.close(0);
  });
});

function post(path: string, body: string | ReadableStream, headers: Record<string, string>): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    ...(typeof body !== 'string' && { duplex: 'half' }),
  } as RequestInit);
}

/** A caller by hand, with the head of its request sent. */
function call(path: string, headers: Record<string, string>, url = server.url) {
  const { hostname, port } = new URL(url);
  // As a server may end its side first, and this caller still has something to send.
  const socket: Socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let received = '';
  let failed: Error | undefined;
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('error', (error) => {
    failed = error;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const ended = new Promise<void>((resolve) => socket.once('end', () => resolve()));
  const lines = Object.entries({ host: 'x', 'content-type': 'application/json', ...headers });
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  return { socket, received: () => received, failed: () => failed, ended, closed };
}

function chunk(bytes: number): string {
  return `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
}
