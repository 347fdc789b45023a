import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createUpstreamFetch, defaultUpstreamLimits } from '../../src/providers/upstream-fetch.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function fetcher(limits: Partial<typeof defaultUpstreamLimits> = {}) {
  const upstream = createUpstreamFetch({ ...defaultUpstreamLimits, ...limits });
  open.push(() => upstream.close());
  return (url: string, signal?: AbortSignal) =>
    upstream.fetch(url, { method: 'POST', body: 'x', ...(signal && { signal }) });
}

async function textOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) chunks.push(piece.value);
  return Buffer.concat(chunks).toString();
}

const events = { 'content-type': 'text/event-stream' };

test('a reply that comes in pieces is handed over whole, with what came before it left out', async () => {
  const url = await serve((_, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeHead(201, { 'content-type': 'application/json', 'x-one': 'two' });
    response.write('{"a":');
    setTimeout(() => response.end('1}'), 20);
  });
  const reply = await fetcher()(url);
  expect([reply.status, reply.ok, reply.headers.get('x-one')]).toEqual([201, true, 'two']);
  expect(await textOf(reply)).toBe('{"a":1}');
});

test('a reply above the limit is refused before all of it has come', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200);
    for (let index = 0; index < 100; index++) response.write('x'.repeat(1_000));
  });
  await expect(fetcher({ responseBytesMax: 10_000 })(url)).rejects.toMatchObject({
    code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  });
});

test('a call that is ended at once, or while it waits for a connection, fails at once and is never sent', async () => {
  let arrived = 0;
  const url = await serve(() => {
    arrived += 1;
  });
  const call = fetcher({ connectionsMax: 1 });
  const busy = new AbortController();
  const first = call(url, busy.signal);
  first.catch(() => undefined);
  await expect.poll(() => arrived).toBe(1);

  const early = new AbortController();
  const atOnce = call(url, early.signal);
  early.abort();
  const late = new AbortController();
  const waiting = call(url, late.signal);
  waiting.catch(() => undefined);
  await expect(atOnce).rejects.toMatchObject({ name: 'AbortError' });
  await sleep(20);
  late.abort(new DOMException('late', 'TimeoutError'));
  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  busy.abort();
  await expect(first).rejects.toMatchObject({ name: 'AbortError' });
  await sleep(20);
  expect(arrived).toBe(1);
});

test.for(['abort', 'cancel'] as const)(
  'a stream is handed over from its head on, and %s ends it upstream',
  async (way) => {
    let gone: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const url = await serve((_, response) => {
      response.writeHead(200, events);
      response.write('data: 1\n\n');
      response.on('close', gone);
    });
    const stop = new AbortController();
    const { body } = await fetcher()(url, stop.signal);
    const reader = body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    if (way === 'cancel') await reader?.cancel();
    else {
      stop.abort();
      await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' });
    }
    await left;
  },
);

test('a stream that nobody reads is held back at the upstream, and comes whole when it is read', async () => {
  const pieces = 2_000;
  let sent = 0;
  const url = await serve(async (_, response) => {
    response.writeHead(200, events);
    for (; sent < pieces; sent++)
      if (!response.write(`data: ${'x'.repeat(10_000)}\n\n`))
        await new Promise((resolve) => response.once('drain', resolve));
    response.end();
  });
  const reply = await fetcher()(url);
  await sleep(300);
  expect(sent).toBeLessThan(pieces);
  expect(await textOf(reply)).toHaveLength(pieces * 10_008);
});

test('long replies that come together are handed over far apart, so that reading them leaves turns to others', async () => {
  const waiting: (() => void)[] = [];
  const url = await serve((_, response) => {
    waiting.push(() => response.end('x'.repeat(100_000)));
    if (waiting.length === 5) for (const answer of waiting) answer();
  });
  let turn = 0;
  let over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const send = fetcher();
  const turns: number[] = [];
  const replies = Array.from({ length: 5 }, async () => {
    const reply = await send(url);
    turns.push(turn);
    return textOf(reply);
  });
  for (const text of await Promise.all(replies)) expect(text).toHaveLength(100_000);
  over = true;
  for (const [index, at] of turns.entries())
    if (index > 0) expect(at - (turns[index - 1] ?? 0)).toBeGreaterThanOrEqual(4);
});

test('a stream that comes all at once is handed over in parts, so that reading it leaves turns to others', async () => {
  const bytes = 4 * 1_024 * 1_024;
  const url = await serve((_, response) => {
    response.writeHead(200, events);
    response.end(Buffer.alloc(bytes, 'data: x\n\n'));
  });
  const { body } = await fetcher()(url);
  // All that the socket takes is there before the first read.
  await sleep(300);
  const reader = body?.getReader();
  let inTurn = 0;
  let most = 0;
  let sum = 0;
  let over = false;
  const nextTurn = () => {
    inTurn = 0;
    if (!over) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    sum += piece.value.byteLength;
    inTurn += piece.value.byteLength;
    most = Math.max(most, inTurn);
  }
  over = true;
  expect(sum).toBe(bytes);
  // What waited for its reader, and one part.
  expect(most).toBeLessThanOrEqual(2 * 16_384);
});
