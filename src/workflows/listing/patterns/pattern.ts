import { countOf, numeral, smallWords } from '../plain-text.ts';

export type Kind = 'vehicles' | 'property' | 'electronics' | 'jobs' | 'services' | 'furniture' | 'fashion' | 'generic';

export type FactType = 'number' | 'text' | 'choice' | 'boolean' | 'date';

/** Reads a fact's value from a match, with the value's type and choices if the reader knows them. */
export interface FactReader {
  (match: RegExpExecArray, text: string): string | undefined;
  type?: FactType;
  choices?: readonly string[];
  /** The choice of a field that holds little more than the choice itself. */
  choose?(plain: string): string | undefined;
}

/** A reader that knows all its choices. */
export type ChoiceReader = FactReader & Required<Pick<FactReader, 'type' | 'choices' | 'choose'>>;

/** How to read a fact from a text in lower case and without accents: the first defined result of `read` counts. */
export interface FactPattern {
  fact: string;
  /** If absent, that of `read`; text if neither is given. */
  type?: FactType;
  /** The kinds of things that have this fact; empty: all. */
  kinds: readonly Kind[];
  pattern: RegExp;
  /** What every match of a slow `pattern` contains: a text without it is not searched with `pattern` at all. */
  needs?: RegExp;
  read: FactReader;
  /** Names of attributes that state it, in lower case and letters only. */
  fields?: readonly string[];
  /** Attributes that may state something else as well: their value counts if it reads like prose. */
  mayState?: readonly string[];
  /** Read from the first line only: elsewhere its words mean too many other things. */
  inTitle?: boolean;
  /** Only looked for if the text has not told the fact by a pattern before. */
  unlessSaid?: boolean;
  /** Also read from the listing's category, if neither a field nor the text states it. */
  inCategory?: boolean;
  /** If given, a value after a "not" does not count; what is stated then, by value. */
  denied?: Readonly<Record<string, string>>;
  /** A name: its value is what the listing says, with its capitals and accents, and all of a field. */
  asWritten?: boolean;
  /**
   * `pattern` matches the words before a name that only its capitals tell: how long the name is with which the rest of the text begins, as the
   * listing writes it; 0: there is none. The name becomes a part of the match, and its first group.
   */
  nameAfter?: (written: string) => number;
  /** What a thing of that name is called, by the words that were found with it; empty: they only describe it. */
  called?: (found: string, name: string) => string;
}

/** A number, as a group. */
export const N = `(${numeral})`;
/** A small number, in digits or as a word, as a group. */
export const COUNT = `(\\d{1,3}(?:[.,]\\d)?|${smallWords})`;
/** A year of 1930 to 2099, as a group. */
export const YEAR = '((?:19[3-9]|20[0-9])\\d)';

/** The words before a match, which may give its number another meaning. */
export function before(text: string, match: RegExpExecArray, units = 24): string {
  return text.slice(Math.max(0, match.index - units), match.index);
}

/** Like `before`, but no farther than the match's own sentence. "Max." and its like end none. */
export function beforeInSentence(text: string, match: RegExpExecArray, units = 24): string {
  const words = before(text, match, units);
  const end = sentenceEnd.exec(words);
  return end ? words.slice(end[0].length) : words;
}

const sentenceEnd = /^.*(?:[!?;\n]|(?<!\b(?:ca|max|min|env|aprox|approx|bis|tot|nr))\.) /s;

/** The words after a match. */
export function after(text: string, match: RegExpExecArray, units = 20): string {
  return text.slice(match.index + match[0].length, match.index + match[0].length + units);
}

/** The number in the first or second group, if it is within bounds. */
export function numberWithin(least: number, most: number): FactReader {
  const read = (match: RegExpExecArray): string | undefined => {
    const value = countOf(match[1] ?? match[2] ?? '');
    return value >= least && value <= most ? String(value) : undefined;
  };
  return Object.assign(read, { type: 'number' as const });
}

/** The first choice whose words are in the match. */
export function oneOf(words: Readonly<Record<string, RegExp>>): ChoiceReader {
  const known = Object.entries(words);
  const read = (match: RegExpExecArray): string | undefined => known.find(([, one]) => one.test(match[0]))?.[0];
  return Object.assign(read, {
    type: 'choice' as const,
    choices: Object.keys(words),
    // A choice for everything else says nothing about a word that is not known.
    choose: (plain: string) => known.find(([, one]) => one.source !== '.' && one.test(plain))?.[0],
  });
}

/** Like `oneOf`, but a match after a "not" does not count. */
export function unlessNegated(words: Readonly<Record<string, RegExp>>): ChoiceReader {
  const known = oneOf(words);
  const read = (match: RegExpExecArray, text: string): string | undefined =>
    /\b(?:not|no|nicht|kein|keine[nrs]?|ohne|no es|sin|pas(?: de)?|sans|without)(?: (?:any|a|single|quite|exactly|really|ganz|como|exactement|ni un|un|une|aucune?))? $/.test(
      before(text, match, 22),
    )
      ? undefined
      : known(match, text);
  const { type, choices, choose } = known;
  return Object.assign(read, { type, choices, choose });
}
