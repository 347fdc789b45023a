/**
 * Money is a signed integer of nano-USD (10^-9 USD), a `bigint` in code and a BIGINT in the database.
 * No float ever touches it.
 */
export type NanoUsd = bigint;

export const nanoPerUsd = 1_000_000_000n;

/** The largest amount the grammar can express: 999,999,999.999999999 USD. */
export const maxAmountNanoUsd = 999_999_999_999_999_999n;

const grammar = /^(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,9}))?$/;

/**
 * Reads a decimal string of USD such as `5.00`, never rounding.
 *
 * Grammar: `(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?`. Returns undefined for anything else (signs, exponents, blanks,
 * more than nine decimals, digits of other scripts).
 */
export function parseUsd(text: string): NanoUsd | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [, whole = '', decimals = ''] = match;
  return BigInt(whole) * nanoPerUsd + BigInt(decimals.padEnd(9, '0'));
}

/** Formats nano-USD as decimal USD with at least two and at most nine decimals: `5.00`, `-0.000000001`. */
export function formatUsd(amount: NanoUsd): string {
  const absolute = amount < 0n ? -amount : amount;
  const whole = absolute / nanoPerUsd;
  const decimals = (absolute % nanoPerUsd)
    .toString()
    .padStart(9, '0')
    .replace(/0{1,7}$/, '');
  return `${amount < 0n ? '-' : ''}${whole}.${decimals}`;
}

/** Divides a non-negative dividend by a positive divisor, rounding up. */
export function divideRoundingUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

export function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
