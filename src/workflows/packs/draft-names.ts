import { z } from 'zod';
import { foldText } from '../../base/text/fold.ts';
import { spaced } from '../../base/text/spaced.ts';
import { type DraftLanguage, draftLanguages } from './draft-language.ts';
import { readPack } from './read.ts';

const text = z.string().min(1);
const listOf = (separator: string) => text.transform((line) => line.split(separator).filter((word) => word !== ''));
const inEachLanguage = z
  .tuple([text, text, text, text])
  .transform((said) => Object.fromEntries(draftLanguages.map((language, index) => [language, said[index] as string])))
  .transform((said) => said as Record<DraftLanguage, string>);

const namesPack = z.strictObject({
  version: z.number().int().min(1),
  noise: listOf(' '),
  words: z.record(z.string(), listOf(' ')),
  meanings: z.record(
    z.string().regex(/^[a-z][A-Za-z]*$/),
    z.strictObject({
      said: listOf(', '),
      in: z.array(z.string().regex(/^[a-z][A-Za-z]*(?:@[a-z_]+)?$/)).default([]),
      yields: z.boolean().default(false),
      label: inEachLanguage.optional(),
      says: inEachLanguage.optional(),
    }),
  ),
});

/** What a fact's name means, whichever words say it. */
export interface FactMeaning {
  /** A field of some kind, or a meaning that is no kind's field. */
  id: string;
  /** The fields that it may fill, the most fitting first, each of any kind or of one alone. */
  fields: readonly { field: string; kind: string | undefined }[];
  /** Any other fact that fits the same field takes it first. */
  yields: boolean;
  label: Readonly<Record<DraftLanguage, string>> | undefined;
  /** A sentence that states it where the kind has none: `{}` is the value. */
  says: Readonly<Record<DraftLanguage, string>> | undefined;
}

const pack = readPack('draft/names.yaml', namesPack);

/** The version of the names, which is part of that of the kinds. */
export const draftNamesVersion = pack.version;

/** The meanings by id. */
export const factMeanings: ReadonlyMap<string, FactMeaning> = new Map(
  Object.entries(pack.meanings).map(([id, meaning]) => [
    id,
    {
      ...{ id, yields: meaning.yields, label: meaning.label, says: meaning.says },
      fields: [...meaning.in, id].map((place) => {
        const [field = '', kind] = place.split('@');
        return { field, kind };
      }),
    },
  ]),
);

const noise: ReadonlySet<string> = new Set(pack.noise);

// A word may say two ideas: "baja" is an absence or the end of a contract.
const ideasOf: ReadonlyMap<string, readonly string[]> = ideasByWord();

function ideasByWord(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [idea, words] of Object.entries(pack.words))
    for (const word of words) found.set(word, [...(found.get(word) ?? []), idea]);
  return found;
}

const meaningsByIdeas: ReadonlyMap<string, readonly string[]> = meaningsOfIdeas();

function meaningsOfIdeas(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [id, { said }] of Object.entries(pack.meanings))
    for (const ideas of said) {
      const stray = ideas.split(' ').find((idea) => pack.words[idea] === undefined);
      if (stray !== undefined) throw new Error(`packs/draft/names.yaml: ${id} speaks of ${stray}, which no word says`);
      const key = keyOf(ideas.split(' '));
      found.set(key, [...(found.get(key) ?? []), id]);
    }
  return found;
}

function keyOf(ideas: readonly string[]): string {
  return [...new Set(ideas)].sort().join(' ');
}

const nameMax = 128;
const wordsMax = 6;
const readingsMax = 24;

/** The meanings that a name may have, by the words that it is put together from; empty if a word is unknown. */
export function meaningsOf(name: string): FactMeaning[] {
  const readings = readingsOf(wordsIn(name));
  const ids = readings.flatMap((ideas) => meaningsByIdeas.get(keyOf(ideas)) ?? []);
  return [...new Set(ids)].map((id) => factMeanings.get(id) as FactMeaning);
}

function wordsIn(name: string): string[] {
  const folded = foldText(spaced(name.slice(0, nameMax)))
    .replaceAll(/\bcheck in\b/g, 'checkin')
    .replaceAll(/\bcheck out\b/g, 'checkout')
    .replaceAll(/\be mail\b/g, 'email')
    .replaceAll(/\brendez vous\b/g, 'rdv');
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?<=\p{L})\d$/u, ''));
}

/** Every way to read the words as ideas. */
function readingsOf(words: readonly string[]): string[][] {
  const left = words.filter((word) => !noise.has(word) || words.length === 1);
  if (left.length === 0 || left.length > wordsMax) return [];
  let readings: string[][] = [[]];
  for (const word of left) {
    const said = ideasIn(word);
    readings = readings.flatMap((reading) => said.map((ideas) => [...reading, ...ideas])).slice(0, readingsMax);
  }
  return readings;
}

/** The ideas of a word, or of the words that a German compound is put together from. */
function ideasIn(word: string): string[][] {
  for (const form of formsOf(word)) {
    const known = ideasOf.get(form);
    if (known) return known.map((idea) => [idea]);
  }
  for (const form of [word, withoutDigraphs(word)]) {
    const parts = partsOf(form);
    if (parts) return [parts];
  }
  return [];
}

function formsOf(word: string): string[] {
  return [word, withoutDigraphs(word)].flatMap((one) => [one, ...endings.map((end) => one.replace(end, ''))]);
}

const endings = [/s$/, /es$/, /n$/, /en$/];

/** "Empfaenger" is "Empfänger", which folds to "empfanger". */
function withoutDigraphs(word: string): string {
  return word.replaceAll(/([aou])e/g, '$1');
}

const partMin = 3;
const shortParts: ReadonlySet<string> = new Set(['nr']);

/** "Bestellnummer" as "order" and "number"; the longest first part counts, with or without its linking letters. */
function partsOf(word: string): string[] | undefined {
  for (let end = word.length - 2; end >= partMin; end--) {
    const head = word.slice(0, end);
    const idea = (ideasOf.get(head) ?? ideasOf.get(head.replace(/(?:s|n|en|es|e)$/, '')))?.[0];
    if (idea === undefined) continue;
    const rest = word.slice(end);
    const last = rest.length >= partMin || shortParts.has(rest) ? ideasOf.get(rest)?.[0] : undefined;
    if (last !== undefined) return [idea, last];
    const further = rest.length > partMin * 2 ? partsOf(rest) : undefined;
    if (further) return [idea, ...further];
  }
  return undefined;
}
