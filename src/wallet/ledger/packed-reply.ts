import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Longer replies are not kept: a repeat reads all of it in one turn of the event loop. */
const unpackedMax = 8 * 1_024 * 1_024;

/**
 * A long reply in at most `bytesMax`, as gzip (RFC 1952); undefined if that is not enough. Away from the event loop.
 */
export async function packReply(reply: Uint8Array, bytesMax: number): Promise<Uint8Array | undefined> {
  if (reply.length > unpackedMax) return undefined;
  const packed = await pack(reply, { level: 1 });
  return packed.length <= bytesMax ? packed : undefined;
}

/** Undoes `packReply`; any other reply stays as it is. No message of protobuf begins as gzip does: its first byte would be a field of wire type 7. */
export async function unpackReply(kept: Uint8Array): Promise<Uint8Array> {
  return kept[0] === 0x1f && kept[1] === 0x8b ? unpack(kept, { maxOutputLength: unpackedMax }) : kept;
}
