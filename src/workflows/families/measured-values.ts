import type { JsonValue } from '@bufbuild/protobuf';
import { foldText } from '../../base/text/fold.ts';
import { type Quantity, readQuantity, wholeMoney } from './quantity.ts';

/** Names of interest: a share a year, whether or not that is said. */
export const interest =
  /(?<![a-z])(?:interest|[a-z]*zins(?:en|satz|satze)?|intereses|tipo de interes|tasa de interes|interets?|taux d.interets?|tae|(?:loan|mortgage|credit|savings?) rate|taux (?:du |de |d.)?(?:pret|credit|emprunt))(?![a-z])/;

// 4.1/5, 4,7 von 5, 8 out of 10. Other denominators are those of days, parts and models, unless words say "3 of 400".
const rating =
  /^(\d{1,5}(?:[.,]\d{1,2})?) ?(?:\/ ?(?=(?:5|6|10|20|100)\b)|(?:von|(?:out )?of|sobre|de|sur) )(\d{1,5})(?: (?:stars?|points?|sternen?|punkten?|estrellas|puntos|etoiles|points))?$/;

// 1 h 20 min, 1h20, 2 years 6 months: how many of the smaller unit, and in which one.
const twoUnits = /^(\d{1,3}) ?([a-z]{1,8})\.?,? ?(?:und |and |y |et )?(\d{1,2})(?: ?([a-z]{1,8})\.?)?$/;
const smallerOf: Readonly<Record<string, readonly [unit: string, count: number]>> = {
  h: ['min', 60],
  year: ['month', 12],
};

/** A time in two units as a count of the smaller one. */
function readTwoUnits(text: string): Quantity | undefined {
  const [, large = '', unit = '', small = '', under] = twoUnits.exec(foldText(text.slice(0, textMax)).trim()) ?? [];
  if (large === '') return undefined;
  const first = readQuantity(`1 ${unit}`);
  const kind =
    first?.measure === 'time' && first.factor === 1
      ? 'h'
      : first?.measure === 'months' && first.factor === 12
        ? 'year'
        : '';
  const [name = '', count = 0] = smallerOf[kind] ?? [];
  const smaller = readQuantity(`1 ${name}`);
  const written = under === undefined && kind === 'h' ? smaller : readQuantity(`1 ${under === 'm' ? 'min' : under}`);
  if (!smaller || written?.measure !== smaller.measure || written.factor !== smaller.factor || Number(small) >= count)
    return undefined;
  return { ...smaller, number: String(Number(large) * count + Number(small)), unit: name };
}

/** A number with its unit, a time in two units, or a rating with its best mark; undefined if it is none of these. */
export function readMeasured(text: string): Quantity | undefined {
  const quantity = readQuantity(text) ?? readTwoUnits(text);
  if (quantity) return quantity;
  const [, number = '', most = ''] = rating.exec(foldText(text.slice(0, textMax)).trim()) ?? [];
  if (number === '' || Number(number.replace(',', '.')) > Number(most)) return undefined;
  return { number, times: 1, measure: 'rating', factor: 1 / Number(most), unit: `/${most}` };
}

/** The values of one criterion with their units; undefined for those that have none that is known. */
export function measuredIn(given: readonly (JsonValue | undefined)[], name: string): (Quantity | undefined)[] {
  const read = given.map((value) => (typeof value === 'string' ? readMeasured(value) : undefined));
  const folded = foldText(name);
  const inPeriod = inSharedPeriod(inNamedPeriod(countedIn(given, read), folded), folded);
  return inOneMeasure(inPeriod, interest.test(folded));
}

const namedPeriods: readonly (readonly [period: string, name: RegExp, aYear: number])[] = [
  ['month', /monthly|(?:per|a|each) month|monatlich|monats|im monat|mensual|(?:al|por) mes|mensuel|par mois/, 12],
  ['year', /annual|yearly|per (?:year|annum)|jahrlich|jahres|(?:im|pro) jahr|anual|al ano|annuel|par an\b/, 1],
];

// What is paid again and again, whether or not that is said.
const recurring =
  /salar|\bwages?\b|\bpay\b|gehalt|lohn(?![a-z])|sueldo|\brent\b|(?:kalt|warm)?miete(?![a-z])|alquiler|loyer|premium|pramie|\bprima\b|\bprime\b|leasing|\blease\b|subscription|\babo\b|abonnement|suscripcion/;
// A year of months would be further apart.
const apartMost = 3;

/** Beside "£38,000 a year", a salary of "£34k" is by the year as well. */
function inSharedPeriod(read: readonly (Quantity | undefined)[], name: string): (Quantity | undefined)[] {
  const known = read.filter((one) => one !== undefined);
  const rate = known.find(({ measure }) => measure.endsWith('/year'));
  const [, period = ''] = rate?.unit.split('/') ?? [];
  const [money = ''] = rate?.measure.split('/') ?? [];
  const isShared = known.every(
    ({ measure, unit }) => measure === money || (measure === rate?.measure && unit.endsWith(`/${period}`)),
  );
  if (rate === undefined || !isShared || !recurring.test(name)) return [...read];
  const perYear = rate.factor / (readQuantity(`1 ${rate.unit.split('/')[0]}`)?.factor ?? 1);
  const turned = read.map((one) =>
    one && one.measure === money
      ? { ...one, measure: rate.measure, factor: one.factor * perYear, unit: `${one.unit}/${period}` }
      : one,
  );
  const sums = turned.flatMap((one) => (one ? [plainNumber(one.number) * one.times * one.factor] : []));
  return Math.max(...sums) <= apartMost * Math.min(...sums) ? turned : [...read];
}

/** Without a reader's language: groups of thousands, and decimals of at most two digits. */
function plainNumber(number: string): number {
  const [, whole = number, part = '0'] = /^(.*)[.,](\d{1,2})$/.exec(number) ?? [];
  return Number(`${whole.replace(/\D/g, '')}.${part}`);
}

/** "£415" is by the month where the criterion is a monthly cost, as "£2,900 p.a." is by the year. */
function inNamedPeriod(read: readonly (Quantity | undefined)[], name: string): (Quantity | undefined)[] {
  const [named] = namedPeriods.filter(([, words]) => words.test(name));
  const rate = read.find((one) => one !== undefined && /^[a-z]+\/year$/.test(one.measure));
  if (named === undefined || rate === undefined) return [...read];
  const [period, , aYear] = named;
  const [money] = rate.measure.split('/');
  return read.map((one) =>
    one !== undefined && one.measure === money
      ? { ...one, measure: rate.measure, factor: one.factor * aYear, unit: `${one.unit}/${period}` }
      : one,
  );
}

const textMax = 100;
const hoursOfMonth = (365.25 * 24) / 12;

/** Months beside weeks count as a twelfth of a year, and interest without a period is that of a year. */
function inOneMeasure(read: readonly (Quantity | undefined)[], isInterest: boolean): (Quantity | undefined)[] {
  const measures = new Set(read.flatMap((one) => (one ? [one.measure] : [])));
  const areTimes = measures.has('months') && measures.has('time');
  const areRates = isInterest && measures.has('share') && measures.has('share/year');
  return read.map((one) => {
    if (areTimes && one?.measure === 'months')
      return { ...one, measure: 'time', factor: one.factor * hoursOfMonth, isAbout: true };
    if (areTimes && one?.measure === 'time') return { ...one, isAbout: true };
    if (areRates && one?.measure === 'share') return { ...one, measure: 'share/year' };
    return one;
  });
}

// "220 guests", "900 per hour", "28 ppm", "8 € per user and month", "MXN 450": a number and words, with no other number among them.
const counted =
  /^(\p{Sc}|\p{Lu}{2,3}\p{Sc}?|)([+-]?\d(?:[\d.,' ]{0,18}\d)?) ?([\p{L}\p{Sc}%][\p{L}\p{Sc}%.'/ -]{0,50}|)$/u;

/** What is counted in the same words can be compared, whatever the words mean; a single wording among others cannot. */
function countedIn(
  given: readonly (JsonValue | undefined)[],
  read: readonly (Quantity | undefined)[],
): (Quantity | undefined)[] {
  const present = given.filter((value) => value !== undefined && value !== null && value !== '').length;
  const wordings = given.map((value, at) => {
    if (read[at] || typeof value !== 'string' || value.length > textMax) return undefined;
    const plain = value
      .trim()
      .replaceAll(/[\s\u2019]/gu, ' ')
      .replace(/^(\p{Sc}|\p{Lu}{2,3}\p{Sc}?) (?=[\d+-])/u, '$1');
    const [, before = '', number = '', after = ''] = counted.exec(plain) ?? [];
    const words = foldText(`${before} ${after}`);
    if (number === '' || words === '') return undefined;
    return { number: /\p{Sc}/u.test(words) ? wholeMoney(number) : number, words };
  });
  return read.map((quantity, at) => {
    const own = wordings[at];
    if (quantity || own === undefined) return quantity;
    const alike = wordings.flatMap((one) => (one && areAlike(one.words, own.words) ? [one.words] : []));
    if (alike.length < 2 && present > 1) return undefined;
    const [unit = ''] = alike.sort((a, b) => a.length - b.length);
    return { number: own.number, times: 1, measure: `of ${unit}`, factor: 1, unit: `of ${unit}` };
  });
}

/** The same words, or their singular and plural: "1 room" and "2 rooms". */
function areAlike(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return (
    short === long || (short.length >= 3 && /^(?:e?s|e?n|e)$/.test(long.slice(short.length)) && long.startsWith(short))
  );
}
