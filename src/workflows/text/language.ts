import { eld } from 'eld/small';

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

function languageOf(text: string, spoken: ReadonlySet<string>): string {
  if ((text.match(/\p{L}/gu) ?? []).length < lettersMin) return '';
  // Invisible characters cut words into pieces that belong to no language.
  const heard = eld.detect(text.replace(invisible, ''));
  if (spoken.has(heard.language) || heard.isReliable()) return heard.language;
  const possible = Object.entries(heard.getScores()).filter(([language]) => spoken.has(language));
  return possible.sort((a, b) => b[1] - a[1])[0]?.[0] ?? heard.language;
}

const certainUnits = 900;
const certainLettersMin = 12;

/**
 * The language of a text, where the detector is sure of it: names and codes are in none. A long text is heard at its
 * beginning.
 */
export function certainLanguageOf(text: string): string | undefined {
  const heard = text.slice(0, certainUnits).replace(invisible, '');
  if ((heard.match(/\p{L}/gu) ?? []).length < certainLettersMin) return undefined;
  const found = eld.detect(heard);
  return found.isReliable() ? found.language : undefined;
}
