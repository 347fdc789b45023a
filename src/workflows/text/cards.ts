import type { Slices } from '../../base/slices.ts';

/** A place in a text; offsets in UTF-16 units. */
export interface Place {
  start: number;
  end: number;
}

/** Digits in a row. */
interface Group extends Place {
  /** How it is joined to the group before. */
  joined: Joined;
}

/** Nothing; far enough to be a table; as people may divide a card number, over two lines too; as they usually do. */
const [apart, far, wide, near] = [0, 1, 2, 3] as const;
type Joined = typeof apart | typeof far | typeof wide | typeof near;

const farUnits = 8;
const alphanumeric = /[\p{L}\p{N}]/u;
// Between commas and semicolons, and in the items of a list, numbers are several.
const wideJoin = /^[^\p{L}\p{N},;]{1,6}$/u;
const nextItem = /[\r\n]\s*[-*+\u2022]\s/;
// A full stop with a blank behind it ends a sentence: what follows is another number.
const nearJoin = /^(?!.*\. )[ ().\-/_]{1,3}$/;

/**
 * Finds card numbers: 13 to 19 digits of a card's issuer with a valid check digit (Luhn). What stands around a number must not
 * hide it ("4111 1111 1111 1111 12/28"), and numbers that belong to a table must not become one:
 *
 * - undivided, unless it is glued to letters (the code of something) or a decimal fraction;
 * - in the groups that are printed on cards (4-4-4-4, 4-6-5), with any blanks, line breaks or marks between them. Groups of four
 *   that go on beside it are a table, except for one more, or for several cards in a row; so are cells beside others;
 * - in any other groups, on one line, if it is the whole of what is divided like this; but not in groups of one and two digits, as
 *   lists of small numbers have, and not in decimals or addresses of computers.
 */
export function* cardsIn(text: string): Slices<Place[]> {
  const found: Place[] = [];
  let run: Group[] = [];
  for (const { index, 0: digits } of text.matchAll(/\d+/g)) {
    const group = { start: index, end: index + digits.length, joined: joinOf(text, run.at(-1)?.end, index) };
    if (group.joined === apart) {
      yield run.length * unitsOfAGroup;
      found.push(...cardsOfRun(text, run));
      run = [];
    }
    run.push(group);
    if (run.length < runMax) continue;
    // A table: what it ends with is looked at again together with what follows.
    yield run.length * unitsOfAGroup;
    found.push(...cardsOfRun(text, run));
    run = run.slice(-groupsOfACard);
  }
  yield run.length * unitsOfAGroup;
  found.push(...cardsOfRun(text, run));
  return withoutInner(found);
}

const unitsOfAGroup = 20;
const runMax = 1_000;
const groupsOfACard = 20;
const digitsMin = 13;
const digitsMax = 19;

function joinOf(text: string, before: number | undefined, start: number): Joined {
  if (before === undefined || start - before > farUnits) return apart;
  const between = text.slice(before, start);
  if (nearJoin.test(between)) return near;
  if (wideJoin.test(between) && !nextItem.test(between)) return wide;
  return alphanumeric.test(between) ? apart : far;
}

function cardsOfRun(text: string, run: readonly Group[]): Place[] {
  const found: Place[] = [];
  const sizes = run.map(({ start, end }) => end - start);
  const isJoined = (from: number, to: number, least: Joined) =>
    run.slice(from + 1, to).every(({ joined }) => joined >= least);
  const cardOf = (from: number, to: number): Place | undefined => {
    const [first, last] = [run[from], run[to - 1]];
    if (first === undefined || last === undefined) return undefined;
    return isCard(text.slice(first.start, last.end).replace(/\D/g, ''))
      ? { start: first.start, end: last.end }
      : undefined;
  };
  const add = (place: Place | undefined) => void (place && found.push(place));

  for (let at = 0; at < run.length; at++) {
    const size = sizes[at] as number;
    if (size >= digitsMin && size <= digitsMax && !isFraction(text, run, at) && !isOfCode(text, run[at] as Group))
      add(cardOf(at, at + 1));
    if (size === 4 && sizes[at + 1] === 6 && isJoined(at, at + 3, wide) && (sizes[at + 2] === 5 || sizes[at + 2] === 4))
      add(cardOf(at, at + 3));
    if (size === 4 && sizes[at - 1] !== 4) found.push(...inFours(at));
    if ((run[at] as Group).joined < near) add(wholeFrom(at));
  }
  return found;

  /** Cards in the groups of four that begin here. */
  function inFours(from: number): Place[] {
    let to = from;
    while (sizes[to] === 4) to++;
    if ((to - from) % 4 > 1) return [];
    for (let offset = 0; offset <= (to - from) % 4; offset++) {
      const places: Place[] = [];
      for (let at = from + offset; at + 4 <= to; at += 4) {
        if (!isJoined(at, at + 4, wide)) break;
        const isLonger = at + 4 === to && sizes[to] === 3 && isJoined(to - 1, to + 1, wide);
        const place = (isLonger ? cardOf(at, at + 5) : undefined) ?? cardOf(at, at + 4);
        if (!place || isRow(text, place)) break;
        places.push(place);
      }
      if (places.length > 0 && places.length === Math.floor((to - from) / 4)) return places;
    }
    return [];
  }

  /** A card of any groups on one line. */
  function wholeFrom(from: number): Place | undefined {
    let to = from + 1;
    let digits = sizes[from] as number;
    while (run[to]?.joined === near) digits += sizes[to++] as number;
    if (to === from + 1 || digits > digitsMax || (to === from + 2 && isFraction(text, run, to - 1))) return undefined;
    const whole = { start: (run[from] as Group).start, end: (run[to - 1] as Group).end };
    if (areShort(sizes.slice(from, to))) return undefined;
    const written = text.slice(whole.start, whole.end);
    return date.test(written) || areOthers.test(written) || isOfCode(text, whole) ? undefined : cardOf(from, to);
  }
}

/** Numbers of one and two digits are a list of their own; but a card may be spelled digit by digit. */
export function areShort(sizes: readonly number[]): boolean {
  return sizes.every((size) => size < 3) && sizes.includes(2);
}

// Decimals (the two of a place on the map), and addresses of computers.
const decimal = String.raw`\d{1,3}\.\d{3,}`;
const address = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
export const areOthers = new RegExp(
  `^(?:${decimal}(?:[^.\\d]+${decimal})+|${address}(?:[^.\\d]+${address})*(?:/\\d{1,2})?)$`,
);
const date = /(?<!\d)(?:\d{1,2}([./-])\d{1,2}\1(?:19|20)\d{2}|(?:19|20)\d{2}([./-])\d{1,2}\2\d{1,2})(?!\d)/;
// Scripts in which a number is not written without a blank beside a word, unlike "卡号4111".
const gluedBefore = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]$/u;
const gluedAfter = /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]/u;

const phoneDigitsMax = 15;

/** Order numbers and other codes begin or end with letters. A number after a plus sign is a telephone's, unless it is too long. */
export function isOfCode(text: string, { start, end }: Place): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return (
    gluedBefore.test(before) ||
    gluedAfter.test(text.slice(end, end + 2)) ||
    (before.endsWith('+') && digitsIn(text.slice(start, end)) <= phoneDigitsMax)
  );
}

function digitsIn(written: string): number {
  return written.replace(/\D/g, '').length;
}

/** "0.4539578763621486"; and seconds since 1970. */
export function isFraction(text: string, run: readonly Place[], at: number): boolean {
  const [whole, fraction] = [run[at - 1], run[at]];
  if (whole === undefined || fraction === undefined || text.slice(whole.end, fraction.start) !== '.') return false;
  const size = whole.end - whole.start;
  return size <= 3 || (size === 10 && text[whole.start] === '1');
}

/** Cells of a table that go on beside it: its row has a name. */
function isRow(text: string, { start, end }: Place): boolean {
  const isOfCells = /[\t|]/.test(text.slice(start, end));
  return (
    isOfCells &&
    (/[\t|] *$/.test(text.slice(Math.max(0, start - 4), start)) || /^ *[\t|]/.test(text.slice(end, end + 4)))
  );
}

function withoutInner(found: readonly Place[]): Place[] {
  const kept: Place[] = [];
  for (const one of [...found].sort((a, b) => a.start - b.start || b.end - a.end))
    if (one.end > (kept.at(-1)?.end ?? -1)) kept.push(one);
  return kept;
}

// The first digits that issuers have, by how many digits the number has.
const issuers: Readonly<Record<number, RegExp>> = {
  13: /^4/,
  14: /^3(?:0[0-5]|[689])/,
  15: /^(?:3[47]|2131|1800)/,
};
const otherIssuers = /^(?:[456]|3[05689]|2[2-7]|8[126]|9[78]|1946)/;

function isCard(digits: string): boolean {
  const { length } = digits;
  return length >= digitsMin && length <= digitsMax && (issuers[length] ?? otherIssuers).test(digits) && isLuhn(digits);
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
