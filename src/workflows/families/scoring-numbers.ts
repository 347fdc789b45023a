import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { ownValue } from '../../base/own-value.ts';
import { foldText } from '../../base/text/fold.ts';
import type { Indicator } from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { Plain } from '../family.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import type { Message } from '../words/index.ts';
import { askedUnitOf, rangeWritten } from './asked-unit.ts';
import { isSignOf } from './money-units.ts';
import { isMoneyMeasure, periodWords, type Quantity, readQuantity, timesOf } from './quantity.ts';
import { impossibleBecause, isGraded, isPercentage, isRate, scaleEndOf, wordsOf } from './scoring-values.ts';
import { type DecimalSign, decimalSignOf, readNumber } from './written-number.ts';

/** Whose numbers are read. */
export interface NumberContext {
  /** The sign of decimals in the reader's locale; undefined without a locale. */
  sign: DecimalSign;
  /** What an indicator is called, for its reader. */
  labelOf(indicator: Plain<Indicator>): string;
  /** Whatever it is called in any language, folded. */
  wordsFor(indicator: Plain<Indicator>): ReadonlySet<string>;
}

/** Metrics as numbers; what is not known has none. */
export interface ReadMetrics {
  numbers: ReadonlyMap<string, number>;
  refused: ReadonlyMap<string, Message>;
  /** The names of those that were written with a percent sign: these are no fractions. */
  inPercent: ReadonlySet<string>;
}

/** A number as written, and by how much it is to be multiplied to be in the indicator's unit. */
interface Parsed {
  number: string;
  factor: number;
}

const textMax = 100;

/** Reads every indicator's metric, whether it is a number or a number in text with its unit. */
export function readMetrics(
  indicators: readonly Plain<Indicator>[],
  metrics: JsonObject,
  context: NumberContext,
): ReadMetrics {
  const numbers = new Map<string, number>();
  const refused = new Map<string, Message>();
  const inPercent = new Set<string>();
  const parsed = new Map<Plain<Indicator>, Parsed>();
  for (const indicator of indicators) {
    const { name } = indicator;
    const value = ownValue(metrics, name);
    if (!isGiven(value) || (typeof value === 'string' && abbreviated.test(foldText(value)))) continue;
    if (typeof value === 'number' && Number.isFinite(value)) numbers.set(name, value);
    else {
      const read = typeof value === 'string' ? parse(indicator, value, context) : notNumber(indicator);
      if (typeof value === 'string' && percentSign.test(value)) inPercent.add(name);
      if ('factor' in read) parsed.set(indicator, read);
      else refused.set(name, read);
    }
  }
  const sign = signAmong([...parsed.values()], context.sign);
  for (const [indicator, { number, factor }] of parsed) {
    const read = numberFrom(indicator, number, factor, sign);
    if (typeof read === 'number') numbers.set(indicator.name, read);
    else refused.set(indicator.name, read);
  }
  return { numbers, refused, inPercent };
}

/** Whether anything is stated: "n/a" and "unbekannt" say that it is not known. */
export function isGiven(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false;
  return typeof value !== 'string' || (value.trim() !== '' && !isPlaceholder(value) && !unsure.test(foldText(value)));
}

const unsure =
  /^(?:\?|(?:i )?(?:do not|don't|dont) know|no idea|not sure|(?:das )?(?:weiss|wissen) (?:ich|wir) nicht|(?:ich |wir )?(?:weiss|wissen)(?: es)? nicht|keine ahnung|(?:no (?:lo )?(?:se|sabemos)|ni idea)|(?:je |on |nous )?(?:ne )?(?:sais|sait|savons) pas|aucune idee)[.!]?$/;

// "NC" and "k. A." without their signs; an answer may be called so, a number may not.
const abbreviated = /^(?:n ?[acd]|k ?a|s ?d)$/;

/** The sign that the texts and the locale agree on. */
function signAmong(parsed: readonly Parsed[], local: DecimalSign): DecimalSign {
  const written = parsed.map(({ number }) => number);
  const shown = decimalSignOf(written);
  const areMixed = shown === undefined && written.some((one) => decimalSignOf([one]) !== undefined);
  return areMixed || (shown !== undefined && local !== undefined && shown !== local) ? undefined : (shown ?? local);
}

function numberFrom(indicator: Plain<Indicator>, number: string, factor: number, sign: DecimalSign): number | Message {
  const scaled = (value: number) => (factor === 1 ? value : Number((value * factor).toPrecision(12)));
  const open = readNumber(number, undefined);
  if (open.kind !== 'ambiguous') return open.kind === 'number' ? scaled(open.value) : notNumber(indicator);
  // Of two numbers, an availability of 99.995 % can be only one, and so can a count.
  const isCount = counts.test(wordsOf(indicator));
  const possible = open.readings
    .map((reading) => scaled(Number(reading)))
    .filter(
      (value) => impossibleBecause(indicator, value, false) === undefined && (!isCount || Number.isInteger(value)),
    );
  if (possible.length === 1) return possible[0] as number;
  const read = readNumber(number, sign);
  if (read.kind === 'number') return scaled(read.value);
  const [whole, part] = open.readings;
  return { name: 'scorecard.twoNumbers', values: { value: number, whole, part } };
}

const counts = /\b(?:counts?|number of|anzahl|numero de|nombre de)\b/;

function notNumber(indicator: Plain<Indicator>): Message {
  return { name: 'scorecard.number', values: { example: exampleOf(indicator) } };
}

/** A number in the middle of its curve, as JSON writes it. */
function exampleOf({ curve }: Plain<Indicator>): string {
  const values = curve.map(({ value }) => value).sort((a, b) => a - b);
  return String(values[Math.floor(values.length / 2)] ?? 0);
}

/** The most that it can be, or where its curve ends: 30 of "29 of 30". */
function mostOf({ curve, max }: Plain<Indicator>): number {
  return max ?? Math.max(...curve.map(({ value }) => value));
}

const percentWords = /(?<![\p{L}])(?:per ?cent|pct|prozent|por ?ciento|pour ?cent|v\. ?h\.)(?![\p{L}])\.?/giu;
// "ca. 40" is what is known.
const about =
  /^(?:[~≈]|(?:ca|circa|approx|approximately|about|around|roughly|etwa|ungefähr|rund|knapp|aprox|aproximadamente|unos|unas|cerca de|alrededor de|env|environ|à peu près)(?![\p{L}])\.?) ?(?=[\d€£$+-])/iu;
const minus = /^(?:[-–−]|minus|menos|moins) ?(?=\d)/iu;
const limit =
  /^(?:[<>≤≥]|(?:over|under|more than|less than|at least|at most|up to|über|unter|mehr als|weniger als|mindestens|höchstens|bis|más de|menos de|al menos|hasta|como máximo|plus de|moins de|au moins|jusqu)(?![\p{L}]))|\d ?\+/iu;
const twoNumbers = /\d[^\d.,'’\s]+\d|\d[.,'’\s]*\p{L}[^\d]*\d/u;
const withWords = /^([+-]?\d(?:[\d.,' ]{0,18}\d)?) ?(\D{1,60})$/u;
const outOf =
  /^(\d[\d.,]{0,6}) ?(?:\/|von|of|out of|de|sobre|sur) ?(\d{1,3})(?: ?(?:stars?|sternen?|punkten?|points?|estrellas|puntos|étoiles))?$/iu;
// "3x" and "2:1" of a ratio.
const timesWritten = /^(\d[\d.,]{0,8}) ?(?:x|×|times|-?fach|mal|veces|fois|: ?1)$/iu;
const percentSign = new RegExp(`%|${percentWords.source}`, 'iu');
// Whom people count; an indicator need not call them so.
const counted =
  /^(?:people|persons?|employees?|staff|patients?|clients?|customers?|guests?|members?|users?|subscribers?|buyers?|orders?|personen|leute|mitarbeiter(?:innen)?|angestellte|patienten|kund(?:en|innen)|gaste|mitglieder|nutzer|abonnenten|auftrage|personas?|empleados|pacientes|clientes|huespedes|socios|usuarios|suscriptores|pedidos|personnes?|employes|salaries|membres|utilisateurs|abonnes|commandes)$/;
const grades = /^(?:stars?|sternen?|punkten?|points?|pts|estrellas?|puntos?|etoiles?)$/;

function parse(indicator: Plain<Indicator>, given: string, context: NumberContext): Parsed | Message {
  const label = context.labelOf(indicator);
  const shown = given.trim().slice(0, 60);
  if (given.length > textMax || !/\d/.test(given)) return notNumber(indicator);
  const text = given
    .trim()
    .replace(/\s/gu, ' ')
    .replace(/[’‘´`]/g, "'")
    .replace(percentWords, '%')
    .replace(about, '')
    .replace(minus, '-')
    .replace(/^\+ ?(?=\d)/, '')
    .trim();
  const isBare = /^[+-]?[\d.,' ]+$/.test(text);
  if (isBare && readNumber(text, '.').kind === 'number') return { number: text, factor: 1 };
  const words = wordsOf(indicator);
  const [, timesSo = ''] = ratio.test(words) ? (timesWritten.exec(text) ?? []) : [];
  if (timesSo !== '') return { number: timesSo, factor: 1 };
  const [, grade = '', end = ''] = outOf.exec(text) ?? [];
  if (end !== '' && (scaleEndOf(words) ?? mostOf(indicator)) === Number(end) && !isPercentage(words))
    return { number: grade, factor: 1 };
  if (isBare || limit.test(text) || rangeWritten.test(text) || twoNumbers.test(text.replace(/[23²³]$/, '')))
    return { name: 'scorecard.oneNumber', values: { value: shown, example: /\d+(?:[.,]\d+)*/.exec(text)?.[0] ?? '' } };
  const quantity = readQuantity(text);
  if (quantity) {
    const factor = factorFor(indicator, words, quantity);
    if (factor !== undefined) return { number: quantity.number, factor };
  }
  // "1.2M" is read as metres, too.
  const read =
    quantity && !text.endsWith('M')
      ? undefined
      : withoutWords(words, text, context.wordsFor(indicator), askedUnitOf(indicator) !== undefined);
  if (read) return read;
  return { name: 'scorecard.otherUnit', values: { value: shown, label } };
}

/** "1.2 million", "350k" and "12 paying customers": multiples, and words that only repeat what the indicator is called. */
function withoutWords(words: string, text: string, called: ReadonlySet<string>, hasUnit: boolean): Parsed | undefined {
  const [, number, rest = ''] = withWords.exec(text) ?? [];
  if (number === undefined) return undefined;
  const [first = '', ...others] = foldText(rest).replace(/\.$/, '').split(/ |\. /);
  // A small "m" may stand for metres, minutes and months, a "t" for tonnes.
  const times = first.length > 1 || first === 'k' || /^M\b/.test(rest) ? timesOf(first) : undefined;
  const left = times === undefined ? [first, ...others] : others;
  if (times !== undefined && (countsMultiples.test(words) || isPercentage(words))) return undefined;
  const isCounted = !hasUnit && !isPercentage(words) && !ratio.test(words);
  const isRepeated = left.every(
    (word) =>
      word === '' ||
      called.has(word) ||
      (isGraded(words) && grades.test(word)) ||
      (isCounted && left.length === 1 && counted.test(word)),
  );
  return isRepeated ? { number, factor: times ?? 1 } : undefined;
}

// The indicator itself may be in thousands.
const countsMultiples =
  /\bthousands?\b|\btausend|\btsd\b|\bmiles de\b|\bmilliers?\b|\bmillions?\b|\bmillionen\b|\bmio\b|\bmillones\b|\bmn\b|\b[kt] ?(?:€|\$|£|eur\b|usd\b|gbp\b|chf\b)|[€$£] ?k\b/;
const ratio = /\bratio\b|divided|verhaltnis|\bcociente|dividid|\brapport(?:ee?s?)?\b|\bmultiple\b|\bquotient/;

/** By how much a quantity is to be multiplied to be in the indicator's unit; undefined: it is in another one, or nobody knows. */
function factorFor(indicator: Plain<Indicator>, words: string, quantity: Quantity): number | undefined {
  const [measure = '', per] = quantity.measure.split('/');
  const period = per === undefined ? 1 : periodFactor(words, quantity, measure);
  if (period === undefined) return undefined;
  const [unit = ''] = quantity.unit.split('/');
  const asked = askedUnitOf(indicator);
  if (measure === 'share') return shareFactor(indicator, words);
  if (isPercentage(words)) return undefined;
  if (isMoneyMeasure(measure)) {
    const inTimes = asked && asked.times !== 1 ? asked.times : timesIn(words);
    if (inTimes === undefined || ratio.test(words)) return undefined;
    if (asked && !isMoneyMeasure(asked.measure)) return undefined;
    const currencies = currenciesIn(words);
    const isNamed = [...currencies].some((one) => one === measure || isSignOf(unit, one));
    if (currencies.size > 0 && !isNamed) return undefined;
    // Cents where the indicator is in euros, or the other way round.
    const ofUnit = (readQuantity(`1 ${unit}`)?.factor ?? 1) / (asked?.factor ?? 1);
    return (quantity.times * period * ofUnit) / inTimes;
  }
  const [given, wanted] = [readQuantity(`1 ${unit}`), asked];
  if (!given || !wanted) return undefined;
  const hours = (one: Quantity) => one.factor * (one.measure === 'months' ? hoursInMonth : 1);
  const areTimes = isTime(given.measure) && isTime(wanted.measure);
  if (areTimes && hours(given) !== hours(wanted)) {
    // A day of work has eight hours, a week of training five days.
    const isAcrossDays = hours(given) < hoursInDay !== hours(wanted) < hoursInDay;
    if (isAcrossDays || (ofWork.test(words) && hours(given) >= hoursInDay)) return undefined;
  }
  if (given.measure !== wanted.measure && !areTimes) return undefined;
  const isSame = given.measure === wanted.measure;
  return (
    ((isSame ? given.factor / wanted.factor : hours(given) / hours(wanted)) * quantity.times * period) / wanted.times
  );
}

/** In what an indicator counts money: 1,000 of "thousand EUR"; undefined if it cannot be told. */
function timesIn(words: string): number | undefined {
  if (!countsMultiples.test(words)) return 1;
  const [times, other] = words.split(/[^\p{L}]+/u).flatMap((word) => (word.length > 2 ? (timesOf(word) ?? []) : []));
  return other === undefined ? times : undefined;
}

const hoursInDay = 24;
const ofWork =
  /train|\bwork|holiday|vacation|absen|sick|weiterbildung|fortbildung|schulung|arbeit|urlaub|krank|formacion|trabaj|laboral|vacacion|formation|travail|ouvre|conge|maladie/;
const hoursInMonth = (365.25 * 24) / 12;

function isTime(measure: string): boolean {
  return measure === 'time' || measure === 'months';
}

/** A percentage, or a part of one; nothing else is in percent. */
function shareFactor({ curve }: Plain<Indicator>, words: string): number | undefined {
  const most = Math.max(...curve.map(({ value }) => value));
  if (ratio.test(words)) return 1 / 100;
  if (!isRate(words)) return undefined;
  // A curve that ends at 1 is of fractions, unless it says percent.
  return most <= 1 && !/percent|pct\b|%|prozent|porcentaje|pourcentage|pour cent|por ciento/.test(words) ? 1 / 100 : 1;
}

/** What is stated per a period is only read where the indicator is of that period; money adds up to years. */
function periodFactor(words: string, { unit, factor }: Quantity, measure: string): number | undefined {
  const written = unit.split('/')[1] ?? '';
  if (says(words, written)) return 1;
  const aYear = factor / (readQuantity(`1 ${unit.split('/')[0]}`)?.factor ?? 1);
  return isMoneyMeasure(measure) && says(words, 'year') ? aYear : undefined;
}

const adjectives: Readonly<Record<string, RegExp>> = {
  year: /\b(?:annual|yearly|annually|jahres|jahrlich|anual|annuel)/,
  month: /\b(?:monthly|monats|monatlich|mensual|mensuel)/,
  week: /\b(?:weekly|wochentlich|semanal|hebdomadaire)/,
  day: /\b(?:daily|taglich|diari[ao]|quotidien)/,
};

function says(words: string, period: string): boolean {
  const said = new Set(words.split(/[^\p{L}]+/u));
  return (
    periodWords(period).some((word) => word.length > 1 && said.has(word)) || (adjectives[period]?.test(words) ?? false)
  );
}

/** The currencies that an indicator names. */
function currenciesIn(words: string): ReadonlySet<string> {
  const found = words.match(/[€£$]|\p{L}+/gu) ?? [];
  return new Set(
    found.flatMap((word) => {
      const { measure = '' } = word === 'fr' ? {} : (readQuantity(`1 ${word}`) ?? {});
      return isMoneyMeasure(measure) ? [measure] : [];
    }),
  );
}
