/** Shares of counts and their confidence intervals. */

export interface Interval {
  low: number;
  high: number;
}

/** The z of a two-sided 95% interval. */
export const z95 = 1.959963984540054;

/**
 * Wilson's score interval of a share (Wilson, 1927): accurate for small counts and for shares near 0 and 1, where the usual
 * plus-or-minus is not.
 */
export function wilson(part: number, whole: number, z = z95): Interval {
  if (whole <= 0) return { low: 0, high: 1 };
  const share = part / whole;
  const squared = z * z;
  const middle = share + squared / (2 * whole);
  const reach = z * Math.sqrt((share * (1 - share)) / whole + squared / (4 * whole * whole));
  const scale = 1 + squared / whole;
  // A share of 0 or 1 is its own bound; rounding would miss it.
  return {
    low: part === 0 ? 0 : Math.max(0, (middle - reach) / scale),
    high: part === whole ? 1 : Math.min(1, (middle + reach) / scale),
  };
}

export interface Share {
  part: number;
  whole: number;
}

/**
 * The interval of the difference of two independent shares, first minus second: Newcombe's hybrid score interval without
 * continuity correction (Newcombe, 1998, "Interval estimation for the difference between independent proportions", method 10).
 */
export function newcombe(first: Share, second: Share, z = z95): Interval {
  const p = shareOf(first);
  const q = shareOf(second);
  const a = wilson(first.part, first.whole, z);
  const b = wilson(second.part, second.whole, z);
  return {
    low: p - q - Math.hypot(p - a.low, b.high - q),
    high: p - q + Math.hypot(a.high - p, q - b.low),
  };
}

function shareOf({ part, whole }: Share): number {
  return whole > 0 ? part / whole : 0;
}

/**
 * The quantile of the standard normal distribution for a probability between 0 and 1; the relative error is below 2e-9 (the
 * rational approximation of Acklam, 2003).
 */
export function normalQuantile(probability: number): number {
  if (probability > 0.5) return -normalQuantile(1 - probability);
  if (probability < 0.02425) {
    const r = Math.sqrt(-2 * Math.log(probability));
    return polynomial(tailAbove, r) / polynomial(tailBelow, r);
  }
  const r = probability - 0.5;
  return (r * polynomial(middleAbove, r * r)) / polynomial(middleBelow, r * r);
}

/** Highest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}

const middleAbove = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
];
const middleBelow = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1, 1,
];
const tailAbove = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const tailBelow = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1];
