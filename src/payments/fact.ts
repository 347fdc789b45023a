import type { NanoUsd } from '../base/money.ts';

/**
 * What a provider reports about money. Facts may arrive at any time, in any order and repeatedly; none revokes another. A fact is
 * stored until it is settled, so it contains nothing about the payer.
 */
export type Fact = SessionFact | RefundFact | DisputeFact;

/** A payment page for one top-up. */
export interface SessionFact {
  kind: 'session';
  session: string;
  /** Our id, as we wrote it into the session; undefined: not our session. */
  topUpId: string | undefined;
  state: 'paid' | 'unpaid' | 'failed' | 'expired';
  /** The provider's id of the payment, by which refunds and disputes name it. */
  payment: string | undefined;
  /** Whether it takes a single payment rather than a subscription. */
  onePayment: boolean;
  live: boolean;
  /** The ISO 4217 code in lower case. */
  currency: string;
  /** Before tax, in hundredths. */
  subtotalCents: number;
  discountCents: number;
  /** Including tax; undefined in events stored before this field was read. */
  totalCents?: number | undefined;
}

export interface RefundFact {
  kind: 'refund';
  reference: string;
  payment: string;
  /** Including the refunded tax. */
  amountCents: number;
  currency: string;
  /** `failed`: the money did not go back after all. */
  state: 'taken' | 'failed';
}

export interface DisputeFact {
  kind: 'dispute';
  reference: string;
  payment: string;
  /** Including tax. */
  amountCents: number;
  currency: string;
  state: 'open' | 'won' | 'lost';
}

export const nanoPerCent: NanoUsd = 10_000_000n;

export function nanoOfCents(cents: number): NanoUsd {
  return BigInt(cents) * nanoPerCent;
}
