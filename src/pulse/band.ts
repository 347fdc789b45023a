import type { Share } from './statistics.ts';

/** The range of rates that is normal for a journey. */
export interface Band {
  /** Above this, the rate has left its band. */
  above: number;
  /** Below this, the rate is back. Lower than `above`, so that a rate hovering around the limit is reported once. */
  clearBelow: number;
}

/** How many past periods a band needs. */
export const historyLeast = 10;

const deviations = 3;
/** The least distance of a band's limit from the median: anything closer matters to nobody. */
const reachLeast = 0.01;
/** A normal variable's median absolute deviation times this is its standard deviation. */
const deviationPerMad = 1.4826;
const defaultClearShare = 0.8;

/** A band that the account has declared. */
export function declaredBand(above: number, clearBelow: number | undefined): Band {
  return { above, clearBelow: clearBelow ?? above * defaultClearShare };
}

/**
 * A band from the rates of past periods: three standard deviations above their median. The deviation is the larger of two:
 * that of the past, estimated by the median absolute deviation, which a few bad periods do not move (Leys and others, 2013);
 * or the one that chance alone causes with the current number of sessions. Undefined with fewer than ten periods.
 */
export function bandOfHistory(past: readonly Share[], sessions: number): Band | undefined {
  if (past.length < historyLeast || sessions <= 0) return undefined;
  const rates = past.map(({ part, whole }) => part / whole);
  const usual = median(rates);
  const deviation = deviationPerMad * median(rates.map((rate) => Math.abs(rate - usual)));
  const chance = Math.sqrt((usual * (1 - usual)) / sessions);
  const reach = Math.max(deviations * Math.max(deviation, chance), reachLeast);
  return { above: usual + reach, clearBelow: usual + reach / 2 };
}

/** Whether a rate is outside now, given whether it was before. Between the two limits, nothing changes. */
export function isOutside(rate: number, band: Band, before: boolean): boolean {
  return before ? rate >= band.clearBelow : rate > band.above;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
