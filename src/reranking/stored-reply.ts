import type { Momentary } from '../wallet/index.ts';
import type { RerankReply } from './types.ts';

/** A reply as stored for retries: at most 1,000 indexes and scores. */
export function storeReply({ usage, ...rest }: Omit<RerankReply, keyof Momentary>): Uint8Array {
  return Buffer.from(JSON.stringify({ ...rest, usage: { ...usage, cost: usage.cost.toString() } }));
}

/** The reply that a retry gets. */
export function restoreReply(bytes: Uint8Array, now: Momentary): RerankReply {
  const { usage, ...rest } = JSON.parse(Buffer.from(bytes).toString()) as Omit<
    RerankReply,
    keyof Momentary | 'usage'
  > & {
    usage: Omit<RerankReply['usage'], 'cost'> & { cost: string };
  };
  return { ...rest, usage: { ...usage, cost: BigInt(usage.cost) }, ...now };
}
