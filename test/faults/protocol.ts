import type { Customer } from '../wallet/support.ts';

/** What a client asks a node for. Amounts are decimal strings of nano-USD. */
export interface Task {
  /** Another one for each attempt. */
  id: number;
  kind: 'pay' | 'release' | 'extend' | 'top_up';
  customer: Customer;
  key: string;
  ceiling: string;
  cost: string;
  /** How long the work between hold and settlement takes. */
  workMs: number;
  /** Sent once, without caps and idempotency key, so that its hold may be deferred; `key` is its label. */
  deferred: boolean;
}

/** What the client is told. */
export type Answer = { id: number } & (
  | Delivered
  /** The work was done and its reply kept back: the receipt does not say that it is paid in full. */
  | { kind: 'undelivered'; chargeId: string; state: string; charged: string; due: string }
  | { kind: 'released' }
  | { kind: 'topped_up'; topUpId: string }
  | { kind: 'failed'; failure: string }
);

/** The reply itself; only with a receipt that is settled for all that is due. */
export interface Delivered {
  kind: 'delivered';
  chargeId: string;
  charged: string;
  /** By the reply's own words; also in a replay. */
  due: string;
  replayed: boolean;
  deferred: boolean;
}

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
