import type { NanoUsd } from '../base/money.ts';

/**
 * What a provider says of money. Any of them may come at any time, in any order, again and again; none takes another
 * back. Stored until it is settled, so it holds nothing about the person who pays.
 */
export type Fact = SessionFact | RefundFact | DisputeFact;

/** A page where one top-up is paid. */
export interface SessionFact {
  kind: 'session';
  session: string;
  /** Ours, as we wrote it into the session; undefined: not our session. */
  topUpId: string | undefined;
  state: 'paid' | 'unpaid' | 'failed' | 'expired';
  /** The provider's id of the payment, by which refunds and disputes name it. */
  payment: string | undefined;
  /** Whether it takes one payment, and no subscription. */
  onePayment: boolean;
  live: boolean;
  /** Lower case, as ISO 4217 names it. */
  currency: string;
  /** Before tax, in hundredths. */
  subtotalCents: number;
  discountCents: number;
  /** With tax; undefined in events that were stored before it was read. */
  totalCents?: number | undefined;
}

export interface RefundFact {
  kind: 'refund';
  reference: string;
  payment: string;
  /** With the tax that is given back. */
  amountCents: number;
  currency: string;
  /** `failed`: the money did not go back after all. */
  state: 'taken' | 'failed';
}

export interface DisputeFact {
  kind: 'dispute';
  reference: string;
  payment: string;
  /** With tax. */
  amountCents: number;
  currency: string;
  state: 'open' | 'won' | 'lost';
}

export const nanoPerCent: NanoUsd = 10_000_000n;

export function nanoOfCents(cents: number): NanoUsd {
  return BigInt(cents) * nanoPerCent;
}
