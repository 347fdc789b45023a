import { byteTableOf, hashOf } from '../../base/byte-table.ts';
import { openFlatFile } from '../../base/flat-file.ts';

/** What a text sounds like. */
export interface Detected {
  /** ISO 639-1; empty if nothing in the text is known. */
  language: string;
  isReliable: boolean;
  /** From 0 to 1, of each language that anything speaks for, the highest first. */
  scores(): Readonly<Record<string, number>>;
}

const file = openFlatFile<{ codes: readonly string[]; usualScores: readonly number[] }>(
  new URL('../../gen/languages.bin', import.meta.url),
);
const { codes, usualScores } = file.note;
const ngrams = byteTableOf(file.bytes('keys'), file.words('keyStarts'));
/** The languages of each n-gram, and what it says for each of them. */
const languages = file.bytes('languages');
const scores = file.bytes('scores');
const scoreStarts = file.words('scoreStarts');
const letterOfByte = file.bytes('letterOfByte');
const isLetter = file.bytes('isLetter');

const unitsMax = 1_000;
// A text is read up to the first blank after so many bytes, and in any case no further than a letter after so many.
const bytesMax = 350;
const bytesAtMost = 380;
const wordBytesMax = 70;
const ngramBytes = 4;
const stride = 3;
/** The table holds what is above this. */
const scoreLeast = 53;
const scoreScale = 25;
const ngramsMin = 3;
/** What a text must have of the score that texts of its language usually have. */
const shareMin = 0.75;
const blank = 0x20;

// Of the text being read: its words, with blanks around them; the n-grams that occur, each once, and a hash table of these.
const letters = new Uint8Array(512);
const froms = new Int32Array(256);
const ends = new Int32Array(256);
const slots = new Int32Array(512);
const sums = new Int32Array(codes.length);
let count = 0;

/**
 * The language of a text, by the n-grams of its UTF-8, as the package `eld` detects it with its small database, which is where the numbers are from (`scripts/generate-languages.mjs`).
 * Reads some 350 bytes.
 */
export function detect(text: string): Detected {
  slots.fill(0);
  sums.fill(0);
  count = 0;
  readWords(separated(text.slice(0, unitsMax)).toLowerCase());
  let best = -1;
  for (let one = 0; one < codes.length; one++)
    if ((sums[one] as number) > 0 && (best < 0 || (sums[one] as number) > (sums[best] as number))) best = one;
  if (best < 0) return silent;
  return {
    language: codes[best] as string,
    isReliable: count >= ngramsMin && scaled(sums[best] as number, count) >= (usualScores[best] as number) * shareMin,
    scores: scoresOf(sums.slice(), count),
  };
}

const silent: Detected = { language: '', isReliable: false, scores: () => ({}) };

function scoresOf(found: Int32Array, among: number): Detected['scores'] {
  return () => {
    const each = Array.from(found, (sum, one) => [codes[one] as string, scaled(sum, among)] as const);
    return Object.fromEntries(each.filter(([, score]) => score > 0).sort((a, b) => b[1] - a[1]));
  };
}

function scaled(sum: number, among: number): number {
  const mean = sum / among;
  return mean / (mean + scoreScale);
}

/** A text with one blank for all that stands between two words, whose apostrophes stay. */
function separated(text: string): string {
  let words = '';
  for (let at = 0; at < text.length; ) {
    const from = at;
    while (at < text.length && isLetter[text.charCodeAt(at)] === 1) at++;
    words += text.slice(from, at);
    const gap = at;
    while (at < text.length && isLetter[text.charCodeAt(at)] === 0) at++;
    let kept = at;
    while (kept > gap && isApostrophe(text.charCodeAt(kept - 1))) kept--;
    words += kept > gap ? ` ${text.slice(kept, at)}` : text.slice(kept, at);
  }
  return words.trim();
}

function isApostrophe(unit: number): boolean {
  return unit === 0x27 || unit === 0x60 || unit === 0x2019;
}

function readWords(text: string): void {
  letters[0] = blank;
  let start = 1;
  let end = 1;
  let bytes = 0;
  for (let at = 0; at < text.length && bytes <= bytesAtMost; at++) {
    const unit = text.charCodeAt(at);
    if (unit === blank) {
      if (end > start) start = takeWord(start, end);
      end = start;
      if (bytes > bytesMax) return;
      bytes++;
      continue;
    }
    const before = end;
    if (unit < 0x80) letters[end++] = unit;
    else {
      if (unit < 0x800) letters[end++] = letterOfByte[0xc0 | (unit >> 6)] as number;
      else {
        letters[end++] = letterOfByte[0xe0 | (unit >> 12)] as number;
        letters[end++] = letterOfByte[0x80 | ((unit >> 6) & 0x3f)] as number;
      }
      letters[end++] = letterOfByte[0x80 | (unit & 0x3f)] as number;
    }
    bytes += end - before;
  }
  if (end > start) takeWord(start, end);
}

/** Takes the n-grams of a word: four bytes at every third place, and the last four. Returns where the next word starts. */
function takeWord(start: number, end: number): number {
  letters[end] = blank;
  const length = Math.min(end - start, wordBytesMax);
  let at = 0;
  for (; at + ngramBytes < length; at += stride) take(start + at - (at === 0 ? 1 : 0), start + at + ngramBytes);
  // A blank belongs to the n-grams at a word's ends.
  take(start + Math.max(0, length - ngramBytes) - (at === 0 ? 1 : 0), end + 1);
  return end + 1;
}

function take(from: number, end: number): void {
  if (!isNew(from, end)) return;
  const ngram = ngrams.indexOf(letters, from, end);
  if (ngram < 0) return;
  for (let at = scoreStarts[ngram] as number; at < (scoreStarts[ngram + 1] as number); at++) {
    const language = languages[at] as number;
    sums[language] = (sums[language] as number) + (scores[at] as number) + scoreLeast;
  }
}

function isNew(from: number, end: number): boolean {
  const mask = slots.length - 1;
  let slot = hashOf(letters, from, end) & mask;
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) if (isSame((slots[slot] as number) - 1, from, end)) return false;
  froms[count] = from;
  ends[count] = end;
  slots[slot] = ++count;
  return true;
}

function isSame(known: number, from: number, end: number): boolean {
  const start = froms[known] as number;
  if ((ends[known] as number) - start !== end - from) return false;
  for (let at = from; at < end; at++) if (letters[start + at - from] !== letters[at]) return false;
  return true;
}
