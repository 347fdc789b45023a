import type { RerankReply } from './types.ts';

/** What a reply says of a time, not of itself: a retry is told that of its own time. */
type Momentary = 'balance' | 'capLeft';

/** A reply as it is kept for retries: at most 1,000 places and scores. */
export function storeReply({ usage, ...rest }: Omit<RerankReply, Momentary>): Uint8Array {
  return Buffer.from(JSON.stringify({ ...rest, usage: { ...usage, cost: usage.cost.toString() } }));
}

/** The reply that a retry is answered with. */
export function restoreReply(bytes: Uint8Array, now: Pick<RerankReply, Momentary>): RerankReply {
  const { usage, ...rest } = JSON.parse(Buffer.from(bytes).toString()) as Omit<RerankReply, Momentary | 'usage'> & {
    usage: Omit<RerankReply['usage'], 'cost'> & { cost: string };
  };
  return { ...rest, usage: { ...usage, cost: BigInt(usage.cost) }, ...now };
}
