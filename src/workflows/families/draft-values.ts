import { readLocale, tagOf } from '../../base/locale.ts';
import { type DraftLanguage, draftLanguages } from '../packs/draft-language.ts';
import { languagesOf } from '../text/language.ts';

/** The language of a document, and the region whose date and amount formats it uses. */
export interface DraftLocale {
  language: DraftLanguage;
  /** `de-AT`; one of the four languages, with or without a region. */
  tag: string;
}

const spoken: ReadonlySet<string> = new Set(draftLanguages);
// With only a few words, detection is wrong as often as right.
const lettersMin = 20;

/**
 * The locale's language if it is supported, English if another is given, and without a locale that of the purpose; if the
 * purpose is short, the names of the facts are considered too.
 */
export function draftLocaleOf(locale: string, purpose: string, names: readonly string[] = []): DraftLocale {
  if (locale.trim() !== '') return spokenLocale(locale.trim()) ?? english;
  const heard = lettersIn(purpose) < lettersMin ? [purpose, ...names].join(' ') : purpose;
  if (lettersIn(heard) < lettersMin) return english;
  return spokenLocale(languagesOf(heard, spoken)[0]?.language ?? '') ?? english;
}

function lettersIn(text: string): number {
  return (text.match(/\p{L}/gu) ?? []).length;
}

const english: DraftLocale = { language: 'en', tag: 'en' };

function spokenLocale(tag: string): DraftLocale | undefined {
  const read = readLocale(tag);
  if (!read || !spoken.has(read.language)) return undefined;
  return { language: read.language as DraftLanguage, tag: tagOf(read) };
}

/**
 * A value in the locale's format: a day (`2026-12-03`), a day with its time (`2026-12-03T10:30`), or an amount with its
 * currency (`1190.00 EUR`, `EUR 1190.00`). Anything already written for people stays as it is.
 */
export function formatValue(value: string, locale: string): string {
  const trimmed = value.trim();
  return dayIn(trimmed, locale) ?? amountIn(trimmed, locale) ?? trimmed;
}

function dayIn(value: string, locale: string): string | undefined {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::00)?)?$/.exec(value) ?? [];
  if (day === undefined) return undefined;
  const at = new Date(`${day}T${time ?? '00:00'}:00Z`);
  // An impossible date, and 24:61, stay as they are.
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day) return undefined;
  const written = formattersOf(locale)[time === undefined ? 'day' : 'moment'].format(at);
  // In French the first of a month is an ordinal, which Intl does not know.
  return locale.startsWith('fr') ? written.replace(/^1(?= \p{L})/u, '1er') : written;
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Only forms that no locale uses: with a full stop before one or two decimals, or with four or more digits and no separator. */
function amountIn(value: string, locale: string): string | undefined {
  const found = /^(?:([A-Z]{3}) )?(-?\d{1,15}(?:\.\d{1,2})?)(?: ([A-Z]{3}))?$/.exec(value);
  const [, before, amount = '', after] = found ?? [];
  const currency = before ?? after;
  if (!found || currency === undefined || (before !== undefined && after !== undefined)) return undefined;
  if (!currencies.has(currency) || !/\.|\d{4}/.test(amount)) return undefined;
  // A decimal string, which Intl formats exactly, unlike a number.
  return formattersOf(locale)
    .amount(currency)
    .format(amount as `${number}`);
}

interface Formatters {
  day: Intl.DateTimeFormat;
  moment: Intl.DateTimeFormat;
  amount(currency: string): Intl.NumberFormat;
}

// Bounded: four languages times the existing regions, each with its currencies.
const formatters = new Map<string, Formatters>();

function formattersOf(locale: string): Formatters {
  const known = formatters.get(locale);
  if (known) return known;
  const amounts = new Map<string, Intl.NumberFormat>();
  const made: Formatters = {
    day: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }),
    moment: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
    amount(currency) {
      const format = amounts.get(currency) ?? new Intl.NumberFormat(locale, { style: 'currency', currency });
      amounts.set(currency, format);
      return format;
    },
  };
  formatters.set(locale, made);
  return made;
}
