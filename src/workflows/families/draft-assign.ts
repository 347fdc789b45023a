import { foldText } from '../../base/text/fold.ts';
import { createNearest, type FindNearest } from '../../base/text/nearest.ts';
import { spaced } from '../../base/text/spaced.ts';
import { countWords } from '../../base/text/words.ts';
import type { DraftFact } from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import type { Plain } from '../family.ts';
import { bareName, type DraftKind, draftWords } from '../packs/draft-kinds.ts';
import type { DraftLanguage } from '../packs/draft-language.ts';
import { type FactMeaning, ideasSaidBy, meaningsOf } from '../packs/draft-names.ts';
import { labelFor, placeOf, turnOf } from './draft-meaning.ts';
import { fromTo, pairUp } from './draft-pairs.ts';
import {
  articles,
  isCustomer,
  isJourney,
  isWritersOwn,
  kindsOfOthers,
  letSign,
  memoHeads,
  nameOf,
  namesOf,
  signsBeside,
  titled,
} from './draft-people.ts';
import { foldedPurpose } from './draft-purpose.ts';
import type { Assigned, Slot } from './draft-slots.ts';
import { tidy } from './draft-tidy.ts';
import type { DraftLocale } from './draft-values.ts';
import { isDay, saysDay, saysWeekdays, saysWhen } from './says-when.ts';

// The patterns look at each position several times.
const looksAtMax = 80;
// Finding similar names takes longer than everything else.
const nearestMax = 20;

interface Asked {
  purpose: string;
  facts: readonly Plain<DraftFact>[];
  mustInclude: readonly string[];
}

/** Finds the field for each fact, and what is missing. */
export function assign(
  kind: DraftKind,
  { purpose, facts, mustInclude }: Asked,
  locale: DraftLocale,
  occasion?: string,
): Assigned {
  const isEnding = endsContract(kind, purpose);
  const told = tidy(facts, locale);
  const assigned: Assigned = {
    slots: new Map(),
    others: [],
    isEnding,
    isOwn: isWritersOwn(kind, isEnding, occasion),
    isJourney: isJourney(kind, told),
    unusedFields: [],
  };
  const { isOwn } = assigned;
  const byName = namesOf(kind, assigned, locale, told);
  const ordered = told.map((fact) => {
    const meanings = meaningsOf(fact.name);
    // Who writes as somebody's customer writes to the other one who is named.
    return { ...fact, meanings, turn: turnOf(meanings) + (isOwn && isCustomer(fact.name) ? 2 : 0) };
  });
  ordered.sort((a, b) => a.turn - b.turn);
  for (const { index, name, text, meanings } of ordered) {
    const called = calledBy(name, text, byName);
    const meant = called === name ? meanings : meaningsOf(called);
    const slot = text === '' ? { ...openSlot(name), meanings } : givenSlot(called, text, meant, locale.language);
    if (put(kind, byName, assigned, slot) === 'other' && kind.id !== '') {
      const nearest = assigned.unusedFields.length < nearestMax ? nearestField(kind, name, locale) : '';
      assigned.unusedFields.push({ field: `facts[${index}]`, nearest });
    }
  }
  addressFirst(kind, assigned, told[0]?.name);
  const known = new Set(facts.map(({ name }) => foldText(name)));
  for (const name of new Set(mustInclude.filter((text) => namesFact(text) && !known.has(foldText(text))))) {
    const held = assigned.slots.get('sender');
    // A signatory is asked for beside the customer in whose name the letter is.
    const isBeside = held !== undefined && isCustomer(held.name) && fieldCalled(kind, name, byName) === 'sender';
    if (isBeside) {
      assigned.others.push(held);
      assigned.slots.delete('sender');
    }
    put(kind, byName, assigned, openSlot(name));
  }
  if (!kindsOfOthers.has(kind.id)) letSign(assigned);
  fromTo(kind, assigned, locale);
  pairUp(assigned, locale);
  nameMatter(kind, purpose, assigned, locale);
  askForRequired(kind, assigned, locale);
  return assigned;
}

/** Where no fact says what a notice is about, its purpose may: "cancel my gym membership" ends a membership. */
function nameMatter(kind: DraftKind, purpose: string, { slots, isEnding }: Assigned, { language }: DraftLocale): void {
  const [field, table] = isEnding ? (['contract', 'contracts'] as const) : (['subject', 'changes'] as const);
  if (kind.id !== 'notice' || slots.has(field)) return;
  const folded = foldedPurpose(purpose);
  for (const words of draftWords.values()) {
    const [id = ''] = Object.entries(words[table]).find(([, one]) => one.purpose.test(folded)) ?? [];
    const text = draftWords.get(language)?.[table][id]?.said;
    if (text !== undefined) {
      slots.set(field, { name: field, text, isOpen: false });
      return;
    }
  }
}

/** A letter without a reader is to the person with a title whom its first fact names, whatever they are called there. */
function addressFirst(kind: DraftKind, { slots, others, unusedFields }: Assigned, first: string | undefined): void {
  const at = others.findIndex(({ name, isOpen }) => name === first && !isOpen);
  const slot = others[at];
  if (slot === undefined || slots.has('recipient') || kindsOfOthers.has(kind.id) || !titled.test(foldText(slot.text)))
    return;
  slots.set('recipient', slot);
  others.splice(at, 1);
  const unused = unusedFields.findIndex(({ field }) => field === 'facts[0]');
  if (unused >= 0) unusedFields.splice(unused, 1);
}

/** Whether a notice is meant to end a contract: its date is then the end date, not the date of a change. */
function endsContract({ id }: DraftKind, purpose: string): boolean {
  const folded = foldedPurpose(purpose);
  return [...draftWords.values()].some(({ kinds }) => kinds[id]?.ends?.purpose.test(folded) === true);
}

/** "Member: 4471" gives a number, not a member, and so does "Booking: R-9081". */
function calledBy(name: string, text: string, byName: ReadonlyMap<string, string>): string {
  const field = byName.get(bareName(name));
  // "Angebot vom" gives the day of an offer, where it is no name of its own.
  if (field === undefined && isDay(text) && ofDay.test(foldText(spaced(name)))) return `${name} date`;
  const isPerson = field === 'recipient' || field === 'sender';
  if (!isPerson && field !== 'item') return name;
  return isNumber.test(text) && (isPerson || ideasSaidBy(name).has('booking')) ? `${name} number` : name;
}

// In German, French and Spanish.
const ofDay = / (?:vom|du|del)$/;
const isNumber = /^\p{Lu}{0,4}[-/. ]?\d[\d\p{Lu}/.-]*$/u;

const nameWords = 4;
const nameWordsWithSmall = 7;
// Articles and the "of" of four languages.
const smallWords =
  /(?<![\p{L}])(?:of|the|des|der|dem|den|vom|von|de|del|du|la|las|el|los|le|les)(?![\p{L}])|(?<![\p{L}])[dl]['’]/giu;

/**
 * Up to four words without an end mark name a fact; anything longer is text to include. Articles and "of" do not count: "fecha de
 * entrega de llaves" has three words.
 */
export function namesFact(text: string): boolean {
  if (/[.!?。！？:]\s*$/.test(text) || countWords(text) > nameWordsWithSmall) return false;
  return countWords(text.replace(smallWords, ' ')) <= nameWords;
}

const saysSum = /\d|\p{Sc}|euro|pfund|pound|dollar|d[oó]lar|libra|livre|franken|franc/iu;
// "By 15 December", in the four languages.
const dayOfMonth =
  /(?<!\d)\d{1,2}(?:\.|st|nd|rd|th|er)? ?(?:de |of )?(?:jan|ene|feb|f[ée]v|m[aä]r|abr|apr|avr|ma[iy]|jui?n|jui?l|ago|aug|ao[uû]|sep|o[ck]t|nov|d[eé][czs]|dic|dez)\p{L}*/giu;

function isSumSaid(text: string): boolean {
  return saysSum.test(text.replace(dayOfMonth, ''));
}

function put(
  kind: DraftKind,
  byName: ReadonlyMap<string, string>,
  to: Assigned,
  slot: Slot,
): 'field' | 'line' | 'other' {
  const bare = bareName(slot.name);
  if (ofWriter.test(foldText(spaced(slot.name))) && !slot.isOpen && !to.slots.has('sender')) {
    to.slots.set('sender', slot);
    return 'field';
  }
  const named = fieldCalled(kind, slot.name, byName);
  if (named === undefined && signsBeside(kind, slot, to)) return 'field';
  // A value for a date field that states no date is not a date.
  const isNoDay = kind.fields.get(named ?? '')?.type === 'date' && !slot.isOpen && !saysWhen(slot.text);
  const isHead = !to.isJourney && !to.isEnding && !slot.isOpen && (isNoDay || named === undefined);
  const head = isHead && !saysWhen(slot.text) ? memoHeads.get(bare) : undefined;
  if (head !== undefined && !to.slots.has(head)) {
    to.slots.set(head, slot);
    return 'field';
  }
  const known = isNoDay ? undefined : meantBy(named, kind, byName, to, slot);
  const isFree = known !== undefined && (slot.isOpen || isOpenFor(known, kind, to));
  const isOfAnother = to.slots.has('recipient') && (known === 'recipient' || (named === undefined && !slot.isOpen));
  const isWriter = isOfAnother && !isFree && to.isOwn && isCustomer(slot.name);
  const field = isFree ? known : isWriter && !to.slots.has('sender') ? 'sender' : placeOf(kind, slot, to);
  if (field === undefined) {
    to.others.push(slot);
    return isNoDay ? 'line' : 'other';
  }
  fill(kind, to, field, slot);
  return 'field';
}

/** The field that has a name: by one of its names, as a numbered item of a list, or in other words. */
function fieldCalled(kind: DraftKind, name: string, byName: ReadonlyMap<string, string>): string | undefined {
  const bare = bareName(name);
  const numbered = byName.get(bare.replace(/\d+$/, '')) ?? '';
  const listed = kind.fields.get(numbered)?.type === 'list' ? numbered : undefined;
  return byName.get(bare) ?? listed ?? fieldInWords(kind, name, byName);
}

// In English, German, Spanish and French.
const ofWriter =
  /^(?:our|my|unser\w*|mein\w*|nuestr\w*|mi|notre|mon|ma) (?:full )?(?:name|company|company name|business|firm|firma|firmenname|unternehmen|nombre|empresa|nom|societe|entreprise|team)$/;

/** Whether a field can still take a value: it is a list, has none, or waits for one. If two names ask for it, one answers both. */
function isOpenFor(field: string, { fields }: DraftKind, { slots }: Assigned): boolean {
  return fields.get(field)?.type === 'list' || slots.get(field)?.isOpen !== false;
}

function fill(kind: DraftKind, { slots }: Assigned, field: string, slot: Slot): void {
  const before = slots.get(field);
  if (kind.fields.get(field)?.type !== 'list') {
    if (before === undefined || !slot.isOpen) slots.set(field, slot);
    return;
  }
  const items = itemsIn(slot.text).map((item) => `\n- ${item}`);
  const isOpen = slot.isOpen || (before?.isOpen ?? false);
  slots.set(field, { ...slot, text: (before?.text ?? '') + items.join(''), isOpen });
}

/**
 * The field whose name is said in other words: "guest name", "Nummer der Rechnung", "nom du locataire". A number is that of
 * something, and a name that of somebody.
 */
function fieldInWords(kind: DraftKind, name: string, byName: ReadonlyMap<string, string>): string | undefined {
  const words = foldText(name).match(/[\p{L}\p{N}]+/gu) ?? [];
  const [isNumber, isName] = [numberWords, nameOf].map((said) => words.some((word) => said.has(word)));
  if (isNumber === isName) return undefined;
  const left = words.filter((word) => !numberWords.has(word) && !nameOf.has(word) && !articles.has(word));
  const key = left.join('');
  const field = [key, key.replace(/e?[ns]$/, ''), `${key.replace(/e?n$/, '')}e`]
    .map((one) => byName.get(one))
    .find(Boolean);
  if (field === undefined || key === '' || !kind.fields.has(field)) return undefined;
  return (isNumber ? numbered : named).has(field) ? field : undefined;
}

const numberWords: ReadonlySet<string> = new Set(['number', 'no', 'nr', 'nummer', 'numero', 'num', 'id']);
const numbered: ReadonlySet<string> = new Set(['order', 'invoice', 'reference', 'parcel', 'iban', 'contract']);
const named: ReadonlySet<string> = new Set(['recipient', 'sender', 'employee', 'absentPerson', 'person', 'carrier']);

/** The field that a value fits, where it does not fit the one that its name names. */
function meantBy(
  named: string | undefined,
  { fields }: DraftKind,
  byName: ReadonlyMap<string, string>,
  { slots }: Assigned,
  { text, isOpen }: Slot,
): string | undefined {
  if (isOpen) return named;
  const isTitled = titled.test(foldText(text));
  if (named === 'time' && saysWeekdays(text)) return undefined;
  if (named === 'time' && fields.has('date') && saysDay(text)) return 'date';
  // An appointment may be named by its day.
  if (named === 'item' && fields.has('date') && isDay(text)) return 'date';
  if (named === 'amount' && !isSumSaid(text)) {
    // "Forderung" asks for a sum or for something else, and "Gutschrift" is one or says where it goes.
    if (fields.has('demand')) return 'demand';
    if (fields.has('paidTo') && slots.has('amount')) return 'paidTo';
  }
  // A customer has an account, too, and its number is no bank's.
  if (named === 'iban' && /\p{L}/u.test(text) && !saysIban.test(text)) return 'reference';
  // "Nombre" is a number or a name.
  if (named === 'quantity' && isTitled && !slots.has('recipient')) return 'recipient';
  return named === 'sender' && byName.get('tenant') === 'sender' && isTitled ? 'recipient' : named;
}

// A bank's name may stand before or after it.
const saysIban = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]){10,}|\d{6}/;

/** Splits a list as people write it: "New hours; two temps" is two items. */
export function itemsIn(text: string): string[] {
  const items = text.split(/;\s+|\n+/).map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function askForRequired(kind: DraftKind, assigned: Assigned, { language }: DraftLocale): void {
  const { slots, isEnding } = assigned;
  const others = [
    ...assigned.others,
    ...[...slots].filter(([field]) => !kind.fields.has(field)).map(([, slot]) => slot),
  ];
  for (const { name: asked, type, required, unless } of kind.fields.values()) {
    const name = isEnding && asked === 'effectiveDate' ? 'endsOn' : asked;
    if (!required || slots.has(name) || unless.some((other) => slots.has(other))) continue;
    // A fact under an unknown name may be the one required: nothing is asked for twice.
    if (others.some((slot) => !slot.isOpen && couldBe[type](slot.text.slice(0, looksAtMax)))) continue;
    if ([name, ...unless].some((field) => others.some((slot) => speaksOf(slot.name, field)))) continue;
    slots.set(name, openSlot(draftWords.get(language)?.names[name]?.[0] ?? name));
  }
}

const isSum = /^[\p{Sc}\d.,'\s]*\d[\p{Sc}\d.,'\s]*(?:[A-Z]{3})?$/u;
const hasLetter = (text: string) => /\p{L}/u.test(text);

const couldBe: Readonly<Record<'text' | 'date' | 'money' | 'list', (text: string) => boolean>> = {
  // A day or a sum is no description of anything.
  text: (text) => hasLetter(text) && !isDay(text) && !isSum.test(text),
  date: saysWhen,
  money: (text) => /\d.*(?:\p{Sc}|\b[A-Z]{3}\b|%)|(?:\p{Sc}|\b[A-Z]{3}\b).*\d/u.test(text),
  list: hasLetter,
};

/** Whether a name contains all words of one of a field's names: "new date of delivery, ground floor" is a delivery date. */
function speaksOf(name: string, field: string): boolean {
  const said = wordsIn(name);
  return stemsOf(field).some((stems) => stems.every((stem) => said.some((word) => word.startsWith(stem))));
}

const stems = new Map<string, readonly string[][]>();

/** The word stems of each of a field's names in any language. */
function stemsOf(field: string): readonly string[][] {
  const known = stems.get(field);
  if (known) return known;
  const names = [...draftWords.values()].flatMap((words) => words.names[field] ?? []);
  const made = names.map((one) => wordsIn(one).map((word) => word.slice(0, 6))).filter((words) => words.length > 0);
  stems.set(field, made);
  return made;
}

function wordsIn(name: string): string[] {
  return foldText(name).match(/[\p{L}]{4,}/gu) ?? [];
}

/** The field that may have been meant, among the names in the reader's language. */
function nearestField(kind: DraftKind, name: string, { language }: DraftLocale): string {
  const labels = kind.labels.get(language) ?? none;
  const find = nearestByLabels.get(labels) ?? createNearest(labels);
  nearestByLabels.set(labels, find);
  const nearest = find(bareName(name));
  return nearest === undefined ? '' : (kind.byName.get(language)?.get(nearest) ?? '');
}

const none: ReadonlySet<string> = new Set();
/** One for each kind and language. */
const nearestByLabels = new Map<ReadonlySet<string>, FindNearest>();

function openSlot(name: string): Slot {
  const clean = name.replace(/[[\]]/g, ' ').trim();
  return { name, text: `[[${clean}]]`, isOpen: true };
}

function givenSlot(name: string, text: string, meanings: readonly FactMeaning[], language: DraftLanguage): Slot {
  const label = labelFor(name, text, meanings, language);
  return { name, text, isOpen: false, meanings, ...(label === undefined ? {} : { label }) };
}
