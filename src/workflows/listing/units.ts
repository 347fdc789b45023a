import { spaced } from '../../base/text/spaced.ts';
import { plainText } from './plain-text.ts';

/** A unit as people write it, the fact that it measures, and how many of the fact's own unit it is. */
type Unit = readonly [written: RegExp, fact: string, times: number];

const mileage: readonly Unit[] = [
  [/^(?:kms?|kilomet(?:er|re)s?|kilometern|kilometros)$/, 'mileageKm', 1],
  [
    /^(?:t ?km|(?:tsd\.?|tausend|thousands? of|thousand|x? ?1[., ]?000|mil|miles de|mille|milliers de|k) ?(?:kms?|kilomet(?:er|re)s?|kilometern|kilometros))$/,
    'mileageKm',
    1000,
  ],
  [/^(?:thousands? of|thousand|x? ?1[., ]?000|k) ?(?:mi|mls|miles?)$/, 'mileageMiles', 1000],
  [/^(?:mi|mls|miles?|meilen|millas)$/, 'mileageMiles', 1],
];
const area: readonly Unit[] = [
  [/^(?:m2|m²|qm|sq\.? ?m|square met(?:er|re)s?|quadratmeter|metros cuadrados|metres? carres?)$/, 'areaSqm', 1],
  [/^(?:sq\.? ?ft|ft2|ft²|square f(?:ee|oo)t|quadratfuss|pies cuadrados|pieds carres)$/, 'areaSqft', 1],
];
const power: readonly Unit[] = [
  [/^(?:kw|kilowatts?)$/, 'powerKw', 1],
  [/^(?:b?hp|ps|cv|ch|horse ?power|chevaux|caballos)$/, 'powerHp', 1],
];
const lengthOf = (fact: string): readonly Unit[] => [
  [/^(?:cm|centimet(?:er|re)s?|zentimeter|centimetros)$/, fact, 1],
  [/^(?:mm|millimet(?:er|re)s?|milimetros)$/, fact, 0.1],
  [/^(?:m|met(?:er|re)s?|metros?)$/, fact, 100],
  [/^(?:in|inch(?:es)?|zoll|pulgadas|pouces|")$/, fact, 2.54],
  [/^(?:ft|f(?:ee|oo)t|fuss|pies|pieds)$/, fact, 30.48],
];
const memoryOf = (fact: string): readonly Unit[] => [
  [/^(?:gb|go|gigabytes?)$/, fact, 1],
  [/^(?:tb|to|terabytes?)$/, fact, 1000],
];
const monthsOf = (fact: string): readonly Unit[] => [
  [/^(?:months?|monate?n?|mes(?:es)?|mois)$/, fact, 1],
  [/^(?:years?|jahre?n?|anos?|ans?)$/, fact, 12],
];

/** The units of facts that are told in several, in English, German, Spanish and French. */
const units: ReadonlyMap<string, readonly Unit[]> = new Map([
  ['mileageKm', mileage],
  ['mileageMiles', mileage],
  ['areaSqm', area],
  ['areaSqft', area],
  ['powerKw', power],
  ['powerHp', power],
  ...['heightCm', 'widthCm', 'depthCm', 'lengthCm'].map((fact) => [fact, lengthOf(fact)] as const),
  ...['ramGb', 'storageGb'].map((fact) => [fact, memoryOf(fact)] as const),
  ...['durationMonths', 'minimumStayMonths'].map((fact) => [fact, monthsOf(fact)] as const),
  [
    'engineLitres',
    [
      [/^(?:l|lit(?:er|re)s?|litros?)$/, 'engineLitres', 1],
      [/^(?:ccm|cc|cm3|cm³)$/, 'engineLitres', 0.001],
    ],
  ],
  [
    'weightKg',
    [
      [/^(?:kgs?|kilos?|kilogram(?:me?|mo)?s?)$/, 'weightKg', 1],
      [/^(?:g|gram(?:me?|mo)?s?)$/, 'weightKg', 0.001],
      [/^(?:lbs?|pounds?|libras?)$/, 'weightKg', 0.453_592],
      [/^(?:st|stones?)$/, 'weightKg', 6.350_29],
      [/^(?:oz|ounces?|unzen)$/, 'weightKg', 0.028_349_5],
      [/^(?:t|tonn?(?:es?|en)|toneladas?)$/, 'weightKg', 1000],
    ],
  ],
  ['capacityKg', [[/^(?:kgs?|kilos?|kilogram(?:me?|mo)?s?)$/, 'capacityKg', 1]]],
  [
    'screenInch',
    [
      [/^(?:in|inch(?:es)?|zoll|pulgadas|pouces|")$/, 'screenInch', 1],
      [/^cm$/, 'screenInch', 1 / 2.54],
    ],
  ],
]);

const all: readonly RegExp[] = [...new Set([...units.values()].flat().map(([written]) => written))];
/** Units of what no fact measures: a number of these is none of another fact. */
const ofNoFact =
  /^(?:yds?|yards?|ml|cl|gal(?:lons?)?|pints?|m3|m³|cu\.? ?ft|cubic f(?:ee|oo)t|mah|ah|wh|w|watts?|v|volts?|hz|ghz|mhz|mb|megabytes?|mbps|acres?|ha|hectares?|hektar|knots?|knoten|nm)$/;

/** Whether a word is a unit, of whatever. */
export function isUnit(written: string): boolean {
  return all.some((one) => one.test(written)) || ofNoFact.test(written);
}

/** What a fact of this name measures in a unit: the fact's name and value. Undefined if the unit is none of its units. */
export function measured(fact: string, amount: number, unit: string): { fact: string; value: string } | undefined {
  const known = units.get(fact)?.find(([written]) => written.test(unit));
  if (!known) return undefined;
  const [, of, times] = known;
  // What is not converted stays as it is written.
  const steps = times === 1 ? 1000 : 100;
  return { fact: of, value: String(Math.round(amount * times * steps) / steps) };
}

/**
 * Whether a field may state a fact with the unit in its name: "Size (cm)" is no area. What stands in brackets need not be a unit;
 * a word at the end, as in "salary_to", has to be a unit of the fact.
 */
export function fits(fact: string, { unit, isAtEnd }: Pick<FieldName, 'unit' | 'isAtEnd'>): boolean {
  if (unit === '') return !isAtEnd;
  if (measured(fact, 1, unit)) return true;
  return !isAtEnd && !(units.has(fact) && isUnit(unit));
}

/** A field's name as people write it, with the unit that it states. */
export interface FieldName {
  /** Lower case and letters and digits only. */
  full: string;
  /** Without its unit, or what else it has in brackets; undefined if it has neither. */
  base?: string;
  unit: string;
  /** The unit is not in brackets. */
  isAtEnd: boolean;
}

const inBrackets = /^([^([]*)[([]([^)\]]{0,24})/;
const atEnd = new RegExp(`^(.+?)[ ,/.-]+(?:(?:in|en) +)?(${all.map(({ source }) => source.slice(1, -1)).join('|')})$`);

/** Reads "Laufleistung (km)", "mileage_miles" and "Leistung in PS". */
export function fieldNameOf(name: string): FieldName {
  const read = name.slice(0, 100);
  const full = bare(read);
  const words = withoutSharpS(plainText(spaced(read))).trim();
  const bracketed = inBrackets.exec(words);
  const [, base, unit = ''] = bracketed ?? atEnd.exec(words) ?? [];
  if (base === undefined) return { full, unit: '', isAtEnd: false };
  return { full, base: bare(base), unit: unit.trim().replace(/^(?:in|en) /, ''), isAtEnd: bracketed === null };
}

/** `fuel_type`, `fuelType` and "Fuel type" are one name. */
export function bare(name: string): string {
  return withoutSharpS(plainText(name.slice(0, 100))).replace(/[^a-z0-9]/g, '');
}

/** A name need not keep its letters where they are: "Größe" and "Grösse" are one. */
function withoutSharpS(plain: string): string {
  return plain.replaceAll('ß', 'ss');
}
