import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GateServer, goodToken, startGateServer } from '../support/gate-server.ts';

let server: GateServer;
beforeAll(async () => {
  server = await startGateServer();
});
afterAll(() => server.close(0));

const headers = `host: x\r\nauthorization: ${goodToken}\r\ncontent-type: application/json\r\n`;
const say = (text: string, target = '/gate/say') => {
  const body = JSON.stringify({ text });
  return `POST ${target} HTTP/1.1\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
};

const rpc = '/intelligence.test.v1.GateService/Say';
const rpcHeaders = `authorization: ${goodToken}\r\ncontent-type: application/json\r\n`;

/** Sends bytes and gives what has come back when `until` matches it. */
async function exchange(bytes: string | Buffer, until: RegExp, url = server.url): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await expect.poll(() => received, { timeout: 20_000 }).toMatch(until);
  socket.destroy();
  return received;
}

/** Lets `say` write at once and after each part of the answer, and gives the whole answer when the connection has ended. */
async function untilEnd(say: (socket: Socket, answer: string) => void): Promise<string> {
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    say(socket, received);
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  say(socket, received);
  await closed;
  return received;
}

const untilAnswers = (count: number) => new RegExp(`(?:HTTP/1\\.1[\\s\\S]*?\\r\\n\\r\\n[\\s\\S]*?){${count}}`);

const statusesOf = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

test('pipelined requests are answered in order', async () => {
  const received = await exchange(say('one') + say('two') + say('three'), /three/);
  expect(received).toMatch(/one[\s\S]*two[\s\S]*three/);
  expect(statusesOf(received)).toEqual(['200', '200', '200']);
});

test('a connection with thousands of requests in line is cut off, others are served', async () => {
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000));
  await closed;
  expect(statusesOf(received).length).toBeLessThanOrEqual(32);
  // As many as may wait, again and again on one connection, are all answered.
  const many = await exchange(Array.from({ length: 30 }, (_, index) => say(`n${index}.`)).join(''), /n29\./);
  expect(statusesOf(many)).toHaveLength(30);
});

test('garbage after a request does not take the place of its answer', async () => {
  const received = await exchange(`${say('answered')}GARBAGE\r\n\r\n`, /answered[\s\S]*not a request/);
  expect(statusesOf(received)).toEqual(['200', '400']);
});

test('garbage after requests that take their time is answered after all of them', async () => {
  // A request with a bad chunk is garbage as well, once its headers have been read.
  const badChunk = `POST /gate/say HTTP/1.1\r\n${headers}transfer-encoding: chunked\r\n\r\nzz\r\n`;
  for (const garbage of ['GARBAGE\r\n\r\n', badChunk]) {
    const slow = await startGateServer({ whileAdmitting: () => sleep(50) });
    const received = await exchange(say('one') + say('two') + say('three') + garbage, untilAnswers(4), slow.url);
    expect(received).toMatch(/one[\s\S]*two[\s\S]*three/);
    expect(statusesOf(received)).toEqual(['200', '200', '200', '400']);
    await slow.close(0);
  }
});

test('garbage in the body of a request that was refused brings no second answer', async () => {
  const withoutCredential = 'POST /gate/say HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const received = await untilEnd((socket, answer) => {
    if (answer === '') socket.write(`${withoutCredential}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`);
    else socket.write('zz\r\n');
  });
  expect(statusesOf(received)).toEqual(['401']);
});

test('a target in absolute form is served as the path in it (RFC 9112, section 3.2.2)', async () => {
  const received = await exchange(say('absolute', 'http://example.com/gate/say'), /absolute/);
  expect(statusesOf(received)).toEqual(['200']);
  // Wherever a path is looked up: an RPC's, a path's methods, one that only takes another method.
  const rpcThere = `POST http://example.com${rpc} HTTP/1.1\r\nhost: x\r\n${rpcHeaders}content-length: 12\r\n\r\n{"text":"x"}`;
  expect(statusesOf(await exchange(rpcThere, /\r\n\r\n/))).toEqual(['200']);
  const allowed = async (line: string) => {
    const answer = await exchange(`${line} HTTP/1.1\r\nhost: x\r\n\r\n`, /\r\n\r\n/);
    return [...statusesOf(answer), /^allow: (.*)\r$/im.exec(answer)?.[1]];
  };
  expect(await allowed('OPTIONS HTTP://example.com/healthz')).toEqual(['204', 'GET, HEAD, OPTIONS']);
  expect(await allowed('PUT http://example.com/healthz')).toEqual(['405', 'GET, HEAD']);
  expect(await allowed(`PUT http://example.com${rpc}`)).toEqual(['405', 'GET, POST']);
  const health = await exchange('GET http://example.com/healthz?x HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/);
  expect(statusesOf(health)).toEqual(['200']);
});

test.each([
  ['the service as a whole', 'GET *'],
  ['the service as a whole, with a body', 'POST *'],
  ['nothing but a scheme', 'GET http://'],
  ['no host', 'GET http:///healthz'],
  ['a host with a name and a password', 'GET http://ann:secret@x/healthz'],
  ['another scheme', 'GET ftp://x/healthz'],
])('a target that is %s gets a 400 in our words', async (_name, line) => {
  const refused = await exchange(`${line} HTTP/1.1\r\nhost: x\r\n\r\n`, /\}\]\}\}/);
  expect(statusesOf(refused)).toEqual(['400']);
  expect(refused).toMatch(/RFC 9112, section 3\.2/);
});

test('a deadline holds for a body that does not come', async () => {
  const request = `POST /gate/say HTTP/1.1\r\n${headers}grpc-timeout: 100m\r\ncontent-length: 50\r\n\r\n{"te`;
  expect(await exchange(request, /DEADLINE_EXCEEDED/)).toContain('HTTP/1.1 504 ');
});

test.each([
  ['two lengths', `POST /gate/say HTTP/1.1\r\n${headers}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`, 400],
  [
    'a length and chunks',
    `POST /gate/say HTTP/1.1\r\n${headers}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
    400,
  ],
  ['a bad chunk', `POST /gate/say HTTP/1.1\r\n${headers}transfer-encoding: chunked\r\n\r\nzz\r\n`, 400],
  [
    'an endless chunk extension',
    `POST /gate/say HTTP/1.1\r\n${headers}transfer-encoding: chunked\r\n\r\n2;${'x'.repeat(70_000)}`,
    400,
  ],
  ['a folded header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n', 400],
  ['a NUL in a header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\0c\r\n\r\n', 400],
  ['line feeds alone', 'GET /healthz HTTP/1.1\nhost: x\n\n', 400],
  ['too many headers', `GET /healthz HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(20_000)}\r\n`, 431],
  ['a method that nothing takes', 'QUERY /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ['a method that nobody knows', 'BREW /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 501],
  ['a path that is not UTF-8', Buffer.from('GET /gate/\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n', 'latin1'), 400],
  ['the service as a whole', 'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n', 204],
  ['a version that HTTP/1.1 does not speak', 'GET / HTTP/2.0\r\n\r\n', 505],
  ['a version of long ago', 'GET / HTTP/0.9\r\nhost: x\r\n\r\n', 505],
  ['a body of another version', `POST /gate/say HTTP/2.0\r\n${headers}content-length: 2\r\n\r\n{}`, 505],
  ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', 400],
  ['the same host twice', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n', 400],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['no host, where none is needed', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
  ['an RPC without a host', `POST ${rpc} HTTP/1.0\r\n${rpcHeaders}content-length: 12\r\n\r\n{"text":"x"}`, 200],
  [
    'an RPC with an empty host',
    `POST ${rpc} HTTP/1.1\r\nhost:\r\n${rpcHeaders}content-length: 12\r\n\r\n{"text":"x"}`,
    200,
  ],
  [
    'a host that is none',
    `POST ${rpc} HTTP/1.1\r\nhost: [\r\n${rpcHeaders}content-length: 12\r\n\r\n{"text":"x"}`,
    400,
  ],
  ['a host with a path', 'GET /healthz HTTP/1.1\r\nhost: x/y\r\n\r\n', 400],
  ['a port that is none', 'GET /healthz HTTP/1.1\r\nhost: x:99999\r\n\r\n', 400],
  [
    'chunks in HTTP/1.0 and a length',
    `POST /gate/say HTTP/1.0\r\n${headers}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'chunks in HTTP/1.0',
    `POST /gate/say HTTP/1.0\r\n${headers}connection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\nc\r\n{"text":"x"}\r\n0\r\n\r\n`,
    400,
  ],
  ['an encoding that is not chunked', `POST /gate/say HTTP/1.1\r\n${headers}transfer-encoding: gzip\r\n\r\n`, 400],
  [
    'an encoding before the chunks',
    `POST /gate/say HTTP/1.1\r\n${headers}transfer-encoding: gzip, chunked\r\n\r\nc\r\n{"text":"x"}\r\n0\r\n\r\n`,
    501,
  ],
  [
    'an encoding before the chunks, in a header of its own',
    `POST ${rpc} HTTP/1.1\r\nhost: x\r\n${rpcHeaders}transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\nc\r\n{"text":"x"}\r\n0\r\n\r\n`,
    501,
  ],
  [
    'chunks of chunks',
    `POST /gate/say HTTP/1.1\r\n${headers}transfer-encoding: chunked, chunked\r\n\r\nc\r\n{"text":"x"}\r\n0\r\n\r\n`,
    400,
  ],
  [
    'chunks by another case',
    `POST /gate/say HTTP/1.1\r\n${headers}transfer-encoding: Chunked\r\n\r\nc\r\n{"text":"x"}\r\n0\r\n\r\n`,
    200,
  ],
  ['a blank before the colon', 'GET /healthz HTTP/1.1\r\nhost : x\r\n\r\n', 400],
  ['an upgrade', 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 200],
])('%s is answered, and leaves no call and no fault behind', async (_name, request, status) => {
  expect(statusesOf(await exchange(request, /\r\n\r\n/))).toEqual([String(status)]);
  await expect.poll(() => server.occupied()).toBe(0);
  expect(server.logged()).not.toContain('"level":50');
});

test.each([
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', '400', /no Host header/],
  [
    'an expectation that nothing meets',
    `POST /gate/say HTTP/1.1\r\n${headers}expect: tea\r\n\r\n`,
    '417',
    /100-continue/,
  ],
])('%s is refused in words', async (_name, request, status, words) => {
  const refused = await exchange(request, words);
  expect(statusesOf(refused)).toEqual([status]);
  expect(refused).toContain('google.rpc.ErrorInfo');
  expect(refused).toMatch(/connection: close/i);
});

test('requests that expect 100 Continue and do not wait for it are all answered on their connection', async () => {
  const expecting = (text: string) => say(text).replace('content-length', 'expect: 100-continue\r\ncontent-length');
  const received = await exchange(expecting('one') + expecting('two') + say('three'), /three/);
  expect(received).toMatch(/one[\s\S]*two[\s\S]*three/);
  expect(statusesOf(received)).toEqual(['100', '200', '100', '200', '200']);
  expect(received).not.toMatch(/connection: close/i);
});

test('100 Continue is not sent before a refusal, and is when the body is wanted', async () => {
  const expecting = (authorization: string) =>
    `POST /gate/say HTTP/1.1\r\nhost: x\r\n${authorization}content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 14\r\n\r\n`;
  const refused = await exchange(expecting(''), /CREDENTIAL_MISSING/);
  expect(statusesOf(refused)).toEqual(['401']);
  expect(refused).toMatch(/connection: close/i);
  const wanted = await exchange(expecting(`authorization: ${goodToken}\r\n`), /HTTP\/1\.1 100 /);
  expect(statusesOf(wanted)).toEqual(['100']);
});
