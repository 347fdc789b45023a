/**
 * A text normalised for comparison: lower case, without diacritics, compatibility forms, invisible characters, hyphens or
 * repeated blanks, so that "Ｒｉｓｋ–\u200bFREE" and "risk free" are the same. Each unit remembers where it came from.
 */
export interface Folded {
  original: string;
  /** The folded text in UTF-16 units; only the first `length` are valid. */
  units: Uint16Array;
  length: number;
  /** Where each unit came from: an offset in UTF-16 units of the original. */
  origins: Uint32Array;
}

const blank = 0x20;
/** No code point becomes more units than this. */
const longestFold = 20;
// A code point folds independently of its neighbours, so the uncommon ones are cached. The cache is bounded: there are 1.1
// million code points, and a hostile text could contain them all.
const rememberedMax = 20_000;
const remembered = new Map<number, string>();

/** Folds a text. Linear in its length; tolerates lone surrogates and NUL. */
export function fold(text: string): Folded {
  let units = new Uint16Array(text.length + longestFold);
  let origins = new Uint32Array(text.length + longestFold);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (length + longestFold > units.length) [units, origins] = [enlarged(units), enlarged(origins)];
    if (unit < 0x80) {
      const folded = asciiFolds[unit] as number;
      if (folded === 0 || (folded === blank && (length === 0 || units[length - 1] === blank))) continue;
      units[length] = folded;
      origins[length++] = at;
      continue;
    }
    const point = text.codePointAt(at) ?? unit;
    const folded = foldedPoint(point);
    for (let index = 0; index < folded.length; index++) {
      const piece = folded.charCodeAt(index);
      if (piece === blank && (length === 0 || units[length - 1] === blank)) continue;
      units[length] = piece;
      origins[length++] = at;
    }
    if (point > 0xffff) at++;
  }
  return { original: text, units, length, origins };
}

/** The folded form of a text, as a string. */
export function foldText(text: string): string {
  // Most texts are ASCII, for which the engine's own functions are ten times as fast.
  if (plainAscii.test(text)) return text.toLowerCase().replace(blanks, ' ').trim();
  const { units, length } = fold(text);
  return Buffer.from(units.buffer, 0, length * 2)
    .toString('utf16le')
    .trim();
}

const plainAscii = /^[\t-\r\x20-\x7e]*$/;
const blanks = /[\t-\r -]+/g;

/** The range of a folded span in the original, in UTF-16 units, including combining marks of its last letter. */
export function originOf(folded: Folded, start: number, end: number): { start: number; end: number } {
  const { original, origins } = folded;
  const last = origins[end - 1] ?? 0;
  let after = last + ((original.codePointAt(last) ?? 0) > 0xffff ? 2 : 1);
  while (original.charCodeAt(after) >= firstCombining && combining.test(original[after] as string)) after++;
  return { start: origins[start] ?? 0, end: after };
}

/** Converts ascending offsets in UTF-16 units to offsets in code points, in one pass over the text. */
export function codePointOffsets(text: string, offsets: readonly number[]): number[] {
  const points: number[] = [];
  let point = 0;
  let at = 0;
  for (const offset of offsets) {
    for (; at < offset; at++) {
      const unit = text.charCodeAt(at);
      const next = text.charCodeAt(at + 1);
      // A low surrogate counts together with its high surrogate.
      if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000 && at + 1 < offset) at++;
      point++;
    }
    points.push(point);
  }
  return points;
}

const combining = /\p{M}/u;
const firstCombining = 0x300;
// Also the fillers of Hangul and the selectors of variants, which are a letter and marks to Unicode.
const invisible = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
const space = /\s/u;
// The marks of Latin, Greek, Cyrillic, Arabic and Hebrew, which writers may omit or add, and those of no script, which strike
// letters out or frame them; those of Indic scripts and of Thai are letters in all but name.
const droppedMark =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe00-\ufe0f\ufe20-\ufe2f]/gu;
const punctuation: ReadonlyMap<number, string> = new Map([
  ...[0x2018, 0x2019, 0x201a, 0x201b, 0x2032, 0x02bc].map((point) => [point, "'"] as const),
  ...[0x201c, 0x201d, 0x201e, 0x2033, 0xab, 0xbb].map((point) => [point, '"'] as const),
  ...[0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xfe63].map((point) => [point, ' '] as const),
  [0x0640, ''],
  // The empty pattern of Braille looks like a blank.
  [0x2800, ' '],
  [0xdf, 'ss'],
  [0x1e9e, 'ss'],
  [0x131, 'i'],
  [0x3c2, '\u03c3'],
]);

function foldedAscii(unit: number): number {
  if (unit >= 0x41 && unit <= 0x5a) return unit + 0x20;
  // Hyphens are optional: risk-free, risk free.
  if (unit > 0x20 && unit < 0x7f && unit !== 0x2d) return unit;
  return unit === 0x20 || unit === 0x2d || (unit >= 0x09 && unit <= 0x0d) ? blank : 0;
}

const asciiFolds = Uint8Array.from({ length: 0x80 }, (_, unit) => foldedAscii(unit));

function foldedPoint(point: number): string {
  const known = remembered.get(point);
  if (known !== undefined) return known;
  const folded = foldedAnew(point);
  if (remembered.size < rememberedMax) remembered.set(point, folded);
  return folded;
}

function foldedAnew(point: number): string {
  const mapped = punctuation.get(point);
  if (mapped !== undefined) return mapped;
  const text = String.fromCodePoint(point);
  // White letters in black circles and squares, which Unicode does not decompose.
  const framed = point >= 0x1f150 && point < 0x1f18a ? (point - 0x1f150) % 0x20 : 26;
  if (framed < 26) return String.fromCharCode(0x61 + framed);
  // U+FEFF is a blank to JavaScript, and nothing to a reader.
  if (invisible.test(text)) return '';
  if (space.test(text)) return ' ';
  // A few ligatures stand for whole phrases (U+FDFA: 18 units); they are left alone, so that a text cannot swell.
  const parts = text.normalize('NFKD').toLowerCase().normalize('NFKD').replace(droppedMark, '');
  if (parts.length > 4) return text;
  // The decomposition may contain a character that itself folds to another, as with a full-width hyphen.
  return [...parts].map((part) => (part === '-' ? ' ' : (punctuation.get(part.codePointAt(0) ?? 0) ?? part))).join('');
}

function enlarged<Numbers extends Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(numbers: Numbers): Numbers {
  const larger = (
    numbers instanceof Uint16Array ? new Uint16Array(numbers.length * 2) : new Uint32Array(numbers.length * 2)
  ) as Numbers;
  larger.set(numbers);
  return larger;
}
