import { create, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { EchoResponseSchema, EchoService } from '../../../test/gen/intelligence/test/v1/echo_pb.ts';
import { UploadService } from '../../../test/gen/intelligence/test/v1/upload_pb.ts';
import { createTranscoding, RestError, renderStatus, type TranscodingOptions, type WebContext } from '../src/index.ts';

type Options = TranscodingOptions<void, WebContext>;

const echoes = (options: Partial<Options> = {}) =>
  createTranscoding<void>({
    methods: EchoService.methods,
    unary: async (_method, request) => request,
    serverStreaming: async function* (_method, request) {
      yield request;
    },
    ...options,
  });

const json = { 'content-type': 'application/json' };
const post = (path: string, body: string, more: RequestInit = {}) =>
  new Request(`http://localhost${path}`, { method: 'POST', headers: json, body, ...more });
const bodyOf = async (reply: Response) => JSON.parse(await reply.text());

test.each([
  ['unary', EchoService.methods, {}, 'EchoService.Echo: there is no "unary" to call it'],
  ['serverStreaming', EchoService.methods, { unary: true }, 'StreamTalk: there is no "serverStreaming" to call it'],
  ['clientStreaming', UploadService.methods, {}, 'Store: there is no "clientStreaming" to call it'],
  ['bidiStreaming', UploadService.methods, { clientStreaming: true }, 'Copy: there is no "bidiStreaming" to call it'],
])('a method with a rule needs its handler: %s', (_, methods, given, problem) => {
  const handlers = Object.fromEntries(Object.keys(given).map((name) => [name, () => undefined])) as Partial<Options>;
  expect(() => createTranscoding({ methods, ...handlers })).toThrow(problem);
});

describe('without options', () => {
  test('the types of the methods’ files may stand in an Any', async () => {
    const any = { '@type': 'type.googleapis.com/intelligence.test.v1.Inner', id: 'a' };
    const reply = await echoes().handle(post('/v1/kinds', JSON.stringify({ any })));
    expect([reply.status, (await bodyOf(reply)).any]).toMatchObject([200, any]);
  });

  test.each<[string, Request, number, object]>([
    [
      'a field',
      post('/v1/kinds', '{"nothing":1}'),
      400,
      {
        status: 'INVALID_ARGUMENT',
        details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'nothing' }] }],
      },
    ],
    ['a path', new Request('http://localhost/v9'), 404, { status: 'NOT_FOUND', details: [] }],
    [
      'a method',
      new Request('http://localhost/echo'),
      405,
      { status: 'UNIMPLEMENTED', message: 'This path takes POST.' },
    ],
    ['a type', post('/echo', 'x', { headers: { 'content-type': 'text/plain' } }), 415, { status: 'INVALID_ARGUMENT' }],
    ['a size', post('/echo', `{"text":"${'x'.repeat(4 * 1024 * 1024)}"}`), 413, { status: 'RESOURCE_EXHAUSTED' }],
  ])('errors are those of AIP-193: %s', async (_, request, status, error) => {
    const reply = await echoes().handle(request);
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await bodyOf(reply)).toMatchObject({ error: { code: status, ...error } });
    if (status === 405) expect(reply.headers.get('allow')).toBe('POST');
  });
});

test('events have the ids that the product gives their messages', async () => {
  const { handle } = echoes({
    async *serverStreaming(method) {
      for (const index of [0, 1, 2]) yield create(method.output, { index } as never);
      throw new ConnectError('gone', Code.Aborted);
    },
    eventId: (message) => {
      const { index } = message as unknown as { index: number };
      return index === 0 ? undefined : `n${index}`;
    },
  });
  const talk = (accept: string) => handle(post('/v1/talk', '{}', { headers: { ...json, accept } }));
  const events = (await (await talk('text/event-stream')).text()).split('\n\n');
  expect(events.map((event) => event.split('\n').map((line) => line.split(': ', 2)[0]))).toEqual([
    ['data'],
    ['id', 'data'],
    ['id', 'data'],
    ['event', 'data'],
    [''],
  ]);
  expect(events.slice(1, 3).map((event) => event.split('\n')[0])).toEqual(['id: n1', 'id: n2']);
  expect(await (await talk('application/x-ndjson')).text()).not.toContain('n1');
});

describe('what handlers throw', () => {
  test.each<[string, unknown, number, string, string]>([
    ['of Connect', new ConnectError('No such shelf.', Code.NotFound), 404, 'NOT_FOUND', 'No such shelf.'],
    [
      'of grpc-js',
      Object.assign(new Error('7 PERMISSION_DENIED: no'), { code: 7, details: 'no' }),
      403,
      'PERMISSION_DENIED',
      'no',
    ],
    ['with a code alone', { code: 14 }, 503, 'UNAVAILABLE', ''],
    ['without a code', new Error('the password is 7'), 500, 'INTERNAL', 'The server failed to answer.'],
    [
      'with an unknown code',
      Object.assign(new Error('secret'), { code: 99 }),
      500,
      'INTERNAL',
      'The server failed to answer.',
    ],
    [
      'with a code of Node',
      Object.assign(new Error('secret'), { code: 'ENOENT' }),
      500,
      'INTERNAL',
      'The server failed to answer.',
    ],
    ['nothing', undefined, 500, 'INTERNAL', 'The server failed to answer.'],
    [
      'a deadline',
      new RestError({ kind: 'deadline_exceeded' }),
      504,
      'DEADLINE_EXCEEDED',
      'The deadline of the request has passed.',
    ],
    ['a cancellation', new RestError({ kind: 'cancelled' }), 499, 'CANCELLED', 'The caller went away.'],
  ])('%s', (_, thrown, code, status, message) => {
    const { status: httpStatus, body } = renderStatus(thrown);
    expect([httpStatus, JSON.parse(body)]).toEqual([code, { error: { code, status, message, details: [] } }]);
  });

  test('ends a stream with an error of the same form', async () => {
    const { handle } = echoes({
      async *serverStreaming(method) {
        yield create(method.output);
        throw new ConnectError('gone', Code.Aborted);
      },
    });
    const reply = await handle(post('/v1/talk', '{}', { headers: { ...json, accept: 'application/x-ndjson' } }));
    const [first = '', last = ''] = (await reply.text()).split('\n');
    expect([reply.status, JSON.parse(first), JSON.parse(last)]).toMatchObject([
      200,
      { result: {} },
      { error: { code: 409, status: 'ABORTED', message: 'gone' } },
    ]);
  });
});

test('what admit makes of a call goes to the handler, and to whoever words its errors', async () => {
  const heard: unknown[] = [];
  const { handle } = createTranscoding<string>({
    methods: [EchoService.method.echo],
    admit: async (method, { request, headers }) => {
      if (headers.authorization === undefined) throw new ConnectError('Who are you?', Code.Unauthenticated);
      return `${method.name} ${new URL(request.url).pathname} ${headers.authorization}`;
    },
    unary: async (_method, request, context, admitted) => {
      heard.push(admitted);
      context.replyHeaders['x-seen'] = 'yes';
      if ((request as Message & { text: string }).text === 'fail') throw new Error('secret');
      return create(EchoResponseSchema, { text: 'heard' });
    },
    renderError: (error, _context, admitted) => {
      heard.push(['error', admitted]);
      return { ...renderStatus(error), headers: { 'x-error': 'yes' } };
    },
  });
  const authorized = { headers: { ...json, authorization: 'me' } };
  const good = await handle(post('/echo', '{}', authorized));
  expect([good.status, good.headers.get('x-seen')]).toEqual([200, 'yes']);
  const failed = await handle(post('/echo', '{"text":"fail"}', authorized));
  expect([failed.status, failed.headers.get('x-error')]).toEqual([500, 'yes']);
  expect((await handle(post('/echo', '{}'))).status).toBe(401);
  expect(heard).toEqual(['Echo /echo me', 'Echo /echo me', ['error', 'Echo /echo me'], ['error', undefined]]);
});

describe('a caller that goes away', () => {
  test('before the reply: the signal aborts, and there is an answer all the same', async () => {
    const gone = new AbortController();
    const started = Promise.withResolvers<void>();
    const { handle } = echoes({
      unary: (_method, _request, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          started.resolve();
        }),
    });
    const answer = handle(post('/echo', '{}', { signal: gone.signal }));
    await started.promise;
    gone.abort();
    expect((await answer).status).toBe(499);
  });

  test.each(['request.signal', 'response.body'])('within a stream, by %s: its source ends', async (by) => {
    const gone = new AbortController();
    const ended = Promise.withResolvers<string>();
    const { handle } = echoes({
      async *serverStreaming(method, _request, { signal }) {
        try {
          yield create(method.output);
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        } finally {
          ended.resolve((signal.reason as Error).message);
        }
      },
    });
    const headers = { ...json, accept: 'text/event-stream' };
    const reply = await handle(post('/v1/talk', '{}', { headers, signal: gone.signal }));
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toMatch(/^data: /);
    if (by === 'request.signal') gone.abort();
    else await reader.cancel();
    expect(await ended.promise).toBe('cancelled');
  });
});

test('HEAD has the length and no body, OPTIONS says what there is', async () => {
  const head = await echoes().handle(new Request('http://localhost/v1/literal/there', { method: 'HEAD' }));
  const get = await echoes().handle(new Request('http://localhost/v1/literal/there#fragment'));
  const text = await get.text();
  expect(JSON.parse(text)).toMatchObject({ name: 'there' });
  expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, String(text.length), null]);
  const options = await echoes().handle(new Request('http://localhost/echo', { method: 'OPTIONS' }));
  expect([options.status, options.headers.get('allow'), options.headers.get('content-length')]).toEqual([
    204,
    'OPTIONS, POST',
    null,
  ]);
});
