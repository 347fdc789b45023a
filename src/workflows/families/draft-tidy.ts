import { spaced } from '../../base/text/spaced.ts';
import type { DraftFact } from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import type { Plain } from '../family.ts';
import type { DraftLanguage } from '../packs/draft-language.ts';
import { ideasSaidBy, meaningsOf, personNames, wordsIn } from '../packs/draft-names.ts';
import { type DraftLocale, formatNumber, formatValue } from './draft-values.ts';

/** A fact as a document states it. */
export interface TidyFact {
  /** Its place among the facts of the request. */
  index: number;
  name: string;
  /** As the locale writes it; empty if it is not known. */
  text: string;
}

/**
 * The facts as people would tell them: the parts of a person's name are one name, a currency that stands alone belongs to the sums,
 * a number has the unit that its name says, and yes and no are said in the reader's language.
 */
export function tidy(facts: readonly Plain<DraftFact>[], locale: DraftLocale): TidyFact[] {
  const named = namesTogether(facts.map(({ name, value }, index) => ({ index, name, text: value.trim() })));
  const currency = named.find((fact) => currencyIn(fact) !== undefined);
  const sums = named.filter((fact) => isBareSum(fact));
  // A currency beside no sum is a fact of its own.
  const ofSums = sums.length > 0 ? currency : undefined;
  return named
    .filter((fact) => fact !== ofSums)
    .map((fact) => {
      const code = isBareSum(fact) && ofSums !== undefined ? ` ${ofSums.text}` : '';
      return { ...fact, text: told({ ...fact, text: fact.text + code }, locale) };
    });
}

const parts = ['title', 'first', 'last', 'whole'] as const;
type Part = (typeof parts)[number];

const calledParts: ReadonlyMap<Part, readonly string[][]> = new Map(
  parts.map((part) => [part, personNames[part].map((called) => called.split(' '))]),
);

/** Puts title, first and last name of the same person together, where the first of them stands. */
function namesTogether(facts: readonly TidyFact[]): TidyFact[] {
  const people = new Map<string, Map<Part, TidyFact>>();
  for (const fact of facts) {
    const words = wordsIn(fact.name);
    const used = new Set<string>();
    for (const part of parts)
      for (const called of calledParts.get(part) ?? []) {
        const owner = ownerBeside(words, called);
        if (owner === undefined || fact.text === '' || used.has(part)) continue;
        if (part === 'title' && fact.text.length > titleMax) continue;
        used.add(part);
        const person = people.get(owner) ?? new Map<Part, TidyFact>();
        if (!person.has(part)) person.set(part, fact);
        people.set(owner, person);
      }
  }
  const merged = new Map<TidyFact, TidyFact | undefined>();
  for (const [owner, person] of people) {
    // "Nombre" is the first name beside "apellidos", and the whole name alone.
    const whole = person.get('whole') ?? person.get('last') ?? person.get('first');
    const told = person.has('first') && person.has('last') ? [person.get('first'), person.get('last')] : [whole];
    const all = [...new Set([person.get('title'), ...told])].filter((fact) => fact !== undefined);
    const [first, ...rest] = all.sort((a, b) => a.index - b.index);
    if (first === undefined || rest.length === 0) continue;
    const inOrder = [...new Set([person.get('title'), ...told])].filter((fact) => fact !== undefined);
    const name = owner === '' ? 'recipient' : `${owner} name`;
    merged.set(first, { ...first, name, text: inOrder.map(({ text }) => text).join(' ') });
    for (const fact of rest) merged.set(fact, undefined);
  }
  return facts.map((fact) => (merged.has(fact) ? merged.get(fact) : fact)).filter((fact) => fact !== undefined);
}

// "Herr Dr." and "Mr and Mrs", but not the title of a document.
const titleMax = 12;

/** The words of a name beside those given, if it has them in a row. */
function ownerBeside(words: readonly string[], called: readonly string[]): string | undefined {
  const at = words.findIndex((_, index) => called.every((word, offset) => words[index + offset] === word));
  if (at < 0) return undefined;
  return [...words.slice(0, at), ...words.slice(at + called.length)].join(' ');
}

const code = /^[A-Z]{3}$/;

function currencyIn({ name, text }: TidyFact): string | undefined {
  return code.test(text) && ideasSaidBy(name).has('currency') ? text : undefined;
}

const sumIdeas = ['amount', 'price', 'fee', 'total', 'gross', 'net', 'open', 'rent', 'deposit', 'subtotal', 'refund'];
const noSumIdeas = ['number', 'rate', 'percentage', 'quantity', 'days', 'date', 'tax'];

function isBareSum({ name, text }: TidyFact): boolean {
  if (!/^-?\d{1,15}(?:\.\d{1,2})?$/.test(text)) return false;
  const said = ideasSaidBy(name);
  return sumIdeas.some((idea) => said.has(idea)) && !noSumIdeas.some((idea) => said.has(idea));
}

const answers: Readonly<Record<DraftLanguage, { yes: string; no: string }>> = {
  en: { yes: 'yes', no: 'no' },
  de: { yes: 'ja', no: 'nein' },
  es: { yes: 'sí', no: 'no' },
  fr: { yes: 'oui', no: 'non' },
};

const yes: ReadonlySet<string> = new Set(['yes', 'ja', 'sí', 'si', 'oui', 'true']);
const no: ReadonlySet<string> = new Set(['no', 'nein', 'non', 'false']);

/** Whether a value only says yes, in any of the languages. */
export function isYes(text: string): boolean {
  return yes.has(text.toLowerCase());
}

/** Whether a value only says yes or no. */
export function isAnswer(text: string): boolean {
  return isYes(text) || no.has(text.toLowerCase());
}

/** Units that a name may end in, as they are said of one and of several. */
const units: Readonly<Record<string, Readonly<Record<DraftLanguage, readonly [string, string]>>>> = {
  days: { en: ['day', 'days'], de: ['Tag', 'Tage'], es: ['día', 'días'], fr: ['jour', 'jours'] },
  weeks: { en: ['week', 'weeks'], de: ['Woche', 'Wochen'], es: ['semana', 'semanas'], fr: ['semaine', 'semaines'] },
  months: { en: ['month', 'months'], de: ['Monat', 'Monate'], es: ['mes', 'meses'], fr: ['mois', 'mois'] },
  year: { en: ['year', 'years'], de: ['Jahr', 'Jahre'], es: ['año', 'años'], fr: ['an', 'ans'] },
  hoursOfTime: { en: ['hour', 'hours'], de: ['Stunde', 'Stunden'], es: ['hora', 'horas'], fr: ['heure', 'heures'] },
  minutesOfTime: {
    ...{ en: ['minute', 'minutes'], de: ['Minute', 'Minuten'] },
    ...{ es: ['minuto', 'minutos'], fr: ['minute', 'minutes'] },
  },
};

/** A value as the locale writes it. */
function told({ name, text }: TidyFact, locale: DraftLocale): string {
  const { language, tag } = locale;
  if (/^true$/i.test(text)) return answers[language].yes;
  if (/^false$/i.test(text)) return answers[language].no;
  const formatted = formatValue(text, tag);
  if (formatted !== text || !/^\d{1,9}(?:\.\d{1,2})?$/.test(text)) return formatted;
  const words = wordsIn(name);
  // "Days" alone, and "days overdue", are counted under that name.
  const symbol = symbolIn(name);
  if (symbol !== undefined) return `${text}\u00a0${symbol}`;
  const unit = words.length < 2 ? undefined : unitSaidBy(words.at(-1) ?? '');
  if (unit !== undefined) return `${text} ${units[unit]?.[language][text === '1' ? 0 : 1]}`;
  const said = ideasSaidBy(name);
  if ((said.has('rate') && !said.has('number')) || said.has('percentage') || (said.has('tax') && isShare(text)))
    return `${formatNumber(text, tag)}${language === 'en' ? '' : '\u00a0'}%`;
  return isBareSum({ index: 0, name, text }) && text.includes('.') ? formatNumber(text, tag) : text;
}

const endsInSymbol = /[\p{L}\d][ _-](kwh|km|kg|m2|m3|qm|sqm)$/iu;
const symbols: Readonly<Record<string, string>> = {
  ...{ kwh: 'kWh', km: 'km', kg: 'kg', m2: 'm²', m3: 'm³', qm: 'm²', sqm: 'm²' },
};

/** The sign of the unit in which a name ends: "verbrauchKwh", "flaeche_m2". */
function symbolIn(name: string): string | undefined {
  return symbols[endsInSymbol.exec(spaced(name))?.[1]?.toLowerCase() ?? ''];
}

function unitSaidBy(word: string): string | undefined {
  const said = ideasSaidBy(word);
  return Object.keys(units).find((one) => said.has(one));
}

function isShare(text: string): boolean {
  return Number(text) < 100 && Number.isInteger(Number(text));
}

/** Whether a name ends in a unit that its value then has, which its label need not repeat. */
export function withoutUnit(name: string): string {
  const words = wordsIn(name);
  if (symbolIn(name) !== undefined)
    return spaced(name)
      .replace(/[ _-][\p{L}\d]+$/u, '')
      .replaceAll(' ', '_');
  const isUnit = unitSaidBy(words.at(-1) ?? '') !== undefined;
  return isUnit && words.length > 1 && meaningsOf(name).length === 0 ? words.slice(0, -1).join('_') : name;
}
