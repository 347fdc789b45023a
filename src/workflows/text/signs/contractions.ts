// Words that are also written as one: "I will", "I'll" and "ill" are the same to a sign, whichever of them its pattern has.

/** How the words of a language are written together. */
export interface Contractions {
  /** What a word stands for, by its letters without apostrophes. */
  apart: ReadonlyMap<string, Contraction>;
  /** The words that two stand for together: by the first, then by the second. */
  together: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** What is left of a word after another: "ll" after "i" is "will". */
  ends: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export interface Contraction {
  first: string;
  second: string;
  /** Without an apostrophe it is another word, such as "hell". */
  needsApostrophe: boolean;
  /** At the beginning of a clause it is none, even so: "ill find you". */
  opensClauses: boolean;
  /** Other ways to write the two together. */
  others: readonly string[];
}

const pronouns = ['i', 'you', 'he', 'she', 'it', 'we', 'they', 'who', 'that', 'there', 'this', 'what'];
const plurals = ['you', 'we', 'they', 'who', 'there', 'what'];
const singulars = ['he', 'she', 'it', 'who', 'that', 'there', 'what', 'here'];
const helpers = [
  'do',
  'does',
  'did',
  'is',
  'are',
  'was',
  'were',
  'have',
  'has',
  'had',
  'would',
  'could',
  'should',
  'must',
];

/** Without apostrophes these are other words, and two words never stand for them. */
const ambiguous: ReadonlySet<string> = new Set(['hell', 'shell', 'well', 'were', 'id', 'wed', 'shed', 'ill', 'its']);
/** Of these the packs mean what is written together. */
const meant: ReadonlySet<string> = new Set(['ill', 'well', 'its']);

export const english: Contractions = contractionsOf([
  ...pronouns.map((one) => [one, 'will', `${one}ll`, 'll'] as const),
  ...pronouns.map((one) => [one, 'would', `${one}d`, 'd'] as const),
  ...[...plurals, 'i'].map((one) => [one, 'have', `${one}ve`, 've'] as const),
  ...plurals.map((one) => [one, 'are', `${one}re`, 're'] as const),
  ...singulars.map((one) => [one, 'is', `${one}s`, 's'] as const),
  ['i', 'am', 'im', 'm'],
  ...helpers.map((one) => [one, 'not', `${one}nt`] as const),
  ['can', 'not', 'cant'],
  ['can', 'not', 'cannot'],
  ['will', 'not', 'wont'],
  ['shall', 'not', 'shant'],
  ['going', 'to', 'gonna'],
  ['want', 'to', 'wanna'],
  ['let', 'us', 'lets'],
]);

function contractionsOf(all: readonly (readonly [string, string, string, string?])[]): Contractions {
  const apart = new Map<string, Contraction>();
  const together = new Map<string, Map<string, string[]>>();
  const ends = new Map<string, Map<string, string>>();
  for (const [first, second, joined, end] of all) {
    const ways = entryOf(together, first, () => new Map<string, string[]>());
    if (!ambiguous.has(joined) || meant.has(joined)) entryOf(ways, second, () => []).push(joined);
    if (end !== undefined) entryOf(ends, first, () => new Map<string, string>()).set(end, second);
  }
  for (const [first, second, joined] of all) {
    const others = (together.get(first)?.get(second) ?? []).filter((one) => one !== joined);
    apart.set(joined, {
      first,
      second,
      needsApostrophe: ambiguous.has(joined),
      opensClauses: joined === 'ill',
      others,
    });
  }
  return { apart, together, ends };
}

function entryOf<Value>(map: Map<string, Value>, key: string, made: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = made();
  map.set(key, value);
  return value;
}
