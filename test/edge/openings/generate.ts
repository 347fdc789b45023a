import type { Random } from './random.ts';

/** What one connection sends first, in pieces, and what it does then. */
export interface Opening {
  pieces: Buffer[];
  /** `hold`: nothing more, until the server closes it. */
  ending: 'end' | 'destroy' | 'hold';
  /** For TLS: what is offered by ALPN; `none`: bytes in place of a handshake. */
  alpn: readonly string[] | 'none';
}

const paths = [
  ...['/', '*', '/healthz', '/readyz', '/docs', '/openapi.json', '/gate/say', '/gate/greet', '/gate/count', '/v1/x'],
  ...['/intelligence.test.v1.GateService/Say', '/intelligence.test.v1.GateService/Count', '/metrics', '/oauth/token'],
  ...[
    '/grpc.health.v1.Health/Watch',
    '/grpc.health.v1.Health/Check',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ],
  ...[
    'http://x/healthz',
    'http://[/gate/say',
    '//x',
    '/%',
    '/%ff',
    '/a/../b',
    'x:80',
    '/gate/say?a=%zz',
    '/\u00e9',
    '',
  ],
];
const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'QUERY',
  'PRI',
  'get',
  'M-SEARCH',
  'X',
  '',
];
const versions = [
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  'HTTP/3.0',
  'HTTP/1.2',
  'HTTP/9.9',
  'HTTP/11',
  'HTTP/2',
  'ICE/1.0',
  'RTSP/1.0',
  '',
];
const names = [
  ...['host', 'Host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'content-type', 'te'],
  ...['content-encoding', 'authorization', 'grpc-timeout', 'connect-timeout-ms', 'grpc-encoding', 'accept', 'origin'],
  ...[
    'http2-settings',
    'trailer',
    'x-forwarded-for',
    'traceparent',
    'x-request-id',
    'keep-alive',
    'access-control-request-method',
  ],
];
const values = [
  ...[
    'x',
    'localhost',
    '',
    '[',
    'a b',
    '0',
    '1',
    '5',
    '-1',
    '1e3',
    '99999999999999999999',
    'chunked',
    'gzip, chunked',
    'gzip',
    'br',
  ],
  ...[
    'close',
    'keep-alive',
    'upgrade',
    'h2c',
    'websocket',
    '100-continue',
    'trailers',
    'application/json',
    'application/grpc',
  ],
  ...[
    'application/grpc-web+proto',
    'application/connect+json',
    'application/proto',
    'text/plain',
    'Bearer operator-good',
    'Bearer x',
    '1n',
    '99999999H',
    '*/*',
  ],
];
const bodies = [
  '',
  '{}',
  '{"text":"x"}',
  '[[[[[[[[',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  '0\r\n\r\n',
  '\0\0\0\0\0',
  '\x01\0\0\0\x05aaaaa',
  'GET / HTTP/1.1\r\n\r\n',
];

export function opening(random: Random): Opening {
  const kind = random.below(10);
  let bytes: Buffer = kind < 1 ? random.bytes(random.below(200)) : kind < 6 ? http1(random) : http2(random);
  if (random.chance(0.1)) bytes = mutated(random, bytes);
  if (random.chance(0.15)) bytes = bytes.subarray(0, random.below(bytes.length + 1));
  return {
    pieces: random.chance(0.2) ? split(random, bytes) : [bytes],
    ending: random.one(['end', 'destroy', 'destroy', 'hold']),
    alpn: random.chance(0.1)
      ? 'none'
      : random.chance(0.1)
        ? random.one([[], ['nonsense'], ['h2', 'http/1.1']])
        : [kind < 6 ? 'http/1.1' : 'h2'],
  };
}

function http1(random: Random): Buffer {
  const requests = random.chance(0.15) ? 3 : 1;
  return Buffer.concat(Array.from({ length: requests }, () => request(random)));
}

function request(random: Random): Buffer {
  const line = random.chance(0.05) ? '\n' : '\r\n';
  const target = random.chance(0.03) ? `/${'a'.repeat(random.below(40_000))}` : random.one(paths);
  const version = random.chance(0.6) ? 'HTTP/1.1' : random.one(versions);
  let text = `${random.one(methods)} ${target} ${version}${line}`;
  if (random.chance(0.8)) text += `host: x${line}`;
  for (let count = random.below(6); count > 0; count -= 1)
    text += `${random.one(names)}${random.chance(0.03) ? ' ' : ''}: ${random.one(values)}${line}`;
  if (random.chance(0.02)) text += `x-long: ${'y'.repeat(40_000)}${line}`;
  if (random.chance(0.9)) text += line;
  return Buffer.from(text + random.one(bodies), 'latin1');
}

function http2(random: Random): Buffer {
  const pieces: Buffer[] = [
    Buffer.from(random.chance(0.95) ? 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' : 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'),
  ];
  if (random.chance(0.9)) pieces.push(frame(4, 0, 0, settings(random)));
  for (let count = random.below(8); count > 0; count -= 1) pieces.push(anyFrame(random));
  return Buffer.concat(pieces);
}

function anyFrame(random: Random): Buffer {
  const stream = random.one([0, 1, 1, 3, 3, 5, 2, 7, 2 ** 31 - 1]);
  const flags = random.chance(0.7) ? random.one([0, 1, 4, 5, 5]) : random.below(256);
  switch (random.below(9)) {
    case 0:
    case 1:
    case 2:
      return frame(1, flags, stream, headers(random));
    case 3:
      return frame(
        0,
        flags,
        stream,
        random.chance(0.5) ? Buffer.from(random.one(bodies)) : random.bytes(random.below(60)),
      );
    case 4:
      return frame(
        8,
        0,
        stream,
        random.chance(0.7) ? number(random.one([0, 1, 2 ** 31 - 1, 65_535])) : random.bytes(3),
      );
    case 5:
      return frame(3, 0, stream, number(random.below(14)));
    case 6:
      return frame(9, flags, stream, headers(random));
    case 7:
      return frame(random.one([2, 4, 5, 6, 7]), flags, stream, random.bytes(random.below(20)));
    default:
      return frame(
        random.below(256),
        flags,
        stream,
        random.bytes(random.below(40)),
        random.chance(0.3) ? random.below(2 ** 24) : undefined,
      );
  }
}

function settings(random: Random): Buffer {
  const pieces: Buffer[] = [];
  for (let count = random.below(4); count > 0; count -= 1) {
    const setting = Buffer.alloc(6);
    setting.writeUInt16BE(random.below(10), 0);
    setting.writeUInt32BE(random.one([0, 1, 100, 65_535, 2 ** 24, 2 ** 31, 2 ** 32 - 1]), 2);
    pieces.push(setting);
  }
  return Buffer.concat(pieces);
}

/** A header block of literals without indexing (RFC 7541, section 6.2.2), mostly of a request. */
function headers(random: Random): Buffer {
  if (random.chance(0.1)) return random.bytes(random.below(60));
  const list: [string, string][] = [
    [':method', random.one(methods)],
    [':scheme', random.one(['http', 'https', 'x', ''])],
    [':path', random.one(paths)],
  ];
  if (random.chance(0.8)) list.push([':authority', random.one(['x', 'localhost', '[', '', 'a/b', 'x:99999'])]);
  if (random.chance(0.2)) list.splice(random.below(list.length), 1);
  for (let count = random.below(5); count > 0; count -= 1) list.push([random.one(names), random.one(values)]);
  if (random.chance(0.1)) list.push([random.one([':status', ':path', ':protocol', ':x', 'Upper']), random.one(values)]);
  return Buffer.concat(list.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1').subarray(0, 120);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function frame(type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function mutated(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let count = 1 + random.below(4); count > 0 && copy.length > 0; count -= 1)
    copy[random.below(copy.length)] = random.below(256);
  return copy;
}

function split(random: Random, bytes: Buffer): Buffer[] {
  const at = random.below(bytes.length + 1);
  return [bytes.subarray(0, at), bytes.subarray(at)];
}
