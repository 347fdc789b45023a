/** HTTP/2 frames (RFC 9113) and gRPC, by hand: client libraries do not send wrong ones. */

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** A frame as on the wire. `length` may lie. */
export function frame(type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length & 0xffffff, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** A header block of literals that no table keeps (RFC 7541, 6.2.2); names and values under 127 bytes. */
export function headerBlock(headers: readonly (readonly [string, string])[]): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]);
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** The headers that open a gRPC call on a stream; the body follows. */
export function grpcHeaders(path: string, authority: string): Buffer {
  return headerBlock([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', authority],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ]);
}

/** A message in gRPC's framing. `length` may lie. */
export function grpcMessage(payload: Buffer, flag = 0, length = payload.length): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(length >>> 0, 1);
  return Buffer.concat([head, payload]);
}

/** A string or bytes field of a protobuf message. */
export function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length > 127) throw new Error('One byte of length is enough here.');
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}
