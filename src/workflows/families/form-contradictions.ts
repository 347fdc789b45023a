import { ownValue } from '../../base/own-value.ts';
import { foldText } from '../../base/text/fold.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { CheckResult } from '../checks/checks.ts';
import type { Plain } from '../family.ts';
import { dayWithin } from '../sense/birth-numbers.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { type Day, readDay } from '../sense/days.ts';
import { asksAge, asksHome, meaningOf, wordsOf } from '../sense/field-meaning.ts';
import { countryOfVat, type SenseContext } from '../sense/field-sense.ts';
import type { Words } from '../words/index.ts';
import { dateOrders } from './date-orders.ts';
import { numberIn } from './number-in-text.ts';

type Values = Readonly<Record<string, unknown>>;
interface Named extends Plain<FormField> {
  /** What the reader sees. */
  title: string;
}

/** Two values of a form that cannot both be right, and the field that should be corrected. */
export interface Contradiction {
  field: string;
  result: CheckResult;
}

/** Contradictions among values that are each possible on their own: dates, sums, countries, what is asked for twice. */
export function contradictionsIn(
  fields: readonly Named[],
  values: Values,
  asked: SenseContext,
  words: Words,
): Contradiction[] {
  return [
    ...datesOutOfOrder(fields, values, asked, words),
    ...emptyRanges(fields, values, asked, words),
    ...unlikeTwins(fields, values, words),
    ...wrongAge(fields, values, asked, words),
    ...otherBirths(fields, values, asked, words),
    ...otherCompanies(fields, values, words),
    ...wrongSums(fields, values, asked, words),
    ...foreignNumbers(fields, values, words),
  ];
}

/** The day in a field for dates, or in one that names no kind. */
function dayIn({ kind, name }: Named, values: Values, { dayOrder }: SenseContext): Day | undefined {
  return kind === 'date' || kind === 'text'
    ? readDay(String(ownValue(values, name) ?? '').trim(), dayOrder)
    : undefined;
}

/** The number in a field for numbers, as people write it; undefined if there is none. */
function valueIn(field: Named, values: Values, asked: SenseContext): number | undefined {
  const value = ownValue(values, field.name);
  const number = typeof value === 'string' ? numberIn(value, field, asked) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function datesOutOfOrder(fields: readonly Named[], values: Values, asked: SenseContext, words: Words): Contradiction[] {
  const days = fields.flatMap((field) => {
    const day = dayIn(field, values, asked);
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
function emptyRanges(fields: readonly Named[], values: Values, asked: SenseContext, words: Words): Contradiction[] {
  const numbers = fields
    .filter(({ kind }) => kind === 'number' || kind === 'integer')
    .flatMap((field) => {
      const value = valueIn(field, values, asked);
      return value === undefined ? [] : [{ field, value, words: wordsOf(field.name, field.label) }];
    });
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
function wrongAge(fields: readonly Named[], values: Values, asked: SenseContext, words: Words): Contradiction[] {
  const birth = fields.find((one) => meaningOf(one.name, one.label) === 'birth' && dayIn(one, values, asked));
  const age = fields.find((one) => asksAge(wordsOf(one.name, one.label)) && valueIn(one, values, asked) !== undefined);
  const day = birth && dayIn(birth, values, asked);
  const years = age && valueIn(age, values, asked);
  if (!birth || !age || !day || years === undefined) return [];
  return Math.abs(asked.today.year - day.year - years) > 1 ? [unfit(birth, age, words)] : [];
}

/** A number that a state made from a date of birth, and another date of birth. */
function otherBirths(fields: readonly Named[], values: Values, asked: SenseContext, words: Words): Contradiction[] {
  const births = fields.filter(({ name, label }) => meaningOf(name, label) === 'birth');
  const [birth, other] = births.filter((one) => dayIn(one, values, asked));
  const day = birth && dayIn(birth, values, asked);
  // With two people in a form, nobody knows whose number it is.
  if (!birth || !day || other) return [];
  return fields.flatMap((field) => {
    const within = dayWithin(wordsOf(field.name, field.label), String(ownValue(values, field.name) ?? ''));
    return within === undefined || within.test(day.iso) ? [] : [unfit(birth, field, words)];
  });
}

/** The number of a French establishment and its VAT ID both hold the number of the company. */
function otherCompanies(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  const find = (words: RegExp) =>
    fields.find(({ name, label, kind }) => kind === 'text' && words.test(wordsOf(name, label)));
  const [company, vat] = [find(/\bsire[nt]\b/), find(/\btva\b/)];
  const bare = (field: Named | undefined) =>
    String(field ? ownValue(values, field.name) : '')
      .replace(/[\s./-]/g, '')
      .toUpperCase();
  const [, country, own] = /^([A-Z]{2})(?:[A-Z\d]{2}(\d{9})$)?/.exec(bare(vat)) ?? [];
  if (!company || !vat || country === undefined || !/^\d{9}(\d{5})?$/.test(bare(company))) return [];
  return country === 'FR' && own === bare(company).slice(0, 9) ? [] : [unfit(company, vat, words)];
}

function unfit(first: Named, second: Named, words: Words): Contradiction {
  return contradiction(second, words.say('form.unfit', { second: second.title, first: first.title }), words);
}

/** net + tax = gross, and tax = net x rate; to the cent, allowing one cent for rounding. */
function wrongSums(fields: readonly Named[], values: Values, asked: SenseContext, words: Words): Contradiction[] {
  const find = (pattern: RegExp) => {
    for (const field of fields) {
      const value = pattern.test(wordsOf(field.name, field.label)) ? valueIn(field, values, asked) : undefined;
      if (value !== undefined) return { field, value };
    }
    return undefined;
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

const bankCountry = /bank|banco|banque|konto|account|cuenta|compte/;

/** A VAT ID, an IBAN beside the country of its bank, or a BIC next to an IBAN, from another country. */
function foreignNumbers(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  const of = (meaning: string) =>
    fields.find(({ name, label }) => meaningOf(name, label) === meaning && typeof ownValue(values, name) === 'string');
  const found: Contradiction[] = [];
  const countries = fields.filter(({ kind }) => kind === 'country');
  const country = countries.find(({ name, label }) => asksHome(wordsOf(name, label)));
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
  const bank = countries.find(({ name, label }) => bankCountry.test(wordsOf(name, label)));
  const [account, seat] = [iban, bank].map((field) => field && String(ownValue(values, field.name)).trim());
  const seatCode = countryCodeOf(seat);
  const accountCode = account?.slice(0, 2).toUpperCase();
  if (iban && bank && seatCode && accountCode && seatCode !== accountCode)
    found.push(
      contradiction(
        iban,
        words.say('form.otherCountry', {
          ...{ number: iban.title, abroad: accountCode, country: bank.title, home: seatCode },
        }),
        words,
      ),
    );
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
