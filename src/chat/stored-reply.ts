import type { ChatReply } from './types.ts';

/** What a reply says of a time, not of itself: a retry is told that of its own time. */
type Momentary = 'balance' | 'capLeft';

/** A reply as it is kept for retries. */
export function storeReply(reply: Omit<ChatReply, Momentary>): Uint8Array {
  const { usage, ...rest } = reply;
  return Buffer.from(JSON.stringify({ ...rest, usage: { ...usage, cost: usage.cost.toString() } }));
}

/** The reply that a retry is answered with. */
export function restoreReply(bytes: Uint8Array, now: Pick<ChatReply, Momentary>): ChatReply {
  const stored = JSON.parse(Buffer.from(bytes).toString('utf8')) as Omit<ChatReply, Momentary | 'usage'> & {
    usage: Omit<ChatReply['usage'], 'cost'> & { cost: string };
  };
  return {
    ...stored,
    usage: { ...stored.usage, cost: BigInt(stored.usage.cost) },
    balance: now.balance,
    capLeft: now.capLeft,
  };
}
