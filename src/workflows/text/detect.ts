import { atOnce, type Slices } from '../../base/slices.ts';

/** Personal and payment data in a text; offsets in UTF-16 units. */
export interface Detected {
  kind: 'email' | 'phone' | 'card' | 'iban' | 'link';
  start: number;
  end: number;
}

/**
 * Finds e-mail addresses, telephone and card numbers (Luhn), IBANs (ISO 13616, mod 97) and links. Each candidate is read
 * within a fixed window, so the time is linear in the text's length. At most `max`.
 */
export function detect(text: string, max?: number): Detected[] {
  return atOnce(detectInSlices(text, max));
}

// Blanks that do not break, of fixed widths, and of other scripts, as word processors and web pages put them into numbers; each is
// one UTF-16 unit, as is the plain one that stands in for it.
const otherBlanks = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const otherHyphens = /[\u2010-\u2015]/g;

export function* detectInSlices(written: string, max = 200): Slices<Detected[]> {
  const text = written.replace(otherBlanks, ' ').replace(otherHyphens, '-');
  const found: Detected[] = [];
  if (text.includes('@'))
    yield* collect(
      text,
      /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4}/gu,
      'email',
      found,
      max,
    );
  if (/\d{2}/.test(text)) yield* numbers(text, found, max);
  if (text.includes('://') || text.includes('www.'))
    yield* collect(text, /\b(?:https?:\/\/|www\.)[^\s<>"']{3,200}/giu, 'link', found, max);
  return found.sort((a, b) => a.start - b.start);
}

const unitsOfASlice = 20_000;
/** Longer than any match of these patterns, including lookahead. */
const reachUnits = 1_000;

/**
 * Like `matchAll`, one part of the text at a time. A match that starts so close to a part's end that it could run past it is
 * left to the next part.
 */
function* matchesIn(text: string, pattern: RegExp): Generator<number | RegExpExecArray, void, void> {
  let from = 0;
  for (let end = unitsOfASlice; ; end += unitsOfASlice) {
    // For each character, up to 64 others may be examined.
    yield Math.min(unitsOfASlice, text.length - from) * 4;
    const isLast = end >= text.length;
    const part = isLast ? text : text.slice(0, end);
    const beginsBefore = isLast ? end : end - reachUnits;
    pattern.lastIndex = from;
    for (let match = pattern.exec(part); match && match.index < beginsBefore; match = pattern.exec(part)) {
      from = pattern.lastIndex;
      yield match;
    }
    if (isLast) return;
    from = Math.max(from, beginsBefore);
  }
}

function* collect(text: string, pattern: RegExp, kind: Detected['kind'], found: Detected[], max: number): Slices<void> {
  for (const match of matchesIn(text, pattern)) {
    if (typeof match === 'number') {
      yield match;
      continue;
    }
    if (found.length >= max) return;
    found.push({ kind, start: match.index, end: match.index + match[0].length });
  }
}

function* numbers(text: string, found: Detected[], max: number): Slices<void> {
  // A run of digits and the separators that people put between them.
  for (const match of matchesIn(
    text,
    /(?<![\p{L}\d])(?:[A-Z]{2}\d{2}[ A-Z\d]{11,38}|\+?\(?\d[\d ().\-/]{5,28}\d)(?![\p{L}\d])/gu,
  )) {
    if (typeof match === 'number') {
      yield match;
      continue;
    }
    if (found.length >= max) return;
    const [candidate] = match;
    const kind = kindOf(candidate);
    if (kind) found.push({ kind, start: match.index, end: match.index + candidate.trimEnd().length });
  }
}

function kindOf(candidate: string): Detected['kind'] | undefined {
  if (/^[A-Z]/.test(candidate)) return isIban(candidate.replaceAll(' ', '')) ? 'iban' : undefined;
  const digits = candidate.replace(/\D/g, '');
  const looksDecimal = /^\d{1,3}([.,]\d{3})*([.,]\d+)?$/.test(candidate) || /^\d+[.,]\d+$/.test(candidate);
  if (digits.length >= 13 && digits.length <= 19 && isLuhn(digits)) return 'card';
  const isDate = /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}$/.test(candidate);
  // From one number to another with the same number of digits: pay, years.
  const isRange = /^[1-9]\d{3,4} ?- ?[1-9]\d{3,4}$/.test(candidate);
  if (looksDecimal || isDate || isRange || digits.length < 8 || digits.length > 15) return undefined;
  // Digits alone may be anything; a plus sign, a leading zero or separators suggest a telephone number.
  return candidate.startsWith('+') ||
    candidate.startsWith('0') ||
    candidate.startsWith('(') ||
    /\d[ \-/]\d/.test(candidate)
    ? 'phone'
    : undefined;
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    let digit = digits.charCodeAt(digits.length - 1 - index) - 0x30;
    if (index % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 === 0 && !/^(\d)\1*$/.test(digits);
}

function isIban(text: string): boolean {
  if (text.length < 15 || text.length > 34) return false;
  let rest = 0;
  for (const letter of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
