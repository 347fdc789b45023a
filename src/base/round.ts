/** Rounds a number to this many decimals, halves up. */
export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  // The smallest step up keeps binary representation from turning 0.285 into 0.28.
  return Math.round((value + Number.EPSILON * Math.abs(value)) * factor) / factor;
}
