import { ownValue } from '../../base/own-value.ts';
import { foldText } from '../../base/text/fold.ts';
import type { CheckResult } from '../checks/checks.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { readDay } from '../sense/days.ts';
import { asksAge, meaningOf, wordsOf } from '../sense/field-meaning.ts';
import { countryOfVat, type SenseContext } from '../sense/field-sense.ts';
import type { Words } from '../words/index.ts';
import { dateOrders } from './date-orders.ts';

type Values = Readonly<Record<string, unknown>>;
interface Named {
  name: string;
  label: string;
  /** What the reader sees. */
  title: string;
  kind: string;
}

/** Two values of a form that cannot both be right, and the field that should be corrected. */
export interface Contradiction {
  field: string;
  result: CheckResult;
}

/** Where and when a form is filled in. */
type Asked = Pick<SenseContext, 'locale' | 'today'>;

/** Contradictions among values that are each possible on their own: dates, sums, countries, what is asked for twice. */
export function contradictionsIn(
  fields: readonly Named[],
  values: Values,
  asked: Asked,
  words: Words,
): Contradiction[] {
  return [
    ...datesOutOfOrder(fields, values, asked.locale, words),
    ...emptyRanges(fields, values, words),
    ...unlikeTwins(fields, values, words),
    ...wrongAge(fields, values, asked, words),
    ...otherCompanies(fields, values, words),
    ...wrongSums(fields, values, words),
    ...foreignNumbers(fields, values, words),
  ];
}

function datesOutOfOrder(fields: readonly Named[], values: Values, locale: string, words: Words): Contradiction[] {
  const days = fields.flatMap((field) => {
    const day = field.kind === 'date' ? readDay(String(ownValue(values, field.name) ?? ''), locale) : undefined;
    return day === undefined ? [] : [{ field, day, words: wordsOf(field.name, field.label) }];
  });
  return dateOrders.flatMap(({ earlier, later }) => {
    // "Damage reported on" speaks of the damage and is the later one all the same.
    const first = days.find(({ words }) => earlier.test(words) && !later.test(words));
    const others = days.filter((one) => one !== first && later.test(one.words));
    const second = others.find((one) => !earlier.test(one.words)) ?? others[0];
    if (!first || !second || first.day.iso <= second.day.iso) return [];
    const message = words.say('form.before', { second: second.field.title, first: first.field.title });
    return [contradiction(second.field, message, words)];
  });
}

const lowest = /\b(min(imum|imo|imal\w*)?|mindest\w*|at least|from|von|desde|a partir)\b/g;
const highest = /\b(max(imum|imo|imal\w*)?|hochst\w*|at most|to|until|bis|hasta|jusqu)\b/g;

/** A least and a most of the same thing, the wrong way round. */
function emptyRanges(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  const numbers = fields
    .filter(({ kind, name }) => (kind === 'number' || kind === 'integer') && isNumber(ownValue(values, name)))
    .map((field) => ({ field, value: Number(ownValue(values, field.name)), words: wordsOf(field.name, field.label) }));
  return numbers.flatMap((least) => {
    const about = least.words.replace(lowest, '');
    if (about === least.words) return [];
    const most = numbers.find(({ words }) => words !== least.words && words.replace(highest, '') === about);
    if (most === undefined || least.value <= most.value) return [];
    return [
      contradiction(most.field, words.say('form.less', { second: most.field.title, first: least.field.title }), words),
    ];
  });
}

const again =
  /\b(again|repeat\w*|confirm\w*|re ?enter\w*|wiederhol\w*|nochmals?|bestatig\w*|repet\w*|repit\w*|otra vez|de nouveau)\b/;

/** What is asked for twice, so that slips are noticed: an e-mail address or an account. */
function unlikeTwins(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  return fields.flatMap((second) => {
    const said = wordsOf(second.name, second.label);
    if (!again.test(said)) return [];
    const meaning = meaningOf(second.name, second.label);
    const first = fields.find(
      (one) =>
        one !== second &&
        one.kind === second.kind &&
        (one.kind === 'email' || (meaning === 'iban' && meaningOf(one.name, one.label) === meaning)),
    );
    if (first === undefined || sameText(ownValue(values, first.name), ownValue(values, second.name))) return [];
    return [unfit(first, second, words)];
  });
}

function sameText(a: unknown, b: unknown): boolean {
  const bare = (value: unknown) => foldText(String(value)).replaceAll(' ', '');
  return bare(a) === bare(b);
}

/** An age that the date of birth does not have, give or take a year. */
function wrongAge(fields: readonly Named[], values: Values, { locale, today }: Asked, words: Words): Contradiction[] {
  const birth = fields.find((one) => one.kind === 'date' && meaningOf(one.name, one.label) === 'birth');
  const age = fields.find((one) => isNumber(ownValue(values, one.name)) && asksAge(wordsOf(one.name, one.label)));
  const day = birth && readDay(String(ownValue(values, birth.name)), locale);
  if (!birth || !age || !day) return [];
  return Math.abs(today.year - day.year - Number(ownValue(values, age.name))) > 1 ? [unfit(birth, age, words)] : [];
}

/** The number of a French establishment and its VAT ID both hold the number of the company. */
function otherCompanies(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  const find = (words: RegExp) => fields.find(({ name, label }) => words.test(wordsOf(name, label)));
  const [company, vat] = [find(/\bsire[nt]\b/), find(/\btva\b/)];
  const digits = (field: Named | undefined) => String(field ? ownValue(values, field.name) : '').replace(/\D/g, '');
  if (!company || !vat || !/^\d{11}$/.test(digits(vat)) || !/^\d{9}(\d{5})?$/.test(digits(company))) return [];
  return digits(vat).slice(2) === digits(company).slice(0, 9) ? [] : [unfit(company, vat, words)];
}

function unfit(first: Named, second: Named, words: Words): Contradiction {
  return contradiction(second, words.say('form.unfit', { second: second.title, first: first.title }), words);
}

/** net + tax = gross, and tax = net x rate; to the cent, allowing one cent for rounding. */
function wrongSums(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  const find = (pattern: RegExp) => {
    const field = fields.find(
      (one) => pattern.test(wordsOf(one.name, one.label)) && isNumber(ownValue(values, one.name)),
    );
    return field === undefined ? undefined : { field, value: Number(ownValue(values, field.name)) };
  };
  const net = find(/\b(net|netto|neto|ht|subtotal)\b/i);
  const gross = find(/\b(gross|brutto|bruto|ttc|total)\b/i);
  const tax = find(/\b(vat|tax|mwst|ust|iva|tva) (amount|betrag|importe|montant)\b/i);
  const rate = find(/\b(vat|tax|mwst|ust|iva|tva) (rate|satz|tipo|taux|percent)\b/i);
  const found: Contradiction[] = [];
  if (net && tax && rate && Math.abs((net.value * rate.value) / 100 - tax.value) > 0.02)
    found.push(
      contradiction(
        tax.field,
        words.say('form.notShare', { tax: tax.field.title, rate: rate.value, net: net.field.title }),
        words,
      ),
    );
  if (net && tax && gross && Math.abs(net.value + tax.value - gross.value) > 0.02)
    found.push(
      contradiction(
        gross.field,
        words.say('form.notSum', { gross: gross.field.title, net: net.field.title, tax: tax.field.title }),
        words,
      ),
    );
  return found;
}

/** A VAT ID, or a BIC next to an IBAN, from another country. */
function foreignNumbers(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  const of = (meaning: string) =>
    fields.find(({ name, label }) => meaningOf(name, label) === meaning && typeof ownValue(values, name) === 'string');
  const found: Contradiction[] = [];
  const country = fields.find(({ name, kind }) => kind === 'country' && /country|land|pais|pays/i.test(name));
  const vat = of('vat');
  const home = country && countryCodeOf(ownValue(values, country.name));
  const abroad = vat && countryOfVat(String(ownValue(values, vat.name)));
  if (vat && country && home && abroad && home !== abroad)
    found.push(
      contradiction(
        vat,
        words.say('form.otherCountry', { number: vat.title, abroad, country: country.title, home }),
        words,
      ),
    );
  const [iban, bic] = [of('iban'), of('bic')];
  if (iban && bic) {
    const [bank, account] = [
      String(ownValue(values, bic.name)).slice(4, 6),
      String(ownValue(values, iban.name)).slice(0, 2),
    ];
    if (bank.toUpperCase() !== account.toUpperCase())
      found.push(contradiction(bic, words.say('form.otherBank', { bic: bic.title, iban: iban.title }), words));
  }
  return found;
}

function contradiction(field: Named, message: string, { say }: Words): Contradiction {
  return {
    field: field.name,
    result: {
      outcome: 'failed',
      rule: {
        id: `contradiction-${field.name}`,
        fact: field.title,
        pass: '',
        weight: 5,
        severity: 'critical',
        message,
        action: say('form.correctOne', { message }),
      },
    },
  };
}

function isNumber(value: unknown): boolean {
  return (
    (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')) && Number.isFinite(Number(value))
  );
}
