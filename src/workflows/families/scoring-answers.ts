import type { JsonValue } from '@bufbuild/protobuf';
import { foldText } from '../../base/text/fold.ts';
import { nearestName } from '../../base/text/nearest.ts';
import type { Indicator } from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { Plain } from '../family.ts';
import { readAnswerWords } from '../packs/scorecard-pack.ts';
import type { Message } from '../words/index.ts';
import { isGiven } from './scoring-numbers.ts';

/** What a scorecard's choices are called. */
export interface ChoiceNames {
  /** The labels of an indicator's choices in any language: by label, the choice. */
  labelsOf(indicator: string): readonly (readonly [label: string, choice: string])[];
  /** What a choice is called, for its reader. */
  labelOf(indicator: string, choice: string): string;
}

interface AnswerContext {
  choiceNames: ChoiceNames;
  /** Whatever an indicator is called in any language, folded. */
  wordsFor(indicator: Plain<Indicator>): ReadonlySet<string>;
}

const answerMax = 200;

/** The choice that an answer names or means; undefined if nothing is known; a message if it is none of the choices. */
export function readAnswer(
  indicator: Plain<Indicator>,
  answer: JsonValue | undefined,
  { choiceNames, wordsFor }: AnswerContext,
): string | Message | undefined {
  const { name, choices } = indicator;
  // "unknown" may be one of the choices.
  if (typeof answer === 'string' && Object.hasOwn(choices, answer)) return answer;
  const text = typeof answer === 'object' ? '' : inFull(String(answer).slice(0, answerMax), Object.keys(choices));
  const sayings = sayingsOf(Object.keys(choices), choiceNames.labelsOf(name));
  const [choice, other] = choicesMeant(sayings, text);
  if (choice !== undefined && other === undefined) return choice;
  if (!isGiven(answer)) return undefined;
  const bare = withoutWords(text, wordsFor(indicator));
  const [only, second] = choice === undefined ? choicesMeant(sayings, bare) : [];
  if (only !== undefined && second === undefined) return only;
  const shown = (one: string) => choiceNames.labelOf(name, one);
  const listed = Object.keys(choices).map(shown).join(', ');
  const near = [...choicesMeant(sayings, text), ...(choice === undefined ? nearestTo(sayings, text) : [])];
  if (near.length === 0) return { name: 'scorecard.notOneOf', values: { choices: listed } };
  return { name: 'scorecard.notOneOfBut', values: { choices: listed, nearest: near.map(shown).join(' / ') } };
}

const letters: ReadonlyMap<string, string> = new Map([
  ...['y', 'j', 's', 'o'].map((letter) => [letter, 'yes'] as const),
  ['n', 'no'],
]);
const digits: ReadonlyMap<string, string> = new Map([
  ['1', 'yes'],
  ['0', 'no'],
]);

/**
 * A yes or no that is written as one letter, or as databases have it where the choices are these two; else the text itself. A letter
 * that is a choice of its own, such as a size, stays.
 */
function inFull(text: string, choices: readonly string[]): string {
  const word = comparable(text);
  const named = choices.map(comparable);
  if (word.length !== 1 || named.includes(word)) return text;
  const areTwo =
    choices.length === 2 && ['yes', 'no'].every((one) => named.some((name) => sayingTheSame(one).includes(name)));
  return letters.get(word) ?? (areTwo ? digits.get(word) : undefined) ?? text;
}

const groups = readAnswerWords().map((words) => words.map(comparable));
const groupsByWord = Map.groupBy(
  groups.flatMap((group) => group.map((word) => ({ word, group }))),
  ({ word }) => word,
);

function sayingTheSame(word: string): readonly string[] {
  return (groupsByWord.get(word) ?? []).flatMap(({ group }) => group);
}

/** Ways to say that there is nothing of it; which of them a scorecard calls it by is its author's choice. */
const nothing: ReadonlySet<string> = new Set(
  ['no', 'none', 'never', 'not_yet', 'missing'].flatMap((word) => sayingTheSame(word)),
);
const none: ReadonlySet<string> = new Set(sayingTheSame('none'));
const notNeeded: ReadonlySet<string> = new Set(sayingTheSame('not_needed'));

/** By choice, everything that it is called. */
type Sayings = ReadonlyMap<string, ReadonlySet<string>>;

function sayingsOf(choices: readonly string[], labels: readonly (readonly [label: string, choice: string])[]): Sayings {
  return new Map(
    choices.map((choice) => {
      const called = [choice, ...labels.flatMap(([label, named]) => (named === choice ? [label] : []))].map(comparable);
      return [choice, new Set([...called, ...called.flatMap((word) => sayingTheSame(word))])];
    }),
  );
}

/** The choices that a text can mean: "ja" is yes, "monatlich" and "mensuelles" are monthly, "noch nicht" is none. */
function choicesMeant(sayings: Sayings, text: string): string[] {
  const word = comparable(text);
  const those = (fits: (saying: string, choice: string) => boolean) =>
    [...sayings].flatMap(([choice, said]) => ([...said].some((saying) => fits(saying, choice)) ? [choice] : []));
  const named = those((saying, choice) => saying === word && comparable(choice) === word);
  if (named.length > 0 || word === '') return named;
  const said = those((saying) => saying === word);
  if (said.length > 0) return said;
  const stem = stemOf(word);
  const inflected = word.length < inflectedMin ? [] : those((saying) => stemOf(saying) === stem);
  if (inflected.length > 0 || !nothing.has(word)) return inflected;
  const first = [...nothing].flatMap((said) => those((saying) => saying === said)).slice(0, 1);
  // Where some need none, "none" does not say whether any is missing.
  return none.has(word) ? [...first, ...those((saying) => notNeeded.has(saying))] : first;
}

function comparable(text: string): string {
  return foldText(text)
    .replace(/[\s.!?…]+$/, '')
    .replaceAll(/[ _’']/g, '_');
}

const inflectedMin = 6;
const stemMin = 4;

/** Words without the endings by which they agree with others: "quotidiennes" and "quotidien", "tägliche" and "täglich". */
function stemOf(word: string): string {
  return word
    .split('_')
    .map((one) => {
      let stem = one.replace(/(\p{L})\1/gu, '$1');
      while (stem.length > stemMin && /[aemnors]$/.test(stem)) stem = stem.slice(0, -1);
      return stem;
    })
    .join('_');
}

const fillers: ReadonlySet<string> = new Set(
  'of de des du del the our we have are is wir haben unsere unser sind ist die der das nous avons nos notre sont est les des le la nuestros nuestras nuestro nuestra tenemos son esta estan las los'.split(
    ' ',
  ),
);

/** An answer without what only repeats the question: "daily" of "daily backups". */
function withoutWords(text: string, called: ReadonlySet<string>): string {
  const stems = new Set([...called].filter((word) => word.length >= inflectedMin).map(stemOf));
  return foldText(text)
    .split(' ')
    .filter(
      (word) => !called.has(word) && !fillers.has(word) && !(word.length >= inflectedMin && stems.has(stemOf(word))),
    )
    .join(' ');
}

const negated = /\b(?:no|not|none|without|nicht|kein\w*|ohne|sin|ni|non|pas|sans|aucun\w*|ningun\w*)\b/;

/** The choice that may be meant by a text that holds what it is called, or nearly is what it is called. */
function nearestTo(sayings: Sayings, text: string): string[] {
  const words = foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  if (words.length > 1 && negated.test(words.join(' '))) return [];
  const held = new Set(
    words.flatMap((word, at) => (at > 0 && word.length < stemMin ? [] : choicesMeant(sayings, word))),
  );
  if (held.size > 0) return held.size === 1 ? [...held] : [];
  const all = [...sayings].flatMap(([choice, said]) => [...said].map((saying) => [saying, choice] as const));
  const near = nearestName(
    text,
    all.map(([saying]) => saying),
  );
  return all
    .filter(([saying]) => saying === near)
    .map(([, choice]) => choice)
    .slice(0, 1);
}
