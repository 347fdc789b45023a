import type { Share } from './statistics.ts';

/** Between which rates a journey is as usual. */
export interface Band {
  /** Above it, the rate has left its band. */
  above: number;
  /** Below it, the rate has come back. Lower than `above`, so that a rate about the limit is told once. */
  clearBelow: number;
}

/** Periods of the past that a band needs. */
export const historyLeast = 10;

const deviations = 3;
/** How far from the median a band ends at least: what is closer matters to nobody. */
const reachLeast = 0.01;
/** The median absolute deviation of a normal variable, times this, is its standard deviation. */
const deviationPerMad = 1.4826;
const defaultClearShare = 0.8;

/** A band that the account has declared. */
export function declaredBand(above: number, clearBelow: number | undefined): Band {
  return { above, clearBelow: clearBelow ?? above * defaultClearShare };
}

/**
 * A band from the rates of past periods: three standard deviations above their median. The deviation is that of the past,
 * told by the median absolute deviation, which a few bad periods do not move (Leys and others, 2013), or what chance does to as
 * many sessions as there are now, whichever is more. Undefined when there are fewer than ten periods.
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

/** Whether a rate is outside now, given whether it was. Between both limits it stays what it was. */
export function isOutside(rate: number, band: Band, before: boolean): boolean {
  return before ? rate >= band.clearBelow : rate > band.above;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
