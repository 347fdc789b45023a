import { formatUsd, type NanoUsd, nanoPerUsd, parseUsd } from '../../src/base/money.ts';
import { locale } from './i18n/language.ts';

export { divideRoundingUp, formatUsd, maxOf, minOf, type NanoUsd, nanoPerUsd, parseUsd } from '../../src/base/money.ts';

/** Parses an API amount, which may be negative (`-0.000000001`); undefined for anything else. */
export function readUsd(text: string | undefined): NanoUsd | undefined {
  if (text === undefined) return undefined;
  const amount = parseUsd(text.replace(/^-/, ''));
  return amount !== undefined && text.startsWith('-') ? -amount : amount;
}

/** The exact sum of API amounts; undefined when one of them is not an amount, because unknown is not zero. */
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

/** A balance for display: rounded towards minus infinity to cents, so that it never shows more than there is: `$31.58`. */
export function balanceText(amount: NanoUsd): string {
  const rest = ((amount % nanoPerCent) + nanoPerCent) % nanoPerCent;
  return printed(amount - rest);
}

/** A cost for display: cents from a dollar up, and below that as many decimals as four significant digits need: `$0.00214`. */
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

/** A value on a chart's axis, which is drawn and rounded anyway. */
export function axisText(dollars: number): string {
  return costText(BigInt(Math.round(dollars * Number(nanoPerUsd))));
}

/** For the size of drawn elements, never for a figure. */
export function pixelsOf(amount: NanoUsd): number {
  return Number(amount) / Number(nanoPerUsd);
}

/** An amount, without cents if it is whole dollars: `$20`, `$12.50`. */
export function shortText(amount: NanoUsd): string {
  return printed(amount, amount % nanoPerUsd === 0n ? 0 : 2);
}

/** Whether the dollar sign precedes the amount, as in `$5.00`, or follows it, as in `5,00 $`. */
export function isSignFirst(): boolean {
  return printed(0n).startsWith('$');
}

const formats = new Map<number, Intl.NumberFormat>();

function printed(amount: NanoUsd, leastDecimals = 2): string {
  let format = formats.get(leastDecimals);
  if (!format) {
    const digits = { minimumFractionDigits: leastDecimals, maximumFractionDigits: 9 };
    const currency = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
    format = new Intl.NumberFormat(locale(), { ...currency, ...digits });
    formats.set(leastDecimals, format);
  }
  // A decimal string is formatted digit by digit; a number would be rounded.
  const text = format.format(formatUsd(amount < 0n ? -amount : amount) as Intl.StringNumericLiteral);
  return `${amount < 0n ? '−' : ''}${text}`;
}
