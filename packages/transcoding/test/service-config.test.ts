import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EchoService } from '../../../test/gen/intelligence/test/v1/echo_pb.ts';
import { createTranscoding, httpRules } from '../src/index.ts';
import { adapters } from './server.ts';

const service = 'intelligence.test.v1.EchoService';

const config = parse(`
type: google.api.Service
config_version: 3
name: echo.example.com
documentation: {summary: Left alone.}
http:
  rules:
    - selector: ${service}.Unmapped
      get: /v9/overruled/{text}
    - selector: ${service}.Echo
      post: /v9/echoes
      body: '*'
      additional_bindings:
        - get: /v9/echoes/{text}
        - custom: {kind: HEAD, path: '/v9/heads/{text}'}
    - selector: ${service}.GetPart
      post: /v9/parts
      body: inner
      response_body: inner
    - selector: ${service}.Unmapped
      put: /v9/unmapped
      body: text
      responseBody: text
`);

describe.each(Object.entries(adapters))('%s', (_, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start({ rules: httpRules(config) });
  });
  afterAll(() => server.close());

  const call = async (method: string, path: string, body?: string) => {
    const url = `http://127.0.0.1:${server.port}${path}`;
    const reply = await fetch(url, { method, ...(body && { body, headers: { 'content-type': 'application/json' } }) });
    return [reply.status, await reply.text()];
  };

  test.each([
    ['a rule replaces the option', 'POST', '/v9/echoes', '{"text":"a"}', [200, '{"text":"a"}']],
    ['and nothing of the option is left', 'POST', '/echo', '{"text":"a"}', [404, expect.any(String)]],
    ['additional bindings', 'GET', '/v9/echoes/b', undefined, [200, '{"text":"b"}']],
    ['a custom kind', 'HEAD', '/v9/heads/b', undefined, [200, '']],
    ['parts of request and reply', 'POST', '/v9/parts', '{"id":"a"}', [200, expect.stringContaining('"id":"a"')]],
    ['a method without an option', 'PUT', '/v9/unmapped', '"a"', [200, '"a"']],
    ['of two rules the last one counts', 'GET', '/v9/overruled/a', undefined, [404, expect.any(String)]],
    ['methods that no rule selects keep theirs', 'GET', '/v1/numbers/7', undefined, [200, expect.any(String)]],
  ])('%s', async (_, method, path, body, reply) => {
    expect(await call(method, path, body)).toEqual(reply);
  });
});

test('a selector may be a list, and end in a wildcard', async () => {
  const listed = serving({ rules: [{ selector: `${service}.Nothing, ${service}.Unmapped`, get: '/v9/both' }] });
  expect(listed).toThrow(/EchoService\.Unmapped: "\/v9\/both": GET leads to rpc .*EchoService\.Nothing already/);
  for (const selector of ['*', 'intelligence.*', `${service}.*`])
    expect(serving({ rules: [{ selector, get: '/v9/all' }] }), selector).toThrow(/"\/v9\/all": GET leads to/);
});

test.each([
  [false, '/v1/files/a%2Fb/c%2Fd%20e', 'a%2Fb/c%2Fd e'],
  [true, '/v1/files/a%2Fb/c%2Fd%20e', 'a/b/c/d e'],
  [true, '/v1/deep/a/b%2Fc', 'a/b/c'],
  [true, '/v1/deep/a', 'a'],
  [true, '/v1/files', ''],
  [true, '/v1/shelves/a%2Fb/books/c%2Fd', 'shelves/a%2Fb/books/c%2Fd'],
  [true, '/v1/literal/a%2Fb', 'a/b'],
  [false, '/v1/literal/a%2Fb', 'a/b'],
])('fully_decode_reserved_expansion: %s, %s', async (decode, path, name) => {
  const reply = await serving({ fully_decode_reserved_expansion: decode })().handle(new Request(`http://x${path}`));
  expect([reply.status, await reply.json()]).toMatchObject([200, { name }]);
});

test('a bad escape in what "**" matches is told as everywhere', async () => {
  const { handle } = serving({ fully_decode_reserved_expansion: true })();
  expect((await handle(new Request('http://x/v1/files/a/%ff'))).status).toBe(400);
});

describe('what cannot be stops the start, and says where', () => {
  test.each<[unknown, RegExp]>([
    [undefined, /^the service configuration: must be an object/],
    [parse('- http'), /^the service configuration: must be an object/],
    [{ apis: [] }, /^http: is missing/],
    [{ http: [] }, /^http: must be an object/],
    [{ http: { rule: [] } }, /^http\.rule: is not a known field/],
    [{ http: { rules: {} } }, /^http\.rules: must be a list/],
    [
      { http: { fully_decode_reserved_expansion: 'yes' } },
      /^http\.fully_decode_reserved_expansion: must be true or false/,
    ],
    [{ http: { rules: ['a'] } }, /^http\.rules\[0\]: must be an object/],
    [{ http: { rules: [{ get: '/a' }] } }, /^http\.rules\[0\]\.selector: is missing/],
    [{ http: { rules: [{ selector: 'a', gett: '/a' }] } }, /^http\.rules\[0\]: .*gett/],
    [{ http: { rules: [{ selector: 'a', get: 7 }] } }, /^http\.rules\[0\]: .*get/],
    [
      {
        http: {
          rules: [{ selector: 'a', get: '/a', additional_bindings: [{ get: '/b' }, { selector: 'b', get: '/c' }] }],
        },
      },
      /^http\.rules\[0\]\.additional_bindings\[1\]\.selector: must be empty/,
    ],
  ])('%j', (document, problem) => {
    expect(() => httpRules(document)).toThrow(problem);
  });

  test.each([
    [`${service}.Nobody`, 'http.rules[1].selector: "intelligence.test.v1.EchoService.Nobody" is none of the methods'],
    [`${service}.Ech*`, 'http.rules[1].selector: "intelligence.test.v1.EchoService.Ech*" is none of the methods'],
    [`${service}.Echo, other.*`, 'http.rules[1].selector: "other.*" is none of the methods'],
    [service, `http.rules[1].selector: "${service}" is none of the methods`],
    ['', 'http.rules[1].selector: is missing'],
  ])('a selector "%s"', (selector, problem) => {
    const first = { selector: `${service}.Nothing`, get: '/v9/nothing' };
    expect(serving({ rules: [first, { selector, get: '/v9/a' }] })).toThrow(problem);
  });

  test('a rule that cannot be served', () => {
    const rules = [{ selector: `${service}.Echo`, get: '/v9/{nothing}' }];
    expect(serving({ rules })).toThrow(/EchoService\.Echo: the path's "nothing" is not a known field/);
  });
});

function serving(http: object): () => ReturnType<typeof createTranscoding> {
  return () =>
    createTranscoding({
      methods: EchoService.methods,
      rules: httpRules({ http }),
      unary: async (_method, request) => request,
      serverStreaming: async function* (_method, request) {
        yield request;
      },
    });
}
