import common from './en/common.ts';
import { language, locale } from './language.ts';
import type { PageName, Params, Text, TextKey } from './texts.ts';

export { chooseLanguage, type Language, language, languageNames, languages, locale } from './language.ts';
export type { PageName, Text, TextKey, Texts, Translated } from './texts.ts';

type PageTexts = Readonly<Record<string, Text>>;

const files = import.meta.glob<{ default: PageTexts }>(['./*/*.ts', '!./en/common.ts']);
const loaded = new Map<string, PageTexts>([['common', common]]);

/** Loads a page's texts in the current language; in English if that language has none. */
export async function loadTexts(page: PageName): Promise<void> {
  if (loaded.has(page) && (page !== 'common' || language() === 'en')) return;
  const load = files[`./${language()}/${page}.ts`] ?? files[`./en/${page}.ts`];
  if (load) loaded.set(page, (await load()).default);
}

/** A text of a loaded page, with its parameters. Numbers are formatted for the language. */
export function t<Key extends TextKey>(key: Key, ...[params]: Params<Key>): string {
  const [page = '', name = ''] = key.split('.', 2);
  return filled(loaded.get(page)?.[name], key, params ?? {});
}

/** A text whose key is built from data, such as a state of the API; undefined when there is none. */
export function findText(
  page: PageName,
  name: string,
  params: Record<string, string | number> = {},
): string | undefined {
  const text = loaded.get(page)?.[name];
  return text === undefined ? undefined : filled(text, name, params);
}

function filled(text: Text | undefined, key: string, params: Record<string, string | number>): string {
  if (text === undefined) return key;
  const form = typeof text === 'string' ? text : pluralForm(text, Number(params.count));
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    return typeof value === 'number' ? formatNumber(value) : (value ?? whole);
  });
}

function pluralForm(text: { one: string; other: string }, count: number): string {
  return new Intl.PluralRules(language()).select(count) === 'one' ? text.one : text.other;
}

/** A number formatted for the language: `1,204`. */
export function formatNumber(value: number | bigint, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(locale(), options).format(value);
}

/** Several names as one text: `chat, workflows`. */
export function listText(names: Iterable<string>): string {
  return new Intl.ListFormat(locale(), { type: 'unit', style: 'short' }).format(names);
}

/** A name within a sentence. English lower-cases it there; German nouns keep their capital. */
export function inSentence(name: string): string {
  return language() === 'en' ? name.toLowerCase() : name;
}
