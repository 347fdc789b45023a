/** A number to so many decimals, halves up. */
export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  // The smallest step above keeps 0.285 from becoming 0.28 for want of binary digits.
  return Math.round((value + Number.EPSILON * Math.abs(value)) * factor) / factor;
}
