import { foldText } from '../../base/text/fold.ts';
import { keyboardRows } from '../sense/field-sense.ts';

// What people type to get past a form: neighbouring keys, one letter again and again, words that say that it is a test.

const rows = keyboardRows.flatMap((row) => [row, [...row].reverse().join('')]);
const triples = runsOf(3);
const quadruples = runsOf(4);
// Three or four neighbouring keys at the left or right edge of a keyboard are no words.
const fillers = new Set(
  'test tests testing tester probe prueba pruebas prueb essai essais bla blabla blah blablabla foo foobar lorem ipsum asd qwe zxc yxc aze qsd wxc jklo'.split(
    ' ',
  ),
);

/** Whether most words of a title or a description are no words at all. */
export function isGibberish(text: string): boolean {
  const words = foldText(text.slice(0, readMax))
    .split(/[^a-z]+/)
    .filter(({ length }) => length >= 3);
  let noise = 0;
  for (const [at, word] of words.entries()) {
    noise += noiseOf(word);
    // The rest cannot make it most of them: half of an ordinary text is enough.
    if ((noise + words.length - 1 - at) * 2 <= words.length) return false;
  }
  // A single word may be a name that is hard to say, unless it runs along the keys.
  return noise * 2 > words.length && (words.length > 1 || lettersInRuns(words[0] ?? '', quadruples) >= 4);
}

/** Whoever types at random shows it soon. */
const readMax = 1000;

const repeated = /^(.{1,3})\1{2,}.?$|^(.)\2+$|(.)\3{2}/;
// Two or three letters that are one consonant: German compounds have many of them.
const oneSound = /sch|[cpt]h|ck/g;

/** 1 for what is no word; 1/2 for what words and names can look like too ("Trek", "Kunststoff"), so that it is never most alone. */
function noiseOf(word: string): number {
  if (fillers.has(word) || repeated.test(word) || (word.length >= 4 && !/[aeiouy]/.test(word))) return 1;
  const sounds = word.replace(oneSound, 'k');
  if (lettersInRuns(word, quadruples) >= word.length - 1 || /[bcdfghjklmnpqrstvwxz]{7}/.test(sounds)) return 1;
  const isOdd = lettersInRuns(word, triples) >= word.length - 1;
  return isOdd || /[bcdfghjklmnpqrstvwxz]{5}|[aeiou]{5}/.test(sounds) ? 0.5 : 0;
}

interface Runs {
  size: number;
  all: ReadonlySet<string>;
}

function runsOf(size: number): Runs {
  const all = rows.flatMap((row) => [...row].map((_, at) => row.slice(at, at + size)));
  return { size, all: new Set(all.filter(({ length }) => length === size)) };
}

/** How many letters of a word belong to that many neighbouring keys in a row. */
function lettersInRuns(word: string, { size, all }: Runs): number {
  let covered = 0;
  for (let at = 0, end = 0; at + size <= word.length; at++) {
    if (!all.has(word.slice(at, at + size))) continue;
    covered += at + size - Math.max(at, end);
    end = at + size;
  }
  return covered;
}
