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
  let isAfterAdjective = false;
  const spell = (word: string): Spelling => {
    const own = ownSpelling(word, known, language);
    if (own !== undefined) return own;
    // Only a word that another language spells is foreign, or one that is short for another.
    const meant = (word.length < 4 || isForeign(word, language) ? ideasOfWord(word) : [])
      .map((idea) => translated.get(language)?.get(idea))
      .find((spelling) => spelling !== undefined);
    if (meant !== undefined) {
      foreign++;
      return meant;
    }
    if (acronyms.has(word)) return { text: word.toUpperCase(), isNoun: true };
    const text = accented(word, language);
    // In German, what an adjective stands before is a noun.
    const isNoun = language === 'de' && isAfterAdjective;
    return abbreviated(word, known) ?? { text: isNoun ? capital(text) : text, isNoun };
  };
  const words = wordsIn(name).map((word) => {
    const spelling = spell(word);
    isAfterAdjective = !spelling.isNoun && ownSpelling(word, known, language) !== undefined;
    return spelling;
  });
  // English and German put the more general word last, Spanish and French first.
  if ((language === 'es' || language === 'fr') && foreign * 2 > words.length) words.reverse();
  return joined(words, language);
}

function isForeign(word: string, language: DraftLanguage): boolean {
  return draftLanguages.some((one) => one !== language && spelt(word, one));
}

function spelt(word: string, language: DraftLanguage): boolean {
  const known = spellings.get(language);
  return known?.has(word) === true || known?.has(word.replace(/s$/, '')) === true;
}

/** What any word of a language is spelt like, known or not: software writes "habilitacion" and "geoeffnet". */
function accented(word: string, language: DraftLanguage): string {
  if (language === 'es') return word.replace(/(?<=.[cs])ion$/, 'ión');
  // "Neue", "Quelle" and "aktuell" have no umlaut.
  if (language === 'de') return word.replace(/(?<![aouq])[ao]e|(?<![aeiouq])ue(?!ll)/g, (two) => umlauts[two] ?? two);
  return word;
}

const umlauts: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü' };

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function ownSpelling(
  word: string,
  known: ReadonlyMap<string, Spelling>,
  language: DraftLanguage,
): Spelling | undefined {
  const plain = known.get(word) ?? known.get(word.replaceAll(/([aou])e/g, '$1'));
  if (plain !== undefined) return plain;
  const one = known.get(word.replace(/s$/, ''));
  const isPlural = one !== undefined && (one.isNoun || language === 'es' || language === 'fr');
  return isPlural ? { ...one, text: `${one.text}s` } : undefined;
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
