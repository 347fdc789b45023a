import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createListener, defaultListenerLimits } from '../../src/edge/listener.ts';

const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
/** What one read of a socket can hold. */
const ofARead = Math.floor(65_536 / request.length);

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A listener, and how many requests Node made, and how many began to be answered, in each turn of the event loop. */
async function startListener(answer: RequestListener) {
  const perTurn = { made: [] as number[], begun: [] as number[] };
  const counter = (turns: number[]) => {
    let count = 0;
    return () => {
      if (count === 0)
        setImmediate(() => {
          turns.push(count);
          count = 0;
        });
      count += 1;
    };
  };
  const made = counter(perTurn.made);
  const begun = counter(perTurn.begun);
  subscribe('http.server.request.start', made);
  closers.push(() => unsubscribe('http.server.request.start', made));
  const listener = createListener(
    (incoming, response) => {
      begun();
      answer(incoming, response);
    },
    { limits: defaultListenerLimits, log: pino({ level: 'silent' }) },
  );
  listener.server.listen(0, '127.0.0.1');
  await once(listener.server, 'listening');
  closers.push(() => {
    listener.destroy();
    listener.server.close();
  });
  const { port } = listener.server.address() as AddressInfo;
  return { port, perTurn };
}

/** A connection on which a request has been answered, and what else has arrived on it. */
async function connected(port: number): Promise<{ socket: Socket; answers(): number }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closers.push(() => socket.destroy());
  let text = '';
  socket.on('data', (piece) => (text += String(piece)));
  const answers = () => text.split('HTTP/1.1 204').length - 1;
  socket.write(request);
  await expect.poll(answers).toBe(1);
  return { socket, answers };
}

const most = (turns: readonly number[]) => Math.max(0, ...turns);
const sum = (turns: readonly number[]) => turns.reduce((all, one) => all + one, 0);
const noContent: RequestListener = (_incoming, response) => void response.writeHead(204).end();

test('of a connection that is cut off for pipelining too much, no more is parsed', async () => {
  const { port, perTurn } = await startListener(noContent);
  const { socket } = await connected(port);
  perTurn.made.length = 0;
  socket.write(request.repeat(ofARead));
  await once(socket, 'close');
  expect(sum(perTurn.made)).toBeLessThanOrEqual(33);
});

test('connections that pipeline at the same moment make few requests in a turn, and those with one request are answered', async () => {
  const { port, perTurn } = await startListener(noContent);
  const many = await Promise.all(Array.from({ length: 40 }, () => connected(port)));
  const single = await Promise.all(Array.from({ length: 10 }, () => connected(port)));
  perTurn.made.length = 0;
  const closed = many.map(({ socket }) => once(socket, 'close'));
  for (const { socket } of many) socket.write(request.repeat(ofARead));
  for (const { socket } of single) socket.write(request);
  await Promise.all(closed);
  await expect.poll(() => single.map(({ answers }) => answers())).toEqual(single.map(() => 2));
  expect(most(perTurn.made)).toBeLessThanOrEqual(512 + 50 * 4);
});

test('requests begin to be answered in several turns, all of them, and in the order of each connection', async () => {
  const order: (string | undefined)[] = [];
  const { port, perTurn } = await startListener((incoming, response) => {
    if (incoming.url !== '/') order.push(incoming.url);
    response.writeHead(204).end();
  });
  const all = await Promise.all(Array.from({ length: 16 }, () => connected(port)));
  perTurn.begun.length = 0;
  const inARow = Array.from({ length: 20 }, (_, at) => at);
  for (const [at, { socket }] of all.entries())
    socket.write(inARow.map((number) => request.replace('/', `/${at}/${number}`)).join(''));
  await expect.poll(() => all.map(({ answers }) => answers())).toEqual(all.map(() => 21));
  expect(sum(perTurn.begun)).toBe(320);
  // Those that wait begin after the others of the turn in which they arrived.
  expect(most(perTurn.begun)).toBeLessThanOrEqual(2 * 128);
  for (const at of all.keys())
    expect(order.filter((url) => url?.startsWith(`/${at}/`))).toEqual(inARow.map((number) => `/${at}/${number}`));
});

test('a body that arrives while its request waits for a turn is whole', async () => {
  const received: number[] = [];
  const { port } = await startListener((incoming, response) => {
    let bytes = 0;
    incoming.on('data', ({ length }: Buffer) => (bytes += length));
    incoming.on('end', () => {
      if (incoming.method === 'POST') received.push(bytes);
      response.writeHead(204).end();
    });
  });
  const all = await Promise.all(Array.from({ length: 20 }, () => connected(port)));
  const body = 'a'.repeat(3_000);
  const post = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  for (const { socket } of all) socket.write(post.repeat(10));
  await expect.poll(() => all.map(({ answers }) => answers()), { timeout: 10_000 }).toEqual(all.map(() => 11));
  expect(received).toEqual(Array.from({ length: 200 }, () => body.length));
});
