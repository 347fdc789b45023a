import type { CheckResult } from '../checks/checks.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { readDay } from '../sense/days.ts';
import { meaningOf } from '../sense/field-meaning.ts';
import { countryOfVat } from '../sense/field-sense.ts';

type Values = Readonly<Record<string, unknown>>;
interface Named {
  name: string;
  label: string;
  kind: string;
}

/** Two values of a form that cannot both be right, and the field at which it is best put right. */
export interface Contradiction {
  field: string;
  result: CheckResult;
}

/** What contradicts itself among values that are each possible: dates, sums, countries. Values are compared, never texts. */
export function contradictionsIn(fields: readonly Named[], values: Values, locale: string): Contradiction[] {
  return [...datesOutOfOrder(fields, values, locale), ...wrongSums(fields, values), ...foreignNumbers(fields, values)];
}

const dateOrders: readonly (readonly [RegExp, RegExp])[] = [
  [/issue|invoice ?date|rechnungsdatum|emision|emission/i, /due|fallig|vencimiento|echeance/i],
  [/start|from|begin|arriv|check ?in|pick ?up|ship/i, /end|until|\bto\b|depart|check ?out|return|deliver/i],
  [/birth/i, /issue|founded|start|expiry/i],
  [/issue/i, /expir|valid ?until/i],
];

function datesOutOfOrder(fields: readonly Named[], values: Values, locale: string): Contradiction[] {
  const days = fields.flatMap((field) => {
    const day = field.kind === 'date' ? readDay(String(values[field.name] ?? ''), locale) : undefined;
    return day === undefined ? [] : [{ field, day, words: wordsOf(field) }];
  });
  return dateOrders.flatMap(([earlier, later]) => {
    const first = days.find(({ words }) => earlier.test(words));
    const second = days.find((one) => one !== first && later.test(one.words) && !earlier.test(one.words));
    if (!first || !second || first.day.iso <= second.day.iso) return [];
    return [contradiction(second.field, `${titleOf(second.field)} is before ${titleOf(first.field)}.`)];
  });
}

/** net + tax = gross, and tax = net x rate; to the cent, but for one of rounding. */
function wrongSums(fields: readonly Named[], values: Values): Contradiction[] {
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
    found.push(contradiction(tax.field, `${titleOf(tax.field)} is not ${rate.value} % of ${titleOf(net.field)}.`));
  if (net && tax && gross && Math.abs(net.value + tax.value - gross.value) > 0.02)
    found.push(
      contradiction(
        gross.field,
        `${titleOf(gross.field)} is not ${titleOf(net.field)} and ${titleOf(tax.field)} together.`,
      ),
    );
  return found;
}

/** A VAT ID, or a BIC beside an IBAN, of another country. */
function foreignNumbers(fields: readonly Named[], values: Values): Contradiction[] {
  const of = (meaning: string) =>
    fields.find(({ name, label }) => meaningOf(name, label) === meaning && typeof values[name] === 'string');
  const found: Contradiction[] = [];
  const country = fields.find(({ name, kind }) => kind === 'country' && /country|land|pais|pays/i.test(name));
  const vat = of('vat');
  const home = country && countryCodeOf(values[country.name]);
  const abroad = vat && countryOfVat(String(values[vat.name]));
  if (vat && country && home && abroad && home !== abroad)
    found.push(contradiction(vat, `${titleOf(vat)} is of ${abroad}, ${titleOf(country)} is ${home}.`));
  const [iban, bic] = [of('iban'), of('bic')];
  if (iban && bic) {
    const [bank, account] = [String(values[bic.name]).slice(4, 6), String(values[iban.name]).slice(0, 2)];
    if (bank.toUpperCase() !== account.toUpperCase())
      found.push(contradiction(bic, `${titleOf(bic)} is of a bank in another country than ${titleOf(iban)}.`));
  }
  return found;
}

function contradiction(field: Named, message: string): Contradiction {
  return {
    field: field.name,
    result: {
      outcome: 'failed',
      rule: {
        id: `contradiction-${field.name}`,
        fact: titleOf(field),
        pass: '',
        weight: 5,
        severity: 'critical',
        message,
        action: `Correct one of the two: ${message}`,
      },
    },
  };
}

function isNumber(value: unknown): boolean {
  return (
    (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')) && Number.isFinite(Number(value))
  );
}

function titleOf({ name, label }: Named): string {
  return label || name;
}

function wordsOf({ name, label }: Named): string {
  return `${name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_.-]/g, ' ')} ${label}`;
}
