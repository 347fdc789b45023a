/** HTTP/2 frames as bytes (RFC 9113), for what Node's own client does not send, or not fast enough. */
export const frameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 } as const;
export const flag = { endStream: 1, ack: 1, endHeaders: 4 } as const;
export const frameHeadBytes = 9;

/** What a client sends first; SETTINGS follow. */
export const connectionPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeadBytes + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
  payload.copy(bytes, frameHeadBytes);
  return bytes;
}

/** A block that adds each header to the table, after the existing ones (RFC 7541, section 6.2.1). */
export function headerBlock(headers: Record<string, string>): Buffer {
  const literal = Buffer.from([0x40]);
  return Buffer.concat(Object.entries(headers).flatMap(([name, value]) => [literal, text(name), text(value)]));
}

function text(value: string): Buffer {
  if (value.length > 126) throw new Error('only lengths that take one byte are written');
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}
