import { foldText } from '../../base/text/fold.ts';
import { type DraftLanguage, draftLanguages } from '../packs/draft-language.ts';
import { abbreviates, ideasOfWord, nameSpellings, wordsIn, wordsOfIdeas } from '../packs/draft-names.ts';

/** A word of a name as a language spells it. */
interface Spelling {
  text: string;
  isNoun: boolean;
}

const spellings: ReadonlyMap<DraftLanguage, ReadonlyMap<string, Spelling>> = new Map(
  draftLanguages.map((language) => [
    language,
    new Map(
      nameSpellings[language].map((written) => {
        const text = written.replace('~', '');
        return [foldText(text).replace('-', ''), { text, isNoun: text === written }];
      }),
    ),
  ]),
);

/** How each language says an idea. */
const translated: ReadonlyMap<DraftLanguage, ReadonlyMap<string, Spelling>> = new Map(
  [...spellings].map(([language, known]) => [
    language,
    new Map(
      [...wordsOfIdeas].flatMap(([idea, words]) => {
        const spelling = words.map((word) => known.get(word)).find((one) => one !== undefined);
        return spelling === undefined ? [] : [[idea, spelling] as const];
      }),
    ),
  ]),
);

/** Whether a name is written for software, not for people. */
export function isCode(name: string): boolean {
  return /[\p{L}\d][_.][\p{L}\d]|\p{Ll}\p{Lu}|^\p{L}+-\p{L}+$/u.test(name) && !/\s/.test(name);
}

/**
 * A name that software gives, as the reader would write it: each word spelt as the language does ("duree_estimee" is "durée estimée"),
 * an abbreviation written in full, and a word of another language translated where that is known.
 */
export function inWords(name: string, language: DraftLanguage): string {
  const known = spellings.get(language) as ReadonlyMap<string, Spelling>;
  const acronyms = new Set(
    (name.match(/(?<!\p{L})\p{Lu}{2,5}(?!\p{L})|(?<=\p{Ll})\p{Lu}{2,5}$/gu) ?? []).map(foldText),
  );
  let foreign = 0;
  const words = wordsIn(name).map((word): Spelling => {
    const own = ownSpelling(word, known);
    if (own !== undefined) return own;
    const meant = ideasOfWord(word)
      .map((idea) => translated.get(language)?.get(idea))
      .find((spelling) => spelling !== undefined);
    if (meant !== undefined) {
      foreign++;
      return meant;
    }
    if (acronyms.has(word)) return { text: word.toUpperCase(), isNoun: true };
    return abbreviated(word, known) ?? { text: word, isNoun: false };
  });
  // English and German put the more general word last, Spanish and French first.
  if ((language === 'es' || language === 'fr') && foreign * 2 > words.length) words.reverse();
  return joined(words, language);
}

function ownSpelling(word: string, known: ReadonlyMap<string, Spelling>): Spelling | undefined {
  const plain = known.get(word) ?? known.get(word.replaceAll(/([aou])e/g, '$1'));
  if (plain !== undefined) return plain;
  const one = known.get(word.replace(/s$/, ''));
  return one === undefined || !one.isNoun ? undefined : { ...one, text: `${one.text}s` };
}

function abbreviated(word: string, known: ReadonlyMap<string, Spelling>): Spelling | undefined {
  if (word.length < abbreviationMin) return undefined;
  const [found] = [...known].filter(([full]) => abbreviates(word, full));
  return found?.[1];
}

const abbreviationMin = 3;

function joined(words: readonly Spelling[], language: DraftLanguage): string {
  return words
    .map(({ text, isNoun }, index) => {
      const before = words[index - 1];
      if (before === undefined) return text;
      if (!isNoun || !before.isNoun) return ` ${text}`;
      if (language === 'de') return `-${text}`;
      if (language === 'es') return ` de ${text}`;
      if (language === 'fr') return /^[aeiouyéèêâîôûh]/i.test(text) ? ` d’${text}` : ` de ${text}`;
      return ` ${text}`;
    })
    .join('');
}
