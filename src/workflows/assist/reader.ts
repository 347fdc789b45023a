import { isMessageLanguage, type MessageLanguage, messageLanguages } from '../packs/risk-messages.ts';
import { languagesOf } from '../text/language.ts';

const spoken: ReadonlySet<string> = new Set(messageLanguages);
// Fewer than 20 letters are names and codes more often than a language. No further letter of a long text is looked for.
const enoughLetters = /(?:\p{L}\P{L}*){20}/u;

/**
 * The language in which a reply's reader is spoken to: the locale's, else the material's, else English. Undefined when it
 * is one in which a model's texts cannot be checked.
 */
export function readerOf(locale: string, material: string): MessageLanguage | undefined {
  const named = locale.split(/[-_]/)[0]?.toLowerCase() ?? '';
  if (named === '' && !enoughLetters.test(material)) return 'en';
  const language = named === '' ? (languagesOf(material, spoken)[0]?.language ?? '') : named;
  if (language === '') return 'en';
  return isMessageLanguage(language) ? language : undefined;
}

/** Whether a sentence is in a language; where there are hardly any letters, it is in all. */
export function isIn(language: MessageLanguage, sentence: string): boolean {
  const [heard] = languagesOf(sentence, spoken);
  return heard === undefined || heard.language === '' || heard.language === language;
}
