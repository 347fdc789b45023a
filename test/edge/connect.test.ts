import { connect } from 'node:net';
import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusalOf } from '../../src/edge/failures.ts';
import { spelled } from '../../src/edge/grpc-message.ts';
import { ErrorInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/gen/google/rpc/status_pb.ts';
import { GateService } from '../gen/intelligence/test/v1/gate_pb.ts';
import { type GateServer, goodToken, scopelessToken, startGateServer } from '../support/gate-server.ts';
import { failures, secretInFault } from '../support/gate-service.ts';
import { grpcClient } from '../support/grpc.ts';

let server: GateServer;
beforeAll(async () => {
  server = await startGateServer();
});
afterAll(() => server.close(0));

const transports = {
  'Connect over HTTP/1.1': (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect JSON over HTTP/2': (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: false }),
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  'gRPC-Web over HTTP/1.1': (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
};

describe.each(Object.entries(transports))('%s', (_, transportTo) => {
  const client = () => createClient(GateService, transportTo(server.url));
  const headers = { authorization: goodToken };

  test('answers a call, with its request id', async () => {
    let requestId: string | null = null;
    const reply = await client().say(
      { text: 'höi', number: 7, tags: ['a'] },
      {
        headers: { ...headers, 'x-request-id': 'my-id.1' },
        onHeader: (header) => {
          requestId = header.get('x-request-id');
        },
      },
    );
    expect(reply).toMatchObject({ text: 'höi', number: 7, tags: ['a'] });
    expect(requestId).toBe('my-id.1');
  });

  test('streams', async () => {
    const numbers: number[] = [];
    for await (const { number } of client().count({ to: 3 })) numbers.push(number);
    expect(numbers).toEqual([1, 2, 3]);
  });

  test('carries an error after streamed messages', async () => {
    const numbers: number[] = [];
    const counting = async () => {
      for await (const { number } of client().count({ to: 2, thenFail: 'rate_limited' })) numbers.push(number);
    };
    const error = await counting().catch(ConnectError.from);
    expect(numbers).toEqual([1, 2]);
    expect(error && reasonOf(error)).toBe('RATE_LIMITED');
  });

  test.each(Object.values(failures))('carries $kind with its code and details', async (failure) => {
    const error = await client().fail({ kind: failure.kind }).catch(ConnectError.from);
    const refusal = refusalOf(failure, { minimumTopUpUsd: '5.00' });
    expect(error).toBeInstanceOf(ConnectError);
    expect((error as ConnectError).code).toBe(refusal.code);
    expect(reasonOf(error as ConnectError)).toBe(refusal.reason);
  });

  test('a fault of the service says nothing of its inside', async () => {
    const error = await client().fail({ kind: '' }).catch(ConnectError.from);
    expect(JSON.stringify([error, (error as ConnectError).metadata, (error as ConnectError).rawMessage])).not.toContain(
      secretInFault,
    );
    expect(reasonOf(error as ConnectError)).toBe('INTERNAL');
    expect(server.logged()).toContain(secretInFault);
  });

  test('names each invalid field', async () => {
    const error = await client().say({ text: '', number: 1001 }, { headers }).catch(ConnectError.from);
    expect((error as ConnectError).rawMessage).toMatch(/^text: .*1 more/);
    expect(reasonOf(error as ConnectError)).toBe('INVALID_ARGUMENT');
  });

  test.each([
    ['no credential', undefined, 'CREDENTIAL_MISSING'],
    ['a wrong credential', 'Bearer nonsense', 'CREDENTIAL_INVALID'],
    ['a credential without the scope', scopelessToken, 'SCOPE_MISSING'],
  ])('refuses %s', async (_name, authorization, reason) => {
    const error = await client()
      .say({ text: 'x' }, authorization ? { headers: { authorization } } : {})
      .catch(ConnectError.from);
    expect(reasonOf(error as ConnectError)).toBe(reason);
  });
});

function reasonOf(error: ConnectError): string | undefined {
  return error.findDetails(ErrorInfoSchema)[0]?.reason;
}

describe('gRPC by @grpc/grpc-js', () => {
  test('answers, and carries details in grpc-status-details-bin', async () => {
    const client = grpcClient(server.url);
    const reply = await client.unary(GateService.method.say, { text: 'hi' }, { authorization: goodToken });
    expect(reply.message?.text).toBe('hi');
    const refused = await client.unary(GateService.method.say, { text: 'hi' });
    expect(refused.error?.code).toBe(16);
    expect(refused.reason).toBe('CREDENTIAL_MISSING');
    client.close();
  });

  test('an oversize message is refused as RESOURCE_EXHAUSTED', async () => {
    const client = grpcClient(server.url);
    const reply = await client.unary(
      GateService.method.say,
      { text: 'x'.repeat(1_200_000) },
      { authorization: goodToken },
    );
    expect(reply.error?.code).toBe(8);
    client.close();
  });

  test('reads messages as they were written', async () => {
    const client = grpcClient(server.url);
    const headers = { authorization: goodToken };
    const refused = await client.unary(GateService.method.say, { text: 'x', number: 1001 }, headers);
    expect(refused.error?.details).toMatch(/^number: must be/);
    client.close();
  });

  test('any message survives, whichever way its client undoes the escapes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('  ')), (message) => {
        const sent = spelled(encodeURIComponent(message));
        // HTTP drops blanks at the ends.
        expect(sent).toMatch(/^([!-~]([ -~]*[!-~])?)?$/);
        expect(decodeURIComponent(sent)).toBe(message);
        expect(decodeURI(sent)).toBe(message);
      }),
    );
  });

  test('an unknown method answers UNIMPLEMENTED', async () => {
    const client = grpcClient(server.url);
    const unknown = { ...GateService.method.greet, name: 'Nothing' } as typeof GateService.method.greet;
    const reply = await client.unary(unknown, {});
    expect(reply.error?.code).toBe(12);
    client.close();
  });

  test('a cancelled stream ends as CANCELLED, and the log says so', async () => {
    const client = grpcClient(server.url);
    const reply = await client.serverStream(GateService.method.count, { to: 100_000, pauseMs: 5 }, {}, (_m, cancel) =>
      cancel(),
    );
    expect(reply.error?.code).toBe(1);
    await expect.poll(() => server.logged()).toMatch(/GateService\/Count.*"outcome":"cancelled"/);
    client.close();
  });

  test('a deadline that passes answers DEADLINE_EXCEEDED', async () => {
    const client = grpcClient(server.url);
    const reply = await client.unary(GateService.method.greet, {}, {}, { deadline: Date.now() - 1 });
    expect(reply.error?.code).toBe(4);
    client.close();
  });
});

/** An error as Connect's unary calls print it. */
interface PrintedError {
  code: string;
  message: string;
  details: { type: string; debug?: object }[];
}

/** Bytes of one framed message. */
function envelope(message: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5, flags);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const notProtobuf = Buffer.from([0xff, 0xff, 0xff]);

describe('a message that can’t be read is refused like every other', () => {
  const tooLong = { text: 'x'.repeat(1_200_000) };

  test.each(Object.entries(transports))('oversize, by %s', async (_name, transportTo) => {
    const client = createClient(GateService, transportTo(server.url));
    const headers = { authorization: goodToken, 'x-request-id': 'big.1' };
    const error = ConnectError.from(await client.say(tooLong, { headers }).catch((thrown: unknown) => thrown));
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(error.rawMessage).toBe('The message is over the limit of 1048576 bytes, measured after decompression.');
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      {
        domain: 'intelligence',
        reason: 'PAYLOAD_TOO_LARGE',
        metadata: { limitBytes: '1048576', requestId: 'big.1' },
      },
    ]);
  });

  test('oversize after decompression, by Connect', async () => {
    const transport = createConnectTransport({
      ...{ baseUrl: server.url, httpVersion: '1.1', sendCompression: compressionGzip },
    });
    const saying = createClient(GateService, transport).say(tooLong, { headers: { authorization: goodToken } });
    const error = ConnectError.from(await saying.catch((thrown: unknown) => thrown));
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(reasonOf(error)).toBe('PAYLOAD_TOO_LARGE');
  });

  test('oversize and undecodable, by @grpc/grpc-js', async () => {
    const client = grpcClient(server.url);
    const headers = { authorization: goodToken };
    const oversize = await client.unary(GateService.method.say, tooLong, headers);
    expect(oversize.reason).toBe('PAYLOAD_TOO_LARGE');
    const undecodable = await client.unary(GateService.method.say, {}, headers, { bytes: notProtobuf });
    expect(undecodable.error?.code).toBe(3);
    expect(undecodable.error?.details).toMatch(
      /^body: is not a valid protobuf message intelligence.test.v1.SayRequest/,
    );
    expect(undecodable.reason).toBe('INVALID_ARGUMENT');
    client.close();
  });

  const cases: [string, { type: string; body: string | Buffer; headers?: Record<string, string>; says: string }][] = [
    [
      'JSON that breaks off',
      { type: 'application/json', body: '{"text":', says: 'text: the text ends where a JSON value' },
    ],
    [
      'an unknown field',
      {
        type: 'application/json',
        body: '{"txt":""}',
        says: 'txt: is not a known field; perhaps text is meant (line 1',
      },
    ],
    [
      'a field of another type',
      { type: 'application/json', body: '{"text":1}', says: 'text: must be a string (line 1, colu' },
    ],
    ['bytes that are no protobuf', { type: 'application/proto', body: notProtobuf, says: 'body: is not a valid prot' }],
    [
      'a body that is not gzip',
      {
        ...{ type: 'application/json', body: '{}', headers: { 'content-encoding': 'gzip' } },
        says: 'body: is not compressed as its headers say',
      },
    ],
    [
      'a time-out in no unit',
      { type: 'application/json', body: '{}', headers: { 'connect-timeout-ms': 'soon' }, says: 'timeout: ' },
    ],
  ];
  test.each(cases)('%s, by Connect', async (_name, { type, body, headers = {}, says }) => {
    const response = await post('Say', type, body, headers);
    expect(response.status).toBe(400);
    const error = (await response.json()) as PrintedError;
    expect(error.code).toBe('invalid_argument');
    expect(error.message.startsWith(says), error.message).toBe(true);
    const [info, badRequest] = error.details;
    const requestId = response.headers.get('x-request-id');
    expect(info?.debug).toMatchObject({ reason: 'INVALID_ARGUMENT', domain: 'intelligence', metadata: { requestId } });
    expect(badRequest?.type).toBe('google.rpc.BadRequest');
  });

  test('in a stream, by Connect', async () => {
    const response = await post('Count', 'application/connect+json', envelope(Buffer.from('{"to')));
    const end = JSON.parse(Buffer.from(await response.arrayBuffer()).toString('utf8', 5));
    expect(end.error.details[0].debug).toMatchObject({ reason: 'INVALID_ARGUMENT', domain: 'intelligence' });
  });

  test.each([
    ['bytes that are no protobuf', envelope(notProtobuf), {}, 'status: 3', 'INVALID_ARGUMENT'],
    ['half an envelope', Buffer.from([0, 0, 0, 0, 9, 1]), {}, 'status: 3', 'INVALID_ARGUMENT'],
    ['bad gzip', envelope(Buffer.from('xx'), 1), { 'grpc-encoding': 'gzip' }, 'status: 3', 'INVALID_ARGUMENT'],
    ['a compression nobody named', envelope(Buffer.from('xx'), 1), {}, 'status: 13', 'PROTOCOL_ERROR'],
    [
      'a compression not known',
      envelope(Buffer.from('x'), 1),
      { 'grpc-encoding': 'zstd' },
      'status: 12',
      'UNIMPLEMENTED',
    ],
    ['no message', Buffer.alloc(0), {}, 'status: 12', 'UNIMPLEMENTED'],
    ['two messages', Buffer.alloc(10), {}, 'status: 12', 'UNIMPLEMENTED'],
  ])('%s, by gRPC-Web', async (_name, body, headers, status, reason) => {
    const response = await post('Say', 'application/grpc-web+proto', body, headers);
    const trailers = Buffer.from(await response.arrayBuffer()).toString('utf8', 5);
    expect(trailers).toContain(status);
    const [, details = ''] = /grpc-status-details-bin: (\S+)/.exec(trailers) ?? [];
    const [info] = fromBinary(StatusSchema, Buffer.from(details, 'base64')).details;
    expect(info && fromBinary(ErrorInfoSchema, info.value)).toMatchObject({ domain: 'intelligence', reason });
  });

  test('of a type that no protocol has', async () => {
    const response = await post('Say', 'text/plain', 'hello');
    expect(response.status).toBe(415);
    const { error } = (await response.json()) as { error: { details: { reason?: string }[] } };
    expect(error.details[0]?.reason).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  function post(method: string, type: string, body: string | Buffer, headers: Record<string, string> = {}) {
    return fetch(`${server.url}/intelligence.test.v1.GateService/${method}`, {
      method: 'POST',
      headers: { 'content-type': type, authorization: goodToken, ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
  }
});

describe('a call’s place', () => {
  test('is given back when its message can’t be read, whatever the protocol', async () => {
    const path = `${server.url}/intelligence.test.v1.GateService/Say`;
    const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
      ['application/json', '{"text":'],
      ['application/proto', new Uint8Array([0xff, 0xff, 0xff])],
      ['application/grpc-web+proto', new Uint8Array([0, 0, 0, 0, 3, 0xff, 0xff, 0xff])],
      ['application/json', JSON.stringify({ text: 'x'.repeat(1_200_000) })],
    ];
    for (const [type, body] of bodies) {
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': type, authorization: goodToken },
        body,
      });
      await response.arrayBuffer();
    }
    await fetch(`${server.url}/gate/say`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: goodToken },
      body: '{"text":',
    });
    await expect.poll(() => server.occupied()).toBe(0);
  });

  test.each([
    ['REST', '/gate/say', ''],
    ['REST with a deadline', '/gate/say', 'grpc-timeout: 60S\r\n'],
    ['Connect', '/intelligence.test.v1.GateService/Say', ''],
    ['Connect with a deadline', '/intelligence.test.v1.GateService/Say', 'connect-timeout-ms: 60000\r\n'],
  ])('is given back when the caller goes away in the middle of its message, by %s', async (_name, path, header) => {
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${goodToken}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}${header}content-length: 50\r\n\r\n{"te`);
    await expect.poll(() => server.occupied()).toBe(1);
    socket.destroy();
    await expect.poll(() => server.occupied()).toBe(0);
  });

  test('is given back when the caller goes away in the middle of a stream', async () => {
    const client = grpcClient(server.url);
    await client.serverStream(GateService.method.count, { to: 1_000, pauseMs: 5 }, {}, (_m, cancel) => cancel());
    client.close();
    await expect.poll(() => server.occupied()).toBe(0);
  });
});

test('a deadline longer than the service keeps is clamped, not refused', async () => {
  for (const [name, value] of [
    ['grpc-timeout', '99999999H'],
    ['connect-timeout-ms', '9999999999'],
  ] as const) {
    const response = await fetch(`${server.url}/intelligence.test.v1.GateService/Say`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: goodToken, [name]: value },
      body: '{"text":"x"}',
    });
    expect(response.status).toBe(200);
  }
});

test('a GET of Connect whose message is no base64 is the caller’s fault, and a sound one is answered', async () => {
  const ask = (message: string) =>
    fetch(
      `${server.url}/${GateService.typeName}/Say?connect=v1&encoding=json&base64=1&message=${encodeURIComponent(message)}`,
      { headers: { authorization: goodToken } },
    );
  for (const message of ['e', '!!!', '\u00ff']) {
    const refused = await ask(message);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'invalid_argument']);
  }
  const sound = await ask(Buffer.from('{"text":"hello"}').toString('base64url'));
  expect([sound.status, ((await sound.json()) as { text: string }).text]).toEqual([200, 'hello']);
});
