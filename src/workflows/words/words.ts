import { isMessageLanguage, type MessageLanguage } from '../packs/risk-messages.ts';
import { certainLanguageOf } from '../text/language.ts';
import { type Catalogue, readCatalogues } from './catalogue.ts';
import type { SentenceName, SentenceValues } from './sentences.ts';

/** A sentence that is still to be said, in whichever language. */
export interface Message {
  name: SentenceName;
  values: Readonly<Record<string, string | number>>;
}

/** What speaks to the reader of a reply, in their language. */
export interface Words {
  language: MessageLanguage;
  /** A named sentence with its values put in. */
  say<Name extends SentenceName>(
    name: Name,
    ...values: [keyof SentenceValues<Name>] extends [never] ? [] : [SentenceValues<Name>]
  ): string;
  tell(message: Message): string;
  /** A number as the locale writes it, with at most six decimals. */
  number(value: number): string;
  /** "A, B and C". */
  list(items: readonly string[]): string;
}

const catalogues = readCatalogues();
const known = new Map<string, Words>();
// Languages and regions that exist come to fewer; a locale may name ones that do not.
const knownMax = 2000;

/**
 * Speaks the language of `locale` (BCP 47, the region counts for numbers only), else the one that `text` is certainly in,
 * else English.
 */
export function wordsFor(locale: string, text: string): Words {
  return wordsOf(tagOf(locale) ?? certainLanguageOf(text) ?? 'en');
}

/** The tag that is spoken for a locale: its language, with the region when it has one. Undefined for languages that nothing here speaks. */
function tagOf(locale: string): string | undefined {
  if (locale === '') return undefined;
  try {
    const { language, region } = new Intl.Locale(locale.replaceAll('_', '-'));
    if (!isMessageLanguage(language)) return undefined;
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    return undefined;
  }
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

function createWords(language: MessageLanguage, tag: string): Words {
  const catalogue = catalogues.get(language) as Catalogue;
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 6 });
  const plurals = new Intl.PluralRules(tag);
  const lists = new Intl.ListFormat(tag, { type: 'conjunction' });
  const tell = ({ name, values }: Message) => {
    const { count } = values;
    const { one, other } = catalogue[name];
    const words = typeof count === 'number' && plurals.select(count) === 'one' ? one : other;
    return words.replace(/\{(\w+)\}/g, (_, place: string) => {
      const value = values[place] ?? '';
      return typeof value === 'number' ? numbers.format(value) : value;
    });
  };
  return {
    language,
    say: (name, ...[values]) => tell({ name, values: values ?? {} }),
    tell,
    number: (value) => numbers.format(value),
    list: (items) => lists.format(items),
  };
}

/** For replies whose reader's language is not known. */
export const english: Words = createWords('en', 'en');
