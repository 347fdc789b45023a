import { bareName, type DraftKind, dateFields, draftWords } from '../packs/draft-kinds.ts';
import type { DraftLanguage } from '../packs/draft-language.ts';
import { type FactMeaning, factMeanings, meaningsOf } from '../packs/draft-names.ts';
import { inWords, isCode } from './draft-labels.ts';
import type { Assigned, Slot } from './draft-slots.ts';
import { isAnswer, isYes, withoutUnit } from './draft-tidy.ts';
import { isDay, saysWhen } from './says-when.ts';

/**
 * Where a fact belongs whose name no field of the kind has: the first field that its meaning may fill, or the meaning itself,
 * which is stated beside the fields. Undefined if the name means nothing that is known.
 */
export function placeOf(kind: DraftKind, slot: Slot, { slots, isEnding }: Assigned): string | undefined {
  const meanings = meant(slot.name, slot.isOpen ? undefined : slot.text, slot.meanings ?? meaningsOf(slot.name));
  for (const { id, fields } of meanings)
    for (const { field: asked, kind: only } of fields) {
      const field = isEnding && asked === 'effectiveDate' ? 'endsOn' : asked;
      // Who gives notice of a change, and who gets notice that a contract ends, is the landlord.
      const isOther = isEnding && asked === 'sender' && only !== undefined;
      // A clinic with its room or its street is where to come; its name alone signs.
      const isSpot = id === 'institution' && asked === 'sender' && /\d/.test(slot.text);
      const takes = !isOther && !isSpot && (only === undefined || only === kind.id);
      // Letters of no kind have no fields, but what they are about is one thing.
      const isMatter = kind.id === '' && field === 'item' && !slot.isOpen;
      if (takes && !slots.has(field) && (isMatter || fits(kind, field, slot))) return field;
    }
  return slot.isOpen ? undefined : meanings.map(({ id }) => id).find((id) => !kind.fields.has(id) && !slots.has(id));
}

function fits({ fields }: DraftKind, field: string, { text, isOpen }: Slot): boolean {
  const type = fields.get(field)?.type;
  if (type === undefined || isOpen) return type !== undefined;
  return type === 'date' ? saysWhen(text) : type !== 'money' || /\d/.test(text);
}

/** Which of the facts that fit one field takes it: what is still open before a total, and a total before a net price. */
export function turnOf(meanings: readonly FactMeaning[]): number {
  return meanings.some(({ yields }) => yields) ? 1 : meanings.some(({ first }) => first) ? -1 : 0;
}

/** What a name means: by the words in it, or as the name of a field that other kinds have. What states no day is no date. */
function meant(name: string, text: string | undefined, said: readonly FactMeaning[]): readonly FactMeaning[] {
  const named = text?.includes('@')
    ? said.map((one) => (one.id === 'phone' ? (factMeanings.get('email') ?? one) : one))
    : said;
  const isEither = text !== undefined && duration.every((one) => named.some(({ id }) => id === one));
  // A period is one of hours on a day, or how long something takes.
  const other = duration[saysClock.test(text ?? '') ? 0 : 1];
  return meantByName(name, named).filter(
    ({ id }) => text === undefined || (!(isEither && id === other) && fitsMeaning(id, text)),
  );
}

const duration = ['duration', 'time'] as const;

function fitsMeaning(id: string, text: string): boolean {
  if (dateFields.has(id)) return saysWhen(text);
  if (id === 'duration' && saysClock.test(text)) return false;
  return !(people.has(id) && isDay(text)) && !(papers.has(id) && isSum.test(text));
}

/** From when to when on one day, which is how no duration is told. */
const saysClock = /\d ?(?:uhr|[ap]\.?m\b|:\d\d)/i;

/** Papers and pictures are no number or sum of money: "materiales: 95,00" is what material costs. */
const papers: ReadonlySet<string> = new Set(['evidence', 'materials', 'attachments', 'neededDocuments']);
const isSum = /^[\p{Sc}\d.,'’\s]*\d[\p{Sc}\d.,'’\s]*(?:[A-Z]{3})?$/u;

/** Nobody is called by a day: "Bewerbung vom" gives the day of an application. */
const people: ReadonlySet<string> = new Set(['recipient', 'sender']);

function meantByName(name: string, said: readonly FactMeaning[]): readonly FactMeaning[] {
  if (said.length > 0) return said;
  const id = fieldsByName.get(bareName(name));
  if (id === undefined) return [];
  return [factMeanings.get(id) ?? { ...ofField, id, fields: [{ field: id, kind: undefined }] }];
}

const ofField = { yields: false, first: false, label: undefined, says: undefined, ifYes: undefined };

const fieldsByName: ReadonlyMap<string, string> = new Map(
  [...draftWords.values()].flatMap(({ names }) =>
    Object.entries(names).flatMap(([field, said]) => said.map((name) => [bareName(name), field] as const)),
  ),
);

/** How the names that each language knows are spelt there. */
const ownNames: ReadonlyMap<DraftLanguage, ReadonlyMap<string, string>> = new Map(
  [...draftWords].map(([language, { names }]) => [
    language,
    new Map(
      Object.values(names)
        .flat()
        .map((name) => [bareName(name), name]),
    ),
  ]),
);

/** What the reader's language calls a fact: the caller's own word if it is known there, spelt as it should be ("valido_hasta"). */
export function labelFor(
  name: string,
  text: string,
  meanings: readonly FactMeaning[],
  language: DraftLanguage,
): string | undefined {
  const own = ownNames.get(language)?.get(bareName(name));
  if (own !== undefined) return isCode(name) || isUnspelt(name) ? own : undefined;
  const [meaning] = meant(name, text, meanings);
  // What states no day means no date, but is still called by the name of its field.
  const id = meaning?.id ?? fieldsByName.get(bareName(name)) ?? '';
  const label = meaning?.label?.[language] ?? draftWords.get(language)?.names[id]?.[0];
  if (label !== undefined || !(isCode(name) || isUnspelt(name))) return label;
  const words = inWords(withoutUnit(name), language);
  return isCode(name) || words.toLowerCase() !== name ? words : undefined;
}

/** Whether a name may lack its accents and capitals. */
function isUnspelt(name: string): boolean {
  return /^[a-z]+(?: [a-z]+)*$/.test(name);
}

// What these meanings say has a preposition before the day.
const ofDay = /(?:By|From|Until|On|Date)$/;

/** The sentence that states a fact which no sentence of the kind states. */
export function sentenceFor(
  field: string,
  { text }: Slot,
  language: DraftLanguage,
  toReaders: (text: string) => string,
): string | undefined {
  const meaning = factMeanings.get(field);
  if (isAnswer(text)) return isYes(text) && meaning?.ifYes ? toReaders(meaning.ifYes[language]) : undefined;
  const sentence = meaning?.says?.[language];
  if (sentence === undefined) return undefined;
  // "By 5 working days" is no language's.
  if ((dateFields.has(field) || ofDay.test(field)) && !isDay(text)) return undefined;
  if (sentence.includes('{#}') && !(/^\d{1,4}$/.test(text) && Number(text) > 1)) return undefined;
  const said = toReaders(sentence);
  return /[.!?]$/.test(text) ? said.replace('{}.', () => text) : said.replace(/\{#?\}/, () => text);
}
