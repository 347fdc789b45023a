import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterEach, describe, expect, test } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../src/gen/grpc/health/v1/health_pb.ts';
import { ServerReflection, ServerReflectionRequestSchema } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts';
import { type AnonymousLimits, createLimits } from '../../src/limits/index.ts';
import { CountRequestSchema, GateService } from '../gen/intelligence/test/v1/gate_pb.ts';
import { handClock, keyLevels } from '../limits/callers.ts';
import { silent } from '../support/database.ts';
import { type GateServer, goodToken, scopelessToken, startGateServer } from '../support/gate-server.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

type Options = Omit<Parameters<typeof startGateServer>[0] & object, 'anonymous'>;

/** A server whose callers without a credential have these limits, by a clock that the test moves. */
async function serve(
  anonymous: Partial<AnonymousLimits>,
  options: Options = {},
): Promise<GateServer & { clock: { at: number } }> {
  const clock = handClock();
  const limits = createLimits({ clock, log: silent, levels: keyLevels({}), anonymous });
  const server = await startGateServer({ ...options, anonymous: limits.anonymous });
  open.push({ close: () => server.close(0) });
  return { ...server, clock };
}

function socketTo(server: GateServer): Socket {
  const socket = connectTcp(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  open.push({ close: () => socket.destroy() });
  return socket;
}

function sessionTo(server: GateServer): ClientHttp2Session {
  const session = connectHttp2(server.url);
  session.on('error', () => {});
  open.push({ close: () => session.destroy() });
  return session;
}

/** Ends once the server has closed it. */
async function ended(socket: Socket): Promise<void> {
  socket.resume();
  // Also when it is reset, which `once` would take for a failure.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

async function ask(socket: Socket, request: string): Promise<string> {
  let text = '';
  const read = (chunk: Buffer) => {
    text += chunk.toString();
  };
  socket.on('data', read);
  socket.write(request);
  await expect.poll(() => text, { timeout: 60_000 }).toMatch(/\r\n\r\n/);
  socket.off('data', read);
  return text;
}

const say = (credential: string) =>
  `POST /gate/say HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${credential}content-length: 12\r\n\r\n{"text":"x"}`;
const known = `authorization: ${goodToken}\r\n`;

const rpcs: [string, (server: GateServer) => Transport][] = [
  ['gRPC', ({ url }) => createGrpcTransport({ baseUrl: url })],
  ['gRPC-Web', ({ url }) => createGrpcWebTransport({ baseUrl: url, httpVersion: '1.1' })],
  ['Connect', ({ url }) => createConnectTransport({ baseUrl: url, httpVersion: '2' })],
  ['Connect JSON', ({ url }) => createConnectTransport({ baseUrl: url, httpVersion: '1.1', useBinaryFormat: false })],
];

describe('requests without a credential', () => {
  test.each([
    ['REST', 'POST', '/gate/say'],
    ['an anonymous method', 'GET', '/gate/greet'],
    ['a probe', 'GET', '/healthz'],
    ['a page', 'GET', '/docs'],
    ['the contract', 'GET', '/openapi.json'],
    ['a path that is not there', 'GET', '/nowhere'],
    ['a preflight', 'OPTIONS', '/gate/say'],
  ])('are limited on %s', async (_name, method, path) => {
    const server = await serve({ requestsPerMinute: 6 });
    const statuses: number[] = [];
    for (let index = 0; index < 7; index += 1)
      statuses.push((await fetch(`${server.url}${path}`, { method, redirect: 'manual' })).status);
    expect(statuses.slice(0, 5)).not.toContain(429);
    expect(statuses.slice(5)).toEqual([429, 429]);
    const refused = await fetch(`${server.url}${path}`, { method });
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=10');
    expect(await refused.text()).toContain('requests per minute of the address');
    // Who has a credential goes on, from the same address.
    expect(await ask(socketTo(server), say(known))).toMatch(/^HTTP\/1\.1 200 /);
    server.clock.at += 60_000;
    expect((await fetch(`${server.url}${path}`, { method })).status).not.toBe(429);
  });

  test('with a credential that nothing looks at are as many', async () => {
    const server = await serve({ requestsPerMinute: 6 });
    const statuses: number[] = [];
    for (const path of ['/healthz', '/nowhere', '/docs', '/gate/nothing', '/nowhere', '/healthz', '/nowhere'])
      statuses.push((await fetch(`${server.url}${path}`, { headers: { authorization: goodToken } })).status);
    expect(statuses).toEqual([200, 404, 200, 404, 404, 429, 429]);
  });

  test('are counted when they bring an empty one', async () => {
    const server = await serve({ requestsPerMinute: 6 });
    const statuses: number[] = [];
    for (let index = 0; index < 7; index += 1)
      statuses.push((await fetch(`${server.url}/gate/say`, { method: 'POST', headers: { authorization: '' } })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(server.refusedPeers).toEqual([]);
  });

  test.each(rpcs)('are counted over %s when they bring an empty one', async (_name, transportTo) => {
    const server = await serve({ requestsPerMinute: 6 });
    const client = createClient(GateService, transportTo(server));
    const codes: unknown[] = [];
    for (let index = 0; index < 7; index += 1)
      codes.push(
        await client.say({ text: 'x' }, { headers: { authorization: '' } }).then(
          () => 'let in',
          (error) => ConnectError.from(error).code,
        ),
      );
    const refused = [Code.ResourceExhausted, Code.ResourceExhausted];
    expect(codes).toEqual([...Array.from({ length: 5 }, () => Code.Unauthenticated), ...refused]);
  });

  test.each(rpcs)('are limited over %s, in its own words', async (_name, transportTo) => {
    const server = await serve({ requestsPerMinute: 6 });
    const transport = transportTo(server);
    const errors: unknown[] = [];
    for (let index = 0; index < 4; index += 1)
      errors.push(await createClient(GateService, transport).greet({}).catch(String));
    for (let index = 0; index < 4; index += 1)
      errors.push(
        await createClient(Health, transport)
          .check({})
          .then(
            () => 'ok',
            (error) => ConnectError.from(error).code,
          ),
      );
    expect(errors.slice(4)).toEqual(['ok', Code.ResourceExhausted, Code.ResourceExhausted, Code.ResourceExhausted]);
    const refused = await createClient(GateService, transport).say({ text: 'x' }).catch(ConnectError.from);
    expect(refused).toMatchObject({ code: Code.ResourceExhausted });
    expect(String(refused)).toContain('requests per minute of the address');
    const headers = { authorization: goodToken };
    expect(await createClient(GateService, transport).say({ text: 'x' }, { headers })).toMatchObject({ text: 'x' });
  });

  test('count against the address that a trusted proxy names, and the proxy’s connections count not at all', async () => {
    const server = await serve({ requestsPerMinute: 6, connections: 1 }, { trustedProxies: ['127.0.0.0/8'] });
    const from = async (address: string) =>
      (await fetch(`${server.url}/healthz`, { headers: { 'x-forwarded-for': address } })).status;
    const first: number[] = [];
    for (let index = 0; index < 6; index += 1) first.push(await from('192.0.2.1'));
    expect(first).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await from('192.0.2.2')).toBe(200);
    const sockets = Array.from({ length: 12 }, () => socketTo(server));
    for (const socket of sockets) expect(await ask(socket, say(known))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('connections', () => {
  test('without a credential give way to new ones; one over which a credential was shown does not', async () => {
    const server = await serve({ connections: 4 });
    const good = socketTo(server);
    expect(await ask(good, say(known))).toMatch(/ 200 /);
    const silentOnes = Array.from({ length: 8 }, () => socketTo(server));
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(9);
    server.clock.at += 3_000;
    const late = Array.from({ length: 8 }, () => socketTo(server));
    await Promise.all(silentOnes.map(ended));
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(9);
    expect(await ask(good, say(known))).toMatch(/ 200 /);
    for (const socket of late) expect(await ask(socket, say(known))).toMatch(/ 200 /);
    server.clock.at += 3_000;
    // All of them are known now, and leave room for as many again.
    const others = Array.from({ length: 4 }, () => socketTo(server));
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(13);
    expect([...late, ...others].some(({ closed }) => closed)).toBe(false);
  });

  test('over HTTP/2 that only watch give way as well, and the caller with a key is let in', async () => {
    const server = await serve({ connections: 4, streams: 100 });
    const sessions = Array.from({ length: 12 }, () => sessionTo(server));
    for (const session of sessions) {
      const stream = session.request({
        ...{
          ':method': 'POST',
          ':path': '/grpc.health.v1.Health/Watch',
          te: 'trailers',
          'content-type': 'application/grpc',
        },
      });
      stream.on('error', () => {});
      stream.end(Buffer.alloc(5));
      await once(stream, 'data');
    }
    server.clock.at += 3_000;
    const client = createClient(GateService, createGrpcTransport({ baseUrl: server.url }));
    expect(await client.say({ text: 'x' }, { headers: { authorization: goodToken } })).toMatchObject({ text: 'x' });
    await expect
      .poll(() => sessions.filter(({ destroyed }) => destroyed).length, { timeout: 60_000 })
      .toBeGreaterThan(0);
    expect(sessions[0]?.destroyed).toBe(true);
  });

  test('that come too fast are closed at once', async () => {
    const server = await serve({ connections: 2, connectionsPerMinute: 1 });
    const sockets = Array.from({ length: 20 }, () => socketTo(server));
    await expect.poll(() => sockets.filter(({ closed }) => closed).length, { timeout: 60_000 }).toBe(12);
  });

  test('over which too much is sent without a credential are closed', async () => {
    // Nothing else would end it before the test does.
    const server = await serve({ mebibytesPerMinute: 1 }, { limits: { lingerMs: 600_000 } });
    const flooding = socketTo(server);
    flooding.write('POST /gate/say HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let index = 0; index < 64; index += 1) flooding.write(chunk);
    await ended(flooding);
    const good = socketTo(server);
    expect(await ask(good, say(known))).toMatch(/ 200 /);
    good.write(`POST /gate/say HTTP/1.1\r\nhost: x\r\n${known}transfer-encoding: chunked\r\n\r\n`);
    for (let index = 0; index < 12; index += 1) good.write(chunk);
    good.write('0\r\n\r\n');
    expect(await ask(good, '')).toMatch(/^HTTP\/1\.1 4/);
  });

  test('of HTTP/2 that are idle end for certain, whatever frames their client sends', async () => {
    const server = await serve({}, { limits: { idleTimeoutMs: 300, closeGraceMs: 200 } });
    const socket = socketTo(server);
    // No reaction to GOAWAY, and a PING every now and then.
    const frame = (type: number, payload: Buffer) =>
      Buffer.concat([Buffer.from([0, 0, payload.length, type, 0, 0, 0, 0, 0]), payload]);
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, Buffer.alloc(0))]));
    const pinging = setInterval(() => socket.write(frame(6, Buffer.alloc(8))), 50);
    await ended(socket);
    clearInterval(pinging);
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(0);
  });
});

describe('whoever does not read', () => {
  const frame = (type: number, flags: number, stream: number, payload: Buffer) => {
    const head = Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream]);
    return Buffer.concat([head, payload]);
  };
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  /** A request of HTTP/2 whose client opens no window for the answer's body. */
  const unread = (fields: Record<string, string>) =>
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(4, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])),
      frame(
        1,
        5,
        1,
        Buffer.concat(Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)])),
      ),
    ]);
  const target = { ':method': 'GET', ':scheme': 'http', ':path': '/docs', ':authority': 'x' };

  test.each([
    ['a page', target, { anonymousMs: 300, idleTimeoutMs: 300, closeGraceMs: 100 }],
    [
      'a stream of a caller with a key',
      { ...target, ':path': '/openapi.json', authorization: goodToken },
      { stalledMs: 500 },
    ],
    [
      'a watch',
      { ...target, ':method': 'POST', ':path': '/grpc.health.v1.Health/Watch', 'content-type': 'application/grpc' },
      { stalledMs: 500 },
    ],
  ])('%s is cut off in the end', async (_name, fields, limits) => {
    const server = await serve({}, { limits });
    const socket = socketTo(server);
    socket.write(unread(fields));
    await ended(socket);
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(0);
  });

  test('an answer to a caller with a key ends, though pings keep its session open', async () => {
    const server = await serve({}, { limits: { unreadMs: 300, idleTimeoutMs: 400 } });
    const session = connectHttp2(server.url, { settings: { initialWindowSize: 0 } });
    session.on('error', () => {});
    const pinging = setInterval(() => session.destroyed || session.ping(() => {}), 50);
    session.once('close', () => clearInterval(pinging));
    open.push({ close: () => session.destroy() });
    const stream = session.request({ ':path': '/openapi.json', authorization: goodToken });
    stream.on('error', () => {});
    await once(stream, 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
  });

  const endless = create(CountRequestSchema, { to: 10_000_000 });
  const message = toBinary(CountRequestSchema, endless);
  const asked = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  test.each([
    [
      'as events',
      { ':path': '/gate/count', 'content-type': 'application/json', accept: 'text/event-stream' },
      JSON.stringify({ to: 10_000_000 }),
    ],
    [
      'over gRPC',
      { ':path': `/${GateService.typeName}/Count`, 'content-type': 'application/grpc', te: 'trailers' },
      asked,
    ],
  ])('a stream %s that is not read ends, and one that is read goes on', async (_name, fields, body) => {
    const server = await serve({}, { limits: { unreadMs: 600, idleTimeoutMs: 400 } });
    const session = connectHttp2(server.url);
    session.on('error', () => {});
    open.push({ close: () => session.destroy() });
    const ask = () => {
      const stream = session.request({ ':method': 'POST', authorization: goodToken, ...fields });
      stream.on('error', () => {});
      stream.end(body);
      return stream;
    };
    const read = ask().resume();
    const unread = ask();
    await once(unread, 'close');
    expect(unread.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect(read.closed).toBe(false);
  });

  const json = { 'content-type': 'application/json', authorization: 'Bearer nobody' };
  const refusedPaths: [string, number, Record<string, string>][] = [
    ['a JSON path', 401, { ...json, ':method': 'POST', ':path': '/gate/say' }],
    ['Connect', 401, { ...json, ':method': 'POST', ':path': `/${GateService.typeName}/Say` }],
    ['a path that is not there', 404, { ...json, ':method': 'POST', ':path': '/v1/nowhere' }],
  ];
  const closedWindow = async (anonymous: Partial<AnonymousLimits>) => {
    const session = connectHttp2((await serve(anonymous)).url, { settings: { initialWindowSize: 0 } });
    session.on('error', () => {});
    open.push({ close: () => session.destroy() });
    return session;
  };

  test.each(refusedPaths)('the refusal of a credential on %s is cut off in the end', async (_name, status, fields) => {
    const stream = (await closedWindow({})).request(fields);
    stream.on('error', () => {});
    stream.end('{}');
    const [head] = await once(stream, 'response');
    expect(head[':status']).toBe(status);
    await once(stream, 'close');
  });

  // Each of them takes up some 9 KB of the service's memory until then.
  test.each<[string, number, Record<string, string>]>([
    [
      'whose scope is missing',
      403,
      { ...json, ':method': 'POST', ':path': '/gate/say', authorization: scopelessToken },
    ],
    ['with a method that HTTP does not have', 501, { ...target, ':method': 'BREW' }],
    ['with two hosts', 400, { ...target, host: 'y' }],
    ['with an expectation that nothing fulfils', 417, { ...target, expect: 'coffee' }],
    ['to another host', 405, { ':method': 'CONNECT', ':authority': 'x' }],
  ])('the refusal of a request %s is cut off in the end', async (_name, status, fields) => {
    const stream = (await closedWindow({})).request(fields);
    stream.on('error', () => {});
    const [head] = await once(stream, 'response');
    expect(head[':status']).toBe(status);
    await once(stream, 'close');
  });

  test('refusals of one connection beyond its places are cut off first', async () => {
    const session = await closedWindow({ streamsPerConnection: 1 });
    const cutOff: string[] = [];
    const closing = ['in its place', 'beyond'].map(async (name) => {
      const stream = session.request(refusedPaths[0]?.[2]);
      stream.on('error', () => {});
      stream.end('{}');
      await once(stream, 'close');
      cutOff.push(name);
    });
    await Promise.all(closing);
    expect(cutOff).toEqual(['beyond', 'in its place']);
  });

  test('a refusal is cut off in the end', async () => {
    const server = await serve({ streams: 0 }, { limits: { idleTimeoutMs: 300, closeGraceMs: 100 } });
    const socket = socketTo(server);
    socket.write(unread(target));
    await ended(socket);
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(0);
  });
});

test.each(rpcs)('a stream over %s that goes on is not cut off, and its bytes are seen', async (_name, transportTo) => {
  const server = await serve({}, { limits: { stalledMs: 1_500 } });
  const numbers: number[] = [];
  for await (const { number } of createClient(GateService, transportTo(server)).count({ to: 25, pauseMs: 100 }))
    numbers.push(number);
  expect(numbers).toHaveLength(25);
});

test.each(rpcs)('a stream over %s without a credential ends when its time is over', async (_name, transportTo) => {
  const server = await serve({}, { limits: { anonymousMs: 1_000 } });
  const counting = async () => {
    for await (const _reply of createClient(GateService, transportTo(server)).count({ to: 100_000, pauseMs: 50 }));
  };
  await expect(counting()).rejects.toBeInstanceOf(ConnectError);
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(0);
});

describe('streams of operations', () => {
  const health = (server: GateServer) => createClient(Health, createGrpcTransport({ baseUrl: server.url }));

  test('a watch says the status, and ends after a while with a status that clients retry on', async () => {
    const server = await serve({}, { operations: { watchLifeMs: 200 } });
    const seen: unknown[] = [];
    const watching = async () => {
      for await (const { status } of health(server).watch({})) seen.push(status);
    };
    await expect(watching()).rejects.toMatchObject({ code: Code.Unavailable });
    expect(seen).toEqual([Status.SERVING]);
  });

  test('watches at one time have a limit, and one that ended makes room', async () => {
    const server = await serve({ streams: 3 });
    const stops = await Promise.all([1, 2, 3].map(() => watch(server)));
    await expect(watch(server)).rejects.toMatchObject({ code: Code.ResourceExhausted });
    stops[0]?.();
    await expect
      .poll(
        () =>
          watch(server).then(
            () => 'let in',
            () => 'refused',
          ),
        { timeout: 60_000 },
      )
      .toBe('let in');
  });

  async function watch(server: GateServer): Promise<() => void> {
    const leaving = new AbortController();
    open.push({ close: () => leaving.abort() });
    const replies = health(server).watch({}, { signal: leaving.signal })[Symbol.asyncIterator]();
    await replies.next();
    replies.next().catch(() => {});
    return () => leaving.abort();
  }

  const request = (symbol: string) =>
    create(ServerReflectionRequestSchema, { messageRequest: { case: 'fileContainingSymbol', value: symbol } });
  async function reflect(server: GateServer, times: number): Promise<{ files: number[]; code: Code | undefined }> {
    const files: number[] = [];
    async function* requests() {
      for (let index = 0; index < times; index += 1) yield request('intelligence.test.v1.GateService');
    }
    try {
      const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: server.url }));
      for await (const { messageResponse } of client.serverReflectionInfo(requests()))
        if (messageResponse.case === 'fileDescriptorResponse')
          files.push(messageResponse.value.fileDescriptorProto.length);
      return { files, code: undefined };
    } catch (error) {
      return { files, code: ConnectError.from(error).code };
    }
  }

  test('reflection sends imports once a stream', async () => {
    const { files, code } = await reflect(await serve({}), 3);
    expect(code).toBeUndefined();
    expect(files[0]).toBeGreaterThan(3);
    expect(files.slice(1)).toEqual([1, 1]);
  });

  test('reflection ends when it was asked, or has sent, too much', async () => {
    const lifeMs = 60_000;
    const few = await serve({}, { operations: { reflection: { requests: 2, bytes: 10_000_000, lifeMs } } });
    expect(await reflect(few, 5)).toMatchObject({ files: [expect.any(Number), 1], code: Code.ResourceExhausted });
    const small = await serve({}, { operations: { reflection: { requests: 100, bytes: 1_000, lifeMs } } });
    expect(await reflect(small, 5)).toEqual({ files: [], code: Code.ResourceExhausted });
  });

  test('reflection that says nothing more ends after a while', async () => {
    const server = await serve({}, { operations: { reflection: { requests: 9, bytes: 1_000_000, lifeMs: 200 } } });
    async function* requests() {
      yield request('intelligence.test.v1.GateService');
      await new Promise(() => {});
    }
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: server.url }));
    const reading = async () => {
      for await (const _reply of client.serverReflectionInfo(requests()));
    };
    await expect(reading()).rejects.toMatchObject({ code: Code.Unavailable });
  });

  test('reflection can be switched off', async () => {
    expect(await reflect(await serve({}, { reflection: false }), 1)).toEqual({ files: [], code: Code.Unimplemented });
  });
});
