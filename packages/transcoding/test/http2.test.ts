import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EchoServer, startEchoServer } from './server.ts';

let server: EchoServer;
let session: ClientHttp2Session;

beforeAll(async () => {
  server = await startEchoServer({}, undefined, true);
  session = connect(server.url);
});
afterAll(async () => {
  session.close();
  await server.app.close();
});

function open(path: string, body: string, headers: Record<string, string> = {}): ClientHttp2Stream {
  const stream = session.request({
    ...{ ':method': 'POST', ':path': path, 'content-type': 'application/json' },
    ...headers,
  });
  stream.on('error', () => undefined);
  stream.end(body);
  return stream;
}

async function exchange(...request: Parameters<typeof open>): Promise<{ status: number; text: string }> {
  const stream = open(...request);
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return { status: Number(headers[':status']), text };
}

test('a unary call', async () => {
  expect(await exchange('/echo', '{"text":"a"}')).toEqual({ status: 200, text: '{"text":"a"}' });
});

test('a body without a length, and none at all', async () => {
  expect((await exchange('/echo', '')).status).toBe(200);
  expect((await exchange('/v1/inners/a', '')).status).toBe(400);
  expect((await exchange('/echo', `{"text":"${'x'.repeat(300_000)}"}`)).status).toBe(413);
});

test('a stream', async () => {
  const reply = await exchange('/v1/talk', '{"count":2}', { accept: 'text/event-stream' });
  expect(reply).toEqual({
    status: 200,
    text: 'data: {"index":0,"text":""}\n\ndata: {"index":1,"text":""}\n\n',
  });
});

test('a reset stops a stream', async () => {
  const { aborted, finished } = server.observed;
  const stream = open('/v1/talk', '{"count":1000,"pauseMs":20}', { accept: 'text/event-stream' });
  await once(stream, 'data');
  stream.close(constants.NGHTTP2_CANCEL);
  await until(() => server.observed.aborted > aborted && server.observed.finished > finished);
});

test('a reset aborts a unary call', async () => {
  const before = server.observed.aborted;
  const stream = open('/v1/clients/a', '{"note":"hang"}');
  await pause(100);
  stream.close(constants.NGHTTP2_CANCEL);
  await until(() => server.observed.aborted > before);
  expect((await exchange('/echo', '{"text":"still here"}')).status).toBe(200);
});

test('a caller that does not read holds the stream back; reading on, all of it comes', async () => {
  const { sent } = server.observed;
  const stream = open('/v1/talk', '{"count":300,"padding":10000}', { accept: 'application/x-ndjson' });
  stream.pause();
  await pause(400);
  expect(server.observed.sent - sent).toBeLessThan(100);
  let lines = 0;
  for await (const chunk of stream.setEncoding('utf8')) lines += chunk.split('\n').length - 1;
  expect(lines).toBe(300);
});

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < 3000; waited += 10) {
    if (condition()) return;
    await pause(10);
  }
  throw new Error('it did not happen within 3 s');
}
