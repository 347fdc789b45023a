import { foldText } from '../../base/text/fold.ts';
import { keyboardRows } from '../sense/field-sense.ts';

// What people type to get past a form: neighbouring keys, one letter again and again, words that say that it is a test.

const runs: ReadonlySet<string> = new Set(
  keyboardRows
    .flatMap((row) => [row, [...row].reverse().join('')])
    .flatMap((row) => [...row].map((_, at) => row.slice(at, at + 3)).filter(({ length }) => length === 3)),
);
const fillers = new Set(
  'test tests testing tester probe prueba pruebas prueb essai essais bla blabla blah blablabla foo foobar lorem ipsum'.split(
    ' ',
  ),
);

/** Whether most words of the title, or of the description, are no words at all. */
export function isGibberish(title: string, description: string): boolean {
  return isNoise(description) || isNoise(title);
}

/** Whoever types at random shows it soon. */
const readMax = 1000;

function isNoise(text: string): boolean {
  const words = foldText(text.slice(0, readMax))
    .split(/[^a-z]+/)
    .filter(({ length }) => length >= 3);
  const noise = words.filter((word) => fillers.has(word) || isRandom(word));
  // A single word may be a name that is hard to say, unless it runs along the keys.
  return noise.length * 2 > words.length && (words.length > 1 || keysInRuns(words[0] ?? '') >= 4);
}

/** Many names and abbreviations look like this, so that one such word says nothing. */
function isRandom(word: string): boolean {
  if (/^(.{1,3})\1{2,}.?$|^(.)\2+$|(.)\3{2}/.test(word)) return true;
  if (word.length >= 4 && (!/[aeiouy]/.test(word) || /[bcdfghjklmnpqrstvwxz]{5}|[aeiou]{5}/.test(word))) return true;
  return keysInRuns(word) >= word.length - 1;
}

/** How many letters of a word belong to three neighbouring keys in a row. */
function keysInRuns(word: string): number {
  let covered = 0;
  for (let at = 0, end = 0; at + 3 <= word.length; at++) {
    if (!runs.has(word.slice(at, at + 3))) continue;
    covered += at + 3 - Math.max(at, end);
    end = at + 3;
  }
  return covered;
}
