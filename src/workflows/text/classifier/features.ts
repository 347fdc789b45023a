import type { Token } from '../signs/index.ts';

/** What a passage is made of: words, pairs of neighbouring words, and parts of words. Each group weighs the same, however many it has. */
export const groups = 3;
const words = 0;
const pairs = 1;
const parts = 2;

/** Takes one feature: its group, its hash (32 bits), and the token that it ends with. */
export type Take = (group: number, hash: number, token: number) => void;

const partMin = 3;
const partMax = 5;
// Of longer words the beginning counts as well, so that inflected forms share something.
const stemmedFrom = 7;
const stemUnits = 5;
// Marks that keep the kinds of features apart.
const ofWord = 0x77;
const ofStem = 0x73;
const ofPair = 0x62;
const ofStems = 0x64;
const ofPart = 0x63;
const wordStart = 0x5e;
const wordEnd = 0x24;
const digitsWord = '#';

/**
 * Gives each feature of a passage, tokens `from` to before `to`, to `take`, as often as it occurs: the hashing trick
 * (Weinberger et al., 2009) over words, their beginnings, pairs of neighbours, and parts of 3 to 5 letters. All numbers are
 * the same word.
 */
export function featuresOf(tokens: readonly Token[], from: number, to: number, take: Take): void {
  let before: string | undefined;
  for (let at = from; at < to; at++) {
    const { forms, sentence } = tokens[at] as Token;
    const read = forms[1] ?? (forms[0] as string);
    const first = read.charCodeAt(0);
    const word = first >= 0x30 && first <= 0x39 ? digitsWord : read;
    const isInSentence = at > from && tokens[at - 1]?.sentence === sentence;
    take(words, finished(hashed(seedOf(ofWord), word, 0, word.length)), at);
    take(words, finished(stemmed(seedOf(ofStem), word)), at);
    if (isInSentence && before !== undefined) {
      take(pairs, finished(hashed(hashed(seedOf(ofPair), before, 0, before.length), word, 0, word.length)), at);
      take(pairs, finished(stemmed(stemmed(seedOf(ofStems), before), word)), at);
    }
    if (word.length > partMin) partsOf(word, at, take);
    before = word;
  }
}

function partsOf(word: string, token: number, take: Take): void {
  const { length } = word;
  // The place before the first letter and the one after the last count as signs of their own.
  for (let start = -1; start <= length + 1 - partMin; start++) {
    let hash = seedOf(ofPart);
    const stop = Math.min(length + 1, start + partMax);
    for (let at = start; at < stop; at++) {
      hash = mixed(hash, at < 0 ? wordStart : at === length ? wordEnd : word.charCodeAt(at));
      if (at - start + 1 >= partMin) take(parts, finished(hash), token);
    }
  }
}

function stemmed(hash: number, word: string): number {
  if (word.length < stemmedFrom) return hashed(hash, word, 0, word.length);
  return mixed(hashed(hash, word, 0, stemUnits), 0x7e);
}

/** FNV-1a; a separator follows each word. */
function hashed(hash: number, word: string, from: number, to: number): number {
  let result = hash;
  for (let at = from; at < to; at++) result = mixed(result, word.charCodeAt(at));
  return mixed(result, 0x20);
}

function seedOf(kind: number): number {
  return mixed(0x811c9dc5, kind);
}

function mixed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** Spreads a hash's bits, so that its low ones can be used alone (the finalizer of MurmurHash3, shortened). */
function finished(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (first ^ (first >>> 12)) >>> 0;
}
