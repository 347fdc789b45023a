import type { Momentary } from '../wallet/index.ts';
import type { EmbedReply } from './types.ts';

/** Longer replies are not kept for retries: they would make every commit that they are a part of a slow one. */
const valuesMax = 262_144;

/** A reply as it is kept for retries; undefined when it is too long for that. */
export function storeReply({ values, usage, ...rest }: Omit<EmbedReply, keyof Momentary>): Uint8Array | undefined {
  if (values.length > valuesMax) return undefined;
  const head = Buffer.from(JSON.stringify({ ...rest, usage: { ...usage, cost: usage.cost.toString() } }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, bytesOf(values)]);
}

/** The reply that a retry is answered with. */
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

/** Numbers as bytes: four for each, the lowest first. Shares the memory of the numbers where it can. */
export function bytesOf(values: Float32Array): Buffer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return isLittleEndian ? bytes : Buffer.from(bytes).swap32();
}
