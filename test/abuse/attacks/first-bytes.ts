import type { Stage } from '../stage.ts';
import { type Attack, oneOf, upTo } from './attack.ts';
import { frame, frameTypes, grpcHeaders, grpcMessage, headerBlock, preface } from './frames.ts';

/** Input before, below and beside HTTP. */

const waitMs = 300;

/**
 * Sends bytes over a new connection and returns the response: the status of HTTP/1.1, `http2` for frames, `closed`, or `open` if nothing comes
 * for a moment; the connection is then closed from here.
 */
function sendBytes(stage: Stage, bytes: Buffer | string, { ending = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = stage.stranger().socket();
    let got = Buffer.alloc(0);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(got.toString('latin1', 0, 12)) ?? [];
      resolve(status ?? (got.length > 0 ? 'http2' : socket.errored || isClosed ? 'closed' : 'open'));
    };
    let isClosed = false;
    const timer = setTimeout(done, waitMs);
    socket.on('data', (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]).subarray(0, 4_096);
      if (got.toString('latin1', 0, 5) === 'HTTP/') done();
    });
    socket.on('close', () => {
      isClosed = true;
      done();
    });
    if (ending) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Anything but a server error: an answer, a closed connection, or one that waits for more. */
const sane = [
  ...['200', '204', '302', '400', '401', '403', '404', '405', '408', '411', '413', '414', '415', '417', '421', '426'],
  ...['429', '431', '501', '503', '505', 'closed', 'open', 'http2'],
];

export const firstBytesAttacks: readonly Attack[] = [
  {
    name: 'http-2.0',
    about: '18 bytes without a credential: GET / HTTP/2.0',
    right: ['400', '505', 'closed'],
    width: 2,
    open: async (stage) => ({ send: () => sendBytes(stage, 'GET / HTTP/2.0\r\n\r\n') }),
  },
  {
    name: 'two-hosts',
    about: 'a request with two Host headers',
    right: ['400'],
    width: 2,
    open: async (stage) => ({
      send: () => sendBytes(stage, 'GET /healthz HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n'),
    }),
  },
  {
    name: 'random-openings',
    about: 'random first bytes: versions, methods, targets, headers, and no HTTP at all',
    right: sane,
    width: 32,
    generated: true,
    open: async (stage) => ({
      send: () => sendBytes(stage, randomOpening(stage.random), { ending: stage.random() < 0.3 }),
    }),
  },
  {
    name: 'random-frames',
    about: 'HTTP/2 with random frames, and gRPC with random messages',
    right: sane,
    width: 32,
    generated: true,
    open: async (stage) => ({
      send: () => sendBytes(stage, randomFrames(stage.random), { ending: stage.random() < 0.3 }),
    }),
  },
];

function bytesOf(random: () => number, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => upTo(random, 255)));
}

const methods = [
  'GET',
  'POST',
  'PUT',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'PRI',
  'QUERY',
  'get',
  'G\u0000T',
  '',
  'A'.repeat(9_000),
];
const targets = [
  '/',
  '*',
  '/healthz',
  '/v1/chat/completions',
  '/api/v1/assistant/chat',
  '/intelligence.chat.v1.ChatService/Chat',
  '/grpc.health.v1.Health/Watch',
  'http://a.example/',
  '//',
  '/%00',
  '/%zz',
  '/../../etc/passwd',
  'a.example:443',
  `/${'a'.repeat(20_000)}`,
  '/é',
  '',
];
const versions = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/2',
  'HTTP/0.9',
  'HTTP/3.0',
  'HTTP/9.9',
  'http/1.1',
  'RTSP/1.0',
  '',
];
const headers = [
  'Host: a.example',
  'Host: a.example',
  'Host: b.example',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5, 5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Connection: Upgrade, HTTP2-Settings',
  'Connection: close',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'HTTP2-Settings: AAMAAABkAAQAAP__',
  'Expect: 100-continue',
  'Expect: something',
  'Content-Type: application/json',
  'Content-Type: application/grpc',
  'Content-Type: application/grpc-web+proto',
  'Content-Type: application/connect+json',
  'Content-Type: text/html; charset=\u0001',
  'Content-Encoding: gzip',
  'Accept: text/event-stream',
  'Authorization: Bearer x',
  'Authorization: Basic eDp5',
  'X-Forwarded-For: 127.0.0.1',
  'Trailer: x',
  ' folded: line',
  ': nameless',
  'no colon',
  'X: \u0000',
  `X: ${'y'.repeat(40_000)}`,
  'Cookie: a=b',
];
const bodies = ['', 'hello', '5\r\nhello\r\n0\r\n\r\n', 'FFFFFFFFFFFFFFFFF\r\n', '{}', '0\r\nX: y\r\n\r\n', '[[[[[[[['];

export function randomOpening(random: () => number): Buffer {
  const kind = random();
  if (kind < 0.15) return bytesOf(random, upTo(random, 400));
  // A TLS client at a plain-text port: the head of its first record.
  if (kind < 0.2) return Buffer.concat([Buffer.from('160301020001', 'hex'), bytesOf(random, upTo(random, 300))]);
  const line = `${oneOf(random, methods)} ${oneOf(random, targets)} ${oneOf(random, versions)}`;
  const lines = Array.from({ length: upTo(random, 8) }, () => oneOf(random, headers));
  const end = oneOf(random, ['\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n\r\n']);
  const text = `${[line, ...lines].join(end)}${end}${end}${oneOf(random, bodies)}`;
  const bytes = Buffer.from(text, 'latin1');
  if (kind < 0.3) return bytes.subarray(0, upTo(random, bytes.length));
  if (kind < 0.4) bytes[upTo(random, bytes.length - 1)] = upTo(random, 255);
  return kind < 0.5 ? Buffer.concat([bytes, bytes]) : bytes;
}

const grpcPaths = [
  '/grpc.health.v1.Health/Check',
  '/grpc.health.v1.Health/Watch',
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/intelligence.chat.v1.ChatService/Chat',
  '/intelligence.wallet.v1.WalletService/GetWallet',
  '/nothing.Here/AtAll',
];

export function randomFrames(random: () => number): Buffer {
  const parts: Buffer[] = random() < 0.95 ? [preface] : [preface.subarray(0, upTo(random, preface.length))];
  if (random() < 0.9) parts.push(frame(frameTypes.settings, 0, 0, Buffer.alloc(0)));
  let stream = 1;
  for (let count = upTo(random, 20); count > 0; count--) {
    parts.push(oneOf(random, frameMakers)(random, stream));
    if (random() < 0.5) stream += 2;
  }
  return Buffer.concat(parts);
}

const block = (random: () => number) =>
  oneOf(random, [
    () => grpcHeaders(oneOf(random, grpcPaths), 'a.example'),
    () => bytesOf(random, upTo(random, 60)),
    () =>
      headerBlock([
        [':method', 'GET'],
        [':path', '/healthz'],
        [':scheme', 'http'],
        [':authority', 'a.example'],
      ]),
    () =>
      headerBlock([
        [':path', '/'],
        [':path', '/'],
        ['Upper', 'case'],
        ['connection', 'close'],
      ]),
    () => headerBlock(Array.from({ length: 300 }, (_, at) => [`x-${at}`, 'y'.repeat(100)] as const)),
    // References to entries that the table does not have, and sizes that it must not accept.
    () => Buffer.from([0xff, 0xff, 0xff, 0x0f, 0x3f, 0xe1, 0xff, 0x03]),
  ])();

const frameMakers: readonly ((random: () => number, stream: number) => Buffer)[] = [
  (random, stream) => frame(frameTypes.headers, oneOf(random, [0x4, 0x5, 0x5, 0x0, 0x2c]), stream, block(random)),
  (random, stream) => frame(frameTypes.continuation, oneOf(random, [0, 4]), stream, block(random)),
  (random, stream) =>
    frame(
      frameTypes.data,
      oneOf(random, [0, 1, 9]),
      stream,
      grpcMessage(
        bytesOf(random, upTo(random, 80)),
        oneOf(random, [0, 0, 1, 2, 255]),
        oneOf(random, [0, 5, 80, 2 ** 31, 2 ** 32 - 1]),
      ),
    ),
  (random, stream) => frame(frameTypes.reset, 0, stream, bytesOf(random, oneOf(random, [4, 4, 0, 5]))),
  (random) => frame(frameTypes.settings, oneOf(random, [0, 1]), 0, bytesOf(random, oneOf(random, [0, 6, 6, 12, 5]))),
  (random) => frame(frameTypes.ping, oneOf(random, [0, 1]), 0, bytesOf(random, oneOf(random, [8, 8, 7]))),
  (random, stream) =>
    frame(
      frameTypes.windowUpdate,
      0,
      oneOf(random, [0, stream]),
      oneOf(random, [Buffer.alloc(4), Buffer.from('7fffffff', 'hex')]),
    ),
  (random, stream) => frame(frameTypes.priority, 0, stream, bytesOf(random, 5)),
  (random, stream) => frame(frameTypes.pushPromise, 4, stream, bytesOf(random, 20)),
  (random) => frame(frameTypes.goAway, 0, 0, bytesOf(random, oneOf(random, [8, 3]))),
  (random) => frame(upTo(random, 255), upTo(random, 255), upTo(random, 2 ** 31), bytesOf(random, upTo(random, 50))),
  (random, stream) => frame(frameTypes.data, 0, stream, bytesOf(random, 10), oneOf(random, [2 ** 24 - 1, 16_385])),
];
