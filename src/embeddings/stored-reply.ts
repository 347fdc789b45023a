import type { Momentary } from '../wallet/index.ts';
import type { EmbedReply } from './types.ts';

/** Longer replies are not stored for retries: they would slow down every commit that includes them. */
const valuesMax = 262_144;

/** A reply as stored for retries; undefined if it is too long. */
export function storeReply({ values, usage, ...rest }: Omit<EmbedReply, keyof Momentary>): Uint8Array | undefined {
  if (values.length > valuesMax) return undefined;
  const head = Buffer.from(JSON.stringify({ ...rest, usage: { ...usage, cost: usage.cost.toString() } }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, bytesOf(values)]);
}

/** The reply that a retry gets. */
export function restoreReply(bytes: Uint8Array, now: Momentary): EmbedReply {
  const stored = Buffer.from(bytes);
  const end = 4 + stored.readUInt32LE(0);
  const head = JSON.parse(stored.toString('utf8', 4, end)) as Omit<EmbedReply, keyof Momentary | 'values' | 'usage'> & {
    usage: { inputTokens: number; estimated: boolean; cost: string };
  };
  const values = new Float32Array((stored.length - end) / 4);
  for (let index = 0; index < values.length; index++) values[index] = stored.readFloatLE(end + 4 * index);
  return { ...head, values, usage: { ...head.usage, cost: BigInt(head.usage.cost) }, ...now };
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Numbers as bytes: four each, little-endian. Shares the memory of the numbers where possible. */
export function bytesOf(values: Float32Array): Buffer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return isLittleEndian ? bytes : Buffer.from(bytes).swap32();
}
