import type { NanoUsd } from '../base/money.ts';
import type { ChatReply } from './types.ts';

/** A reply as it is kept for retries. The balance is not part of it: a retry is told the balance of its own time. */
export function storeReply(reply: Omit<ChatReply, 'balance'>): Uint8Array {
  const { usage, ...rest } = reply;
  return Buffer.from(JSON.stringify({ ...rest, usage: { ...usage, cost: usage.cost.toString() } }));
}

/** The reply that a retry is answered with. */
export function restoreReply(bytes: Uint8Array, balance: NanoUsd): ChatReply {
  const stored = JSON.parse(Buffer.from(bytes).toString('utf8')) as Omit<ChatReply, 'balance' | 'usage'> & {
    usage: Omit<ChatReply['usage'], 'cost'> & { cost: string };
  };
  return { ...stored, usage: { ...stored.usage, cost: BigInt(stored.usage.cost) }, balance };
}
