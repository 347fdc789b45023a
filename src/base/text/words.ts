/** Scripts written without blanks between words: Han, kana, Thai, Lao, Khmer, Myanmar. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const wordLetter = /[\p{L}\p{N}\p{M}_]/u;

// The class of each UTF-16 unit, computed once: 1 not part of a word, 2 part of a word, 3 in a script without blanks.
const classes = new Uint8Array(0x10000);

/** Whether a unit is part of a word. Surrogates (emoji, rare letters) are not. */
export function isWordUnit(unit: number): boolean {
  return classOf(unit) !== 1;
}

export function isUnspacedUnit(unit: number): boolean {
  return classOf(unit) === 3;
}

const segmenters = new Map<string, Intl.Segmenter>();
// Words are searched for in a window around the position, since a segmenter reads everything it is given.
const windowUnits = 48;

/** Whether a word starts or ends here, in a script without blanks, according to the dictionary of `Intl.Segmenter`. */
export function isWordBoundary(text: string, offset: number, locale = 'und'): boolean {
  if (offset <= 0 || offset >= text.length) return true;
  const from = Math.max(0, offset - windowUnits);
  const window = text.slice(from, offset + windowUnits);
  const segment = segmenter(locale, 'word')
    .segment(window)
    .containing(offset - from);
  return segment === undefined || segment.index === offset - from;
}

/**
 * The number of words in a text; for scripts without blanks, as `Intl.Segmenter` finds them in the first 4,000 units, and
 * extrapolated at the same density beyond.
 */
export function countWords(text: string): number {
  let words = 0;
  let inside = false;
  let unspacedUnits = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = classOf(text.charCodeAt(at));
    if (kind === 3) unspacedUnits++;
    if (kind === 2 && !inside) words++;
    // An apostrophe or hyphen between letters joins them into one word.
    inside = kind === 2 || (inside && joins(text.charCodeAt(at)));
  }
  return unspacedUnits === 0 ? words : words + countUnspaced(text, unspacedUnits);
}

/** The sentences of a text (at most `max`), as offsets in UTF-16 units. Cheap: by punctuation, not by dictionary. */
export function sentencesOf(text: string, max = 1000): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = [];
  const pattern = /[^.!?。！？\n]+[.!?。！？\n]*/gu;
  for (const match of text.matchAll(pattern)) {
    if (match[0].trim() === '') continue;
    sentences.push({ start: match.index, end: match.index + match[0].length });
    if (sentences.length === max) break;
  }
  return sentences;
}

/** The number of characters as people count them, in code points. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

function classOf(unit: number): number {
  const known = classes[unit] as number;
  if (known !== 0) return known;
  const letter = String.fromCharCode(unit);
  const found = unspaced.test(letter) ? 3 : wordLetter.test(letter) ? 2 : 1;
  classes[unit] = found;
  return found;
}

function joins(unit: number): boolean {
  return unit === 0x27 || unit === 0x2d || unit === 0x2019;
}

function countUnspaced(text: string, unspacedUnits: number): number {
  const sampleUnits = 4000;
  const sample = text.slice(0, sampleUnits);
  let words = 0;
  let units = 0;
  for (const { segment, isWordLike } of segmenter('und', 'word').segment(sample)) {
    if (!isWordLike || !unspaced.test(segment)) continue;
    words++;
    units += segment.length;
  }
  return units === 0 ? Math.ceil(unspacedUnits / 2) : Math.round((words / units) * unspacedUnits);
}

function segmenter(locale: string, granularity: 'word'): Intl.Segmenter {
  const known = segmenters.get(locale);
  if (known) return known;
  const made = new Intl.Segmenter(locale === 'und' ? undefined : locale, { granularity });
  if (segmenters.size < 100) segmenters.set(locale, made);
  return made;
}
