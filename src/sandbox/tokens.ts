import { O200K_TOKEN_SPLIT_REGEX as words } from 'gpt-tokenizer/encodingParams/constants';
import { hashOf } from '../base/byte-table.ts';
import { createMerger } from './merge.ts';
import { readO200k } from './vocabulary.ts';

/** Texts are counted in pieces of at most this many UTF-16 units. */
export const tokenPieceUnits = 4_096;

const vocabulary = readO200k();
const mergedTokens = createMerger(vocabulary);
/** The bytes of one word. */
let bytes = new Uint8Array(256);

/** Counts a piece's tokens with OpenAI's o200k vocabulary. Text that looks like a special token is plain text. */
export function countPiece(piece: string): number {
  let tokens = 0;
  words.lastIndex = 0;
  // Each character belongs to a word.
  for (let from = 0; words.test(piece); from = words.lastIndex) tokens += tokensOfWord(piece, from, words.lastIndex);
  return tokens;
}

function tokensOfWord(text: string, from: number, to: number): number {
  const length = encode(text, from, to);
  if (vocabulary.indexOf(bytes, 0, length) !== -1) return 1;
  return length > rememberedBytes ? mergedTokens(bytes, length) : remembered(length);
}

// Words recur, and merging one takes some ten times as long as finding it again. Each has one place, which the next one of the same hash takes: so
// nothing of a text lives longer than there is use for it, and nothing is left to collect.
const rememberedBytes = 64;
const rememberedWords = 4_096;
const rememberedText = new Uint8Array(rememberedWords * rememberedBytes);
const rememberedLengths = new Uint8Array(rememberedWords);
const rememberedTokens = new Uint8Array(rememberedWords);

function remembered(length: number): number {
  const place = hashOf(bytes, 0, length) & (rememberedWords - 1);
  const start = place * rememberedBytes;
  if (rememberedLengths[place] === length && isAt(start, length)) return rememberedTokens[place] as number;
  const tokens = mergedTokens(bytes, length);
  for (let at = 0; at < length; at++) rememberedText[start + at] = bytes[at] as number;
  rememberedLengths[place] = length;
  rememberedTokens[place] = tokens;
  return tokens;
}

function isAt(start: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (rememberedText[start + at] !== bytes[at]) return false;
  return true;
}

/** Writes a word's UTF-8 into `bytes`; `TextEncoder` takes longer than that for so few. */
function encode(text: string, from: number, to: number): number {
  if (bytes.length < 3 * (to - from)) bytes = new Uint8Array(6 * (to - from));
  let length = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes[length++] = unit;
    else if (unit < 0x800) {
      bytes[length++] = 0xc0 | (unit >> 6);
      bytes[length++] = 0x80 | (unit & 0x3f);
    } else if (unit < 0xd800 || unit > 0xdfff) length = encodeThree(unit, length);
    else {
      const point = text.codePointAt(at) as number;
      // A lone surrogate, as in every encoder.
      if (point === unit) length = encodeThree(0xfffd, length);
      else {
        bytes[length++] = 0xf0 | (point >> 18);
        bytes[length++] = 0x80 | ((point >> 12) & 0x3f);
        bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
        bytes[length++] = 0x80 | (point & 0x3f);
        at++;
      }
    }
  }
  return length;
}

function encodeThree(unit: number, length: number): number {
  bytes[length] = 0xe0 | (unit >> 12);
  bytes[length + 1] = 0x80 | ((unit >> 6) & 0x3f);
  bytes[length + 2] = 0x80 | (unit & 0x3f);
  return length + 3;
}

/** Cuts a text into pieces of at most `most` units, before a blank if there is one. */
export function* piecesOf(text: string, most = tokenPieceUnits): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, most);
    yield text.slice(start, end);
    start = end;
  }
}

// A token may begin with a blank but hardly ever contains one, so a cut before a blank changes nothing.
function pieceEnd(text: string, start: number, most: number): number {
  const end = start + most;
  if (end >= text.length) return text.length;
  const blank = text.slice(start, end + 1).lastIndexOf(' ');
  return blank > 0 ? start + blank : end;
}
