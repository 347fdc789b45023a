import type { Customer } from '../wallet/support.ts';

/** What a client requests from a node. Amounts are decimal strings of nano-USD. */
export interface Task {
  /** Unique for each attempt. */
  id: number;
  kind: 'pay' | 'release' | 'extend' | 'top_up';
  customer: Customer;
  key: string;
  ceiling: string;
  cost: string;
  /** How long the work between hold and settlement lasts. */
  workMs: number;
  /** Sent once, without caps or an idempotency key, so that its hold may be deferred; `key` is its label. */
  deferred: boolean;
}

/** What the client is told. */
export type Answer = { id: number } & (
  | Delivered
  /** The work was done but its reply withheld: the receipt does not say that it is paid in full. */
  | { kind: 'undelivered'; chargeId: string; state: string; charged: string; due: string }
  | { kind: 'released' }
  | { kind: 'topped_up'; topUpId: string }
  | { kind: 'failed'; failure: string }
);

/** The reply itself; only with a receipt that is settled in full. */
export interface Delivered {
  kind: 'delivered';
  chargeId: string;
  charged: string;
  /** According to the reply itself; also in a replay. */
  due: string;
  replayed: boolean;
  deferred: boolean;
}

/** Numbers that are reproducible for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
