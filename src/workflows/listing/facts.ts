import { atOnce, type Slices } from '../../base/slices.ts';
import type { ListingFact } from '../../gen/intelligence/workflow/v1/readiness_pb.ts';
import type { Plain } from '../family.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import { factPatterns } from './fact-patterns.ts';
import { namedFacts } from './named-facts.ts';
import type { Kind } from './patterns/pattern.ts';
import { amountOf, plainText, withShortWords } from './plain-text.ts';

/** A fact stated by a listing, where it appears, and in which words. */
export type Fact = Plain<ListingFact>;

export interface ReadFacts {
  /** One per name: a field's value takes precedence over the text. */
  facts: Fact[];
  /** All that the text says about each fact, in order and without repetitions; to be compared with fields and with each other. */
  said: ReadonlyMap<string, readonly Fact[]>;
}

const saidMax = 8;

/** All facts that can be read from listings, with how to read them. */
export const listingFacts = [...factPatterns, ...namedFacts];

/** Reads the facts of a kind of thing from a listing's fields and text. Linear in both; pure. */
export function readFacts(text: string, attributes: Readonly<Record<string, unknown>>, kind: Kind): ReadFacts {
  return atOnce(readFactsInSlices(text, attributes, kind));
}

export function* readFactsInSlices(
  text: string,
  attributes: Readonly<Record<string, unknown>>,
  kind: Kind,
): Slices<ReadFacts> {
  yield text.length;
  const plain = withShortWords(plainText(text));
  const said = new Map<string, Fact[]>();
  const given = new Map<string, Fact>();
  const byField = new Map(Object.entries(attributes).map(([name, value]) => [bareName(name), value]));
  for (const { fact, kinds, pattern, needs, read, fields = [] } of listingFacts) {
    if (kinds.length > 0 && !kinds.includes(kind)) continue;
    yield plain.length;
    const found = said.get(fact) ?? [];
    const mayMatch = needs === undefined || needs.test(plain);
    for (let match = mayMatch ? firstMatch(pattern, plain) : null; match; match = nextMatch(match, pattern, plain)) {
      if (found.length >= saidMax) break;
      const value = read(match, plain);
      if (value === undefined || found.some((one) => one.value === value)) continue;
      const quote = text.slice(match.index, match.index + match[0].length).trim();
      found.push({ name: fact, value, source: 'text', quote });
    }
    if (found.length > 0) said.set(fact, found);
    const field = fields.find((name) => byField.has(name));
    const value = field === undefined ? undefined : fieldValue(byField.get(field), pattern, read);
    if (value !== undefined && !given.has(fact)) given.set(fact, { name: fact, value, source: 'field', quote: '' });
  }
  const facts = [...given.values()];
  for (const [name, [first]] of said) if (first && !given.has(name)) facts.push(first);
  return { facts: facts.slice(0, 100), said };
}

/** `matchAll` would copy the pattern, and a copy is often compiled anew, which takes longer than reading a listing with it. */
function firstMatch(pattern: RegExp, text: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(text);
}

function nextMatch({ index, 0: { length } }: RegExpExecArray, pattern: RegExp, text: string): RegExpExecArray | null {
  pattern.lastIndex = index + Math.max(1, length);
  return pattern.exec(text);
}

/** A field's value in the form it would have from the text: "61,400 miles" is 61400, and a year may be given as a date. */
function fieldValue(
  value: unknown,
  pattern: RegExp,
  read: (match: RegExpExecArray, text: string) => string | undefined,
): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.trim() === '' || isPlaceholder(value)) return undefined;
  const plain = plainText(value.slice(0, 200));
  for (let match = firstMatch(pattern, plain); match; match = nextMatch(match, pattern, plain)) {
    const found = read(match, plain);
    if (found !== undefined) return found;
  }
  return /^-?[\d., ']+\D{0,12}$/.test(plain.trim())
    ? String(amountOf(plain) * (plain.trim().startsWith('-') ? -1 : 1))
    : value.trim().slice(0, 200);
}

/** `fuel_type`, `fuelType` and "Fuel type" are one name. */
export function bareName(name: string): string {
  return plainText(name.slice(0, 100)).replace(/[^a-z0-9]/g, '');
}

/** The names of the fields from which a kind's facts are read. */
export function knownFields(kind: Kind): string[] {
  return listingFacts.flatMap(({ kinds, fields }) =>
    kinds.length === 0 || kinds.includes(kind) ? (fields ?? []) : [],
  );
}

/** The names of a kind's facts. */
export function knownFacts(kind: Kind): string[] {
  const own = listingFacts.filter(({ kinds }) => kinds.length === 0 || kinds.includes(kind));
  return [...new Set(own.map(({ fact }) => fact))];
}

/** What was read, plus additional facts for names that have none yet. */
export function withFacts(read: ReadFacts, more: readonly Fact[], kind: Kind): ReadFacts {
  const given = new Set(read.facts.map(({ name }) => name));
  const known = new Set(knownFacts(kind));
  const added = more.filter(({ name }) => known.has(name) && !given.has(name));
  return added.length === 0 ? read : { ...read, facts: [...read.facts, ...added].slice(0, 100) };
}
