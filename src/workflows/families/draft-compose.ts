import { foldText } from '../../base/text/fold.ts';
import { spaced } from '../../base/text/spaced.ts';
import type { DraftFact } from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import type { Plain } from '../family.ts';
import { bareName, type DraftKind, dateFields, draftWords } from '../packs/draft-kinds.ts';
import type { DraftWords, SentenceVariant } from '../packs/draft-language.ts';
import type { DraftTemplate, DraftTone } from '../packs/draft-templates.ts';
import { namesFact } from './draft-assign.ts';
import { sentenceFor } from './draft-meaning.ts';
import type { Assigned, Slot } from './draft-slots.ts';
import { isDay } from './says-when.ts';

/** What a document is composed from. */
export interface Composing {
  kind: DraftKind;
  /** What a letter of no kind is for, such as thanks. */
  occasion: string | undefined;
  words: DraftWords;
  template: DraftTemplate & { name: string };
  tone: DraftTone;
  /** The writer is one person, not a firm or several people. */
  isByOne: boolean;
  audience: string;
  length: string;
  facts: readonly Plain<DraftFact>[];
  mustInclude: readonly string[];
  /** Folded. */
  mustAvoid: readonly string[];
  assigned: Assigned;
}

/** The text: each fact in the sentence meant for it, and nothing that was not given. */
export function compose(composing: Composing): string {
  const { kind, words, template, assigned } = composing;
  const { slots } = assigned;
  const reader = readerOf(composing);
  const stated = new Set<string>();
  const paragraphs = (saidBy(composing)?.paragraphs ?? []).map((sentences) =>
    paragraphOf(sentences, composing, stated),
  );
  const sentences = paragraphs.filter((paragraph) => paragraph !== '');
  const heading = toReaders(headingOf(composing), composing);
  const given = [...detailsOf(composing, stated, heading), ...mustTexts(composing)].filter((part) => part !== '');
  // What a letter of no kind is for is said in its first sentence, but that is no content.
  const isEmpty = given.length === 0 && stated.size === 0 && (sentences.length === 0 || kind.id === '');
  const body = isEmpty ? [`${heading}\n[[${words.content}]]`] : given;
  // What the reader is asked to do comes last; a report asks for nothing.
  const endsWithRequest = sentences.length > 1 || (paragraphs.length > 1 && paragraphs.at(-1) === sentences[0]);
  if (endsWithRequest && template.name !== 'report') sentences.splice(-1, 0, ...body);
  else sentences.push(...body);
  const sender = slots.get('sender')?.text ?? '';
  // A reference is for whoever reads it.
  const written =
    template.addressed && (kind.id !== 'job_reference' || reader !== '')
      ? [
          ...salutationOf(composing, reader, sentences),
          [toReaders(closingOf(composing, reader), composing), sender].filter((line) => line !== '').join('\n'),
        ]
      : [reader === '' ? '' : words.to.replace('{name}', () => ungreeted(reader)), ...sentences, sender];
  return [...written, sourcesOf(composing)].filter((part) => part !== '').join('\n\n');
}

/** The kind's title, filled with the given facts. */
export function titleOf(composing: Composing): string {
  const { kind, words, assigned } = composing;
  const given = new Map([...assigned.slots].filter(([, { isOpen }]) => !isOpen));
  const ends = assigned.isEnding ? words.kinds[kind.id]?.ends?.title : undefined;
  const titles = ends ?? saidBy(composing)?.title ?? [];
  const variant = titles.find((one) => isSayable(one, composing, given));
  const title = variant ? fill(variant, given, words).replace(/\s+/g, ' ') : words.information;
  const points = [...title];
  return capital(points.length > 300 ? `${points.slice(0, 299).join('')}…` : title);
}

function headingOf({ kind, occasion, words, template }: Composing): string {
  return kind.id === '' && occasion === undefined ? (words.headings[template.name] ?? words.neutral) : words.details;
}

/** A sentence of ours as it is said to several people, if the salutation is to several. */
function toReaders(text: string, composing: Composing): string {
  const { words, assigned, template } = composing;
  const several = words.toSeveral;
  const form = several && template.addressed ? formFor(words, ungreeted(readerOf(composing)), assigned) : undefined;
  if (!several || form?.several !== true) return text;
  const known = severalWords.get(several) ?? severalWordsOf(several);
  severalWords.set(several, known);
  return known.reduce((said, [one, more]) => said.replaceAll(one, more), text);
}

/** A language's words to one reader, as patterns, and to several; one list for each language. */
const severalWords = new Map<NonNullable<DraftWords['toSeveral']>, readonly (readonly [RegExp, string])[]>();

function severalWordsOf(several: NonNullable<DraftWords['toSeveral']>): (readonly [RegExp, string])[] {
  return Object.entries(several).map(([one, more]) => [new RegExp(`(?<![\\p{L}{])${one}(?![\\p{L}}])`, 'gu'), more]);
}

function saidBy({
  kind,
  words,
  occasion,
}: Composing): Pick<DraftWords['kinds'][string], 'title' | 'paragraphs'> | undefined {
  return occasion === undefined ? words.kinds[kind.id] : words.occasions[occasion];
}

function paragraphOf(sentences: readonly SentenceVariant[][], composing: Composing, stated: Set<string>): string {
  const { length, assigned } = composing;
  let paragraph = '';
  for (const variants of sentences) {
    const said = variants.find((variant) => isSayable(variant, composing, assigned.slots));
    if (!said) continue;
    const isNew = said.fields.some((field) => !stated.has(field));
    // A short text has no sentence without a fact, except the one that says what the text is about.
    const isNeeded = said.fields.length === 0 ? length !== 'short' || stated.size === 0 : isNew;
    if (!isNeeded) continue;
    for (const field of said.fields) stated.add(field);
    const sentence =
      requestIn(said, assigned.slots) ??
      fill({ text: toReaders(said.text, composing) }, assigned.slots, composing.words);
    paragraph += paragraph === '' ? sentence.trimStart() : sentence.startsWith('\n') ? sentence : ` ${sentence}`;
  }
  return paragraph;
}

function isSayable(
  { tone, isByOne, beside, text, fields }: SentenceVariant,
  asked: Pick<Composing, 'tone' | 'isByOne' | 'mustAvoid' | 'words'>,
  slots: ReadonlyMap<string, Slot>,
): boolean {
  const { mustAvoid, words } = asked;
  if ((tone !== undefined && tone !== asked.tone) || (isByOne && !asked.isByOne)) return false;
  if (beside !== undefined && !slots.has(beside)) return false;
  if (!fields.every((field) => slots.has(field))) return false;
  // "Der Preis beträgt kostenlos" is no German.
  if (sums.test(text) && !fields.some((field) => /\d/.test(slots.get(field)?.text ?? '') || slots.get(field)?.isOpen))
    return false;
  // "In 7 days" has a preposition of its own: it stands after a colon instead.
  const isPhrase = (field: string) => {
    const slot = slots.get(field);
    const isBound = dateFields.has(field) && words.beforeDays.test(text.split(`{${field}}`, 1)[0]?.toLowerCase() ?? '');
    return isBound && slot?.isOpen === false && !isDay(slot.text);
  };
  const misfits = (field: string) =>
    isPhrase(field) ||
    lacksArticle(field, text, slots.get(field), words) ||
    isNoObject(field, text, slots.get(field), words);
  if (fields.some(misfits)) return false;
  if (mustAvoid.length === 0) return true;
  const folded = foldText(text);
  return !mustAvoid.some((phrase) => folded.includes(phrase));
}

const sums = /(?:Preis beträgt|precio es de|prix est de) \{/;

// How a request begins in the four languages; it is a sentence of its own, and needs no other before it.
const asks = /^(?:bitte|please|veuillez|merci de|por favor|(?:le|les) rogamos|rogamos)(?![\p{L}])/iu;

// How it is said what the reader may or has to do, which is a sentence, too.
const allows =
  /^(?:you (?:may|can|will|must|should|have|do not|need)|sie (?:können|dürfen|müssen|sollten|erhalten|brauchen)|(?:usted )?(?:puede|debe|tiene derecho|recibirá)|vous (?:pouvez|devez|avez|recevrez))(?![\p{L}])/iu;
// "The reason: you have no licence" needs its beginning.
const ofCauses: ReadonlySet<string> = new Set(['reason', 'problem']);

function requestIn({ fields, text }: SentenceVariant, slots: ReadonlyMap<string, Slot>): string | undefined {
  const [field = ''] = fields;
  const value = slots.get(field)?.text.trim() ?? '';
  const isSaid = asks.test(value) || (allows.test(value) && !ofCauses.has(field));
  if (fields.length !== 1 || !/: ?\{\w+\}\.$/.test(text) || !isSaid) return undefined;
  return ended(capital(value));
}

const ofThings: ReadonlySet<string> = new Set(['item', 'reason', 'success']);

/** "Adressez-vous à accueil" is no French, nor "an der Empfang" German: such a contact stands after a colon instead. */
function isNoObject(field: string, text: string, slot: Slot | undefined, { beforeContacts }: DraftWords): boolean {
  if (field !== 'contact' || !beforeContacts || slot === undefined || slot.isOpen) return false;
  const before = text.split(`{${field}}`, 1)[0]?.toLowerCase() ?? '';
  return beforeContacts.words.test(before) && !beforeContacts.fits.test(slot.text.trim());
}

/** "Pour lampe" is no French: a thing without an article stands after a colon instead. */
function lacksArticle(field: string, text: string, slot: Slot | undefined, { beforeThings }: DraftWords): boolean {
  if (!ofThings.has(field) || !beforeThings || slot === undefined || slot.isOpen) return false;
  const before = text.split(`{${field}}`, 1)[0]?.toLowerCase() ?? '';
  return beforeThings.words.test(before) && !beforeThings.determined.test(foldText(slot.text));
}

/** The sentence with its fields filled in. If a value already ends a sentence, no full stop is added. */
function fill({ text }: Pick<SentenceVariant, 'text'>, slots: ReadonlyMap<string, Slot>, words: DraftWords): string {
  const named = text.replace(/\{(\w+)#\}/g, (_, field: string) => calledBy(slots.get(field), field, words));
  return named.replace(/\{(\w+)\}(\.?)/g, (_, field: string, stop: string) => {
    const value = slots.get(field)?.text ?? '';
    return /[.!?]$/.test(value) ? value : value + stop;
  });
}

/** What the caller calls a field, unless that is its id, which no reader knows. */
function calledBy(slot: Slot | undefined, field: string, { names }: DraftWords): string {
  if (slot?.label !== undefined) return capital(slot.label);
  return capital(
    slot === undefined || bareName(slot.name) === bareName(field) ? (names[field]?.[0] ?? field) : worded(slot.name),
  );
}

/** The addressee: the fact, else the audience, unless that only names the reader's role. */
function readerOf({ kind, audience, words, template, assigned }: Composing): string {
  const named = assigned.slots.get('recipient')?.text;
  if (named !== undefined) return named;
  const reader = audience.trim();
  const isRole = kind.byName.get(words.language)?.get(bareName(reader)) === 'recipient';
  // An advertisement addresses whoever reads it.
  return isRole || (!template.addressed && kind.id === 'listing_text') ? '' : reader;
}

function salutationOf(
  { words, tone, mustInclude, assigned }: Composing,
  reader: string,
  sentences: readonly string[],
): string[] {
  const written = (formFor(words, ungreeted(reader), assigned) ?? words.unnamed)[tone];
  // "Dear neighbours" is how they want to begin: no second "Dear", nor "Hello", is put before it.
  const isOpen = written.includes('{name}') || written === words.unnamed[tone];
  const isGreeted = ungreeted(reader) !== reader && (isOpen || !inNames.test(reader));
  const salutation = isGreeted ? `{name}${/(?: ?:|,)$/.exec(written)?.[0] ?? ','}` : written;
  const address = reader !== '' && !salutation.includes('{name}') ? reader : '';
  const [first = '', ...rest] = sentences;
  const isOurs = !mustInclude.includes(first);
  const begins = isOurs && words.lowerAfterSalutation && salutation.endsWith(',') ? lower(first) : first;
  const addressed = titledAsSaid(reader.replace(/[ ,:!]+$/, ''), words);
  // "All tenants" are written to as "To all tenants", and "dear neighbours" begin a line.
  const name = salutation.startsWith('{name}') ? capital(addressed) : inSentence(addressed);
  return [address, salutation.replace('{name}', () => name), begins, ...rest];
}

/** Greetings that firms have in their names: "Hello Bank" is one. */
const inNames = /^(?:hello|hi|hallo|hola|bonjour|salut)(?![\p{L}])/iu;

/** "Herrn Thomas Weigl" stands on envelopes; the salutation is to "Herr Thomas Weigl". */
function titledAsSaid(reader: string, { titles }: DraftWords): string {
  const [title = '', ...name] = reader.split(' ');
  const said = titles[title];
  return said === undefined ? reader : [said, ...name].join(' ');
}

function inSentence(reader: string): string {
  return reader.replace(/^(?:All|The|Every|Our|Alle|Unsere|Tous|Toutes|Nos)(?= )/, (word) => word.toLowerCase());
}

/** A reader without the greeting that a caller wrote before it, in any of the languages. */
function ungreeted(reader: string): string {
  for (const { greetings } of draftWords.values()) {
    const [greeting] = greetings.exec(foldText(reader)) ?? [];
    // Folding drops no letter of a greeting, and accents are part of their letters.
    if (greeting !== undefined) return reader.normalize('NFC').slice(greeting.length).trim();
  }
  return reader;
}

/** How to address a reader, by a name or by what it names ("gym"); undefined for a reader without a name. */
function formFor(
  { salutations }: DraftWords,
  reader: string,
  { slots }: Assigned,
): DraftWords['salutations'][number] | undefined {
  if (reader === '') return undefined;
  const [called, named] = [foldText(reader), foldText(slots.get('recipient')?.name ?? '')];
  return salutations.find(({ when, ofReader }) => when.test(called) || (!ofReader && when.test(named)));
}

function closingOf({ words, tone, assigned }: Composing, reader: string): string {
  const { closings, unnamed } = words;
  if (tone !== 'formal') return closings[tone];
  const form = formFor(words, ungreeted(reader), assigned);
  const isNamed = form !== undefined && form.formal !== unnamed.formal;
  return form?.closing ?? (isNamed ? undefined : closings.unnamed) ?? closings.formal;
}

/** What no sentence of the kind states: in sentences of its own where there is one for it, else in a list. */
function detailsOf(composing: Composing, stated: ReadonlySet<string>, heading: string): string[] {
  const { kind, assigned, facts, words, template } = composing;
  const left = [...assigned.slots].filter(
    ([field]) => !stated.has(field) && field !== 'recipient' && field !== 'sender',
  );
  const isProse = template.addressed || kind.id === 'internal_memo';
  // Who reads a letter of no known purpose is first told what it is about, as the caller gives it.
  const isPlain = kind.id === '' && composing.occasion === undefined;
  const said = new Map(
    left.flatMap(([field, slot]) => {
      const isOwn = isProse && (asks.test(slot.text) || allows.test(slot.text));
      const sentence = isOwn
        ? ended(capital(slot.text))
        : isProse
          ? sentenceFor(field, slot, words.language, (text) => toReaders(text, composing))
          : undefined;
      return sentence === undefined ? [] : [[slot, sentence] as const];
    }),
  );
  const order = new Map(facts.map(({ name }, index) => [name, index]));
  const place = ({ name }: Slot) => order.get(name) ?? facts.length;
  const lines = [...left.map(([, slot]) => slot).filter((slot) => !said.has(slot)), ...assigned.others];
  lines.sort((a, b) => place(a) - place(b));
  const written = lines.map((slot) => lineOf(slot, composing));
  // Up to three that have a name in the reader's language read on as sentences.
  const readOn = isProse && !isPlain && lines.length <= readOnMax && lines.every(({ label }) => label !== undefined);
  const sentences = [...said.values(), ...(readOn ? written.map(ended) : [])].join(' ');
  const list = readOn || lines.length === 0 ? '' : `${heading}\n${written.map((line) => `- ${line}`).join('\n')}`;
  return isPlain ? [list, sentences] : [sentences, list];
}

const readOnMax = 3;

function ended(line: string): string {
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

function lineOf({ name, text, label }: Slot, { kind, words }: Composing): string {
  if (asks.test(text.trim()) || allows.test(text.trim())) return capital(text.trim());
  // A caller may name a fact by its field, `oldDate`, which no reader knows.
  const known = label ?? (kind.fields.has(name) ? words.names[name]?.[0] : undefined) ?? name;
  return `${capital(worded(known))}${words.language === 'fr' ? ' :' : ':'} ${text.trim()}`;
}

function mustTexts({ mustInclude }: Composing): string[] {
  return mustInclude.filter((text) => !namesFact(text));
}

function sourcesOf({ length, facts, words }: Composing): string {
  const sources = facts.filter(({ source, value }) => source !== '' && value.trim() !== '');
  if (length !== 'long' || sources.length === 0) return '';
  return `${words.sources}\n${sources.map(({ name, source }) => `- ${name}: ${source}`).join('\n')}`;
}

/** A caller's name for a fact as people would write it: "deliveryTime" is "delivery time". */
function worded(name: string): string {
  return /^\p{Ll}+(?:\p{Lu}\p{Ll}+)+$|^[\p{L}\d]+(?:_[\p{L}\d]+)+$/u.test(name) ? spaced(name).toLowerCase() : name;
}

/** A language's wording. */
export function wordsOf(language: DraftWords['language']): DraftWords {
  const words = draftWords.get(language);
  if (!words) throw new Error(`no words in ${language}`);
  return words;
}

function capital(text: string): string {
  const [first = '', ...rest] = text;
  return first.toUpperCase() + rest.join('');
}

function lower(text: string): string {
  const [first = '', ...rest] = text;
  return first.toLowerCase() + rest.join('');
}
