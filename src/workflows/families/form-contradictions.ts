import type { CheckResult } from '../checks/checks.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { readDay } from '../sense/days.ts';
import { meaningOf } from '../sense/field-meaning.ts';
import { countryOfVat } from '../sense/field-sense.ts';
import type { Words } from '../words/index.ts';

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

/** Contradictions among values that are each possible on their own: dates, sums, countries. Compares values, never texts. */
export function contradictionsIn(
  fields: readonly Named[],
  values: Values,
  locale: string,
  words: Words,
): Contradiction[] {
  return [
    ...datesOutOfOrder(fields, values, locale, words),
    ...wrongSums(fields, values, words),
    ...foreignNumbers(fields, values, words),
  ];
}

const dateOrders: readonly (readonly [RegExp, RegExp])[] = [
  [/issue|invoice ?date|rechnungsdatum|emision|emission/i, /due|fallig|vencimiento|echeance/i],
  [/start|from|begin|arriv|check ?in|pick ?up|ship/i, /end|until|\bto\b|depart|check ?out|return|deliver/i],
  [/birth/i, /issue|founded|start|expiry/i],
  [/issue/i, /expir|valid ?until/i],
];

function datesOutOfOrder(fields: readonly Named[], values: Values, locale: string, words: Words): Contradiction[] {
  const days = fields.flatMap((field) => {
    const day = field.kind === 'date' ? readDay(String(values[field.name] ?? ''), locale) : undefined;
    return day === undefined ? [] : [{ field, day, words: wordsOf(field) }];
  });
  return dateOrders.flatMap(([earlier, later]) => {
    const first = days.find(({ words }) => earlier.test(words));
    const second = days.find((one) => one !== first && later.test(one.words) && !earlier.test(one.words));
    if (!first || !second || first.day.iso <= second.day.iso) return [];
    const message = words.say('form.before', { second: second.field.title, first: first.field.title });
    return [contradiction(second.field, message, words)];
  });
}

/** net + tax = gross, and tax = net x rate; to the cent, allowing one cent for rounding. */
function wrongSums(fields: readonly Named[], values: Values, words: Words): Contradiction[] {
  const find = (pattern: RegExp) => {
    const field = fields.find((one) => pattern.test(wordsOf(one)) && isNumber(values[one.name]));
    return field === undefined ? undefined : { field, value: Number(values[field.name]) };
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
    fields.find(({ name, label }) => meaningOf(name, label) === meaning && typeof values[name] === 'string');
  const found: Contradiction[] = [];
  const country = fields.find(({ name, kind }) => kind === 'country' && /country|land|pais|pays/i.test(name));
  const vat = of('vat');
  const home = country && countryCodeOf(values[country.name]);
  const abroad = vat && countryOfVat(String(values[vat.name]));
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
    const [bank, account] = [String(values[bic.name]).slice(4, 6), String(values[iban.name]).slice(0, 2)];
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

function wordsOf({ name, label }: Named): string {
  return `${name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_.-]/g, ' ')} ${label}`;
}
