import { z } from 'zod';
import { readPack } from '../packs/read.ts';
import { namesModel } from './patterns/makes.ts';
import { hasMileage } from './patterns/mileage.ts';
import type { Kind } from './patterns/pattern.ts';
import { isHiredOut } from './patterns/price.ts';
import { countsRooms, namesHome, namesWorkplace } from './patterns/property.ts';
import { plainText } from './plain-text.ts';

const kindWords = z.record(
  z.enum(['vehicles', 'property', 'electronics', 'jobs', 'services', 'furniture', 'fashion']),
  z.strictObject({
    category: z.array(z.string()),
    text: z.array(z.string()),
    never: z.array(z.string()).default([]),
    not: z.array(z.string()).default([]),
    unless: z.array(z.string()).default([]),
    branches: z.array(z.string()).default([]),
    weak: z.array(z.string()).default([]),
    hire: z.array(z.string()).default([]),
  }),
);

interface Entry {
  kind: Kind;
  word: string;
  /** Its third letter; -1: none. */
  third: number;
  /** Matches only as a whole word. */
  whole: boolean;
  /** Other things have it, too. */
  weak: boolean;
}

/** The different words of a kind in a text. */
interface Counted {
  all: number;
  weak: readonly string[];
}

/** Words by their first two letters, so that each position in a text is compared with only a few of them. */
interface Index {
  entries: ReadonlyMap<number, readonly Entry[]>;
  /** By UTF-16 unit, whether a word begins with it: none begins with a blank. */
  begins: readonly boolean[];
}

const lists = Object.entries(readPack('listing/kinds.yaml', kindWords)).map(([kind, lists]) => ({
  kind: kind as Kind,
  ...lists,
}));
const categoryIndex = indexOf(
  lists.map(({ kind, category, branches, hire }) => [kind, category, [...branches, ...hire]]),
);
// Category names are also used for the things themselves.
const textIndex = indexOf(
  lists.map(({ kind, category, text, branches, weak, hire }) => [
    kind,
    [...new Set([...category, ...text])],
    [...branches, ...weak, ...hire],
  ]),
);
/** Weak words that say how a thing is offered and not what it is: homes are let, and so are tents and drills. */
const ofHire: ReadonlySet<string> = new Set(lists.flatMap(({ hire }) => hire).map((word) => word.replace(/\.$/, '')));

function indexOf(all: readonly (readonly [Kind, readonly string[], (readonly string[])?])[]): Index {
  const entries = new Map<number, Entry[]>();
  const begins: boolean[] = [];
  for (const [kind, list, weak = []] of all)
    for (const entry of list) {
      const whole = entry.endsWith('.');
      const word = whole ? entry.slice(0, -1) : entry;
      const key = keyAt(word, 0);
      begins[word.charCodeAt(0)] = true;
      entries.set(key, [
        ...(entries.get(key) ?? []),
        { kind, word, third: word.length > 2 ? word.charCodeAt(2) : -1, whole, weak: weak.includes(entry) },
      ]);
    }
  return { entries, begins };
}

function keyAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

const neverIndex = indexOf(lists.map(({ kind, never }) => [kind, never]));
const notIndex = indexOf(lists.map(({ kind, not }) => [kind, not]));
const unlessIndex = indexOf(lists.map(({ kind, unless }) => [kind, unless]));

const titleCounts = 3;
const categoryCounts = 4;
const least = 2;
/** So many different weak words say together what none says alone: house, garden, floor and heating. */
const weakTogether = 4;

/** A whole vehicle among parts and toys, or one of these among vehicles. */
export type Misplaced = 'wholeAmongParts' | 'partAmongWholes';

export interface Kinds {
  byWords: Kind;
  kind: Kind;
  /** How the category and the words contradict each other. */
  misplaced: Misplaced | undefined;
}

/**
 * What kind of thing a listing offers: by its own words alone, and with its category, which counts as much as several words.
 * `generic` if too little points to any kind.
 */
export function kindsOf(title: string, description: string, category: string): Kinds {
  const plainTitle = withEngines(plainText(title));
  const plainDescription = withEngines(plainText(description));
  const plainCategory = plainText(category);
  const inTitle = countWords(plainTitle, textIndex);
  const inDescription = countWords(plainDescription, textIndex);
  const inCategory = countWords(plainCategory, categoryIndex);
  const others = countWords(`${plainTitle}\n${plainCategory}`, neverIndex);
  const likenesses = countWords(`${plainTitle}\n${plainCategory}`, notIndex);
  // These words count only against a likeness.
  const itself: typeof likenesses =
    likenesses.size === 0 ? new Map() : countWords(`${plainTitle}\n${plainDescription}`, unlessIndex);
  // A van for a day has no first registration that its driver asks for, nor a price that buys it.
  const isForHire = isHiredOut(plainTitle) && byTheDay.test(plainDescription);
  const scored = lists.map(({ kind }) => {
    const isLike = likenesses.has(kind) && !itself.has(kind);
    if (others.has(kind) || isLike || (isForHire && kind === 'vehicles')) return { kind, points: 0, withCategory: 0 };
    const [ofTitle, ofDescription, ofCategory] = [inTitle, inDescription, inCategory].map((one) => one.get(kind));
    if (!ofTitle && !ofDescription && !ofCategory) return { kind, points: 0, withCategory: 0 };
    const isSaid = isEvident(kind, [ofTitle, ofDescription, ofCategory], plainTitle, plainDescription);
    const points = (ofTitle?.all ?? 0) * titleCounts + (ofDescription?.all ?? 0);
    return isSaid
      ? { kind, points, withCategory: points + (ofCategory ? categoryCounts : 0) }
      : { kind, points: 0, withCategory: 0 };
  });
  const byWords = best(scored.map(({ kind, points }) => [kind, points]));
  const isForParts = countWords(plainCategory, notIndex).has('vehicles');
  const isForWholes = inCategory.has('vehicles') && !isForParts;
  const isPart = countWords(plainTitle, notIndex).has('vehicles') && !itself.has('vehicles');
  const isWhole = byWords === 'vehicles' && itself.has('vehicles');
  return {
    byWords,
    kind: best(scored.map(({ kind, withCategory }) => [kind, withCategory])),
    misplaced: isForParts && isWhole ? 'wholeAmongParts' : isForWholes && isPart ? 'partAmongWholes' : undefined,
  };
}

/** In French, a CDI is a contract; after a number, as in "316 CDI" and "2.2 CDI", it is a diesel, which others call by other letters. */
function withEngines(plain: string): string {
  return plain.includes('cdi') ? plain.replace(/(?<![\d.,])(\d{3}|\d[.,]\d) ?cdi(?![a-z])/g, '$1 cdti') : plain;
}

/**
 * Whether anything says that it is of a kind, and not only that it has to do with it: makers of cars make guitars and mowers, too, a chair
 * is for an office, and a bed for care. A kind has demands that nothing else could meet.
 */
function isEvident(kind: Kind, counted: readonly (Counted | undefined)[], title: string, description: string): boolean {
  if (counted.some((one) => one !== undefined && one.all > one.weak.length)) return true;
  const text = `${title}\n${description}`;
  if (kind === 'vehicles') return namesModel(text) || hasMileage(text) || (namesBoat.test(title) && power.test(text));
  const weak = new Set(counted.flatMap((one) => one?.weak ?? []));
  const whatItIs = [...weak].filter((word) => !ofHire.has(word)).length;
  const isOffered = whatItIs < weak.size;
  const isHome = () =>
    countsRooms(text) || namesHome(title) || namesWorkplace(title) || (isOffered && isLet(weak, whatItIs, text));
  if (kind === 'property' && isHome()) return true;
  return whatItIs + (isOffered ? 1 : 0) >= weakTogether;
}

/** Rowing boats and toys have no horsepower. */
const namesBoat = /\b(?:boat|boot|barco|bateau)\b/;
const power = /\d ?(?:hp|bhp|ps|cv|ch)\b/;

/**
 * Whether what is let is a place: a word of homes is beside the letting, or it is paid by the month. Nobody lives somewhere by the day, and a
 * deposit alone also reserves a puppy.
 */
function isLet(weak: ReadonlySet<string>, whatItIs: number, text: string): boolean {
  if (byTheDay.test(text)) return false;
  const isLetting = [...weak].some((word) => ofHire.has(word) && !ofDeposits.test(word));
  return (isLetting && whatItIs > 0) || byTheMonth.test(text);
}

const ofDeposits = /^(?:deposit|kaution|fianza|caution|depot)/;

const byTheDay =
  /\d ?(?:€|£|\$|euros?|eur|chf)? ?(?:\/|(?:per|a|each|pro|am|je|por|al|el|cada|par|la|le) )(?:day|hour|h\b|tag|stunde|std|dia|hora|jour|heure|weekend|week-end|wochenende|fin de semana|finde)/;
const byTheMonth =
  /\b(?:pcm\b|mtl|monatl|mensual|mensuel|monthly)|(?:\b(?:per|a|im|pro|je|al|por|par)|\/) ?(?:calendar )?(?:month|monat|mes\b|mois)/;

function best(scored: readonly (readonly [Kind, number])[]): Kind {
  const [kind, points] = scored.reduce((most, one) => (one[1] > most[1] ? one : most), ['generic', 0] as const);
  return points >= least ? kind : 'generic';
}

/** How many different words of each kind begin words of a text. */
function countWords(text: string, { entries, begins }: Index): ReadonlyMap<Kind, Counted> {
  const counts = new Map<Kind, Counted>();
  const seen = new Set<Entry>();
  for (let at = 0; at < text.length; at++) {
    if (begins[text.charCodeAt(at)] !== true || (at > 0 && isLetter(text.charCodeAt(at - 1)))) continue;
    for (const entry of entries.get(keyAt(text, at)) ?? []) {
      if (entry.third >= 0 && entry.third !== text.charCodeAt(at + 2)) continue;
      if (seen.has(entry) || !text.startsWith(entry.word, at)) continue;
      const next = text.charCodeAt(at + entry.word.length);
      if (entry.whole && (isLetter(next) || (next >= 0x30 && next <= 0x39))) continue;
      seen.add(entry);
      const { all, weak } = counts.get(entry.kind) ?? { all: 0, weak: [] };
      counts.set(entry.kind, { all: all + 1, weak: entry.weak ? [...weak, entry.word] : weak });
    }
  }
  return counts;
}

function isLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}
