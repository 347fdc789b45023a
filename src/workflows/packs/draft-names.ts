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

const inOneLanguage = z.strictObject({ en: listOf(', '), de: listOf(', '), es: listOf(', '), fr: listOf(', ') });

const namesPack = z.strictObject({
  version: z.number().int().min(1),
  noise: listOf(' '),
  spellings: inOneLanguage,
  persons: z.strictObject({ title: listOf(', '), first: listOf(', '), last: listOf(', '), whole: listOf(', ') }),
  words: z.record(z.string(), listOf(' ')),
  meanings: z.record(
    z.string().regex(/^[a-z][A-Za-z]*$/),
    z.strictObject({
      said: listOf(', '),
      in: z.array(z.string().regex(/^[a-z][A-Za-z]*(?:@[a-z_]+)?$/)).default([]),
      yields: z.boolean().default(false),
      first: z.boolean().default(false),
      label: inEachLanguage.optional(),
      says: inEachLanguage.optional(),
      ifYes: inEachLanguage.optional(),
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
  /** It takes a field before any other fact: what is still open, before the total. */
  first: boolean;
  label: Readonly<Record<DraftLanguage, string>> | undefined;
  /** A sentence that states it where the kind has none: `{}` is the value, `{#}` a number of two or more. */
  says: Readonly<Record<DraftLanguage, string>> | undefined;
  /** The sentence where the value is only a yes. */
  ifYes: Readonly<Record<DraftLanguage, string>> | undefined;
}

const pack = readPack('draft/names.yaml', namesPack);

/** The version of the names, which is part of that of the kinds. */
export const draftNamesVersion = pack.version;

/** The meanings by id. */
export const factMeanings: ReadonlyMap<string, FactMeaning> = new Map(
  Object.entries(pack.meanings).map(([id, meaning]) => [
    id,
    {
      ...{ id, yields: meaning.yields, first: meaning.first, label: meaning.label, says: meaning.says },
      ifYes: meaning.ifYes,
      fields: [...meaning.in, id].map((place) => {
        const [field = '', kind] = place.split('@');
        return { field, kind: kind === 'neutral' ? '' : kind };
      }),
    },
  ]),
);

const noise: ReadonlySet<string> = new Set(pack.noise);

/** Words of names as each language spells them, which software writes without accents and capitals, or abbreviates. */
export const nameSpellings: Readonly<Record<DraftLanguage, readonly string[]>> = pack.spellings;

/** What software calls the parts of a person's name, and the whole of it. */
export const personNames: Readonly<Record<'title' | 'first' | 'last' | 'whole', readonly string[]>> = pack.persons;

// A word may say two ideas: "baja" is an absence or the end of a contract.
const ideasOf: ReadonlyMap<string, readonly string[]> = ideasByWord();

function ideasByWord(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [idea, words] of Object.entries(pack.words))
    for (const word of words) found.set(word, [...(found.get(word) ?? []), idea]);
  return found;
}

/** The known words by their first letter, each with its ideas; and the same with the shortest first. */
const wordsByLetter = byLetter([...ideasOf]);
const shortestByLetter = byLetter([...ideasOf].sort(([a], [b]) => a.length - b.length));

type KnownWord = readonly [word: string, ideas: readonly string[]];

function byLetter(words: readonly KnownWord[]): ReadonlyMap<string, readonly KnownWord[]> {
  const found = new Map<string, KnownWord[]>();
  for (const known of words) {
    const letter = known[0].charAt(0);
    const same = found.get(letter);
    if (same) same.push(known);
    else found.set(letter, [known]);
  }
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

/**
 * The meanings that a name may have, by the words that it is put together from; empty if a word is unknown. An abbreviation is read
 * as each word that it may stand for, and only in a name of several words, of which the others say what it is about.
 */
export function meaningsOf(name: string): FactMeaning[] {
  const readings = readingsOf(wordsIn(name));
  const ids = readings.flatMap((ideas) => meaningsByIdeas.get(keyOf(ideas)) ?? []);
  return [...new Set(ids)].map((id) => factMeanings.get(id) as FactMeaning);
}

/** The ideas that a word is known to say, in any language. */
export function ideasOfWord(word: string): readonly string[] {
  return [...new Set(ideasIn(word).flat())];
}

/** How an idea is said, in any language, the most usual word first. */
export const wordsOfIdeas: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(pack.words));

/** The ideas that the words of a name say, in full or abbreviated. */
export function ideasSaidBy(name: string): ReadonlySet<string> {
  const words = wordsIn(name);
  const said = words.flatMap((word) => {
    const exact = ideasIn(word);
    return (exact.length > 0 || words.length === 1 ? exact : abbreviatedIn(word)).flat();
  });
  return new Set(said);
}

/** What some write as two words, and others as one. */
const joinedWords = /\b(?:check in|check out|e mail|rendez vous|raison sociale|razon social)\b/g;
const asOneWord: Readonly<Record<string, string>> = {
  'check in': 'checkin',
  'check out': 'checkout',
  'e mail': 'email',
  'rendez vous': 'rdv',
  'raison sociale': 'raisonsociale',
  'razon social': 'razonsocial',
};

/** The words of a name, folded. */
export function wordsIn(name: string): string[] {
  const folded = foldText(spaced(name.slice(0, nameMax))).replaceAll(joinedWords, (two) => asOneWord[two] ?? two);
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?<=\p{L})\d$/u, ''));
}

/** Every way to read the words as ideas. */
function readingsOf(words: readonly string[]): string[][] {
  const left = words.filter((word) => !noise.has(word) || words.length === 1);
  if (left.length === 0 || left.length > wordsMax) return [];
  let readings: string[][] = [[]];
  for (const word of left) {
    const exact = ideasIn(word);
    const said = exact.length > 0 ? exact : left.length === 1 ? compoundIn(word) : abbreviatedIn(word);
    readings = readings.flatMap((reading) => said.map((ideas) => [...reading, ...ideas])).slice(0, readingsMax);
  }
  return readings;
}

/** The ideas of a word, or of the words that a German compound is put together from. */
function ideasIn(word: string): string[][] {
  const plain = withoutDigraphs(word);
  const known = ideasOfForm(word) ?? (plain === word ? undefined : ideasOfForm(plain));
  if (known) return known.map((idea) => [idea]);
  const parts = partsOf(word) ?? (plain === word ? undefined : partsOf(plain));
  return parts ? [parts] : [];
}

/** The ideas of a word that is known with or without its ending. */
function ideasOfForm(word: string): readonly string[] | undefined {
  const whole = ideasOf.get(word);
  if (whole) return whole;
  if (word.endsWith('s'))
    return ideasOf.get(word.slice(0, -1)) ?? (word.endsWith('es') ? ideasOf.get(word.slice(0, -2)) : undefined);
  if (word.endsWith('n'))
    return ideasOf.get(word.slice(0, -1)) ?? (word.endsWith('en') ? ideasOf.get(word.slice(0, -2)) : undefined);
  return undefined;
}

const abbreviationMin = 2;
const abbreviatedMax = 6;

/** The ideas of the words that an abbreviation may stand for, if they are few. */
function abbreviatedIn(word: string): string[][] {
  const ideas = new Set<string>();
  // "Auftr" is rather "Auftrag" than "Auftraggeber".
  for (const [known, said] of shortestByLetter.get(word.charAt(0)) ?? [])
    if (abbreviates(word, known)) for (const idea of said) ideas.add(idea);
  if (ideas.size > 0) return ideas.size > abbreviatedMax ? [] : [...ideas].map((idea) => [idea]);
  return compoundIn(word);
}

/** "Zahlungsbed" is a compound whose last word is abbreviated. */
function compoundIn(word: string): string[][] {
  for (let end = word.length - partMin; end >= partMin; end--) {
    const [first] = ideasOf.get(word.slice(0, end)) ?? [];
    if (first === undefined) continue;
    const last = word.slice(end);
    const ideas = new Set<string>();
    for (const [known, all] of wordsByLetter.get(last.charAt(0)) ?? [])
      if (known.startsWith(last)) for (const idea of all) ideas.add(idea);
    if (ideas.size > 0 && ideas.size <= abbreviatedMax) return [...ideas].map((idea) => [first, idea]);
  }
  return [];
}

/**
 * Whether one word abbreviates another: it is its beginning ("fact" for "factura"), or has its first and its last letter and others
 * between them in their order ("mgr", "vto", "ppto"). Of two letters only the latter without a vowel: "mt" for "montant".
 */
export function abbreviates(short: string, word: string): boolean {
  if (short.length < abbreviationMin || word.length < short.length + 2) return false;
  if (short.length > abbreviationMin && word.startsWith(short)) return true;
  if (short[0] !== word[0] || short.at(-1) !== word.at(-1) || /[aeiou]./.test(short.slice(1))) return false;
  let at = 0;
  for (const letter of word) if (letter === short[at]) at++;
  return at === short.length;
}

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
    const idea = (ideasOf.get(head) ?? ideasOf.get(withoutLink(head)))?.[0];
    if (idea === undefined) continue;
    const rest = word.slice(end);
    const last = rest.length >= partMin || shortParts.has(rest) ? ideasOf.get(rest)?.[0] : undefined;
    if (last !== undefined) return [idea, last];
    const further = rest.length > partMin * 2 ? partsOf(rest) : undefined;
    if (further) return [idea, ...further];
  }
  return undefined;
}

/** The first part of a compound without the letters that link it to the next. */
function withoutLink(head: string): string {
  if (head.endsWith('en') || head.endsWith('es')) return head.slice(0, -2);
  return head.endsWith('s') || head.endsWith('n') || head.endsWith('e') ? head.slice(0, -1) : head;
}
