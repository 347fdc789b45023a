import { formatUsd, type NanoUsd, nanoPerUsd, parseUsd } from '../../src/base/money.ts';
import { language } from './i18n/language.ts';

export { divideRoundingUp, formatUsd, maxOf, minOf, type NanoUsd, nanoPerUsd, parseUsd } from '../../src/base/money.ts';

/** Reads an amount of the API, which may be negative (`-0.000000001`); undefined for anything else. */
export function readUsd(text: string | undefined): NanoUsd | undefined {
  if (text === undefined) return undefined;
  const amount = parseUsd(text.replace(/^-/, ''));
  return amount !== undefined && text.startsWith('-') ? -amount : amount;
}

/** The exact sum of amounts of the API; undefined when one of them is no amount, for unknown is not zero. */
export function sumUsd(amounts: Iterable<string | undefined>): NanoUsd | undefined {
  let sum = 0n;
  for (const text of amounts) {
    const amount = readUsd(text);
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return sum;
}

const nanoPerCent = nanoPerUsd / 100n;

/** A balance for reading: cut to cents towards minus infinity, so that it never shows more than there is: `$31.58`. */
export function balanceText(amount: NanoUsd): string {
  const rest = ((amount % nanoPerCent) + nanoPerCent) % nanoPerCent;
  return printed(amount - rest);
}

/** A cost for reading: cents from a dollar on, and as many decimals as four significant digits need below: `$0.00214`. */
export function costText(amount: NanoUsd): string {
  const absolute = amount < 0n ? -amount : amount;
  const digits = absolute.toString().length;
  const unit = absolute >= nanoPerUsd ? nanoPerCent : digits <= 4 ? 1n : 10n ** BigInt(digits - 4);
  const rounded = ((absolute + unit / 2n) / unit) * unit;
  return printed(amount < 0n ? -rounded : rounded);
}

/** Every digit down to the nano-USD, as the API states it: `$0.002140000` is `$0.00214`. */
export function exactText(amount: NanoUsd): string {
  return printed(amount);
}

/** A value of a chart's axis, which is drawn and rounded anyway. */
export function axisText(dollars: number): string {
  return costText(BigInt(Math.round(dollars * Number(nanoPerUsd))));
}

/** For the size of something drawn, never for a figure. */
export function pixelsOf(amount: NanoUsd): number {
  return Number(amount) / Number(nanoPerUsd);
}

function printed(amount: NanoUsd): string {
  const [whole = '0', decimals = '00'] = formatUsd(amount < 0n ? -amount : amount).split('.');
  const { group, decimal } = separators();
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, group);
  return `${amount < 0n ? '−' : ''}$${grouped}${decimal}${decimals}`;
}

function separators(): { group: string; decimal: string } {
  return (language() as string) === 'de' ? { group: '.', decimal: ',' } : { group: ',', decimal: '.' };
}
