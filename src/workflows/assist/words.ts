import { foldText } from '../../base/text/fold.ts';
import { type AssistPack, readAssistPacks } from '../packs/assist-pack.ts';
import type { MessageLanguage } from '../packs/risk-messages.ts';
import type { Token } from '../text/signs/index.ts';

/** Where an entry of a word list appears in a text: the index of its first word, and how many words it has. */
export interface Place {
  at: number;
  length: number;
}

/** A searchable list of words. `*` matches any beginning or ending of a word; a blank separates consecutive words. */
export interface WordList {
  find(tokens: readonly Token[]): Place[];
}

export function wordList(patterns: readonly string[]): WordList {
  const compiled = patterns.map((pattern) => pattern.split(' ').map(compileWord));
  return {
    find(tokens) {
      const places: Place[] = [];
      for (let at = 0; at < tokens.length; at++)
        for (const words of compiled)
          if (at + words.length <= tokens.length && words.every((fits, next) => fits(tokens[at + next] as Token)))
            places.push({ at, length: words.length });
      return places;
    },
  };
}

function compileWord(pattern: string): (token: Token) => boolean {
  const isOpenBefore = pattern.startsWith('*');
  const isOpenAfter = pattern.endsWith('*');
  const word = foldText(pattern.replaceAll('*', ''));
  const fits = (form: string) => {
    if (isOpenBefore && isOpenAfter) return form.includes(word);
    if (isOpenBefore) return form.endsWith(word);
    return isOpenAfter ? form.startsWith(word) : form === word;
  };
  return ({ forms }) => forms.some(fits);
}

/** A pack's lists, ready for searching. */
export interface Words {
  language: MessageLanguage;
  pack: AssistPack;
  lists: Readonly<Record<keyof AssistPack['words'], WordList>>;
  levels: Readonly<Record<keyof AssistPack['levels'], WordList>>;
  accusations: Readonly<Record<keyof AssistPack['accusations'], WordList>>;
}

const packs = readAssistPacks();
const compiled: ReadonlyMap<MessageLanguage, Words> = new Map(
  [...packs].map(([language, pack]) => [
    language,
    {
      language,
      pack,
      lists: listsOf(pack.words),
      levels: listsOf(pack.levels),
      accusations: listsOf(pack.accusations),
    },
  ]),
);

/** The words of a language. */
export function wordsIn(language: MessageLanguage): Words {
  const words = compiled.get(language);
  if (!words) throw new Error(`no words for ${language}`);
  return words;
}

/** The words of all languages: what must never be said is searched for in each of them. */
export const allWords: readonly Words[] = [...compiled.values()];

function listsOf<Name extends string>(lists: Readonly<Record<Name, readonly string[]>>): Record<Name, WordList> {
  const entries = Object.entries(lists) as [Name, readonly string[]][];
  return Object.fromEntries(entries.map(([name, patterns]) => [name, wordList(patterns)])) as Record<Name, WordList>;
}
