import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { fromJson, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ListValueSchema, StructSchema } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultJsonBounds, findJsonFault } from '../../packages/transcoding/src/json-bounds.ts';
import { JsonText } from '../../packages/transcoding/src/json-text.ts';
import { hasTooManyFields } from '../../src/edge/binary-bounds.ts';
import { ChatRequestSchema } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { type Customer, onboard, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

/** A field of bytes, as it is on the wire. */
const field = (number: number, bytes: Buffer) => {
  const writer = new BinaryWriter();
  return Buffer.from(writer.tag(number, WireType.LengthDelimited).bytes(bytes).finish());
};
const toolsField = ChatRequestSchema.field.tools.number;
const mebibyte = 1024 * 1024;
const nested = (levels: number) => '['.repeat(levels);
const many = `{"messages":[${'{},'.repeat(200_000)}{}]}`;
const image = `{"messages":[{"role":"user","content":"${'x'.repeat(2_000)}","parts":[]}],"user":"${'A'.repeat(5 * mebibyte)}"}`;
const rpc = '/intelligence.chat.v1.ChatService/Chat';

/** One POST with any body; the answer's status and text. */
async function post(path: string, body: Buffer | string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${customer.apiKey}`, ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}

const jsonLanes = [
  ['OpenAI’s', '/v1/chat/completions'],
  ['REST', '/api/v1/assistant/chat'],
  ['Connect', rpc],
] as const;

describe.each(jsonLanes)('JSON over %s lane', (_lane, path) => {
  test('that opens to far more than its size is not parsed', async () => {
    const bomb = gzipSync(nested(20 * mebibyte - 1));
    expect(bomb.length).toBeLessThan(30_000);
    const { status, text } = await post(path, bomb, { 'content-encoding': 'gzip' });
    expect([status, text]).toEqual([400, expect.stringContaining('opens to more than 100 times its size')]);
  });

  test('that is nested deep is refused with its place', async () => {
    const { status, text } = await post(path, nested(mebibyte));
    expect(status).toBe(400);
    expect(text).toMatch(
      path === '/api/v1/assistant/chat' ? /body|object/ : /nested deeper than 100 levels \(line 1, column 101\)/,
    );
  });

  test('with very many values is refused with the place', async () => {
    const { status, text } = await post(path, many);
    expect([status, text]).toEqual([
      400,
      expect.stringMatching(/more than 65536 names and values \(line 1, column \d+\)/),
    ]);
  });
});

test('a key of 30 KB that is named in an error comes back cut short, and the connection goes on', async () => {
  const key = Buffer.alloc(30_000, 1);
  const entry = Buffer.concat([field(1, key), field(2, Buffer.alloc(0))]);
  const tool = Buffer.concat([field(1, Buffer.from('f')), field(3, field(1, entry))]);
  const session = connect(app.url);
  const unary = () =>
    new Promise<string>((resolve, reject) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': rpc,
        ...{ 'content-type': 'application/grpc', te: 'trailers', authorization: `Bearer ${customer.apiKey}` },
      });
      const status = (headers: Record<string, unknown>) =>
        headers['grpc-status'] !== undefined && resolve(`${headers['grpc-status']} ${headers['grpc-message']}`);
      stream.on('response', status).on('trailers', status).on('error', reject).resume();
      const message = field(toolsField, tool);
      const frame = Buffer.alloc(5);
      frame.writeUInt32BE(message.length, 1);
      stream.end(Buffer.concat([frame, message]));
    });
  for (let time = 0; time < 2; time++) {
    const status = await unary();
    expect(status).toMatch(/^3 tools\[0\]\.parameters\[/);
    expect(status.length).toBeLessThan(2_000);
  }
  session.close();
});

test('tool parameters 20,000 levels deep are the caller’s mistake, over every lane', async () => {
  const parameters = `${'{"properties":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
  const openAi = await post(
    '/v1/chat/completions',
    `{"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]}`,
  );
  const own = `{"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"f","parameters":${parameters}}]}`;
  const answers = [openAi, await post('/api/v1/assistant/chat', own), await post(rpc, own)];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  for (const { text } of answers)
    expect(text).toMatch(/nested deeper than 100 levels|is not an? |not a field|must be|recursion/);
});

test('a binary message with millions of fields is refused, over Connect and gRPC', async () => {
  const fields = Buffer.alloc(4 * mebibyte);
  for (let at = 0; at < fields.length; at += 2) fields[at] = 0x0a;
  const proto = await post(rpc, fields, { 'content-type': 'application/proto' });
  expect([proto.status, proto.text]).toEqual([400, expect.stringContaining('has more than 65536 fields and elements')]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(fields.length, 1);
  const web = await post(rpc, Buffer.concat([head, fields]), { 'content-type': 'application/grpc-web+proto' });
  expect(web.status).toBe(200);
  expect(decodeURIComponent(web.text)).toContain('has more than 65536 fields and elements');
  const packed = gzipSync(fields);
  head[0] = 1;
  head.writeUInt32BE(packed.length, 1);
  const bomb = await post(rpc, Buffer.concat([head, packed]), {
    ...{ 'content-type': 'application/grpc-web+proto', 'grpc-encoding': 'gzip' },
  });
  expect(decodeURIComponent(bomb.text)).toContain('opens to more than 100 times its size');
});

test('a request with an image of megabytes is read', async () => {
  const { status, text } = await post('/v1/chat/completions', image);
  // The field is too long for its rule: it was read and checked.
  expect([status, text]).toEqual([400, expect.stringContaining('user')]);
});

test.each(jsonLanes)('%s lane looks at the credential before it reads a body', async (_lane, path) => {
  const { hostname, port } = new URL(app.url);
  const socket = connectTcp(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 20000\r\nauthorization: Bearer`;
  // Not a byte of the body is sent.
  socket.write(`${head} nonsense\r\n\r\n`);
  await expect.poll(() => received).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test.each([
  ['{"messages":', 'can not be read as JSON: the text ends where a JSON value is expected (line 1, column 13)'],
  [
    "{\n  'model': 1}",
    `can not be read as JSON: found "'" where a name in double quotes is expected (line 2, column 3)`,
  ],
  [
    '{"model": "é",}',
    'can not be read as JSON: found "}" where a name in double quotes is expected (line 1, column 15)',
  ],
  [
    '{"model": "auto", "messages": [{"role": "user", "content": "a", "role": "system"}]}',
    'can not be read as JSON: names "role" twice (line 1, column 65)',
  ],
  ['{"model": "auto", "mod\\u0065l": "b"}', 'can not be read as JSON: names "model" twice (line 1, column 19)'],
  [Buffer.from([0x22, 0xff, 0x22]), 'can not be read as JSON: it is not UTF-8'],
])('the OpenAI lane says where a body is not JSON: %s', async (body, says) => {
  const headers = { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${app.url}/v1/chat/completions`, { method: 'POST', headers, body });
  const { error } = (await answer.json()) as { error: { message: string } };
  expect([answer.status, error.message]).toEqual([400, expect.stringContaining(says)]);
});

describe('what a JSON text may have', () => {
  const fault = (text: string) => findJsonFault(Buffer.from(text));
  test.each([
    ['100 levels', `${nested(100)}${']'.repeat(100)}`, undefined],
    ['101 levels', nested(101), 'nested deeper than 100 levels'],
    ['levels one after another', '[]'.repeat(1_000), undefined],
    ['brackets within a string', `"${'['.repeat(200_000)}"`, undefined],
    ['an escaped quote', `"\\"${nested(200)}"`, undefined],
    ['an escaped backslash before the end', `"\\\\"${nested(101)}`, 'nested deeper'],
    ['a value too many', `[${'1,'.repeat(65_536)}1]`, 'names and values'],
    ['names too many', `{${'"a":1,'.repeat(40_000)}"a":1}`, 'names and values'],
    ['5 MiB of white space', `[${' '.repeat(5 * mebibyte)}]`, 'bytes outside of strings'],
    ['5 MiB of digits', `[${'1'.repeat(5 * mebibyte)}]`, 'bytes outside of strings'],
    ['5 MiB of short strings', `["${'x'.repeat(60_000)}"${`,"${'x'.repeat(60_000)}"`.repeat(90)}]`, 'bytes outside'],
    ['5 MiB in one string', `["${'x'.repeat(5 * mebibyte)}"]`, undefined],
    ['escapes too many', `"${'\\n'.repeat(2_000_001)}"`, 'escapes'],
    ['half a string', '"abc\\', undefined],
  ])('%s', async (_name, text, says) => {
    const found = await fault(text);
    if (says === undefined) expect(found).toBeUndefined();
    else expect(found?.description).toContain(says);
  });

  test('is found where it is, also across slices', async () => {
    const text = `{"a":"${'x'.repeat(600_000)}","b":${nested(100)}`;
    expect(await fault(text)).toEqual({
      kind: 'depth',
      description: 'is nested deeper than 100 levels',
      at: text.length - 1,
    });
    expect(defaultJsonBounds.depthMax).toBe(100);
  });
});

test.each(['x'.repeat(5_000), `${'x'.repeat(5_000)}\\n`, `${'\\u6f22\\"\\\\'.repeat(1_000)}`, '漢'.repeat(3_000)])(
  'long strings are read as short ones are',
  (inner) => {
    const text = `["${inner}",1]`;
    const json = new JsonText(text, 10);
    expect(json.value()).toEqual(JSON.parse(text));
  },
);

test.each([
  [`"${'x'.repeat(5_000)}\u0001"`, 'control character'],
  [`"${'x'.repeat(5_000)}\\q"`, 'bad escape'],
  [`"${'x'.repeat(5_000)}\\ud800"`, 'lone surrogate'],
  [`"${'x'.repeat(5_000)}`, 'ends inside a string'],
])('faults of long strings are found', (text, says) => {
  expect(() => new JsonText(text, 10).value()).toThrow(says);
});

test('fields are counted where they are: nested, packed, in maps; bytes are not', () => {
  const struct = fromJson(StructSchema, { list: Array.from({ length: 3_000 }, () => ({ a: 1 })) });
  const bytes = toBinary(StructSchema, struct);
  expect(hasTooManyFields(bytes, StructSchema, 20_000)).toBe(false);
  expect(hasTooManyFields(bytes, StructSchema, 10_000)).toBe(true);
  const list = toBinary(
    ListValueSchema,
    fromJson(
      ListValueSchema,
      Array.from({ length: 900 }, () => 'x'.repeat(1_000)),
    ),
  );
  expect(hasTooManyFields(list, ListValueSchema, 2_000)).toBe(false);
  expect(hasTooManyFields(Buffer.alloc(200_000, 0xff), ChatRequestSchema)).toBe(false);
});
