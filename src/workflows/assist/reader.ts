import { isMessageLanguage, type MessageLanguage, messageLanguages } from '../packs/risk-messages.ts';
import { languagesOf } from '../text/language.ts';

const spoken: ReadonlySet<string> = new Set(messageLanguages);
// Fewer than 20 letters are more often names and codes than a language. In a long text, the search stops at the twentieth letter.
const enoughLetters = /(?:\p{L}\P{L}*){20}/u;

/**
 * The language of a reply's reader: the locale's, else the material's, else English. Undefined if a model's texts cannot be
 * checked in it.
 */
export function readerOf(locale: string, material: string): MessageLanguage | undefined {
  const named = locale.split(/[-_]/)[0]?.toLowerCase() ?? '';
  if (named === '' && !enoughLetters.test(material)) return 'en';
  const language = named === '' ? (languagesOf(material, spoken)[0]?.language ?? '') : named;
  if (language === '') return 'en';
  return isMessageLanguage(language) ? language : undefined;
}

/** Whether a sentence is in a language; with hardly any letters, it counts as in all of them. */
export function isIn(language: MessageLanguage, sentence: string): boolean {
  const [heard] = languagesOf(sentence, spoken);
  return heard === undefined || heard.language === '' || heard.language === language;
}
