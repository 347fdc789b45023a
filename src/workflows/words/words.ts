import { readLocale, tagOf } from '../../base/locale.ts';
import { isMessageLanguage, type MessageLanguage } from '../packs/risk-messages.ts';
import { certainLanguageOf } from '../text/language.ts';
import { type Catalogue, readCatalogues } from './catalogue.ts';
import type { SentenceName, SentenceValues } from './sentences.ts';

/** A sentence yet to be said, in any language. */
export interface Message {
  name: SentenceName;
  values: Readonly<Record<string, string | number>>;
}

/** Speaks to a reply's reader in their language. */
export interface Words {
  language: MessageLanguage;
  /** A named sentence with its values inserted. */
  say<Name extends SentenceName>(
    name: Name,
    ...values: [keyof SentenceValues<Name>] extends [never] ? [] : [SentenceValues<Name>]
  ): string;
  tell(message: Message): string;
  /** A number in the locale's format, with at most six decimals. */
  number(value: number): string;
  /** "A, B and C". */
  list(items: readonly string[]): string;
  /** The sign before decimals, if the reader's region was named: without one, nobody knows how values are written. */
  decimals?: '.' | ',' | undefined;
}

const catalogues = readCatalogues();
const known = new Map<string, Words>();
// The languages and regions that exist are fewer; a locale may name others.
const knownMax = 2000;

/** Uses the language of `locale` (BCP 47, the region affects numbers only), else the one that `text` is certainly in, else English. */
export function wordsFor(locale: string, text: string): Words {
  return wordsOf(supportedTag(locale) ?? certainLanguageOf(text) ?? 'en');
}

/** The sign before decimals in a locale that says so: a supported one. */
export function decimalSignIn(locale: string): '.' | ',' | undefined {
  const tag = supportedTag(locale);
  return tag === undefined ? undefined : wordsOf(tag).number(0.5).includes(',') ? ',' : '.';
}

/** The supported tag for a locale: its language, with the region if it has one. Undefined for unsupported languages. */
function supportedTag(locale: string): string | undefined {
  if (locale === '') return undefined;
  const read = readLocale(locale);
  return read && isMessageLanguage(read.language) ? tagOf(read) : undefined;
}

function wordsOf(tag: string): Words {
  const before = known.get(tag);
  if (before) return before;
  const language = tag.slice(0, 2);
  if (!isMessageLanguage(language)) return english;
  const made = createWords(language, tag);
  if (known.size < knownMax) known.set(tag, made);
  return made;
}

// A caller's own name may begin a sentence in lower case; "iPhone", "e-bike" and "example.com" are spelled as they are.
const plainWord = /^\p{Ll}{2,}(?=[ ,;:]|$)/u;

// German declines the title of a man after these.
const oblique = /(?:^|\s)(?:für|vor|bei|von|hinter)\s$/;

function isSentence(words: string): boolean {
  return words.startsWith('{') && words.endsWith('.') && !/^\{\w+\}\s?:/.test(words);
}

function createWords(language: MessageLanguage, tag: string): Words {
  const catalogue = catalogues.get(language) as Catalogue;
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 6 });
  const plurals = new Intl.PluralRules(tag);
  const lists = new Intl.ListFormat(tag, { type: 'conjunction' });
  const tell = ({ name, values }: Message) => {
    const { count = values.score } = values;
    const { one, other } = catalogue[name];
    const words = typeof count === 'number' && plurals.select(count) === 'one' ? one : other;
    const told = words.replace(/\{(\w+)\}/g, (_, place: string, at: number) => {
      const value = values[place] ?? '';
      if (typeof value === 'number') return numbers.format(value);
      return language === 'de' && oblique.test(words.slice(0, at)) ? value.replace(/^Herr(?= )/, 'Herrn') : value;
    });
    return isSentence(words)
      ? told.replace(plainWord, (word) => word.charAt(0).toLocaleUpperCase(tag) + word.slice(1))
      : told;
  };
  return {
    language,
    say: (name, ...[values]) => tell({ name, values: values ?? {} }),
    tell,
    number: (value) => numbers.format(value),
    list: (items) => lists.format(items),
  };
}

/** For replies whose reader's language is unknown. */
export const english: Words = createWords('en', 'en');
