import { commonWordsIn } from './common-words.ts';
import { type Detected, detect as detectAnew } from './detector.ts';

export interface Heard {
  /** As in BCP 47, without a region; empty if it cannot be determined. */
  language: string;
  /** The share of the text in this language, 0-1. */
  share: number;
}

const wholeMax = 900;
const sliceUnits = 200;
const lettersMin = 3;
const invisible = /\p{Cf}/gu;

/**
 * The languages of a text, most frequent first. A long text is sampled at its beginning, middle and end, so that the time does
 * not grow with its length. If the detector is unsure, a language in `spoken` that it considers possible is preferred.
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

const recent = new Map<string, Detected>();
/** A text is asked for its languages, and then for the language of its reply. */
const recentMax = 6;

function detect(text: string): Detected {
  const known = recent.get(text);
  if (known) return known;
  const found = detectAnew(text);
  const [oldest] = recent.size < recentMax ? [] : recent.keys();
  if (oldest !== undefined) recent.delete(oldest);
  recent.set(text, found);
  return found;
}

const letter = /\p{L}/gu;

function hasLetters(text: string, least: number): boolean {
  letter.lastIndex = 0;
  for (let found = 0; found < least; found++) if (!letter.test(text)) return false;
  return true;
}

function languageOf(text: string, spoken: ReadonlySet<string>): string {
  if (!hasLetters(text, lettersMin)) return '';
  // Invisible characters split words into pieces that belong to no language.
  const seen = text.replace(invisible, '');
  const short = shortLanguageOf(seen, spoken);
  if (short !== undefined) return short;
  const heard = detect(seen);
  if (spoken.has(heard.language)) return heard.language;
  const close = closeLanguageOf(seen, spoken, heard.scores());
  if (close !== undefined) return close;
  if (heard.isReliable) return hasLetters(seen, certainLettersMin) ? heard.language : '';
  const possible = Object.entries(heard.scores()).filter(([language]) => spoken.has(language));
  // A name with a measurement is in no language.
  return possible.sort((a, b) => b[1] - a[1])[0]?.[0] ?? (seen.length > shortUnits ? heard.language : '');
}

// "Je vais te tuer" is Croatian by 0.74 to 0.69: so small a lead means nothing in a few words.
const closeShare = 0.92;

/** Of a short text that the detector gives to a language by a small lead, the spoken one that its words speak for. */
function closeLanguageOf(
  text: string,
  spoken: ReadonlySet<string>,
  scores: Readonly<Record<string, number>>,
): string | undefined {
  if (text.length > shortUnits) return undefined;
  const common = commonWordsIn(text);
  const least = closeShare * Math.max(...Object.values(scores));
  const close = Object.entries(scores).filter(
    ([language, score]) => spoken.has(language) && common.has(language) && score >= least,
  );
  return close.sort((a, b) => b[1] - a[1])[0]?.[0];
}

// Chat replies and titles: too short for a detector that counts letters.
const shortUnits = 60;
// With fewer letters, the detector is often sure and wrong.
const certainLettersMin = 12;

/** The language of a short text by its most common words; undefined if the detector should decide. */
function shortLanguageOf(text: string, spoken: ReadonlySet<string>): string | undefined {
  if (text.length > shortUnits) return undefined;
  if (hasLetters(text, certainLettersMin) && detect(text).isReliable) return undefined;
  const [first, second] = [...commonWordsIn(text)]
    .filter(([language]) => spoken.has(language))
    .sort((a, b) => b[1] - a[1]);
  if (first === undefined) return undefined;
  return second?.[1] === first[1] ? undefined : first[0];
}

// "60,000 miles" is Spanish to a detector that counts letters.
const measure =
  /\d[\d.,'’]*\s?(?:miles?|mi|kms?|b?hp|ps|ch|cv|kwh?|[gt]b|mah|[cm]?m|m²|m2|sq ?m|sq ?ft|ft|k?g|l|ccm?|mpg|inch|eur|gbp|usd|chf)?(?![\p{L}\d])/giu;
const beyondAscii = /[\u00c0-\u024f]/u;
// Names of cars and phones are given to some language by about as much.
const clearScore = 0.65;
const clearLead = 0.1;

/** The language of a text if it is certain: names, codes and measures have none. A long text is sampled, and most samples have to agree. */
export function certainLanguageOf(text: string): string | undefined {
  if (text.length <= wholeMax) return certainly(text);
  const [first = '', second = '', third = ''] = slicesOf(text);
  const [one, other] = [certainlyIn(first), certainlyIn(second)];
  if (one === other) return one;
  // Two of three are most.
  const last = certainlyIn(third);
  return last === one || last === other ? last : undefined;
}

function certainlyIn(slice: string): string | undefined {
  const heard = slice.replace(invisible, '');
  const found = detect(heard);
  return found.isReliable && hasLetters(heard, certainLettersMin) ? found.language : undefined;
}

function certainly(text: string): string | undefined {
  const heard = text.replace(invisible, '').replace(measure, ' ');
  if (!hasLetters(heard, certainLettersMin)) return undefined;
  const found = detect(heard);
  if (!found.isReliable) return undefined;
  const { language } = found;
  if (heard.length > shortUnits || beyondAscii.test(heard) || commonWordsIn(heard).has(language)) return language;
  const scores: Readonly<Record<string, number>> = found.scores();
  const score = scores[language] ?? 0;
  return score >= clearScore && score - (scores.en ?? 0) >= clearLead ? language : undefined;
}
