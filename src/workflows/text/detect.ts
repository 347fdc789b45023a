import { atOnce, type Slices } from '../../base/slices.ts';
import { cardsIn, type Place } from './cards.ts';
import { ibanAt, ibanHeads, ibanStart } from './ibans.ts';
import { phoneAt } from './phone-numbers.ts';
import { seen } from './seen.ts';

/** Personal and payment data in a text; offsets in UTF-16 units. */
export interface Detected {
  kind: 'email' | 'phone' | 'card' | 'iban' | 'link';
  start: number;
  end: number;
}

/**
 * Finds e-mail addresses, telephone and card numbers (Luhn), IBANs (ISO 13616, mod 97) and links, also where their characters are
 * disguised (`seen`). Each candidate is read
 * within a fixed window, so the time is linear in the text's length. At most `max`, card and account numbers first.
 */
export function detect(text: string, max?: number): Detected[] {
  return atOnce(detectInSlices(text, max));
}

// Blanks that do not break, of fixed widths, and of other scripts, as word processors and web pages put them into numbers; each is
// one UTF-16 unit, as is the plain one that stands in for it.
const otherBlanks = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const otherHyphens = /[\u2010-\u2015\u2212]/g;

/** The text with plain blanks and hyphens. */
export function readable(text: string): string {
  return text.replace(otherBlanks, ' ').replace(otherHyphens, '-');
}

export function* detectInSlices(written: string, max = 200): Slices<Detected[]> {
  const { text: read, placeOf } = seen(written);
  const text = readable(read);
  const found: Detected[] = [];
  const hasNumbers = /\d{2}|\d[^\p{L}\p{N}]{1,3}\d/u.test(text);
  if (hasNumbers) yield* accounts(text, found, max);
  // What is certainly something else is no telephone number.
  const others = hasNumbers ? without(text, found) : text;
  if (text.includes('@'))
    yield* collect(
      text,
      /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,10}/gu,
      'email',
      found,
      max,
    );
  if (hasNumbers) yield* phones(withoutNames(others), found, max);
  if (text.includes('://') || text.includes('www.'))
    yield* collect(text, /\b(?:https?:\/\/|www\.)[^\s<>"']{3,200}/giu, 'link', found, max);
  return found
    .map(({ kind, start, end }): Detected => ({ kind, ...placeOf(start, end) }))
    .sort((a, b) => a.start - b.start);
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
    const start = kind === 'email' ? addressStart(text, match.index) : match.index;
    found.push({ kind, start, end: match.index + match[0].length });
  }
}

// Other signs stand between letters; "d'info@..." is French, and only its second half is an address.
const beforeSign = /(?:[\p{L}\p{N}._%+-]*[\p{L}\p{N}](?<!(?<!\p{L})[cdjlmnst])['\u2019&!#])+$/u;

/** Where an address begins of which the part from here on is known: "o'brien@...". */
function addressStart(text: string, known: number): number {
  if (!/['\u2019&!#]/.test(text[known - 1] ?? '')) return known;
  return known - (beforeSign.exec(text.slice(Math.max(0, known - 64), known))?.[0].length ?? 0);
}

/** Numbers with check digits: of bank accounts, and of cards beside these. */
function* accounts(text: string, found: Detected[], max: number): Slices<void> {
  for (const match of matchesIn(text, ibanHeads())) {
    if (typeof match === 'number') {
      yield match;
      continue;
    }
    if (found.length >= max) return;
    const place = ibanAt(text, ibanStart(match));
    if (place) found.push({ kind: 'iban', ...place });
  }
  const cards = yield* cardsIn(without(text, found));
  found.push(...cards.slice(0, max - found.length).map((place): Detected => ({ kind: 'card', ...place })));
}

/** The text with signs that belong to nothing in these places, so that offsets stay right. */
function without(text: string, places: readonly Place[]): string {
  let left = '';
  let at = 0;
  for (const { start, end } of [...places].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    left += text.slice(at, start) + '#'.repeat(end - Math.max(at, start));
    at = end;
  }
  return left + text.slice(at);
}

const glued = /[+(0](?<=\p{L}[+(0])/u;
const nameOfNumber =
  /(?<!\p{L})(?:tel|telefon|tel\u00e9fono|t\u00e9l|t\u00e9l\u00e9phone|phone|mobile?|m\u00f3vil|portable|handy|fon|fax)(?=[+(0])/giu;

/** The text with signs for the words that a telephone number is glued to ("Tel0170 ..."): after other letters it is a code. */
function withoutNames(text: string): string {
  return glued.test(text) ? text.replace(nameOfNumber, (name) => '#'.repeat(name.length)) : text;
}

function* phones(text: string, found: Detected[], max: number): Slices<void> {
  // A run of digits and the separators that people put between them; and codes that begin like an account number.
  for (const match of matchesIn(
    text,
    /(?<![\p{L}\d])(?:[A-Z]{2}\d{2}[ A-Z\d]{11,38}|\+?\(?\d[\d ().\-/]{5,28}\d)(?![\p{L}\d])/gu,
  )) {
    if (typeof match === 'number') {
      yield match;
      continue;
    }
    if (found.length >= max) return;
    const { 0: candidate, index: start } = match;
    if (/^[A-Z]/.test(candidate)) continue;
    const begins = phoneAt(text, start, candidate);
    if (begins !== undefined) found.push({ kind: 'phone', start: begins, end: start + candidate.length });
  }
}
