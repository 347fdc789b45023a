import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CountRequestSchema, SayRequestSchema, SayResponseSchema } from '../../gen/intelligence/test/v1/gate_pb.ts';
import { InteropService } from '../../gen/intelligence/test/v1/interop_pb.ts';
import { type GateServer, goodToken, startGateServer } from '../../support/gate-server.ts';
import { connectionPreface, flag, frame, frameType, headerBlock } from '../../support/http2-frames.ts';
import { type Interop, interopService } from '../../support/interop-service.ts';
import { type Answer, answerOf, framed, rawClient, sayPath } from './raw-call.ts';

let interop: Interop;
let server: GateServer;
let client: ReturnType<typeof rawClient>;
beforeAll(async () => {
  interop = interopService();
  server = await startGateServer({ also: [interop.service] });
  client = rawClient(server.url);
});
afterAll(async () => {
  client.close();
  await server.close(0);
});

const say = (text: string) => toBinary(SayRequestSchema, create(SayRequestSchema, { text, number: 7 }));
const hi = framed(say('hi'));
const textOf = ({ messages: [first] }: Answer) => first && fromBinary(SayResponseSchema, first.bytes).text;
const countPath = '/intelligence.test.v1.GateService/Count';
const count = (to: number) => framed(toBinary(CountRequestSchema, create(CountRequestSchema, { to })));

test('a message is read wherever its bytes are split, and one by one', async () => {
  for (let at = 1; at < hi.length; at += 1)
    expect([at, textOf(await client.call([hi.subarray(0, at), hi.subarray(at)]))]).toEqual([at, 'hi']);
  const bytes = [...hi].map((byte) => Buffer.from([byte]));
  const answer = await client.call(bytes);
  expect([textOf(answer), answer.status]).toEqual(['hi', '0']);
  const long = framed(say('x'.repeat(9_000)));
  const pieces = Array.from({ length: 100 }, (_, index) => long.subarray(index * 91, (index + 1) * 91));
  expect(textOf(await client.call(pieces))).toBe('x'.repeat(9_000));
});

test('a reply is headers, messages and trailers; nothing else is in them', async () => {
  const answer = await client.call([hi], { 'x-request-id': 'raw.1' });
  expect(answer.headers).toEqual({
    ...{ ':status': 200, 'content-type': 'application/grpc', 'x-request-id': 'raw.1' },
    'x-content-type-options': 'nosniff',
  });
  expect(answer.trailers).toEqual({ 'grpc-status': '0' });
  expect([answer.messages.map(({ flag }) => flag), answer.resetCode]).toEqual([[0], 0]);
  const streamed = await client.call([count(3)], { ':path': countPath, 'content-type': 'application/grpc+proto' });
  expect(streamed.messages.map(({ bytes }) => bytes.at(-1))).toEqual([1, 2, 3]);
  expect([streamed.headers['content-type'], streamed.status]).toEqual(['application/grpc+proto', '0']);
});

test('a refusal before the first message is one block of headers, a later one trailers', async () => {
  const refused = await client.call([hi], { authorization: 'Bearer nonsense' });
  expect([refused.headers['grpc-status'], refused.trailers, refused.reason]).toEqual(['16', {}, 'CREDENTIAL_INVALID']);
  expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  expect(refused.headers['grpc-status-details-bin']).toMatch(/^[A-Za-z0-9+/]+$/);
  const failing = create(CountRequestSchema, { to: 2, thenFail: 'rate_limited' });
  const later = await client.call([framed(toBinary(CountRequestSchema, failing))], { ':path': countPath });
  expect([later.headers['grpc-status'], later.trailers['grpc-status'], later.reason]).toEqual([
    ...[undefined, '8', 'RATE_LIMITED'],
  ]);
  expect([later.messages.length, later.trailers['retry-after']]).toEqual([2, '3']);
});

describe('compression', () => {
  const text = 'x'.repeat(2_000);
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('of a request, by %s', async (encoding, compress) => {
    const answer = await client.call([framed(compress(say(text)), 1)], { 'grpc-encoding': encoding });
    expect([textOf(answer), answer.messages[0]?.flag]).toEqual([text, 0]);
  });

  test('of a reply, where the caller takes gzip and it is worth it', async () => {
    const accepted = { 'grpc-accept-encoding': 'identity, deflate, gzip' };
    const long = await client.call([framed(say(text))], accepted);
    expect([long.headers['grpc-encoding'], long.messages[0]?.flag]).toEqual(['gzip', 1]);
    expect(fromBinary(SayResponseSchema, gunzipSync(long.messages[0]?.bytes ?? '')).text).toBe(text);
    const short = await client.call([hi], accepted);
    expect([short.headers['grpc-encoding'], short.messages[0]?.flag]).toEqual([undefined, 0]);
    const other = await client.call([framed(say(text))], { 'grpc-accept-encoding': 'identity,xgzip' });
    expect([other.headers['grpc-encoding'], other.messages[0]?.flag]).toEqual([undefined, 0]);
  });

  test('of a stream, message by message, in order', async () => {
    const { streamingOutputCall } = InteropService.method;
    const sizes = [5_000, 1, 2_000, 3, 70_000, 2];
    const asked = toBinary(streamingOutputCall.input, create(streamingOutputCall.input, { responseSizes: sizes }));
    const answer = await client.call([framed(asked)], {
      ':path': `/${InteropService.typeName}/StreamingOutputCall`,
      'grpc-accept-encoding': 'gzip',
    });
    expect(answer.headers['grpc-encoding']).toBe('gzip');
    expect(answer.messages.map(({ flag }) => flag)).toEqual([1, 0, 1, 0, 1, 0]);
    const opened = answer.messages.map(({ flag, bytes }) => (flag ? gunzipSync(bytes) : bytes));
    expect(opened.map((bytes) => fromBinary(streamingOutputCall.output, bytes).payload.length)).toEqual(sizes);
  });

  test('in a way that is not known is UNIMPLEMENTED, with what is', async () => {
    const answer = await client.call([framed(say('hi'), 1)], { 'grpc-encoding': 'zstd' });
    expect([answer.status, answer.reason]).toEqual(['12', 'UNIMPLEMENTED']);
    expect(answer.headers['grpc-accept-encoding']).toBe('identity,gzip,br');
  });
});

describe('is refused', () => {
  const gzip = { 'grpc-encoding': 'gzip' };
  const manyFields = Buffer.alloc(200_000, Buffer.from([0x1a, 0]));
  const cases: [string, Uint8Array[], Record<string, string>, [string, string, RegExp]][] = [
    ['no message', [], {}, ['12', 'UNIMPLEMENTED', /^Say takes exactly one message: it received none\.$/]],
    ['two messages', [hi, hi], {}, ['12', 'UNIMPLEMENTED', /it received another one/]],
    ['two messages in one frame', [Buffer.concat([hi, hi])], {}, ['12', 'UNIMPLEMENTED', /another one/]],
    ['half a prefix', [hi.subarray(0, 3)], {}, ['3', 'INVALID_ARGUMENT', /^body: is not framed as gRPC asks/]],
    ['half a message', [hi.subarray(0, 7)], {}, ['3', 'INVALID_ARGUMENT', /ends after 7 bytes/]],
    [
      'bytes that are no message',
      [framed(Buffer.alloc(3, 255))],
      {},
      ['3', 'INVALID_ARGUMENT', /not a valid protobuf/],
    ],
    ['a field out of bounds', [framed(say(''))], {}, ['3', 'INVALID_ARGUMENT', /^text: /]],
    ['a flag of no meaning', [framed(say('hi'), 2)], {}, ['13', 'PROTOCOL_ERROR', /begins with 2/]],
    ['compression nobody named', [framed(gzipSync(say('hi')), 1)], {}, ['13', 'PROTOCOL_ERROR', /send grpc-encoding/]],
    ['compression as identity', [framed(say('hi'), 1)], { 'grpc-encoding': 'identity' }, ['13', 'PROTOCOL_ERROR', /./]],
    ['bad gzip', [framed(say('hi'), 1)], { 'grpc-encoding': 'gzip' }, ['3', 'INVALID_ARGUMENT', /not compressed as/]],
    ['much from little', [framed(gzipSync(Buffer.alloc(1_100_000)), 1)], gzip, ['8', 'PAYLOAD_TOO_LARGE', /1048576 b/]],
    [
      'fields of no meaning',
      [framed(gzipSync(Buffer.alloc(1_040_000)), 1)],
      gzip,
      ['3', 'INVALID_ARGUMENT', /not a valid/],
    ],
    ['more fields than may be', [framed(manyFields)], {}, ['3', 'INVALID_ARGUMENT', /more than 65536 fields/]],
    ...['', '5', 'x', '1s', '-1S', '1.5S', '123456789S', '1 S', '0x1S'].map((timeout): (typeof cases)[number] => [
      `the time-out "${timeout}"`,
      [hi],
      { 'grpc-timeout': timeout },
      ['3', 'INVALID_ARGUMENT', /^timeout: must be at most 8 digits/],
    ]),
    ...['a', 'AAAAA', '@@@@', 'AA=', 'AAA==', 'AA==AA', 'AAAA,A', 'AA-_'].map((value): (typeof cases)[number] => [
      `the binary metadata "${value}"`,
      [hi],
      { 'x-some-bin': value },
      ['3', 'INVALID_ARGUMENT', /^x-some-bin: is not base64/],
    ]),
  ];
  test.each(cases)('%s', async (_name, pieces, headers, [status, reason, says]) => {
    const answer = await client.call(pieces, headers);
    expect([answer.status, answer.reason, answer.message]).toEqual([status, reason, expect.stringMatching(says)]);
    expect(answer.headers[':status']).toBe(200);
    await expect.poll(() => server.occupied()).toBe(0);
  });

  test('a message too large as soon as its prefix says so', async () => {
    const head = Buffer.from([0, 0, 0x10, 0, 1]);
    const answer = await client.call([head], {}, { halfCloses: false });
    expect([answer.status, answer.reason]).toEqual(['8', 'PAYLOAD_TOO_LARGE']);
    // The stream is ended, for its caller has not.
    expect(answer.resetCode).toBe(0);
  });

  test('a second message while the caller still sends', async () => {
    const answer = await client.call([hi, Buffer.from([0])], {}, { halfCloses: false });
    expect(answer.status).toBe('12');
  });

  test('a caller without a credential, before it sends anything', async () => {
    const answer = await client.call([], { authorization: 'Bearer nonsense' }, { halfCloses: false });
    expect([answer.status, answer.reason]).toEqual(['16', 'CREDENTIAL_INVALID']);
  });
});

test.each(['AA==', 'AA', 'AAA=', 'AAA', 'AAAA', '', 'AAAA, AA', '+/8='])(
  'binary metadata "%s" is let through',
  async (value) => {
    expect((await client.call([hi], { 'x-some-bin': value })).status).toBe('0');
  },
);

test.each(['1H', '99999999H', '90M', '30S', '60000m', '99999999u', '99999999n'])(
  'the time-out %s is one',
  async (timeout) => {
    // The shortest of them may pass on a machine that is busy.
    expect((await client.call([hi], { 'grpc-timeout': timeout })).status).toMatch(
      timeout.endsWith('n') ? /^[04]$/ : /^0$/,
    );
  },
);

test('a time-out of nothing has passed', async () => {
  const answer = await client.call([], { 'grpc-timeout': '0S' }, { halfCloses: false });
  expect([answer.status, answer.reason]).toEqual(['4', 'DEADLINE_EXCEEDED']);
  await expect.poll(() => server.occupied()).toBe(0);
});

/** Sends a part of a call, and once the call is let in, RST_STREAM: Node's own client would half-close before. */
async function sendAndReset(part: Buffer, path: string, requestId: string): Promise<void> {
  const { host, port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const headers = headerBlock({
    ...{ ':method': 'POST', ':scheme': 'http', ':authority': host, ':path': path },
    ...{ 'content-type': 'application/grpc', authorization: goodToken, 'x-request-id': requestId },
  });
  socket.write(connectionPreface);
  socket.write(frame(frameType.settings, 0, 0));
  socket.write(frame(frameType.headers, flag.endHeaders, 1, headers));
  socket.write(frame(frameType.data, 0, 1, part));
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(1);
  socket.write(frame(frameType.reset, 0, 1, Buffer.from([0, 0, 0, 8])));
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(0);
  socket.destroy();
}

const outcomeOf = (requestId: string) =>
  new RegExp(`"requestId":"${requestId}".*"outcome":"(\\w+)"`).exec(server.logged())?.[1];

test('a call that is reset in the middle of its message gives its place back', async () => {
  await sendAndReset(hi.subarray(0, 6), sayPath, 'reset.1');
  expect(outcomeOf('reset.1')).toBe('cancelled');
});

test('a whole message whose stream is reset before it was half-closed is not handled', async () => {
  const { unaryCall } = InteropService.method;
  const before = interop.handled();
  const whole = framed(toBinary(unaryCall.input, create(unaryCall.input, { responseSize: 1 })));
  await sendAndReset(whole, `/${InteropService.typeName}/UnaryCall`, 'reset.2');
  expect([interop.handled(), outcomeOf('reset.2')]).toEqual([before, 'cancelled']);
});

test('a message whose end does not come is not waited for beyond the limit', async () => {
  const impatient = await startGateServer({ limits: { headersTimeoutMs: 2_000, requestTimeoutMs: 2_000 } });
  const slow = rawClient(impatient.url);
  const answer = await slow.call([hi.subarray(0, 6)], {}, { halfCloses: false });
  expect([answer.status, answer.resetCode]).toEqual([undefined, 8]);
  await expect.poll(() => impatient.occupied()).toBe(0);
  slow.close();
  await impatient.close(0);
});

test('a stream that nobody reads is not made ahead of its reader', async () => {
  const sizes = Array<number>(200).fill(65_536);
  const { streamingOutputCall } = InteropService.method;
  const asked = toBinary(streamingOutputCall.input, create(streamingOutputCall.input, { responseSizes: sizes }));
  const before = interop.made();
  // A session of its own: one window is what all streams of a session share.
  const reader = rawClient(server.url);
  const stream = reader.open({ ':path': `/${InteropService.typeName}/StreamingOutputCall` });
  stream.end(framed(asked));
  await once(stream, 'response');
  for (let time = 0; time < 20; time += 1) await client.call([hi]);
  expect(interop.made() - before).toBeLessThan(10);
  const answer = await answerOf(stream);
  expect([answer.messages.length, interop.made() - before]).toEqual([200, 200]);
  reader.close();
});

test('a stream that waits for its reader gives its place back when its time is over', async () => {
  const { streamingOutputCall } = InteropService.method;
  const responseSizes = Array<number>(200).fill(65_536);
  const asked = toBinary(streamingOutputCall.input, create(streamingOutputCall.input, { responseSizes }));
  const reader = rawClient(server.url);
  const stream = reader.open({ ':path': `/${InteropService.typeName}/StreamingOutputCall`, 'grpc-timeout': '1S' });
  const begun = once(stream, 'response');
  stream.end(framed(asked));
  // Before its beginning is here: a busy machine may need its time for that.
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(1);
  await begun;
  await expect.poll(() => server.occupied(), { timeout: 60_000 }).toBe(0);
  // What is on its way comes first, then the status.
  const answer = await answerOf(stream);
  expect([answer.status, answer.reason]).toEqual(['4', 'DEADLINE_EXCEEDED']);
  expect(answer.messages.length).toBeLessThan(200);
  reader.close();
});

describe('what is not the lane’s is served as before', () => {
  test.each([
    ['another type', { 'content-type': 'application/grpcx' }, 415],
    ['no type of gRPC', { 'content-type': 'text/plain' }, 415],
    ['another message format', { 'content-type': 'application/grpc+thrift' }, 415],
  ])('%s is 415', async (_name, headers, status) => {
    expect((await client.call([hi], headers)).headers[':status']).toBe(status);
  });

  test('a host in place of an authority, and gRPC with JSON', async () => {
    const { host } = new URL(server.url);
    expect(textOf(await client.call([hi], { host }))).toBe('hi');
    const json = await client.call([framed(Buffer.from('{"text":"hi"}'))], { 'content-type': 'application/grpc+json' });
    expect(JSON.parse(String(json.messages[0]?.bytes))).toMatchObject({ text: 'hi' });
  });

  test('a host that is none is refused', async () => {
    const answer = await client.call([hi], { ':authority': 'x:99999' });
    expect(answer.headers[':status']).toBe(400);
  });

  test('a method that is not there, by gRPC’s status, in the words of every refusal', async () => {
    for (const type of ['application/grpc', 'application/grpc-web+proto', 'application/grpc-web-text'])
      for (const path of [`${sayPath}Nothing`, '/no.such.Service/Method']) {
        const answer = await client.call([hi], { ':path': path, 'content-type': type, 'x-request-id': 'not.there' });
        expect([answer.status, answer.reason]).toEqual(['12', 'UNIMPLEMENTED']);
        expect(answer.headers).toMatchObject({
          'grpc-message': 'There is no such method. The reflection service lists all methods.',
          ...{ 'content-type': type, 'x-request-id': 'not.there', 'x-content-type-options': 'nosniff' },
        });
      }
  });
});

test('a reply header that HTTP does not allow breaks its own stream only', async () => {
  const path = `/${InteropService.typeName}/EmptyCall`;
  const broken = await client.call([framed(Buffer.alloc(0))], { ':path': path, 'x-reply': 'connection' });
  expect([broken.status, broken.resetCode]).toEqual([undefined, 2]);
  const fine = await client.call([framed(Buffer.alloc(0))], { ':path': path, 'x-reply': 'x-replied' });
  expect([fine.status, fine.headers['x-replied']]).toEqual(['0', 'yes']);
  expect(server.occupied()).toBe(0);
});

test('calls are logged as gRPC, with who called', async () => {
  await client.call([hi], { 'x-request-id': 'logged.1', authorization: goodToken });
  await expect
    .poll(() => server.logged())
    .toMatch(
      /"requestId":"logged.1","method":"[\w.]+GateService\/Say","protocol":"grpc","outcome":"ok".*operator:test/,
    );
});
