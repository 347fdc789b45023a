import type { JsonValue } from '@bufbuild/protobuf';
import { foldText } from '../../base/text/fold.ts';
import type { Criterion } from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import type { Plain } from '../family.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import type { Message, Words } from '../words/index.ts';
import { measuredIn } from './measured-values.ts';
import { isMoneyMeasure } from './quantity.ts';
import { type DecimalSign, decimalSignOf, readNumber } from './written-number.ts';

/** Notes how a value was read, or why it could not be. */
export type Tell = (message: Message) => void;

/** The options' values of one criterion as numbers; those that cannot be read count as unknown. */
export function readColumn(
  criterion: Plain<Criterion>,
  given: readonly (JsonValue | undefined)[],
  words: Words,
  tell: Tell,
): (number | undefined)[] {
  const { name } = criterion;
  const scale = scaleOf(given);
  const { numbers, factors, others, unit, measure, isAbout } = inOneUnit(given, scale, name);
  const sign = decimalSignOf(numbers.filter(isText)) ?? signOfRound(numbers, unit) ?? words.decimals;
  const used = new Map<string, number>();
  const nothing = new Set<string>();
  let hasNumbers = false;
  const isMoney = isMoneyMeasure(measure.split('/')[0] ?? '');
  const isMeasured = measure !== '' || numbers.some((value) => (numberOf(value, sign) ?? 0) >= marks.length);
  const values = numbers.map((value, at) => {
    if (others.has(at)) return undefined;
    const word = isText(value) ? foldText(value) : '';
    let step = scale.get(word);
    // Among amounts, "none" is nothing, but "high" is no number.
    if (isMeasured && word !== '') {
      step = nothingOf.has(word) || (isMoney && freeOfCharge.test(word)) ? 0 : undefined;
      if (step === 0) nothing.add(String(value).trim());
    } else if (step !== undefined) used.set(String(value).trim(), step);
    const number = step ?? scaled(numberOf(value, sign), factors[at], isAbout ? 3 : 12);
    hasNumbers ||= step === undefined && number !== undefined && typeof value !== 'boolean';
    return number;
  });
  if (used.size > 0) {
    const read = [...used].sort(([, a], [, b]) => b - a).map(([word, step]) => `${word} = ${step}`);
    const most = mostOf(used, scale);
    tell({ name: 'decision.readWords', values: { criterion: name, words: words.list(read.slice(0, 12)), most } });
  }
  for (const value of nothing) tell({ name: 'decision.readNothing', values: { value, criterion: name } });
  for (const at of others)
    tell({ name: 'decision.otherUnit', values: { value: String(given[at]).trim(), criterion: name } });
  for (const [at, value] of numbers.entries())
    if (isText(value) && values[at] === undefined && !others.has(at) && !isPlaceholder(value))
      tell(refusalOf(value.trim(), name, sign, hasNumbers));
  return values.map((value) => believable(value, criterion, tell));
}

/** The values of one criterion without their units. */
interface Column {
  numbers: readonly (JsonValue | undefined)[];
  /** By how much each is to be multiplied to be in the unit of the first that has one. */
  factors: readonly (number | undefined)[];
  /** Where a value is in a unit that others are not in: it can't be compared with them. */
  others: ReadonlySet<number>;
  /** The unit of the first that has one. */
  unit: string;
  /** What it measures. */
  measure: string;
  /** They are converted by a factor that is not exact: months are not all of one length. */
  isAbout: boolean;
}

// Who measures in these writes 2,000 for two thousand.
const imperial = /^(?:sqft|ft|feet|mi|miles?|lbs?|oz)$/;

/**
 * Nobody writes whole kilometres to the metre, nor what is counted to a thousandth: 85.000 km and 18.000 visitors are
 * thousands, and tell how the others beside them are written.
 */
function signOfRound(numbers: Column['numbers'], unit: string): DecimalSign {
  if (imperial.test(unit))
    return numbers.some((one) => isText(one) && /^[1-9]\d{0,2},\d{3}$/.test(one.trim())) ? '.' : undefined;
  const isCounted = unit === '' || unit.startsWith('of ');
  if (unit !== 'km' && unit !== 'kms' && !(isCounted && numbers.every((one) => typeof one !== 'number')))
    return undefined;
  const signs = new Set(
    numbers.flatMap((one) => (isText(one) ? (/^[1-9]\d{0,2}([.,])000$/.exec(one.trim())?.[1] ?? []) : [])),
  );
  return signs.size === 1 ? (signs.has('.') ? ',' : '.') : undefined;
}

function inOneUnit(
  given: readonly (JsonValue | undefined)[],
  scale: ReadonlyMap<string, number>,
  name: string,
): Column {
  const quantities = measuredIn(
    given.map((value) => (isText(value) && scale.has(foldText(value)) ? undefined : value)),
    name,
  );
  const [first] = quantities.filter((one) => one !== undefined);
  if (!first) return { numbers: given, factors: [], others: new Set(), unit: '', measure: '', isAbout: false };
  const units = new Set(quantities.flatMap((one) => (one ? [one.unit] : [])));
  const isMixed = quantities.some((one) => one !== undefined && one.measure !== first.measure);
  const isPlain = (at: number) => {
    const value = given[at];
    // Nothing is nothing in every unit.
    const isNumber = typeof value === 'number' || (isText(value) && quantities[at] === undefined && isNumeric(value));
    return isNumber && Number(value) !== 0;
  };
  // Beside 20 %, nobody knows what 0.6 is; beside kilograms and tonnes, what 3 is.
  const isShare = first.measure.split('/')[0] === 'share';
  const isUnclear = given.some((value, at) => isPlain(at) && Math.abs(Number(value)) <= 1 && isShare);
  const others = given.flatMap((_, at) => {
    if (quantities[at]) return isMixed || isUnclear ? [at] : [];
    return isPlain(at) && (units.size > 1 || isUnclear) ? [at] : [];
  });
  return {
    numbers: given.map((value, at) => quantities[at]?.number ?? value),
    factors: quantities.map((one) => one && (one.times * one.factor) / first.factor),
    isAbout: quantities.some((one) => one?.isAbout),
    others: new Set(others),
    unit: first.unit,
    measure: first.measure,
  };
}

function isNumeric(text: string): boolean {
  return readNumber(text, undefined).kind !== 'none';
}

function scaled(number: number | undefined, factor = 1, digits = 12): number | undefined {
  // Twelve digits: a thousandth of 1,150 is shown as 1.15.
  return number === undefined || factor === 1 ? number : Number((number * factor).toPrecision(digits));
}

/** Whether all values are judgements such as "good", or levels of a language: more is better, whatever the name says. */
export function areJudged(given: readonly (JsonValue | undefined)[]): boolean {
  const scale = scaleOf(given);
  const words = given.filter(isPresent).map((value) => (isText(value) ? foldText(value) : ''));
  return words.every((word) => scale.has(word)) && words.some((word) => scale === levels || marksByName.has(word));
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= textMax;
}

const textMax = 100;

function numberOf(value: JsonValue | undefined, sign: DecimalSign): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean') return value ? 4 : 0;
  const read = isText(value) ? readNumber(value, sign) : undefined;
  return read?.kind === 'number' ? read.value : undefined;
}

// A number with something beside it that is no part of a name: "899 USD", "€ 12", "3 of them", but not "B2".
const withUnit = /(?<![\p{L}\d])\d/u;

function refusalOf(value: string, criterion: string, sign: DecimalSign, hasNumbers: boolean): Message {
  const read = readNumber(value, sign);
  if (read.kind === 'ambiguous') {
    const [whole, part] = read.readings;
    return { name: 'decision.twoNumbers', values: { criterion, value, whole, part } };
  }
  if (withUnit.test(value)) return { name: 'decision.notNumber', values: { criterion, value } };
  return { name: hasNumbers ? 'decision.wordAmongNumbers' : 'decision.noNumber', values: { criterion, value } };
}

const amount =
  /price|cost|rent|fee|preis|kosten|miete|precio|cost[eo]|alquiler|prix|loyer|tarif|days|tage|dias|jours|hours|area|distance|weight/i;

/** A plausible value: on its scale of points, and no ratio, price, duration or size below 0. Otherwise it counts as unknown. */
function believable(value: number | undefined, criterion: Plain<Criterion>, tell: Tell): number | undefined {
  if (value === undefined) return undefined;
  const { name, scale, min, max } = criterion;
  const offScale = scale === 'points' && (value < (min ?? 0) || value > (max ?? 100));
  if (!offScale && !(value < 0 && (scale === 'ratio' || amount.test(name)))) return value;
  tell({ name: 'decision.impossible', values: { value, criterion: name } });
  return undefined;
}

// Nothing of what others have an amount of, folded.
const nothingOf: ReadonlySet<string> = new Set(
  'none,no,n,keine,keiner,keins,kein,nein,ninguno,ninguna,aucun,aucune,non,✗,✘,❌'.split(','),
);
// No money is asked for, folded.
const freeOfCharge =
  /^(?:free(?: of charge)?|no charge|waived|included|gratis|kostenlos|kostenfrei|umsonst|inklusive|inbegriffen|enthalten|entfallt|gratuite?s?|gratuit[oa]s?|incluid[oa]s?|incluse?s?|comprise?s?|offerte?s?|(?:no|ohne|keine?|sin|sans|aucune?|ningun) (?:(?:extra |additional )?(?:fees?|costs?|charges?|deposit|deductible)|gebuhr(?:en)?|kosten|aufpreis|kaution|selbstbehalt|copago|cost[eo]s?|cargos?|comision(?:es)?|recargo|fianza|franquicia|frais|supplement|caution|franchise))$/u;

// Steps from nothing to everything, in the four languages, folded.
const sizes: readonly string[] = [
  'none,no,n,never,very low,keine,keiner,kein,nein,nie,sehr niedrig,sehr gering,ninguno,ninguna,nunca,muy bajo,muy baja,aucun,aucune,non,jamais,tres faible,tres bas,✗,✘,❌',
  'low,weak,niedrig,gering,schwach,bajo,baja,debil,faible,bas,basse',
  'medium,moderate,partial,mittel,massig,teilweise,medio,media,moderado,moderada,parcial,moyen,moyenne,modere,moderee,partiel,partielle',
  'high,strong,hoch,stark,alto,alta,fuerte,eleve,elevee,haut,haute,fort,forte',
  'very high,full,yes,y,sehr hoch,ja,j,muy alto,muy alta,si,tres eleve,tres elevee,oui,✓,✔,✅',
];
const marks: readonly string[] = [
  'very poor,very bad,insufficient,unsatisfactory,sehr schlecht,ungenugend,mangelhaft,insuficiente,insuffisant,insuffisante,muy malo,muy mala,tres mauvais,tres mauvaise',
  'poor,bad,schlecht,ausreichend,malo,mala,mauvais,mauvaise',
  'fair,average,ok,okay,satisfactory,acceptable,mittelmassig,durchschnittlich,befriedigend,zufriedenstellend,regular,satisfactorio,satisfactoria,aceptable,correct,correcte,passable,satisfaisant,satisfaisante',
  'good,gut,bueno,buena,bien,bon,bonne',
  'very good,sehr gut,muy bueno,muy buena,muy bien,tres bon,tres bonne,tres bien',
  'excellent,outstanding,ausgezeichnet,hervorragend,exzellent,excelente,excellente',
];
// The levels of the Common European Framework of Reference for Languages.
const levels: ReadonlyMap<string, number> = new Map(
  ['a1', 'a2', 'b1', 'b2', 'c1', 'c2'].map((name, at) => [name, at + 1]),
);
const marksByName = stepsOf(marks);
const steps: ReadonlyMap<string, number> = new Map([...stepsOf(sizes), ...marksByName]);

function stepsOf(lines: readonly string[]): Map<string, number> {
  return new Map(lines.flatMap((line, step) => line.split(',').map((word) => [word, step] as const)));
}

/** The highest step of the words that were used. */
function mostOf(used: ReadonlyMap<string, number>, scale: ReadonlyMap<string, number>): number {
  if (scale === levels) return levels.size;
  const areMarks = [...used.keys()].some((word) => marksByName.has(foldText(word)));
  return (areMarks ? marks : sizes).length - 1;
}

/** Levels of a language only where nothing else is there: elsewhere B2 may be a room or a size of paper. */
function scaleOf(given: readonly (JsonValue | undefined)[]): ReadonlyMap<string, number> {
  const areLevels = given.filter(isPresent).every((value) => isText(value) && levels.has(foldText(value)));
  return areLevels ? levels : steps;
}
