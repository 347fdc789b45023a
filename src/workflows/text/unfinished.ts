import { areOthers, areShort, isFraction, isOfCode, type Place } from './cards.ts';
import { type Detected, readable } from './detect.ts';
import { ibanHeads, ibanStart, isUnfinishedIban } from './ibans.ts';
import { seen } from './seen.ts';

/** Longer than any number or address, in UTF-16 units with the invisible characters in it. */
const lookedAtUnits = 300;
const numbersAtEnd = /(?<!\d)\d(?:\d|[^\p{L}\p{N},;]{1,6}(?=\d))*(?=[^\p{L}\p{N},;]{0,6}$)/u;
const addressAtEnd = /[\p{L}\p{N}._%+'&-]{2,64}@[\p{L}\p{N}.-]{1,200}$/u;
const issuer = /^(?:[3-6]|2[1-7]|8[126]|9[78]|1800|1946)/;
const onOneLine = /^[\d ().\-/_]+$/;
/** The first eight digits say only which bank issued a card. */
const digitsMin = 9;
const digitsMax = 18;
/** Numbers that go on for longer are a table. */
const tableDigits = 48;

/**
 * Finds the beginnings of card and account numbers and of e-mail addresses that a text was cut off in, apart from what is found
 * there as it is: whoever sees all but a card's last digit can work that out.
 */
export function unfinishedIn(written: string, found: readonly Detected[]): Detected[] {
  const from = Math.max(0, written.length - lookedAtUnits);
  const { text: read, placeOf } = seen(written.slice(from));
  const text = readable(read);
  const places: [Detected['kind'], Place | undefined][] = [
    ['card', cardIn(text)],
    ['iban', ibanIn(text)],
    ['email', addressIn(text)],
  ];
  return places.flatMap(([kind, place]): Detected[] => {
    if (!place) return [];
    const { start, end } = placeOf(place.start, place.end);
    const one = { kind, start: from + start, end: from + end };
    return found.some((other) => other.start <= one.start && other.end >= one.end) ? [] : [one];
  });
}

function cardIn(text: string): Place | undefined {
  const { 0: numbers, index } = numbersAtEnd.exec(text) ?? { 0: '', index: 0 };
  const end = index + numbers.length;
  const groups = [...numbers.matchAll(/\d+/g)].map(({ 0: digits, index: at }) => ({
    ...{ start: index + at, end: index + at + digits.length },
    ...{ size: digits.length, left: numbers.slice(at) },
  }));
  const first = groups.find(({ start, left, size }, at) => {
    const digits = left.replace(/\D/g, '');
    if (digits.length < digitsMin || digits.length > tableDigits || !issuer.test(digits)) return false;
    const place = { start, end };
    const isDecimal = isFraction(text, groups, at) || (at === groups.length - 2 && isFraction(text, groups, at + 1));
    if (isDecimal || isOfCode(text, place)) return false;
    const sizes = groups.slice(at).map((group) => group.size);
    if (sizes.length === 1) return size <= digitsMax;
    const isWhole = at === 0 && digits.length <= digitsMax && onOneLine.test(left);
    return (isWhole && !areShort(sizes) && !areOthers.test(left)) || isAsPrinted(sizes);
  });
  return first && { start: first.start, end };
}

/** The groups that are printed on cards (4-4-4-4, 4-6-5), the last of them cut off. */
function isAsPrinted(sizes: readonly number[]): boolean {
  const isLast = (at: number) => at === sizes.length - 1;
  const isInFours = sizes.every((size, at) => size === 4 || (isLast(at) && size < 4));
  return (
    isInFours || (sizes.length <= 3 && sizes.every((size, at) => size === [4, 6, 5][at] || (isLast(at) && size < 6)))
  );
}

function ibanIn(text: string): Place | undefined {
  for (const match of text.matchAll(ibanHeads())) {
    const start = ibanStart(match);
    if (isUnfinishedIban(text, start)) return { start, end: text.length };
  }
  return undefined;
}

function addressIn(text: string): Place | undefined {
  const match = addressAtEnd.exec(text);
  return match ? { start: match.index, end: text.length } : undefined;
}
