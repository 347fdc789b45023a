import { wordsNumber } from './number-words.ts';

const readMax = 20_000;

/**
 * A text in lower case and without accents, with every letter at its original position, so that matches can be quoted from the
 * original. At most 20,000 characters: what a listing is about appears before that.
 */
export function plainText(text: string): string {
  const read = text.slice(0, readMax);
  if (!beyondAscii.test(read)) return read.toLowerCase();
  return read
    .replace(accentedOrCapital, plainLetter)
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .replace(/[’´]/g, "'")
    .replace(/[–—−]/g, '-');
}

const beyondAscii = /[^\0-\x7f]/;
const accentedOrCapital = /[^\0-\x7f]|[A-Z]+/gu;

function plainLetter(written: string): string {
  if (written < '\u0080') return written.toLowerCase();
  const letter = written.normalize('NFD')[0]?.toLowerCase() ?? written;
  return letter.length === written.length ? letter : written;
}

const longWord = /[a-z0-9&.'-]{64}/g;
// Looks only where a word begins, so that all others cost little.
const hasLongWord = /(?<![a-z0-9&.'-])[a-z0-9&.'-]{64}/;

/**
 * A plain text in which no word is longer than 63 characters: every 64th is replaced by a blank. From any position in a word,
 * a pattern may read on to its end, so a text that is one single word would take quadratic time.
 */
export function withShortWords(plain: string): string {
  return hasLongWord.test(plain) ? plain.replace(longWord, (part) => `${part.slice(0, -1)} `) : plain;
}

/**
 * A number as written in any of the four languages: 61,400, 61.400, 61 400, 61'400, 1.4 and 2,5. Part of a RegExp. At most five groups
 * of thousands: from each of many groups in a row, one without a bound would read on to the last.
 */
export const numeral = String.raw`\d{1,3}(?:[., ']\d{3}){1,5}(?!\d)(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?`;

/** The value of a numeral, with or without a word for thousands after it: 61k, 61 tsd, 61 mil, 61 tkm. */
export function amountOf(text: string): number {
  const thousands = /k\s*$|tsd|tausend|thousand|mil(?:le)?\b|tkm/.test(text) ? 1000 : 1;
  const digits = text.replace(/[^\d.,]/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const whole = digits.slice(0, Math.max(0, last)).replace(/[.,]/g, '');
  const part = digits.slice(last + 1);
  // No group of thousands comes after a nought, nor after four digits without a sign.
  const isWhole = last < 0 || /^[1-9]\d{0,2}([.,]\d{3})+$/.test(digits);
  const value = Number(isWhole ? `${whole}${part}` : `${whole}.${part}`) * thousands;
  return Math.round(value * 1e6) / 1e6;
}

// Small numbers in words, in English, German, Spanish and French.
const small: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
    'ein zwei drei vier funf sechs sieben acht neun zehn',
    'un dos tres cuatro cinco seis siete ocho nueve diez',
    'une deux trois quatre cinq six sept huit neuf dix',
  ].flatMap((line) => line.split(' ').map((word, at) => [word, at + 1] as const)),
);
Object.assign(small, {
  eine: 1,
  a: 1,
  single: 1,
  double: 2,
  una: 1,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
});

export const smallWords = Object.keys(small)
  .filter((word) => word.length > 1)
  .join('|');

/** A small number in digits or words: "2", "two", "thirty-four". NaN for anything else. */
export function countOf(text: string): number {
  if (/\d/.test(text)) return amountOf(text);
  return small[text] ?? wordsNumber(text);
}
