import { atOnce, type Slices } from '../../base/slices.ts';
import type { ListingFact } from '../../gen/intelligence/workflow/v1/readiness_pb.ts';
import type { Plain } from '../family.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import { unlessDenied } from './denial.ts';
import { factPatterns } from './fact-patterns.ts';
import { dateOf, nextDate } from './patterns/dates.ts';
import type { FactPattern, Kind } from './patterns/pattern.ts';
import { amountOf, countOf, plainText, withShortWords } from './plain-text.ts';
import { decimalsOf } from './ranges.ts';
import { type FieldName, fieldNameOf, fits, isUnit, measured } from './units.ts';

/** A fact stated by a listing, where it appears, and in which words. */
export type Fact = Plain<ListingFact>;

export interface ReadFacts {
  /** One per name: a field's value takes precedence over the text. */
  facts: Fact[];
  /** All that the text says about each fact, in order and without repetitions; to be compared with fields and with each other. */
  said: ReadonlyMap<string, readonly Fact[]>;
  /** Facts whose fields state the unit: a mileage on its own may be in kilometres or miles. */
  inTheirUnit: ReadonlySet<string>;
  /** The text in lower case and without accents. */
  plain: string;
}

const saidMax = 8;
const noFacts: ReadonlySet<string> = new Set();

/** All facts that can be read from listings, with how to read them. */
export const listingFacts = factPatterns;

const patternsByKind = new Map<Kind, readonly FactPattern[]>();

function patternsOf(kind: Kind): readonly FactPattern[] {
  const known = patternsByKind.get(kind);
  if (known) return known;
  const found = listingFacts.filter(({ kinds }) => kinds.length === 0 || kinds.includes(kind));
  patternsByKind.set(kind, found);
  return found;
}

/** Reads the facts of a kind of thing from a listing's fields, text and category. Linear in all of them; pure. */
export function readFacts(
  text: string,
  attributes: Readonly<Record<string, unknown>>,
  kind: Kind,
  category = '',
): ReadFacts {
  return atOnce(readFactsInSlices(text, attributes, kind, category));
}

/** `readFacts`, without those facts that the text need not tell. */
export function* readFactsInSlices(
  text: string,
  attributes: Readonly<Record<string, unknown>>,
  kind: Kind,
  category: string,
  needless: ReadonlySet<string> = noFacts,
): Slices<ReadFacts> {
  yield text.length;
  const plain = withShortWords(plainText(text));
  const title = plain.split('\n', 1)[0] ?? '';
  const said = new Map<string, Fact[]>();
  const given = new Map<string, Fact>();
  const inTheirUnit = new Set<string>();
  const byField = fieldsByName(attributes);
  for (const known of patternsOf(kind)) {
    const { fact, pattern, needs, asWritten = false, inTitle = false, unlessSaid = false, nameAfter } = known;
    yield plain.length;
    const scope = inTitle ? title : plain;
    const isNeedless = needless.has(fact) || (unlessSaid && said.has(fact));
    const mayMatch = !isNeedless && (needs === undefined || needs.test(scope));
    let match = mayMatch ? firstMatch(pattern, scope) : null;
    const found = match ? (said.get(fact) ?? []) : [];
    for (; match; match = nextMatch(match, pattern, scope)) {
      if (found.length >= saidMax) break;
      const whole = nameAfter === undefined ? match : withName(match, nameAfter, text);
      const readValue = whole && saidBy(known, whole, scope);
      if (!whole || readValue === undefined) continue;
      const quote = quoteOf(text, whole.index, whole.index + whole[0].length);
      const written = asWritten ? asIn(text, whole, readValue) : readValue;
      const value = known.called?.(whole[0], written) ?? written;
      if (value === '') continue;
      if (!found.some((one) => one.value === value)) found.push({ name: fact, value, source: 'text', quote });
    }
    if (found.length > 0) said.set(fact, found);
    for (const one of byField.size === 0 ? [] : statedBy(byField, known)) {
      if (given.has(one.fact.name)) continue;
      given.set(one.fact.name, one.fact);
      if (one.inItsUnit) inTheirUnit.add(one.fact.name);
    }
  }
  const facts = [...given.values()];
  const pay = Number((given.get('salaryMin') ?? said.get('salaryMin')?.[0])?.value);
  for (const [name, found] of said) {
    const one = name === 'salaryPeriod' ? periodOf(found, pay) : found[0];
    if (one && !given.has(name)) facts.push(one);
  }
  return { facts: [...facts, ...inCategory(category, kind, facts)].slice(0, 100), said, inTheirUnit, plain };
}

/** A fact as the listing's fields state it: first those that are named for it, then those whose prose may have it. */
function statedBy(byField: ReadonlyMap<string, readonly Stated[]>, known: FactPattern): InField[] {
  const { fields = [], mayState = [] } = known;
  const stated: InField[] = [];
  const add = (names: readonly string[], read: typeof fieldValue) => {
    for (const name of names)
      for (const value of byField.get(name) ?? none) {
        const one = inField(value, known, read);
        if (one) stated.push(one);
      }
  };
  add(fields, fieldValue);
  add(mayState, proseValue);
  return stated;
}

const none: readonly never[] = [];

const inWord = /\p{L}/u;
const wordMax = 40;
/** A pattern that begins where a sentence does may have the end of the one before in it. */
const betweenSentences = /^[.,;:!?)|/]\s*(?=\p{L})/u;

/** The words of a text between two positions. Where a pattern begins or ends within a word, the whole word is quoted. */
function quoteOf(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  const isLetter = (at: number) => inWord.test(text[at] ?? '');
  while (isLetter(start) && isLetter(start - 1) && from - start < wordMax) start--;
  while (isLetter(end - 1) && isLetter(end) && end - to < wordMax) end++;
  return text.slice(start, end).trim().replace(betweenSentences, '');
}

/** Nobody earns thousands an hour: what an hour pays is told besides. */
function periodOf(found: readonly Fact[], pay: number): Fact | undefined {
  return pay >= 1000 ? found.find(({ value }) => value !== 'hour') : found[0];
}

/** Whether a text on its own states a fact with this value, in digits or in words. */
export function states(text: string, fact: string, value: string): boolean {
  const plain = withShortWords(plainText(text));
  return listingFacts.some((known) => {
    if (known.fact !== fact) return false;
    const { pattern } = known;
    for (let match = firstMatch(pattern, plain); match; match = nextMatch(match, pattern, plain))
      if (saidBy(known, match, plain) === value) return true;
    return false;
  });
}

/** What the category alone says: "Flats to rent". */
function inCategory(category: string, kind: Kind, facts: readonly Fact[]): Fact[] {
  if (category.trim() === '') return [];
  const open = listingFacts.filter(
    ({ fact, kinds, inCategory }) =>
      inCategory === true && kinds.includes(kind) && !facts.some(({ name }) => name === fact),
  );
  return open.flatMap((known) => {
    const value = proseValue(category, known);
    return value === undefined ? [] : [{ name: known.fact, value, source: 'field', quote: '' }];
  });
}

/** The names of fields that facts are read from, as they are read. */
const namesRead: ReadonlyMap<string, FieldName> = new Map(
  listingFacts.flatMap(({ fields = [], mayState = [] }) =>
    [...fields, ...mayState].map((name) => [name, fieldNameOf(name)] as const),
  ),
);

/** Most fields have such a name as it is. */
function readName(name: string): FieldName {
  return namesRead.get(name) ?? fieldNameOf(name);
}

/** What a listing's field has, and the unit that its name states. */
interface Stated extends Pick<FieldName, 'unit' | 'isAtEnd'> {
  value: unknown;
  /** The name says what is counted: "Laufleistung (km)", "kms". */
  namesUnit: boolean;
}

/** Fields by their whole name, and then by the one without its unit: "Laufleistung (km)". */
function fieldsByName(attributes: Readonly<Record<string, unknown>>): ReadonlyMap<string, readonly Stated[]> {
  const found = new Map<string, Stated[]>();
  const add = (name: string, one: Stated) => {
    const same = found.get(name);
    if (same) same.push(one);
    else found.set(name, [one]);
  };
  const named = Object.entries(attributes).map(([name, value]) => ({ value, ...readName(name) }));
  const namesUnit = ({ full, unit }: FieldName) => isUnit(unit) || /kms?$|kilom|miles/.test(full);
  for (const one of named) add(one.full, { value: one.value, unit: '', isAtEnd: false, namesUnit: namesUnit(one) });
  for (const { base, ...one } of named) if (base !== undefined) add(base, { ...one, namesUnit: namesUnit(one) });
  return found;
}

interface InField {
  fact: Fact;
  inItsUnit: boolean;
}

/** A fact as a field states it. The unit decides which fact it is: a mileage in miles is no mileage in kilometres. */
function inField(
  { value, unit, isAtEnd, namesUnit }: Stated,
  known: FactPattern,
  read: (value: unknown, known: FactPattern) => string | undefined,
): InField | undefined {
  const amount = amountWithUnit(value);
  const itsUnit = amount?.unit || unit;
  if (!fits(known.fact, { unit: itsUnit, isAtEnd })) return undefined;
  const own = amount && itsUnit !== '' ? measured(known.fact, amount.amount, itsUnit) : undefined;
  if (amount && own) own.value = String(decimalsOf(own.fact, amount.written, Number(own.value)));
  if (own) return { fact: { name: own.fact, value: own.value, source: 'field', quote: '' }, inItsUnit: true };
  const said = read(value, known);
  return said === undefined
    ? undefined
    : { fact: { name: known.fact, value: said, source: 'field', quote: '' }, inItsUnit: namesUnit };
}

/** A value that is a number, perhaps with a unit after it. */
function amountWithUnit(value: unknown): { amount: number; unit: string; written: string } | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? { amount: value, unit: '', written: '' } : undefined;
  if (typeof value !== 'string') return undefined;
  const [, sign, number, unit] =
    /^(-?)(\d[\d., ']*(?:k\b|(?:tsd|tausend|thousand|mil|mille)\b\.?)?)((?: ?(?:m|ft|cm)[23])?|\D{0,24})$/.exec(
      plainText(value.slice(0, 200).trim()),
    ) ?? [];
  if (number === undefined) return undefined;
  const amount = amountOf(number) * (sign === '-' ? -1 : 1);
  return Number.isFinite(amount) ? { amount, unit: (unit ?? '').trim(), written: number } : undefined;
}

/** A name with its capitals and accents: every letter of a plain text is where it is in the text itself. */
function asIn(text: string, match: RegExpExecArray, name: string): string {
  const at = match.index + Math.max(0, match[0].indexOf(name));
  return text.slice(at, at + name.length);
}

const nameMax = 80;

/** A match with the name that follows it. After words that are all in capitals, a capital tells no name. */
function withName(
  match: RegExpExecArray,
  nameAfter: NonNullable<FactPattern['nameAfter']>,
  text: string,
): RegExpExecArray | undefined {
  const { index, input } = match;
  const start = index + match[0].length;
  const cue = text.slice(index, start);
  if (cue === cue.toUpperCase() && cue !== cue.toLowerCase()) return undefined;
  const length = nameAfter(text.slice(start, start + nameMax));
  if (length === 0) return undefined;
  const name = input.slice(start, start + length);
  return Object.assign([match[0] + name, name] as unknown as RegExpExecArray, { index, input });
}

/** What a match says. A number that is none states nothing. */
function saidBy(known: FactPattern, match: RegExpExecArray, text: string): string | undefined {
  const { type, read } = known;
  const value = unlessDenied(known, read(match, text), match, text);
  return (type ?? read.type) === 'number' && !Number.isFinite(Number(value)) ? undefined : value;
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

/** A field's value in the form it would have from the text: "61,400" is 61400, and a year may be given as a date. */
function fieldValue(value: unknown, known: FactPattern): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.trim() === '' || isPlaceholder(value)) return undefined;
  const written = value.trim().slice(0, 200);
  if (known.asWritten) return written;
  const found = proseValue(value, known);
  if (found !== undefined) return found;
  const plain = plainText(written);
  const type = known.type ?? known.read.type;
  if (type === 'boolean') return yesOrNo(plain) ?? written;
  // "From now on" is a date to its readers; the 31st of February is none to anybody.
  if (type === 'date') return dateOf(plain) ?? (/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(plain) ? undefined : written);
  if (type === 'choice') return known.read.choose?.(plain) ?? written;
  if (/^-?[\d., ']+\D{0,12}$/.test(plain)) {
    const amount = amountOf(plain) * (plain.startsWith('-') ? -1 : 1);
    return Number.isFinite(amount) ? String(decimalsOf(known.fact, plain, amount)) : undefined;
  }
  if (type !== 'number' || /\d/.test(plain)) return written;
  // A number without a digit is one in words, or says nothing.
  const counted = countOf(plain);
  return Number.isFinite(counted) ? String(counted) : undefined;
}

/** What a value says, if it says it as prose does. */
function proseValue(value: unknown, known: FactPattern): string | undefined {
  if (typeof value !== 'string' || isPlaceholder(value)) return undefined;
  const plain = plainText(value.slice(0, 200));
  const { pattern } = known;
  for (let match = firstMatch(pattern, plain); match; match = nextMatch(match, pattern, plain)) {
    const found = saidBy(known, match, plain);
    if (found !== undefined) return found;
  }
  return undefined;
}

function yesOrNo(plain: string): string | undefined {
  if (/^(?:yes|y|true|ja|si|oui|x)$/.test(plain)) return 'true';
  return /^(?:no|n|false|nein|non|kein[en]?)$/.test(plain) ? 'false' : undefined;
}

const fieldsOfKind = new Map<Kind, ReadonlyMap<string, readonly string[]>>();

/** The names of the fields from which a kind's facts are read, each with these facts. */
export function knownFields(kind: Kind): ReadonlyMap<string, readonly string[]> {
  const known = fieldsOfKind.get(kind);
  if (known) return known;
  const found = new Map<string, string[]>();
  for (const { fact, fields = [], mayState = [] } of patternsOf(kind))
    for (const name of [...fields, ...mayState]) found.set(name, [...(found.get(name) ?? []), fact]);
  fieldsOfKind.set(kind, found);
  return found;
}

/** Whether a kind's facts are read from a field of this name, in the unit that the name or the value states. */
export function isKnownField(name: string, value: unknown, kind: Kind): boolean {
  const known = knownFields(kind);
  const { full, base = '', ...told } = readName(name);
  const { unit = '' } = amountWithUnit(value) ?? {};
  const facts = known.get(full) ?? (known.get(base) ?? []).filter((fact) => fits(fact, told));
  return facts.some((fact) => fits(fact, { unit, isAtEnd: false }));
}

/** Whether a field of this name may be meant by another: one in square metres is never a number of rooms. */
export function isLikeField(name: string, similar: string, kind: Kind): boolean {
  const { unit } = readName(name);
  return !isUnit(unit) || (knownFields(kind).get(similar) ?? []).some((fact) => measured(fact, 1, unit) !== undefined);
}

/** The names of a kind's facts. */
export function knownFacts(kind: Kind): string[] {
  return [...new Set(patternsOf(kind).map(({ fact }) => fact))];
}

/** A listing that names a day without its year means the next one, or one that is just past. */
export function withYears(read: ReadFacts, today: string): ReadFacts {
  return { ...read, facts: read.facts.map((fact) => ({ ...fact, value: nextDate(fact.value, today) })) };
}

/** What was read, plus additional facts for names that have none yet. */
export function withFacts(read: ReadFacts, more: readonly Fact[], kind: Kind): ReadFacts {
  if (more.length === 0) return read;
  const given = new Set(read.facts.map(({ name }) => name));
  const known = new Set(knownFacts(kind));
  const added = more.filter(({ name }) => known.has(name) && !given.has(name));
  return added.length === 0 ? read : { ...read, facts: [...read.facts, ...added].slice(0, 100) };
}
