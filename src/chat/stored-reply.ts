import type { NanoUsd } from '../base/money.ts';
import type { ChatReply } from './types.ts';

/** Fields that describe a moment, not the reply: a retry gets the values of its own moment. */
type Momentary = 'balance' | 'capLeft';

/** A reply as it is stored for retries. */
export function storeReply(reply: Omit<ChatReply, Momentary>): Uint8Array {
  const { usage, ...rest } = reply;
  return Buffer.from(JSON.stringify({ ...rest, usage: { ...usage, cost: usage.cost.toString() } }));
}

/** The reply that a retry gets. `cost`: what it was settled at, if that is known; it may be less than was due when it was stored. */
export function restoreReply(bytes: Uint8Array, now: Pick<ChatReply, Momentary> & { cost?: NanoUsd }): ChatReply {
  const stored = JSON.parse(Buffer.from(bytes).toString('utf8')) as Omit<ChatReply, Momentary | 'usage'> & {
    usage: Omit<ChatReply['usage'], 'cost'> & { cost: string };
  };
  return {
    ...stored,
    usage: { ...stored.usage, cost: now.cost ?? BigInt(stored.usage.cost) },
    balance: now.balance,
    capLeft: now.capLeft,
  };
}
