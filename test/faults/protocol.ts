import type { Customer } from '../wallet/support.ts';

/** What a client asks a node for. Amounts are decimal strings of nano-USD. */
export interface Task {
  id: number;
  kind: 'pay' | 'release' | 'extend' | 'top_up';
  customer: Customer;
  key: string;
  ceiling: string;
  cost: string;
  /** How long the work between hold and settlement takes. */
  workMs: number;
  /** Sent once, without caps and idempotency key, so that its hold may be ahead of its commit; `key` is its label. */
  ahead: boolean;
}

/** What the client is told. `paid` only after the settlement is durable. */
export type Answer = { id: number } & (
  | { kind: 'paid'; chargeId: string; charged: string; state: string; replayed: boolean; ahead: boolean }
  | { kind: 'released' }
  | { kind: 'topped_up'; topUpId: string }
  | { kind: 'failed'; failure: string }
);

/** Numbers that repeat for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
