import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createListener, defaultListenerLimits } from '../../src/edge/listener.ts';
import { frame, frameTypes, headerBlock, preface } from '../abuse/attacks/frames.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const endOfHeaders = 0x04;
const endOfHeadersAndStream = 0x05;
/** `:method: GET`, `:scheme: http`, `:path: /` and `:authority: a`; `x: y` becomes the newest entry of the table. */
const named = Buffer.from([0x82, 0x86, 0x84, 0x01, 0x01, 0x61, 0x40, 0x01, 0x78, 0x01, 0x79]);
const again = Buffer.from([0x82, 0x86, 0x84, 0x01, 0x01, 0x61]);
/** `x: y` as often as Node takes a field, a byte each on the wire. */
const fields = Buffer.alloc(120, 0xbe);

/** A listener that answers each request at once, and counts them. */
async function startListener() {
  const counts = { requests: 0 };
  const listener = createListener(
    (_request, response) => {
      counts.requests += 1;
      response.end();
    },
    { limits: defaultListenerLimits, log: pino({ level: 'silent' }) },
  );
  listener.server.listen(0, '127.0.0.1');
  await once(listener.server, 'listening');
  closers.push(() => {
    listener.destroy();
    listener.server.close();
  });
  return { listener, port: (listener.server.address() as AddressInfo).port, counts };
}

/** Open HTTP/2 connections, after the server's first answer. */
async function open(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  for (const socket of sockets) {
    closers.push(() => socket.destroy());
    socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0))]));
  }
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  for (const socket of sockets) socket.resume();
  return sockets;
}

/** Requests of a connection, each of `frames`. */
function requests(count: number, frames: (stream: number, isFirst: boolean) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, at) => frames(2 * at + 1, at === 0)));
}

/** A busy machine may take long to read what was sent. */
const patience = { timeout: 60_000 };

/** Resolves once no request has come for a while. */
async function quiet(counts: { requests: number }): Promise<void> {
  for (let before = -1; before !== counts.requests; ) {
    before = counts.requests;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

const attacks: [string, (stream: number, isFirst: boolean) => Buffer][] = [
  [
    'headers',
    (stream, isFirst) =>
      frame(frameTypes.headers, endOfHeadersAndStream, stream, Buffer.concat([isFirst ? named : again, fields])),
  ],
  [
    'trailers',
    (stream, isFirst) =>
      Buffer.concat([
        frame(frameTypes.headers, endOfHeaders, stream, isFirst ? named : again),
        frame(frameTypes.headers, endOfHeadersAndStream, stream, fields),
      ]),
  ],
];

test.each(attacks)('sessions that open many streams with many %s at one moment are ended', async (_name, one) => {
  const { listener, port, counts } = await startListener();
  const sessions = await open(port, 100);
  const [polite] = await open(port, 1);
  expect(listener.connections()).toBe(101);
  const flood = requests(250, one);
  for (const session of sessions) session.write(flood);
  polite?.write(requests(2, one));
  await expect.poll(() => sessions.filter((session) => session.destroyed).length, patience).toBeGreaterThan(50);
  await quiet(counts);
  // Of 25,000.
  expect(counts.requests).toBeLessThan(6_000);
  expect(polite?.destroyed).toBe(false);
});

test('4,000 usual requests over 16 sessions at one moment are all answered', async () => {
  const { port, counts } = await startListener();
  const usual = headerBlock(
    Array.from({ length: 8 }, (_, at) => [`x-name-${at}`, 'the value of a usual header field']),
  );
  const sessions = await open(port, 16);
  const all = requests(250, (stream) =>
    frame(frameTypes.headers, endOfHeadersAndStream, stream, Buffer.concat([again, usual])),
  );
  for (const session of sessions) session.write(all);
  await expect.poll(() => counts.requests, patience).toBe(4_000);
  expect(sessions.filter((session) => session.destroyed)).toHaveLength(0);
});
