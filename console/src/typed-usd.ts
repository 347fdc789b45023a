import { formatUsd, type NanoUsd, parseUsd } from '../../src/base/money.ts';
import { language } from './i18n/language.ts';

const decimalMark = { en: '.', de: ',' } as const;
const grouped = /^[1-9]\d{0,2}(\.\d{3})+$/;

/**
 * What was typed as an amount: as the language writes it (`1.234,50` in German), or as the API does (`12.50`). Undefined for what is
 * neither, and for what could be either: `1.500` is fifteen hundred to a German reader, and one and a half to the API.
 */
export function typedUsd(text: string): NanoUsd | undefined {
  const typed = text.trim();
  if (decimalMark[language()] === '.') return parseUsd(typed);
  const [whole = '', ...decimals] = typed.split(',');
  if (decimals.length === 0) return grouped.test(whole) ? undefined : parseUsd(whole);
  const digits = grouped.test(whole) ? whole.replaceAll('.', '') : whole;
  return parseUsd([digits, ...decimals].join('.'));
}

/** An amount of the API as one types it: `12,50` in German. */
export function usdToType(usd: string): string {
  return usd.replace('.', decimalMark[language()]);
}

/** What was typed as the API takes it; as it was typed where it is no amount, for the API to say why. */
export function usdOf(typed: string): string {
  const amount = decimalMark[language()] === '.' ? undefined : typedUsd(typed);
  return amount === undefined ? typed.trim() : formatUsd(amount);
}
