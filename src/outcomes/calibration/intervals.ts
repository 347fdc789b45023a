/** A rate of adverse outcomes, or a difference of two rates, with its 95 % interval. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** The normal quantile of a two-sided interval of 95 %. */
const z = 1.959963984540054;

/**
 * The score interval of a proportion: E. B. Wilson, Probable inference, the law of succession, and statistical inference,
 * JASA 22 (1927). `n` is at least 1.
 */
export function wilson(hits: number, n: number): Interval {
  const p = hits / n;
  const centre = p + (z * z) / (2 * n);
  const half = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return { value: p, low: Math.max(0, (centre - half) / scale), high: Math.min(1, (centre + half) / scale) };
}

/**
 * The interval of the difference of two independent proportions, first minus second: method 10 of R. G. Newcombe, Interval
 * estimation for the difference between independent proportions, Statistics in Medicine 17 (1998).
 */
export function newcombe(first: { hits: number; n: number }, second: { hits: number; n: number }): Interval {
  const a = wilson(first.hits, first.n);
  const b = wilson(second.hits, second.n);
  const value = a.value - b.value;
  return {
    value,
    low: value - Math.hypot(a.value - a.low, b.high - b.value),
    high: value + Math.hypot(a.high - a.value, b.value - b.low),
  };
}
