import { isUnspacedUnit } from '../../../base/text/words.ts';
import type { Contractions } from './contractions.ts';
import { wordsOf } from './tokens.ts';

/** One word of a pattern: matches any of its atoms. */
export interface Step {
  atoms: number[];
  optional: boolean;
  /** How many other words may come before it. */
  gap: number;
}

/** Consecutive words, with gaps. */
export interface Sequence {
  id: number;
  steps: Step[];
}

export interface Part {
  sequence: number;
  /** Where it must be, relative to the first part: in its sentence, or within two sentences of it. */
  reach: 'sentence' | 'near';
  absent: boolean;
}

/** An atom that was found, and how many words it covers; none if it is the first of those that one word stands for. */
export interface Hit {
  atom: number;
  words: number;
}

/** A class member or an alternative of several words. */
export interface Compound extends Hit {
  /** The atoms of its words from the third on. */
  rest: readonly number[];
  /** Its place among those that begin with the same word. */
  order: number;
}

/** The atoms of a word, by the whole word, its beginning or its end. */
export interface Lexicon {
  whole: Map<string, number[]>;
  beginnings: Map<string, number[]>;
  ends: Map<string, number[]>;
  /** By the atom of their first word, then by that of their second. */
  compounds: Map<number, Map<number, Compound[]>>;
  /** By atom, whether a compound begins with it. */
  beginsCompound: boolean[];
  /** Cached hits of words already looked up, shared by all their places. */
  remembered: Map<string, readonly Hit[]>;
  /** How words are written together in the language of the signs. */
  contractions: Contractions | undefined;
}

export interface Compiler {
  lexicon: Lexicon;
  sequences: Sequence[];
  /** Adds a word class; patterns refer to it as `@name`. */
  defineClass(name: string, members: readonly string[]): void;
  /** Compiles a pattern. Throws if it is invalid, with the pattern in the message. */
  compile(pattern: string): Part[];
  atomOfClass(name: string): number | undefined;
  /** All atoms are below this. */
  atomsEnd(): number;
}

/** Stands for any number. */
export const numberAtom = 0;
/** Stands for any word that mixes letters and digits, as passwords do; atoms of words follow. */
export const mixedAtom = 1;
/** Beginnings and ends of words are looked up to this length. */
export const affixMax = 20;
const shortGap = 4;
const longGap = 9;
/** In scripts without blanks, each character is read as a word. */
export const charactersOfAWord = 2;

/**
 * Compiles sign patterns.
 *
 * Consecutive words are separated by blanks. `pay*` is a beginning, `*konto` an end, `a|b*|@class` any of these, `?the` an
 * optional word, `#` a number, `##` a word of letters and digits. `..` stands for up to four other words, `...` for up to nine; neither passes over a negation or
 * the end of a sentence. `A & B`: both in one sentence, in any order; `A && B`: within two sentences of each other; `! C` and
 * `!! C`: not there.
 */
export function createCompiler(contractions?: Contractions): Compiler {
  const lexicon: Lexicon = {
    whole: new Map(),
    beginnings: new Map(),
    ends: new Map(),
    compounds: new Map(),
    beginsCompound: [],
    remembered: new Map(),
    contractions,
  };
  const atoms = new Map<string, number>();
  const classes = new Map<string, number>();
  const sequences: Sequence[] = [];
  const known = new Map<string, number>();
  /** How many compounds begin with each word. */
  const counts = new Map<number, number>();
  let next = mixedAtom + 1;

  function atomOf(word: string): number {
    if (word === '#') return numberAtom;
    if (word === '##') return mixedAtom;
    const folded = foldedWord(word);
    const found = atoms.get(folded);
    if (found !== undefined) return found;
    const atom = next++;
    atoms.set(folded, atom);
    enter(folded, atom);
    return atom;
  }

  function enter(folded: string, atom: number): void {
    if (folded.includes('*') && folded.length > affixMax + 1)
      throw new Error(`"${folded}" is too long a part of a word`);
    if (folded.endsWith('*')) add(lexicon.beginnings, folded.slice(0, -1), atom);
    else if (folded.startsWith('*')) add(lexicon.ends, folded.slice(1), atom);
    else add(lexicon.whole, folded, atom);
  }

  function atomOfPhrase(words: readonly string[]): number {
    const key = words.join(' ');
    const found = atoms.get(key);
    if (found !== undefined) return found;
    const atom = next++;
    atoms.set(key, atom);
    enterCompound(words.flatMap(splitWords), atom);
    return atom;
  }

  /** Each character is a word. */
  function atomOfUnspaced(text: string): number {
    const words = splitWords(text);
    return words.length === 1 ? atomOf(text) : atomOfPhrase(words);
  }

  function enterCompound(words: readonly string[], atom: number): void {
    const [head, second, ...rest] = words.map(atomOf) as [number, number?, ...number[]];
    if (second === undefined) throw new Error(`"${words.join(' ')}" is one word`);
    const bySecond = lexicon.compounds.get(head) ?? new Map<number, Compound[]>();
    lexicon.compounds.set(head, bySecond);
    lexicon.beginsCompound[head] = true;
    const order = counts.get(head) ?? 0;
    counts.set(head, order + 1);
    bySecond.set(second, [...(bySecond.get(second) ?? []), { atom, words: words.length, rest, order }]);
  }

  function defineClass(name: string, members: readonly string[]): void {
    const atom = classes.get(name) ?? next++;
    classes.set(name, atom);
    for (const member of members) {
      const words = splitWords(member);
      const [first] = words;
      if (first === undefined) continue;
      if (words.length === 1) {
        enter(foldedWord(first), atom);
        continue;
      }
      enterCompound(words, atom);
    }
  }

  function alternatives(word: string, pattern: string): number[] {
    return word.split('|').map((one) => {
      if (one.includes('+')) return atomOfPhrase(one.split('+'));
      if (isUnspaced(one)) return atomOfUnspaced(one);
      if (!one.startsWith('@')) return atomOf(one);
      const atom = classes.get(one.slice(1));
      if (atom === undefined) throw new Error(`the pattern "${pattern}" names the class ${one}, which is not there`);
      return atom;
    });
  }

  function sequenceOf(text: string, pattern: string): number {
    const found = known.get(text);
    if (found !== undefined) return found;
    const steps: Step[] = [];
    const wordUnits = isUnspaced(text) ? charactersOfAWord : 1;
    let gap = 0;
    for (const word of text.trim().split(/\s+/)) {
      if (word === '..' || word === '...') {
        gap = (word === '..' ? shortGap : longGap) * wordUnits;
        continue;
      }
      const optional = word.startsWith('?') && word.length > 1;
      const bare = optional ? word.slice(1) : word;
      const pieces = /^##?$|[|@+]/.test(bare) ? [bare] : splitWords(bare);
      for (const piece of pieces) {
        steps.push({ atoms: alternatives(piece, pattern), optional, gap });
        gap = 0;
      }
    }
    if (steps.length === 0 || steps[0]?.optional) throw new Error(`the pattern "${pattern}" begins with nothing`);
    const id = sequences.length;
    sequences.push({ id, steps });
    known.set(text, id);
    return id;
  }

  function compile(pattern: string): Part[] {
    const parts: Part[] = [];
    for (const [, sign, text] of `& ${pattern}`.matchAll(/(&&|&|!!|!)\s+((?:(?!\s(?:&&|&|!!|!)\s).)+)/g))
      parts.push({
        sequence: sequenceOf((text as string).trim(), pattern),
        reach: sign === '&&' || sign === '!!' ? 'near' : 'sentence',
        absent: (sign as string).startsWith('!'),
      });
    if (parts.length === 0) throw new Error(`the pattern "${pattern}" is empty`);
    return parts;
  }

  return { lexicon, sequences, defineClass, compile, atomOfClass: (name) => classes.get(name), atomsEnd: () => next };
}

/** Whether a text has characters of a script without blanks. */
export function isUnspaced(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isUnspacedUnit(text.charCodeAt(at))) return true;
  return false;
}

function add(map: Map<string, number[]>, word: string, atom: number): void {
  const known = map.get(word);
  if (!known) map.set(word, [atom]);
  else if (!known.includes(atom)) known.push(atom);
}

function splitWords(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      if (word.includes('|') || word === '#' || word === '##') return [word];
      const words = wordsOf(word.replaceAll('*', ''));
      if (word.endsWith('*') && words.length > 0) words[words.length - 1] += '*';
      if (word.startsWith('*') && words.length > 0) words[0] = `*${words[0]}`;
      return words;
    });
}

function foldedWord(word: string): string {
  const [folded] = wordsOf(word.replaceAll('*', ''));
  if (folded === undefined) throw new Error(`"${word}" is no word`);
  return word.endsWith('*') ? `${folded}*` : word.startsWith('*') ? `*${folded}` : folded;
}
