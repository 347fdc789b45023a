import { countOf, numeral, smallWords } from '../plain-text.ts';

export type Kind = 'vehicles' | 'property' | 'electronics' | 'jobs' | 'services' | 'furniture' | 'fashion' | 'generic';

export type FactType = 'number' | 'text' | 'choice' | 'boolean' | 'date';

/** Reads a fact's value from a match; what it may be is told where the reader knows it. */
export interface FactReader {
  (match: RegExpExecArray, text: string): string | undefined;
  type?: FactType;
  choices?: readonly string[];
}

/** How a fact is read from a text in lower case and without accents: the first of `read` that is not undefined counts. */
export interface FactPattern {
  fact: string;
  /** That of `read` when absent; a text when neither tells. */
  type?: FactType;
  /** Of what kinds of things it is a fact; empty: of all. */
  kinds: readonly Kind[];
  pattern: RegExp;
  read: FactReader;
  /** Names of attributes that give it, in lower case and letters only. */
  fields?: readonly string[];
}

/** A number, as a group. */
export const N = `(${numeral})`;
/** A small number, in digits or as a word, as a group. */
export const COUNT = `(\\d{1,3}(?:[.,]\\d)?|${smallWords})`;
/** A year of 1930 to 2099, as a group. */
export const YEAR = '((?:19[3-9]|20[0-9])\\d)';

/** The words before a match, in which something else may be said of its number. */
export function before(text: string, match: RegExpExecArray, units = 24): string {
  return text.slice(Math.max(0, match.index - units), match.index);
}

/** The words after a match. */
export function after(text: string, match: RegExpExecArray, units = 20): string {
  return text.slice(match.index + match[0].length, match.index + match[0].length + units);
}

/** The number of the first or second group, where it can be one. */
export function numberWithin(least: number, most: number): FactReader {
  const read = (match: RegExpExecArray): string | undefined => {
    const value = countOf(match[1] ?? match[2] ?? '');
    return value >= least && value <= most ? String(value) : undefined;
  };
  return Object.assign(read, { type: 'number' as const });
}

/** The first choice whose words are in the match. */
export function oneOf(words: Readonly<Record<string, RegExp>>): FactReader {
  const read = (match: RegExpExecArray): string | undefined =>
    Object.entries(words).find(([, known]) => known.test(match[0]))?.[0];
  return Object.assign(read, { type: 'choice' as const, choices: Object.keys(words) });
}

/** What a "not" stands before is not so. */
export function unlessNegated(words: Readonly<Record<string, RegExp>>): FactReader {
  const known = oneOf(words);
  const read = (match: RegExpExecArray, text: string): string | undefined =>
    /\b(?:not|no|nicht|kein|keine[nrs]?|ohne|no es|sin|pas(?: de)?|sans|without)(?: (?:any|a|single|quite|exactly|really|ganz|como|exactement|ni un|un|une|aucune?))? $/.test(
      before(text, match, 22),
    )
      ? undefined
      : known(match, text);
  return Object.assign(read, { type: 'choice' as const, choices: Object.keys(words) });
}
