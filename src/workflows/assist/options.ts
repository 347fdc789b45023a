import { tokensOf } from '../text/signs/index.ts';
import { type Reading, read } from './verdict.ts';
import { numbersAt } from './verify.ts';
import { type Place, type WordList, type Words, wordList } from './words.ts';

/** The options of a decision, which one is recommended, and what is known about each. */
export interface Options {
  /** Empty: nothing is recommended. */
  recommended: string;
  names: readonly string[];
  /** The numbers that belong to an option. */
  numbersOf: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Mention extends Place {
  name: string;
  start: number;
  sentence: number;
}

/**
 * Whether each sentence of a text leaves the recommendation as it is: words of preference come with the recommended option,
 * before any other one, and are not negated; words of the opposite come after another option; and another option is mentioned
 * only after the recommended one, or in a comparison ("than South"). If nothing is recommended, a sentence that names an option
 * has no words of preference, unless they are negated.
 */
export function standsBy(text: string, options: Options, words: Words): boolean {
  const reading = read(text, words);
  const mentions = mentionsIn(reading, options.names);
  const { tokens } = reading;
  const sentences = new Set(tokens.map(({ sentence }) => sentence));
  return [...sentences].every((sentence) => standsInSentence(reading, mentions, sentence, options.recommended));
}

/** A number that follows an option it does not belong to; those in `allowed` belong to all. */
export function mixedNumber(
  text: string,
  options: Options,
  words: Words,
  allowed: ReadonlySet<string>,
): string | undefined {
  const reading = read(text, words);
  const mentions = mentionsIn(reading, options.names);
  const { tokens } = reading;
  const mixed = numbersAt(text).find(({ number, start }) => {
    if (allowed.has(number)) return false;
    const sentence = tokens.find((token) => token.start <= start && start < token.end)?.sentence;
    const before = mentions.filter((one) => one.sentence === sentence && one.start <= start).at(-1);
    // A number in the option's own name belongs to it.
    return before !== undefined && !before.name.includes(number) && !options.numbersOf.get(before.name)?.has(number);
  });
  return mixed?.number;
}

/** Whether a text names an option. */
export function namesOption(text: string, name: string): boolean {
  return listOf(name).find(tokensOf(text).tokens).length > 0;
}

function standsInSentence(
  reading: Reading,
  mentions: readonly Mention[],
  sentence: number,
  recommended: string,
): boolean {
  const { tokens, words } = reading;
  const inSentence = ({ at }: Place) => tokens[at]?.sentence === sentence;
  const found = (list: WordList) => list.find(tokens).filter(inSentence);
  const better = found(words.lists.better);
  const here = mentions.filter(inSentence);
  if (recommended === '') return better.every(reading.isNegated) || here.length === 0;
  const own = here.find(({ name }) => name === recommended);
  const others = here.filter(({ name }) => name !== recommended);
  const loose = others.filter((other) => !isCompared(reading, other));
  if (better.length > 0 && (!own || better.some(reading.isNegated))) return false;
  if (loose.some(({ at }) => !own || at < own.at)) return false;
  const [first] = loose;
  if (first && better.some(({ at }) => at > first.at)) return false;
  const worse = found(words.lists.worse).filter((place) => !reading.isNegated(place));
  // A word of the opposite refers to the option mentioned last before it.
  return worse.every(({ at }) => {
    const before = here.filter((one) => one.at < at && !isCompared(reading, one)).at(-1);
    return before !== undefined && before.name !== recommended;
  });
}

/** "... than South": a word of comparison right before, or one word away ("than the South"). */
function isCompared({ tokens, words }: Reading, { at }: Place): boolean {
  return words.lists.than.find(tokens).some((place) => {
    const distance = at - (place.at + place.length);
    return distance >= 0 && distance <= 1;
  });
}

function mentionsIn({ tokens }: Reading, names: readonly string[]): Mention[] {
  const all = names.flatMap((name) =>
    listOf(name)
      .find(tokens)
      .map((place) => ({
        ...place,
        name,
        start: tokens[place.at]?.start ?? 0,
        sentence: tokens[place.at]?.sentence ?? 0,
      })),
  );
  // "North" inside "North Pier" means the latter.
  return all
    .filter((one) => !all.some((other) => other.length > one.length && isWithin(one, other)))
    .sort((a, b) => a.at - b.at);
}

function isWithin(one: Place, other: Place): boolean {
  return other.at <= one.at && one.at + one.length <= other.at + other.length;
}

function listOf(name: string): WordList {
  const words = tokensOf(name).tokens.map(({ forms }) => forms[0] as string);
  return words.length === 0 ? wordList([]) : wordList([words.join(' ')]);
}
