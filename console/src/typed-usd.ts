import { formatUsd, type NanoUsd, parseUsd } from '../../src/base/money.ts';
import { language } from './i18n/language.ts';

const decimalMark = { en: '.', de: ',' } as const;
const grouped = /^[1-9]\d{0,2}(\.\d{3})+$/;

/**
 * Parses a typed amount: in the language's notation (`1.234,50` in German), or in the API's (`12.50`). Undefined for what is neither, and for
 * what is ambiguous: `1.500` is fifteen hundred to a German reader, and one and a half to the API.
 */
export function typedUsd(text: string): NanoUsd | undefined {
  const typed = text.trim();
  if (decimalMark[language()] === '.') return parseUsd(typed);
  const [whole = '', ...decimals] = typed.split(',');
  if (decimals.length === 0) return grouped.test(whole) ? undefined : parseUsd(whole);
  const digits = grouped.test(whole) ? whole.replaceAll('.', '') : whole;
  return parseUsd([digits, ...decimals].join('.'));
}

/** An API amount as a user types it: `12,50` in German. */
export function usdToType(usd: string): string {
  return usd.replace('.', decimalMark[language()]);
}

/** A typed amount in the API's notation; unchanged if it is not an amount, so that the API says why. */
export function usdOf(typed: string): string {
  const amount = decimalMark[language()] === '.' ? undefined : typedUsd(typed);
  return amount === undefined ? typed.trim() : formatUsd(amount);
}
