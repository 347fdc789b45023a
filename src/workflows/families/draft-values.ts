import { LRUCache } from 'lru-cache';
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
  // A language alone is what most requests name, and what is heard.
  if (spoken.has(tag)) return { language: tag as DraftLanguage, tag };
  const read = readLocale(tag);
  if (!read || !spoken.has(read.language)) return undefined;
  return { language: read.language as DraftLanguage, tag: tagOf(read) };
}

/**
 * A value in the locale's format: a day (`2026-12-03`), a day with its time (`2026-12-03T10:30`), a time (`14:30`), or an amount with its
 * currency (`1190.00 EUR`, `EUR 1190.00`). Anything already written for people stays as it is.
 */
export function formatValue(value: string, locale: string): string {
  const trimmed = value.trim();
  return dayIn(trimmed, locale) ?? amountIn(trimmed, locale) ?? timeIn(trimmed, locale) ?? trimmed;
}

function dayIn(value: string, locale: string): string | undefined {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::00(?:\.0+)?Z?)?)?$/.exec(value) ?? [];
  if (day === undefined) return undefined;
  const at = new Date(`${day}T${time ?? '00:00'}:00Z`);
  // An impossible date, and 24:61, stay as they are.
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day) return undefined;
  const style = time === undefined ? 'day' : 'moment';
  const written = formatterOf(`${style} ${locale}`, () => dateFormat(locale, style)).format(at);
  // In French the first of a month is an ordinal, which Intl does not know.
  return locale.startsWith('fr') ? written.replace(/^1(?= \p{L})/u, '1er') : written;
}

/** A time of the day as people write it. English without a region is read in too many to know better. */
function timeIn(value: string, locale: string): string | undefined {
  const [, hour = '', minute = ''] = /^([01]?\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(value) ?? [];
  if (minute === '') return undefined;
  const [language] = locale.split('-');
  if (language === 'de') return `${Number(hour)}:${minute} Uhr`;
  if (language === 'es') return `${Number(hour)}:${minute}`;
  const { hour12 } = formatterOf(`moment ${locale}`, () => dateFormat(locale, 'moment')).resolvedOptions();
  if (locale === 'en' || hour12 !== true) return `${hour}:${minute}`;
  return `${Number(hour) % 12 || 12}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
}

/** A plain number as the locale writes it, with the decimals that it has. */
export function formatNumber(value: string, locale: string): string {
  const decimals = value.split('.')[1]?.length ?? 0;
  const format = formatterOf(
    `number ${decimals} ${locale}`,
    () => new Intl.NumberFormat(locale, { minimumFractionDigits: decimals }),
  );
  return format.format(value as `${number}`);
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
  const format = formatterOf(
    `${currency} ${locale}`,
    () => new Intl.NumberFormat(locale, { style: 'currency', currency }),
  );
  return format.format(amount as `${number}`);
}

function dateFormat(locale: string, style: 'day' | 'moment'): Intl.DateTimeFormat {
  const time = style === 'moment' ? ({ timeStyle: 'short' } as const) : {};
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', ...time, timeZone: 'UTC' });
}

// Bounded: a region may be any that somebody invents, and each formatter takes some kilobytes.
const formatters = new LRUCache<string, Intl.DateTimeFormat | Intl.NumberFormat>({ max: 200 });

function formatterOf<Format extends Intl.DateTimeFormat | Intl.NumberFormat>(key: string, make: () => Format): Format {
  const known = formatters.get(key) ?? make();
  formatters.set(key, known);
  // A key always has formatters of one kind.
  return known as Format;
}
