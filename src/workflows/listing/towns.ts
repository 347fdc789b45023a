import { z } from 'zod';
import { readPack } from '../packs/read.ts';
import { plainText } from './plain-text.ts';

// Towns that are known by name, so that a listing may name them without a word for a place.

const lists = readPack(
  'listing/towns.yaml',
  z.strictObject({ names: z.array(z.string()), words: z.array(z.string()) }),
);

/** Towns by the first word of their names, the longest first. */
type Towns = ReadonlyMap<string, readonly string[]>;

const firstWord = /^[a-z']+/;

function byFirstWord(names: readonly string[]): Towns {
  const found = new Map<string, string[]>();
  for (const name of [...new Set(names)].sort((one, other) => other.length - one.length)) {
    const [word = ''] = firstWord.exec(name) ?? [];
    found.set(word, [...(found.get(word) ?? []), name]);
  }
  return found;
}

const names = byFirstWord(lists.names);
const namesAndWords = byFirstWord([...lists.names, ...lists.words]);

const written = /^(?:(?:[A-Z]{1,2}-)?\d{4,5} )?(?=\p{Lu})/u;
const longest = 40;

/** How long the name of a known town is with which a text begins, with a postcode before it; 0: it begins with none. */
function lengthOf(towns: Towns, text: string): number {
  const [code] = written.exec(text) ?? [];
  if (code === undefined) return 0;
  const rest = text.slice(code.length, code.length + longest);
  const plain = plainText(rest);
  const [word = ''] = firstWord.exec(plain) ?? [];
  const name = towns.get(word)?.find((one) => plain.startsWith(one) && !/^[a-z0-9]/.test(plain.slice(one.length)));
  const length = name?.length ?? withTwoLetters(towns, word);
  if (length === 0) return 0;
  // A part of the town: Leipzig-Plagwitz.
  const [part = ''] = /^(?:-\p{L}+)+/u.exec(rest.slice(length)) ?? [];
  return code.length + length + part.length;
}

/** Muenchen, Koeln: letters with two dots as keyboards without them write them. */
function withTwoLetters(towns: Towns, word: string): number {
  const name = word.replace(/([aou])e/g, '$1');
  return name !== word && towns.get(name)?.includes(name) ? word.length : 0;
}

/** A town whose name is nothing else. */
export const townAtStart = (text: string) => lengthOf(names, text);

/** A town after a preposition, whose name may also be a word. */
export const townAfterPreposition = (text: string) => lengthOf(namesAndWords, text);
