import type { Place } from './cards.ts';

/** A text as the patterns for numbers and addresses read it. */
export interface Seen {
  text: string;
  /** The place in the text as written of what is at this place here. */
  placeOf(start: number, end: number): Place;
}

// Nothing to do for these, which are nearly all texts: ASCII, and the letters of Latin-1 and beyond.
const plain = /^[\t-\r\x20-\x7e\xa0-\xac\xae-\xb1\xb4-\xb8\xba-\u02ff]*$/;
const digitOrAt = /[\p{N}@\uff20\ufe6b]/u;
const nothing = /^[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;
const kept = /^[\t-\r]$/;
const decimalDigit = /^\p{Nd}$/u;
const otherNumber = /^\p{No}$/u;
const mark = /^\p{M}$/u;

/**
 * Undoes how a number or an address can be written so that a reader sees it and a pattern does not: without invisible characters
 * and combining marks (which also make keycaps: 4️⃣), with ASCII for decimal digits of all scripts, for full-width,
 * mathematical and other forms of a single character, and for circled, raised and lowered digits.
 */
export function seen(written: string): Seen {
  if (plain.test(written) || !digitOrAt.test(written))
    return { text: written, placeOf: (start, end) => ({ start, end }) };
  const units = new Uint16Array(written.length);
  const origins = new Uint32Array(written.length);
  let length = 0;
  for (let at = 0; at < written.length; at++) {
    const point = written.codePointAt(at) as number;
    const read = readPoint(point);
    const isLong = point > 0xffff;
    if (read !== dropped) {
      origins[length] = at;
      units[length++] = read === unchanged ? written.charCodeAt(at) : read;
      if (isLong && read === unchanged) {
        origins[length] = at;
        units[length++] = written.charCodeAt(at + 1);
      }
    }
    if (isLong) at++;
  }
  const text = Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
  return {
    text: withSignDigits(text),
    placeOf: (start, end) => ({ start: origins[start] as number, end: endOf(written, origins[end - 1] as number) }),
  };
}

/** The end of a character with the marks on it. */
function endOf(written: string, start: number): number {
  let end = start;
  do end += (written.codePointAt(end) as number) > 0xffff ? 2 : 1;
  while (end < written.length && mark.test(String.fromCodePoint(written.codePointAt(end) as number)));
  return end;
}

const [unchanged, dropped] = [0xfffe, 0xffff];
// Each code point is read on its own. Bounded, because a hostile text can contain all of them.
const rememberedMax = 20_000;
const remembered = new Map<number, number>();

/** The unit that a code point is read as. */
function readPoint(point: number): number {
  if (point >= 0x20 && point < 0x7f) return point;
  const known = remembered.get(point);
  if (known !== undefined) return known;
  const read = readAnew(point);
  if (remembered.size < rememberedMax) remembered.set(point, read);
  return read;
}

function readAnew(point: number): number {
  const character = String.fromCodePoint(point);
  if (kept.test(character)) return unchanged;
  if (nothing.test(character)) return dropped;
  if (decimalDigit.test(character)) return 0x30 + digitOf(point);
  if (otherNumber.test(character)) return unchanged;
  const form = character.normalize('NFKD');
  return /^[!-~]$/.test(form) ? form.charCodeAt(0) : unchanged;
}

/** Decimal digits of a script are ten in a row, from zero; those of several styles follow one another. */
function digitOf(point: number): number {
  let first = point;
  while (decimalDigit.test(String.fromCodePoint(first - 1))) first--;
  return (point - first) % 10;
}

/** Circled, raised and lowered digits: where a row of them begins, with which digit, and how many they are. */
const signRows = [
  [0xb9, 1, 1],
  [0xb2, 2, 2],
  [0x2070, 0, 1],
  [0x2074, 4, 6],
  [0x2080, 0, 10],
  [0x2460, 1, 9],
  [0x24ea, 0, 1],
  [0x24f5, 1, 9],
  [0x24ff, 0, 1],
  [0x2776, 1, 9],
  [0x2780, 1, 9],
  [0x278a, 1, 9],
] as const;
const signDigits: ReadonlyMap<string, string> = new Map(
  signRows.flatMap(([first, digit, count]) =>
    Array.from({ length: count }, (_, at) => [String.fromCharCode(first + at), String(digit + at)] as const),
  ),
);
const signs = [...signDigits.keys()].join('');
// Beside other digits, or a letter, they are a footnote's number, or an exponent; but several after two letters may be an account's.
const signNumber = new RegExp(
  `(?:(?<![\\d\\p{sc=Latin}${signs}])[${signs}]+|(?<=(?<![\\d\\p{sc=Latin}])[A-Za-z]{2})[${signs}]{2,})(?![\\d${signs}])`,
  'gu',
);

function withSignDigits(text: string): string {
  return text.replace(signNumber, (number) => Array.from(number, (sign) => signDigits.get(sign) ?? sign).join(''));
}
