import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createListener, defaultListenerLimits } from '../../src/edge/listener.ts';
import type { AnonymousBudget, OpenConnection } from '../../src/limits/index.ts';
import { frame, frameTypes, preface } from '../abuse/attacks/frames.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A listener that answers with what it has read, and how many of its connections were cut off for what they sent. */
async function startListener() {
  const counts = { wasted: 0, requests: 0 };
  const connection: OpenConnection = {
    anonymous: false,
    moved: () => true,
    enterStream: () => () => {},
    identified: () => {},
    wasted: () => {
      counts.wasted += 1;
    },
    closed: () => {},
  };
  const listener = createListener(
    (incoming, response) => {
      counts.requests += 1;
      incoming.pipe(response);
    },
    {
      limits: defaultListenerLimits,
      log: pino({ level: 'silent' }),
      anonymous: { connect: () => connection } as Partial<AnonymousBudget> as AnonymousBudget,
    },
  );
  listener.server.listen(0, '127.0.0.1');
  await once(listener.server, 'listening');
  closers.push(() => {
    listener.destroy();
    listener.server.close();
  });
  return { port: (listener.server.address() as AddressInfo).port, counts };
}

/** `:method: GET`, `:scheme: http`, `:path: /` and `:authority: a`; `x: y` becomes the newest entry of the table. */
const named = Buffer.from([0x82, 0x86, 0x84, 0x01, 0x01, 0x61, 0x40, 0x01, 0x78, 0x01, 0x79]);
const again = Buffer.from([0x82, 0x86, 0x84, 0x01, 0x01, 0x61]);
/** `x: y`, 800 times: Node takes 128 fields. */
const fields = Buffer.alloc(800, 0xbe);

const endOfHeadersAndStream = 0x05;
let stream = -1;
const nothing = Buffer.alloc(0);
const opaque = Buffer.alloc(8);
/** What may end a session before this does: nghttp2 bounds frames that are to be answered, and those that make no sense. */
const floods: [string, () => Buffer, boolean][] = [
  [
    'header blocks that Node rejects',
    () => {
      stream += 2;
      const block = Buffer.concat([stream === 1 ? named : again, fields]);
      return frame(frameTypes.headers, endOfHeadersAndStream, stream, block);
    },
    true,
  ],
  ['window updates', () => frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])), true],
  ['pings', () => frame(frameTypes.ping, 0, 0, opaque), false],
  ['answers to pings that nobody sent', () => frame(frameTypes.ping, 1, 0, opaque), false],
  ['settings', () => frame(frameTypes.settings, 0, 0, nothing), false],
  ['priorities', () => frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 16])), false],
  ['frames of an unknown type', () => frame(0xfa, 0, 0, Buffer.alloc(1_000)), false],
];

/** Sends pieces for as long as the other end takes them, at most 64 MiB. */
async function flood(socket: Socket, one: () => Buffer): Promise<void> {
  socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0, nothing)]));
  for (let sent = 0; sent < 64 * 1_048_576 && !socket.destroyed; ) {
    const pieces: Buffer[] = [];
    for (let bytes = 0; bytes < 65_536; bytes += pieces.at(-1)?.length ?? 0) pieces.push(one());
    const piece = Buffer.concat(pieces);
    sent += piece.length;
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(floods)('a session that sends a flood of %s is ended', async (_name, one, isOurs) => {
  const { port, counts } = await startListener();
  stream = -1;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closers.push(() => socket.destroy());
  socket.resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await flood(socket, one);
  await closed;
  if (isOurs) expect(counts.wasted).toBe(1);
  expect(counts.requests).toBe(0);
});

test('a session that sends and receives much of bodies is not ended', async () => {
  const { port, counts } = await startListener();
  const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => {});
  closers.push(() => session.destroy());
  const echo = async (pieces: readonly Buffer[]) => {
    const request = session.request({ ':method': 'POST', ':path': '/' });
    let received = 0;
    request.on('data', (piece: Buffer) => {
      received += piece.length;
    });
    for (const piece of pieces) request.write(piece);
    request.end();
    await once(request, 'end');
    return received;
  };
  const large = Array.from({ length: 256 }, () => Buffer.alloc(16_384));
  for (let round = 0; round < 4; round++) expect(await echo(large)).toBe(4 * 1_048_576);
  for (let round = 0; round < 40; round++)
    expect(await echo(Array.from({ length: 100 }, () => Buffer.alloc(100)))).toBe(10_000);
  expect(counts.wasted).toBe(0);
  expect(session.destroyed).toBe(false);
});
