import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type { Answers, Jobs, Refused } from '../job.ts';

/** The most that a pattern may weigh with its repetitions written out; also the limit for all patterns of one schema together. */
export const patternWeightMax = 10_000;

/** How many patterns to cache, by total weight: about 400 bytes per unit. */
const rememberedWeightMax = 20_000;
const remembered = new LRUCache<string, RE2JS>({
  maxSize: rememberedWeightMax,
  sizeCalculation: (_, key) => weighed(key),
});

/**
 * How large a pattern becomes when its repetitions are written out, as RE2 does: `a{1000}` weighs 1,000 and `(a{30}){30}` 900.
 * An upper estimate from a single pass; the engine itself decides whether the pattern is valid.
 */
export function patternWeight(pattern: string): number {
  const open: number[] = [];
  let sum = 0;
  let last = 0;
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] as string;
    if (letter === '(') {
      open.push(sum);
      sum = 0;
      last = 0;
      continue;
    }
    if (letter === '*' || letter === '+' || letter === '?') {
      sum += last;
      last *= 2;
      if (pattern[at + 1] === '?') at++;
      continue;
    }
    const counted = letter === '{' ? repetition(pattern, at) : undefined;
    if (counted) {
      sum += last * (counted.times - 1);
      last *= counted.times;
      // A question mark after a repetition only makes it lazy.
      at = pattern[counted.end + 1] === '?' ? counted.end + 1 : counted.end;
      continue;
    }
    if (letter === ')') {
      last = sum + 1;
      sum = (open.pop() ?? 0) + last;
      continue;
    }
    if (letter === '\\') {
      // A Unicode class is a table of ranges.
      last = /[pP]/.test(pattern[at + 1] ?? '') ? tableWeight : 1;
      at++;
    } else if (letter === '[') {
      const end = classEnd(pattern, at);
      last = 1 + Math.ceil((end - at) / 4) + (pattern.slice(at, end).match(/\\[pP]/g)?.length ?? 0) * tableWeight;
      at = end;
    } else last = 1;
    sum += last;
  }
  // An unclosed group is not a valid pattern, but still weighs what it contains.
  return open.reduce((whole, outer) => whole + outer, sum);
}

const tableWeight = 20;

/** Compiles an RE2 pattern, which runs in linear time. Throws an Error that says what is wrong with it. */
export function compilePattern(pattern: string): RE2JS {
  const known = remembered.get(pattern);
  if (known) return known;
  if (patternWeight(pattern) > patternWeightMax) throw new Error(tooHeavy);
  const made = RE2JS.compile(pattern);
  remembered.set(pattern, made);
  return made;
}

export const tooHeavy = `comes to more than ${patternWeightMax} steps when its repetitions are written out`;

export function matchPatterns({ patterns }: Jobs['patterns']): Answers['patterns'] | Refused {
  const fits: boolean[] = [];
  let weight = 0;
  for (const { field, pattern, text } of patterns) {
    weight += patternWeight(pattern);
    if (weight > patternWeightMax) return { refused: { at: field, problem: tooHeavy } };
    try {
      fits.push(compilePattern(pattern).matches(text));
    } catch {
      return { refused: { at: field, problem: 'is not a regular expression of RE2 syntax' } };
    }
  }
  return { fits };
}

function weighed(pattern: string): number {
  return Math.max(1, patternWeight(pattern)) + Math.ceil(pattern.length / 100);
}

/** The maximum count of `{n}`, `{n,}` or `{n,m}`, and where it ends; undefined if the brace is just a brace. */
function repetition(pattern: string, at: number): { times: number; end: number } | undefined {
  const found = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/.exec(pattern.slice(at, at + 24));
  if (!found) return undefined;
  const [text, least, most] = found;
  const times = Math.max(Number(least) + (most === '' ? 1 : 0), Number(most ?? 0), 1);
  return { times, end: at + text.length - 1 };
}

function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at++;
  // A leading closing bracket is a member of the class.
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
  return at;
}
