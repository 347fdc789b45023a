import { eld } from 'eld/small';
import { commonWordsIn } from './common-words.ts';

export interface Heard {
  /** As BCP 47 writes it, without a region; empty when it cannot be told. */
  language: string;
  /** The share of the text that is in it, 0-1. */
  share: number;
}

const wholeMax = 900;
const sliceUnits = 300;
const lettersMin = 3;
const invisible = /\p{Cf}/gu;

/**
 * The languages of a text, the most frequent first. A long text is heard at its beginning, its middle and its end, so that
 * the time does not grow with it. Where the detector is unsure, one of `spoken` that it finds possible is preferred.
 */
export function languagesOf(text: string, spoken: ReadonlySet<string>): Heard[] {
  const slices = slicesOf(text);
  const counts = new Map<string, number>();
  for (const slice of slices) {
    const language = languageOf(slice, spoken);
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .map(([language, count]) => ({ language, share: count / slices.length }))
    .sort((a, b) => b.share - a.share);
}

function slicesOf(text: string): string[] {
  if (text.length <= wholeMax) return [text];
  const middle = (text.length - sliceUnits) >> 1;
  return [0, middle, text.length - sliceUnits].map((from) => text.slice(from, from + sliceUnits));
}

function lettersIn(text: string): number {
  return (text.match(/\p{L}/gu) ?? []).length;
}

function languageOf(text: string, spoken: ReadonlySet<string>): string {
  if (lettersIn(text) < lettersMin) return '';
  // Invisible characters cut words into pieces that belong to no language.
  const seen = text.replace(invisible, '');
  const short = shortLanguageOf(seen, spoken);
  if (short !== undefined) return short;
  const heard = eld.detect(seen);
  if (spoken.has(heard.language)) return heard.language;
  if (heard.isReliable()) return lettersIn(seen) < certainLettersMin ? '' : heard.language;
  const possible = Object.entries(heard.getScores()).filter(([language]) => spoken.has(language));
  // A name and a measure are in no language.
  return possible.sort((a, b) => b[1] - a[1])[0]?.[0] ?? (seen.length > shortUnits ? heard.language : '');
}

// What people answer in a chat, and titles: too little for a detector that counts letters.
const shortUnits = 60;
// Of fewer letters the detector is often sure, and wrong.
const certainLettersMin = 12;

/** The language of a short text by its commonest words; undefined where the detector is to say. */
function shortLanguageOf(text: string, spoken: ReadonlySet<string>): string | undefined {
  if (text.length > shortUnits) return undefined;
  if (lettersIn(text) >= certainLettersMin && eld.detect(text).isReliable()) return undefined;
  const [first, second] = [...commonWordsIn(text)]
    .filter(([language]) => spoken.has(language))
    .sort((a, b) => b[1] - a[1]);
  if (first === undefined) return undefined;
  return second?.[1] === first[1] ? undefined : first[0];
}

const certainUnits = 900;

/**
 * The language of a text, where the detector is sure of it: names and codes are in none. A long text is heard at its
 * beginning.
 */
export function certainLanguageOf(text: string): string | undefined {
  const heard = text.slice(0, certainUnits).replace(invisible, '');
  if (lettersIn(heard) < certainLettersMin) return undefined;
  const found = eld.detect(heard);
  return found.isReliable() ? found.language : undefined;
}
