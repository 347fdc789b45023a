import { request as requestHttp1 } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/gen/google/rpc/status_pb.ts';
import {
  CountRequestSchema,
  CountResponseSchema,
  SayRequestSchema,
  SayResponseSchema,
} from '../gen/intelligence/test/v1/gate_pb.ts';
import { type GateServer, goodToken, startGateServer } from '../support/gate-server.ts';
import { rawClient } from './grpc/raw-call.ts';

const text = 'application/grpc-web-text';
const binary = 'application/grpc-web+proto';
const service = '/intelligence.test.v1.GateService';

let server: GateServer;
beforeAll(async () => {
  server = await startGateServer();
});
afterAll(() => server.close(0));

interface Reply {
  status: number;
  type: string;
  headers: Record<string, string | string[] | undefined>;
  /** As they were received. */
  pieces: Buffer[];
  messages: Buffer[];
  trailers: Map<string, string>;
}

interface Asked {
  method?: string;
  type?: string;
  headers?: Record<string, string>;
  credential?: string | undefined;
  /** Leaves once it has received something. */
  leaves?: boolean;
}

/** Sends the pieces one by one over HTTP/1.1, and reads the reply in whichever form it has. */
function call(pieces: readonly (string | Buffer)[], asked: Asked = {}) {
  const { method = 'Say', type = text, headers = {}, leaves = false } = asked;
  const credential = 'credential' in asked ? asked.credential : goodToken;
  return new Promise<Reply>((resolve, reject) => {
    const sent = requestHttp1(`${server.url}${service}/${method}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': type, 'x-grpc-web': '1', ...(credential && { authorization: credential }) },
        ...headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const received: Buffer[] = [];
      const done = () =>
        resolve(
          replyOf(response.statusCode ?? 0, String(response.headers['content-type']), response.headers, received),
        );
      response.on('data', (piece: Buffer) => {
        received.push(piece);
        if (!leaves) return;
        done();
        sent.destroy();
      });
      response.on('end', done);
    });
    (async () => {
      for (const piece of pieces) await new Promise((written) => sent.write(piece, written));
      sent.end();
    })().catch(reject);
  });
}

function replyOf(status: number, type: string, headers: Reply['headers'], pieces: Buffer[]): Reply {
  const reply: Reply = { status, type, headers, pieces, messages: [], trailers: new Map() };
  if (!type.startsWith('application/grpc-web')) return reply;
  const body = type.startsWith(text) ? unpadded(Buffer.concat(pieces).toString('latin1')) : Buffer.concat(pieces);
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    const bytes = body.subarray(at + 5, end);
    if (body[at] === 0x80)
      for (const line of bytes.toString('latin1').split('\r\n').filter(Boolean)) {
        const colon = line.indexOf(': ');
        reply.trailers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 2));
      }
    else reply.messages.push(bytes);
    at = end;
  }
  return reply;
}

/** Runs of padded base64, one after the other. */
function unpadded(body: string): Buffer {
  expect(body).toMatch(/^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/);
  return Buffer.concat((body.match(/[^=]+={0,2}/g) ?? []).map((run) => Buffer.from(run, 'base64')));
}

function framed(message: Uint8Array, flag = 0): Buffer {
  const head = Buffer.alloc(5, flag);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const say = (words: string, number = 0) =>
  framed(toBinary(SayRequestSchema, create(SayRequestSchema, { text: words, number })));
const count = (to: number, pauseMs = 0, thenFail = '') =>
  framed(toBinary(CountRequestSchema, create(CountRequestSchema, { to, pauseMs, thenFail })));
const base64 = (bytes: Buffer) => bytes.toString('base64');
const said = ({ messages }: Reply) => messages.map((message) => fromBinary(SayResponseSchema, message).text);
const reasonIn = ({ trailers }: Reply) => {
  const [info] = fromBinary(StatusSchema, Buffer.from(trailers.get('grpc-status-details-bin') ?? '', 'base64')).details;
  return info && fromBinary(ErrorInfoSchema, info.value).reason;
};

describe('gRPC-Web in base64', () => {
  test.each([text, `${text}+proto`, 'Application/gRPC-Web-Text'])('answers %s in the same form', async (type) => {
    const reply = await call([base64(say('höi'))], { type });
    expect([reply.status, reply.type]).toEqual([200, `${text}+proto`]);
    expect(said(reply)).toEqual(['höi']);
    expect(reply.trailers.get('grpc-status')).toBe('0');
  });

  test('over HTTP/2 too', async () => {
    const session = connectHttp2(server.url);
    const stream = session.request({
      ...{ ':method': 'POST', ':path': `${service}/Say`, 'content-type': text, authorization: goodToken },
    });
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    const headers = new Promise<Reply['headers']>((resolve) => stream.once('response', (got) => resolve({ ...got })));
    stream.end(base64(say('two')));
    await new Promise((resolve) => stream.once('close', resolve));
    const got = await headers;
    expect(said(replyOf(200, String(got['content-type']), got, pieces))).toEqual(['two']);
    session.destroy();
  });

  test('is read however its bytes are cut', async () => {
    const whole = base64(say('cut anywhere'));
    for (let at = 0; at <= whole.length; at += 1)
      expect(said(await call([whole.slice(0, at), whole.slice(at)].filter(Boolean)))).toEqual(['cut anywhere']);
    expect(said(await call([...whole]))).toEqual(['cut anywhere']);
  });

  test.each([
    ['at the end', (text: string) => `${text}\n`],
    ['within', (text: string) => text.replace(/.{5}/g, '$&\r\n')],
    ['at the end, twice', (text: string) => `${text}\r\n\r\n`],
  ])('may have line breaks %s', async (_, broken) => {
    const reply = await call([broken(base64(say('Grüße', 7)))]);
    expect([said(reply), reply.trailers.get('grpc-status')]).toEqual([['Grüße'], '0']);
  });

  test('is refused when it has more line breaks than text', async () => {
    const reply = await call([base64(say('Hi')), '\n'.repeat(1_000)]);
    expect(reply.trailers.get('grpc-message')).toContain('base64');
  });

  test('may come in runs that are padded each', async () => {
    const bytes = say('runs');
    const runs = [bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3, 7), bytes.subarray(7)].map(base64);
    expect(runs.join('')).toMatch(/=.*=/);
    expect(said(await call([runs.join('')]))).toEqual(['runs']);
    expect(said(await call(runs))).toEqual(['runs']);
  });

  test.each([
    [text, binary, binary],
    [binary, text, `${text}+proto`],
    [text, '*/*', `${text}+proto`],
    [text, `${binary};q=0.5, ${text}`, `${text}+proto`],
    [binary, 'application/grpc-web', binary],
  ])('a request as %s that accepts %s is answered as %s', async (type, accept, answered) => {
    const body = type === text ? base64(say('forms')) : say('forms');
    const reply = await call([body], { type, headers: { accept } });
    expect([reply.type, said(reply)]).toEqual([answered, ['forms']]);
  });

  test('streams, and the trailers come last', async () => {
    const reply = await call([base64(count(3))], { method: 'Count' });
    expect(reply.messages.map((message) => fromBinary(CountResponseSchema, message).number)).toEqual([1, 2, 3]);
    expect(reply.trailers.get('grpc-status')).toBe('0');
  });

  test('a message of a stream does not wait for the next one', async () => {
    // Each is 7 bytes long: without padding, the last of them would be missing.
    const reply = await call([base64(count(1_000, 50))], { method: 'Count', leaves: true });
    expect(reply.pieces).toHaveLength(1);
    expect(fromBinary(CountResponseSchema, reply.messages[0] ?? new Uint8Array()).number).toBe(1);
  });

  test('an error after streamed messages is in the trailers', async () => {
    const reply = await call([base64(count(2, 0, 'rate_limited'))], { method: 'Count' });
    expect([reply.messages.length, reply.trailers.get('grpc-status'), reasonIn(reply)]).toEqual([
      ...[2, '8'],
      'RATE_LIMITED',
    ]);
  });

  test.each([
    ['no base64', '!!!!', 3, 'INVALID_ARGUMENT'],
    ['the alphabet of URLs', '_-__', 3, 'INVALID_ARGUMENT'],
    ['a group that breaks off', base64(say('x')).slice(0, -1), 3, 'INVALID_ARGUMENT'],
    ['padding alone', '====', 3, 'INVALID_ARGUMENT'],
    ['too much padding', 'A===', 3, 'INVALID_ARGUMENT'],
    ['nothing', '', 12, 'UNIMPLEMENTED'],
    ['half a message', base64(say('x').subarray(0, 6)), 3, 'INVALID_ARGUMENT'],
    ['a field out of bounds', base64(say('x', 1001)), 3, 'INVALID_ARGUMENT'],
    ['a message that is too long', base64(say('x'.repeat(1_200_000))), 8, 'PAYLOAD_TOO_LARGE'],
  ])('%s is refused in the same form', async (_name, body, status, reason) => {
    const reply = await call([body]);
    expect([reply.status, reply.type]).toEqual([200, `${text}+proto`]);
    expect([Number(reply.trailers.get('grpc-status')), reasonIn(reply)]).toEqual([status, reason]);
    await expect.poll(() => server.occupied()).toBe(0);
  });

  test('a caller without a credential is refused before its message', async () => {
    const reply = await call(['!!!!'], { credential: 'Bearer nonsense' });
    expect([reply.trailers.get('grpc-status'), reasonIn(reply)]).toEqual(['16', 'CREDENTIAL_INVALID']);
  });

  test('a page may read the reply, and ask before', async () => {
    const origin = 'https://shop.example';
    const asked = await fetch(`${server.url}${service}/Greet`, {
      method: 'OPTIONS',
      headers: {
        ...{ origin, 'access-control-request-method': 'POST' },
        'access-control-request-headers': 'content-type,x-grpc-web,x-user-agent,authorization',
      },
    });
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'content-type,x-grpc-web,x-user-agent,authorization',
    ]);
    const reply = await call([base64(framed(Buffer.alloc(0)))], {
      ...{ method: 'Greet', headers: { origin }, credential: undefined },
    });
    expect(reply.headers['access-control-allow-origin']).toBe(origin);
    expect(reply.headers['access-control-expose-headers']).toMatch(/grpc-status, grpc-message/);
  });
});

test.each([text, binary])('messages of errors are escaped once, as %s', async (type) => {
  const body = type === text ? base64(say('x', 1001)) : say('x', 1001);
  const { trailers } = await call([body], { type });
  expect(trailers.get('grpc-message')).toMatch(/^number: must be /);
});

describe('compression, by what Connect serves', () => {
  test.each([
    ['gRPC-Web', binary, say('x')],
    ['gRPC-Web in base64', text, base64(say('x'))],
  ])('%s in a way that is not known is UNIMPLEMENTED, with what is', async (_name, type, body) => {
    const reply = await call([body], { type, headers: { 'grpc-encoding': 'zstd' } });
    expect([reply.trailers.get('grpc-status'), reasonIn(reply)]).toEqual(['12', 'UNIMPLEMENTED']);
    expect(reply.headers['grpc-accept-encoding']).toBe('identity,gzip,br');
  });

  test('gRPC the same, of services and of operations', async () => {
    const client = rawClient(server.url);
    for (const headers of [
      { 'content-type': 'application/grpc+json' },
      { ':path': '/grpc.health.v1.Health/Check', 'content-type': 'application/grpc' },
    ]) {
      const reply = await client.call([framed(Buffer.from('{}'))], { ...headers, 'grpc-encoding': 'zstd' });
      expect(reply.status).toBe('12');
      expect(reply.headers['grpc-accept-encoding']).toBe('identity,gzip,br');
    }
    client.close();
  });

  test.each([
    ['application/grpc', {}],
    ['application/grpc+json', {}],
    ['application/grpc+json', { 'grpc-encoding': 'identity' }],
  ])('a message of %s that is marked as compressed when no header says how is INTERNAL', async (type, headers) => {
    const client = rawClient(server.url);
    const reply = await client.call([framed(Buffer.from('{}'), 1)], { 'content-type': type, ...headers });
    expect([reply.status, reply.reason]).toEqual(['13', 'PROTOCOL_ERROR']);
    client.close();
  });
});
