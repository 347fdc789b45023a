import { once } from 'node:events';
import { createServer as createHttp1 } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { createPacedBodies } from '../../src/edge/paced-bodies.ts';
import { frame, frameTypes, grpcHeaders, preface } from '../abuse/attacks/frames.ts';

/** The most that one read of a socket can hold: a chunk of a byte takes five bytes, a DATA frame ten. */
const readBytes = 65_536;
const piecesOfARead = { http1: readBytes / 5, http2: readBytes / 10 };

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Received {
  /** How many pieces of all bodies arrived in each turn of the event loop. */
  turns: number[];
  /** By body, in the order of their beginning. */
  bytes: number[];
  ends: Promise<unknown>[];
}

/** A server for both protocols whose bodies are paced. */
async function startPaced(): Promise<{ port: number; received: Received }> {
  const received: Received = { turns: [], bytes: [], ends: [] };
  const paced = createPacedBodies();
  let pieces = 0;
  const take = (body: Readable) => {
    const at = received.bytes.push(0) - 1;
    received.ends.push(
      new Promise((resolve) =>
        body
          .once('end', resolve)
          .once('close', resolve)
          .on('error', () => {}),
      ),
    );
    body.on('data', ({ length }: Buffer) => {
      received.bytes[at] = (received.bytes[at] ?? 0) + length;
      if (pieces === 0)
        setImmediate(() => {
          received.turns.push(pieces);
          pieces = 0;
        });
      pieces += 1;
    });
  };
  const http1 = createHttp1((request) => {
    paced.request(request);
    take(request);
  });
  const http2 = createHttp2().on('stream', take);
  http2.on('sessionError', () => {});
  const front = createTcp((socket) => {
    socket.on('error', () => {});
    closers.push(() => socket.destroy());
    socket.once('readable', () => {
      const first: Buffer = socket.read();
      socket.unshift(first);
      if (first.toString('latin1', 0, 3) !== 'PRI') http1.emit('connection', socket);
      else {
        http2.once('session', (session: ServerHttp2Session) => paced.session(session, socket));
        http2.emit('connection', socket);
      }
    });
  }).listen(0, '127.0.0.1');
  closers.push(() => front.close());
  await once(front, 'listening');
  return { port: (front.address() as AddressInfo).port, received };
}

function client(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closers.push(() => socket.destroy());
  return socket;
}

async function sendChunks(port: number, body: string, received: Received): Promise<void> {
  client(port).write(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
  await expect.poll(() => received.ends.length).toBe(1);
  await received.ends[0];
}

const opening = Buffer.concat([
  preface,
  frame(frameTypes.settings, 0, 0, Buffer.alloc(0)),
  frame(frameTypes.headers, 4, 1, grpcHeaders('/a.B/C', 'a')),
]);
const crumb = frame(frameTypes.data, 0, 1, Buffer.from('a'));

/** Frames of one byte: as many as the service takes before it gives more room. */
const crumbs = Buffer.concat(Array.from({ length: 65_535 }, () => crumb));

test('a connection that sends tiny chunks is read once in a turn of the event loop, and all of them arrive', async () => {
  const { port, received } = await startPaced();
  const count = 60_000;
  await sendChunks(port, '1\r\na\r\n'.repeat(count), received);
  expect(received.bytes).toEqual([count]);
  expect(Math.max(...received.turns)).toBeLessThanOrEqual(piecesOfARead.http1 + 1);
  expect(received.turns.length).toBeGreaterThan(count / piecesOfARead.http1 - 1);
});

test('a connection that sends far more in extensions of chunks than its body is ended', async () => {
  const { port, received } = await startPaced();
  const extended = `1;${'x'.repeat(15_000)}\r\na\r\n`;
  await sendChunks(port, extended.repeat(1_000), received);
  // 128 KiB of them, and what the reads that brought the first and the last of those held.
  expect(received.bytes[0]).toBeLessThanOrEqual((131_072 + 2 * readBytes) / extended.length);
});

test('a body whose chunks have short extensions arrives whole, and so do those that follow on its connection', async () => {
  const { port, received } = await startPaced();
  const head = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
  const body = `${`40;${'x'.repeat(100)}\r\n${'a'.repeat(64)}\r\n`.repeat(1_000)}0\r\n\r\n`;
  client(port).write((head + body).repeat(3));
  await expect.poll(() => received.ends.length).toBe(3);
  await Promise.all(received.ends);
  expect(received.bytes).toEqual([64_000, 64_000, 64_000]);
});

test('a long body arrives whole', async () => {
  const { port, received } = await startPaced();
  const length = 5_000_000;
  await sendChunks(port, `${length.toString(16)}\r\n${'a'.repeat(length)}\r\n`, received);
  expect(received.bytes).toEqual([length]);
});

test('a session that sends tiny frames is read once in a turn, and all of them arrive', async () => {
  const { port, received } = await startPaced();
  const socket = client(port);
  // What comes with a connection's first bytes is read before they are.
  socket.write(opening);
  await expect.poll(() => received.ends.length).toBe(1);
  socket.write(Buffer.concat([crumbs, frame(frameTypes.data, 1, 1, Buffer.alloc(0))]));
  await received.ends[0];
  expect(received.bytes).toEqual([65_535]);
  expect(Math.max(...received.turns)).toBeLessThanOrEqual(piecesOfARead.http2 + 1);
  expect(received.turns.length).toBeGreaterThan(65_535 / piecesOfARead.http2 - 1);
});

test('sessions that send tiny frames at the same moment do not all get their turn in one', async () => {
  const { port, received } = await startPaced();
  const sockets = Array.from({ length: 8 }, () => client(port));
  for (const socket of sockets) socket.write(opening);
  await expect.poll(() => received.ends.length).toBe(8);
  for (const socket of sockets) socket.write(crumbs);
  const isOver = (bytes: number, at: number) => bytes === 65_535 || sockets[at]?.closed;
  await expect.poll(() => received.bytes.every(isOver)).toBe(true);
  expect(sockets.filter(({ closed }) => closed).length).toBeGreaterThan(0);
  // 8,192 of all, and 256 of each that is not to blame.
  expect(Math.max(...received.turns)).toBeLessThanOrEqual(8_192 + 8 * 256 + 1);
});

test('whatever a session reads and writes at once, each body comes back whole', async () => {
  const paced = createPacedBodies();
  const echo = createHttp2().on('stream', (stream) => {
    stream.respond({ ':status': 200 });
    stream.pipe(stream);
  });
  const front = createTcp((socket) => {
    echo.once('session', (session: ServerHttp2Session) => paced.session(session, socket));
    echo.emit('connection', socket);
  }).listen(0, '127.0.0.1');
  closers.push(() => front.close());
  await once(front, 'listening');
  const session = connectHttp2(`http://127.0.0.1:${(front.address() as AddressInfo).port}`);
  closers.push(() => session.destroy());
  // Long pieces, and short ones: both make the session stop reading, and its writing makes it read again.
  const bodies = Array.from({ length: 24 }, (_, at) => ({
    piece: at % 3 === 0 ? 20 : 60_000,
    pieces: at % 3 === 0 ? 3_000 : 40,
  }));
  const echoed = bodies.map(async ({ piece, pieces }) => {
    const stream = session.request({ ':method': 'POST' });
    let bytes = 0;
    stream.on('data', ({ length }: Buffer) => {
      bytes += length;
    });
    for (let sent = 0; sent < pieces; sent++) if (!stream.write(Buffer.alloc(piece, 'a'))) await once(stream, 'drain');
    stream.end();
    await once(stream, 'end');
    return bytes;
  });
  expect(await Promise.all(echoed)).toEqual(bodies.map(({ piece, pieces }) => piece * pieces));
});

test('a body in more than twice as many tiny frames as any handler takes is reset', async () => {
  const { port, received } = await startPaced();
  const socket = client(port);
  let codes: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    codes = Buffer.concat([codes, chunk]);
    for (let length = 9; codes.length >= 9; codes = codes.subarray(length)) {
      length = 9 + codes.readUIntBE(0, 3);
      if (codes.length < length) return;
      // RFC 9113, section 7: ENHANCE_YOUR_CALM.
      if (codes[3] === frameTypes.reset && codes.readUInt32BE(9) === 11) socket.end();
      // The window of the stream; that of the session grows alike.
      if (codes[3] !== frameTypes.windowUpdate || codes.readUInt32BE(5) !== 1) continue;
      socket.write(crumbs.subarray(0, codes.readUInt32BE(9) * crumb.length));
    }
  });
  socket.write(Buffer.concat([opening, crumbs]));
  await once(socket, 'close');
  expect(received.bytes[0]).toBeGreaterThanOrEqual(131_072);
  expect(received.bytes[0]).toBeLessThan(131_072 + 65_535);
});
