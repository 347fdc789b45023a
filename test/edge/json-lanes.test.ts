import type { ClientHttp2Session } from 'node:http2';
import { create, type DescField, type MessageInitShape } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BadRequestSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { KindsSchema } from '../gen/intelligence/test/v1/echo_pb.ts';
import { JsonService } from '../gen/intelligence/test/v1/json_pb.ts';
import { type GateServer, startGateServer } from '../support/gate-server.ts';
import { connectTo, framed, frames, type JsonPaths, jsonLanes } from '../support/json-lanes.ts';
import { jsonService } from '../support/json-service.ts';

let server: GateServer;
let session: ClientHttp2Session;
beforeAll(async () => {
  server = await startGateServer({ also: [jsonService()] });
  session = connectTo(server.url);
});
afterAll(async () => {
  session.close();
  await server.close(0);
});

const methods: [string, JsonPaths][] = [
  [
    'a unary method',
    { rest: '/json/echo', rpc: '/intelligence.test.v1.JsonService/Echo', isRead: true, isStream: false },
  ],
  [
    'a stream',
    { rest: '/json/echo-twice', rpc: '/intelligence.test.v1.JsonService/EchoTwice', isRead: false, isStream: true },
  ],
];

const duration = 'type.googleapis.com/google.protobuf.Duration';

/** Messages and a part of what comes back. */
const taken: [string, string, string][] = [
  ['a bare number over 2^53 exactly', '{"int64":9007199254740993}', '"int64":"9007199254740993"'],
  ['the largest unsigned number', '{"uint64":18446744073709551615}', '"uint64":"18446744073709551615"'],
  [
    'an Any of a known type',
    `{"any":{"@type":"${duration}","value":"1.5s"}}`,
    `"any":{"value":"1.500s","@type":"${duration}"}`,
  ],
  ['the sign of a zero', '{"big":-0.0}', '"big":-0,'],
  ['fields in snake_case', '{"maybe_text":"x"}', '"maybeText":"x"'],
];

/** Messages, the field that is named, and words of what is said. */
const refused: [string, string | Buffer, string, string][] = [
  [
    'a day that does not exist',
    '{"time":"2026-02-30T00:00:00Z"}',
    'time',
    'must be a time that exists (line 1, column 9)',
  ],
  ['a number in hexadecimal', '{"int32":"0x10"}', 'int32', 'must be a 32-bit integer'],
  ['a number with blanks', '{"int32":" 5"}', 'int32', 'must be a 32-bit integer'],
  ['a byte order mark', '\ufeff{}', 'body', 'must not begin with a byte order mark (line 1, column 1)'],
  ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'body', 'must be UTF-8'],
  ['a field twice', '{"text":"a",\n"text":"b"}', 'text', 'is given twice (line 2, column 1)'],
  ['a field twice by two names', '{"maybeText":"a","maybe_text":"b"}', 'maybeText', 'is given twice'],
  ['a lone surrogate', '{"text":"\\ud800"}', 'text', 'lone surrogate'],
  [
    'an unknown field',
    '{"nested":{"idd":"1"}}',
    'nested.idd',
    'is not a known field; perhaps id is meant (line 1, column 12)',
  ],
  [
    'a field without its message',
    '{"id":"1"}',
    'id',
    'is not a known field; perhaps nested.id is meant (line 1, column 2)',
  ],
  ['a number with a currency', '{"big":"20 €"}', 'big', 'must be a number (line 1, column 8)'],
  ['a value of another type', '{"inners":[{},{"value":"x"}]}', 'inners[1].value', 'must be a 32-bit integer'],
  ['a double out of range', '{"big":1e400}', 'big', 'is out of the range of a double (line 1, column 8)'],
  [
    'a number out of range in a Value',
    '{"value":{"a":[1e400]}}',
    'value',
    'is out of the range of a double (line 1, column 16)',
  ],
  ['a number out of range in a Struct', '{"object":{"a":-1e999}}', 'object', 'is out of the range of a double'],
  [
    'an Any of an unknown type',
    '{"any":{"@type":"type.googleapis.com/nothing.Known"}}',
    'any',
    'must name a known type',
  ],
  ['text that breaks off', '{"text":', 'text', 'the text ends where a JSON value is expected (line 1, column 9)'],
  ['more than one value', '{} {}', 'body', 'where the end of the text is expected (line 1, column 4)'],
  ['what is nested deep', `{"value":${'['.repeat(101)}`, 'value', 'is nested deeper than 100 levels'],
  ['nothing', '', 'body', ''],
];

describe.each(methods)('%s', (_, paths) => {
  const each = async (message: string | Buffer) => {
    const answers = Object.entries(jsonLanes(session, paths)).map(async ([name, lane]) => ({
      ...{ name, answer: await lane(Buffer.from(message)) },
    }));
    const all = await Promise.all(answers);
    expect(all).toHaveLength(paths.isStream ? 4 : 5);
    return all;
  };

  test.each(taken)('every lane takes %s, and prints it alike', async (_name, message, printed) => {
    const all = await each(message);
    const [first] = all;
    expect(first?.answer.messages).toHaveLength(paths.isStream ? 2 : 1);
    for (const { name, answer } of all) {
      expect([name, answer.code, answer.messages]).toEqual([name, 0, first?.answer.messages]);
      expect(answer.messages[0]).toContain(printed);
    }
  });

  test.each(refused)('every lane refuses %s alike', async (_name, message, field, says) => {
    // An empty message is a message of gRPC and Connect, and no body at all of HTTP.
    const all = (await each(message)).filter(({ name }) => message !== '' || name !== 'REST');
    for (const { name, answer } of all) {
      expect([name, answer.code, answer.violations]).toEqual([name, 3, all[0]?.answer.violations]);
      expect(answer.violations).toEqual([{ field, description: expect.stringContaining(says) }]);
      expect(answer.message?.startsWith(`${field}: `), answer.message).toBe(true);
      expect(answer.messages).toEqual([]);
    }
    await expect.poll(() => server.occupied()).toBe(0);
  });
});

test('a method that streams both ways reads each message so, too', async () => {
  const rpc = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const lane = jsonLanes(session, { rest: '', rpc, isRead: false, isStream: true })['gRPC with JSON'];
  const listed = await lane?.(Buffer.from('{"listServices":""}'));
  expect([listed?.code, listed?.messages.length]).toEqual([0, 1]);
  expect(listed?.messages[0]).toContain('intelligence.test.v1.JsonService');
  const refused = await lane?.(Buffer.from('{"listServices":"",\n"listServices":""}'));
  expect(refused).toMatchObject({
    ...{
      code: 3,
      messages: [],
      violations: [{ field: 'listServices', description: 'is given twice (line 2, column 1)' }],
    },
  });
});

describe('a binary message that JSON has no form for is refused with its field', () => {
  const value = (kind: object) => ({ value: { kind } as never });
  const unprintable: [string, MessageInitShape<typeof KindsSchema>, string, string][] = [
    ['a Value without a kind', value({ case: undefined }), 'value', 'must have a value; null is one'],
    ['NaN in a Value', value({ case: 'numberValue', value: Number.NaN }), 'value', 'must be a finite number'],
    [
      'Infinity deep in a Struct',
      { object: { a_b: [1, { c: Number.POSITIVE_INFINITY }] } },
      'object["a_b"][1]["c"]',
      'must be a finite number',
    ],
    [
      'a Value without a kind in a list',
      { list: { values: [{ kind: { case: 'nullValue', value: 0 } }, {}] } },
      'list[1]',
      'must have a value',
    ],
    ['NaN in a map of Structs', { objects: { k: { x: Number.NaN } } }, 'objects["k"]["x"]', 'must be a finite number'],
    ['a time after the year 9999', { times: [{}, { seconds: 10n ** 12n }] }, 'times[1]', 'within the years 1 to 9999'],
    ['a time before its second', { time: { nanos: -1 } }, 'time', 'must have nanos of 0 to 999999999'],
    [
      'a time in a oneof',
      { choice: { case: 'choiceTime', value: { $typeName: 'google.protobuf.Timestamp', seconds: 0n, nanos: 1e9 } } },
      'choiceTime',
      'must have nanos',
    ],
    ['a duration beyond its limit', { span: { seconds: 315_576_000_001n } }, 'span', 'within 315576000000 seconds'],
    ['a duration of two signs', { span: { seconds: 1n, nanos: -1 } }, 'span', 'of one sign'],
    ['a field mask that does not come back', { mask: { paths: ['a', 'b_1'] } }, 'mask.paths[1]', 'snake_case'],
  ];
  /** Field, its bytes, and the place of the value; `0a` begins a map's entry or an element, `12` an entry's value. */
  const kindless: [string, 'object' | 'objects' | 'value' | 'list', Buffer, string][] = [
    ['in a Struct', 'object', Buffer.from('0a050a01611200', 'hex'), 'object["a"]'],
    ['that an entry of a Struct leaves out', 'object', Buffer.from('0a030a0161', 'hex'), 'object["a"]'],
    ['in a list in a Struct', 'object', Buffer.from('0a0d0a0161120832060a0208000a00', 'hex'), 'object["a"][1]'],
    ['in a Struct in a Struct', 'object', Buffer.from('0a0e0a016112092a070a050a01621200', 'hex'), 'object["a"]["b"]'],
    ['in a map of Structs', 'objects', Buffer.from('0a016b12070a050a01611200', 'hex'), 'objects["k"]["a"]'],
    ['in a Struct in a Value', 'value', Buffer.from('2a070a050a01611200', 'hex'), 'value["a"]'],
    ['with unknown fields only', 'value', Buffer.from('5801', 'hex'), 'value'],
    ['in a list', 'list', Buffer.from('0a0208000a00', 'hex'), 'list[1]'],
  ];
  const lanes: [string, (message: MessageInitShape<typeof KindsSchema>) => Promise<unknown>][] = [
    [
      'Connect',
      (message) => clientOf(createConnectTransport({ baseUrl: server.url, httpVersion: '1.1' })).echo(message),
    ],
    [
      'gRPC-Web',
      (message) => clientOf(createGrpcWebTransport({ baseUrl: server.url, httpVersion: '1.1' })).echo(message),
    ],
    ['gRPC', (message) => clientOf(createGrpcTransport({ baseUrl: server.url })).echo(message)],
    [
      'gRPC, streamed',
      async (message) => {
        for await (const reply of clientOf(createGrpcTransport({ baseUrl: server.url })).echoTwice(message))
          return reply;
        return undefined;
      },
    ],
  ];
  const clientOf = (transport: Transport) => createClient(JsonService, transport);

  describe.each(lanes)('by %s', (_lane, send) => {
    test.each(unprintable)('%s', async (_name, message, field, says) => {
      const error = ConnectError.from(await send(message).catch((thrown: unknown) => thrown));
      expect(error.code, error.message).toBe(Code.InvalidArgument);
      expect(error.findDetails(BadRequestSchema)).toMatchObject([
        { fieldViolations: [{ field, description: expect.stringContaining(says) }] },
      ]);
    });

    test.each(kindless)('a Value without a kind %s', async (_name, field, bytes, place) => {
      // What the generated code would not write.
      const { number } = KindsSchema.field[field] as DescField;
      const data = Buffer.from([bytes.length, ...bytes]);
      const message = create(KindsSchema);
      message.$unknown = [{ no: number, wireType: WireType.LengthDelimited, data }];
      const error = ConnectError.from(await send(message).catch((thrown: unknown) => thrown));
      expect(error.code, error.message).toBe(Code.InvalidArgument);
      expect(error.findDetails(BadRequestSchema)).toMatchObject([
        { fieldViolations: [{ field: place, description: 'must have a value; null is one' }] },
      ]);
    });

    test('and one that has a form is taken', async () => {
      const reply = await send({
        span: { seconds: 315_576_000_000n, nanos: 999_999_999 },
        ...{ object: { a: [null, 1.5, { b: '' }] }, time: { seconds: -62_135_596_800n }, mask: { paths: ['a_b.c'] } },
        ...value({ case: 'nullValue', value: 0 }),
      });
      expect(reply).toMatchObject({ span: { nanos: 999_999_999 }, object: { a: [null, 1.5, { b: '' }] } });
    });
  });
});

test('the message of an error over gRPC-Web is escaped where it must be, and not elsewhere', async () => {
  const response = await fetch(`${server.url}/intelligence.test.v1.JsonService/Echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+json' },
    body: framed(Buffer.from('{"100% of é":1}')),
  });
  const [trailer] = frames(Buffer.from(await response.arrayBuffer()));
  expect(trailer?.bytes.toString()).toContain(
    'grpc-message: 100%25 of %C3%A9: is not a known field (line 1, column 2)\r\n',
  );
});
