import { canBeMoney, isSignOf, moneyMeasures } from './money-units.ts';

/** A number with the unit that it is written with: `6.0 m3`, `18.500 €`, `£289`, `45k €`, `4 500 kWh/an`, `5,8 l/100 km`, `3 % p.a.` */
export interface Quantity {
  /** The number alone, as written. */
  number: string;
  /** How many are meant by one: 1,000 in `45k €`. */
  times: number;
  /** What is measured, and per what: quantities of the same measure can be compared. */
  measure: string;
  /** By how much the number is to be multiplied, so that all of a measure are in one unit. */
  factor: number;
  /** With what it is per: `€/month`. */
  unit: string;
  /** The factor is not exact. */
  isAbout?: boolean;
}

/** Units that convert into each other, by what they measure. */
const measures: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mass: {
    mg: 1e-6,
    g: 1e-3,
    gr: 1e-3,
    gramm: 1e-3,
    kg: 1,
    kilogramm: 1,
    kgs: 1,
    t: 1_000,
    to: 1_000,
    tonne: 1_000,
    tonnes: 1_000,
    tonnen: 1_000,
    toneladas: 1_000,
    kilo: 1,
    kilos: 1,
    lb: 0.45359237,
    lbs: 0.45359237,
    oz: 0.028349523125,
  },
  length: {
    ...{ mm: 1e-3, cm: 1e-2, m: 1, km: 1_000, kms: 1_000, kilometer: 1_000, kilometers: 1_000 },
    ...{ meter: 1, meters: 1, metern: 1, metre: 1, metres: 1, metros: 1, kilometern: 1_000 },
    ...{ mi: 1_609.344, mile: 1_609.344, miles: 1_609.344, millas: 1_609.344, ft: 0.3048, feet: 0.3048 },
    ...{ kilometre: 1_000, kilometres: 1_000, kilometro: 1_000, kilometros: 1_000 },
  },
  area: {
    ...{ m2: 1, qm: 1, sqm: 1, ha: 10_000, hectare: 10_000, hectares: 10_000, hektar: 10_000 },
    ...{ hectarea: 10_000, hectareas: 10_000, sqft: 0.09290304 },
  },
  volume: {
    ml: 1e-6,
    cl: 1e-5,
    l: 1e-3,
    liter: 1e-3,
    litern: 1e-3,
    litre: 1e-3,
    litres: 1e-3,
    litros: 1e-3,
    cm3: 1e-6,
    m3: 1,
    cbm: 1,
  },
  energy: { wh: 1e-3, kwh: 1, mwh: 1_000 },
  power: { w: 1e-3, kw: 1, mw: 1_000 },
  storage: { mb: 1e-3, gb: 1, tb: 1_000 },
  time: {
    ...{ s: 1 / 3_600, sec: 1 / 3_600, min: 1 / 60, mins: 1 / 60, minutes: 1 / 60, minuten: 1 / 60, minutos: 1 / 60 },
    ...{ h: 1, hrs: 1, hours: 1, hour: 1, std: 1, stunden: 1, stunde: 1, horas: 1, hora: 1, heures: 1, heure: 1 },
    ...{ day: 24, days: 24, tag: 24, tage: 24, tagen: 24, dia: 24, dias: 24, jour: 24, jours: 24 },
    ...{ week: 168, weeks: 168, woche: 168, wochen: 168, semana: 168, semanas: 168, semaine: 168, semaines: 168 },
  },
  months: {
    ...{ month: 1, months: 1, monat: 1, monate: 1, monaten: 1, mes: 1, meses: 1, mois: 1 },
    ...{ quarter: 3, quarters: 3, quartal: 3, quartale: 3, quartalen: 3, trimestre: 3, trimestres: 3 },
    ...{ year: 12, years: 12, yr: 12, yrs: 12, jahr: 12, jahre: 12, jahren: 12, ano: 12, anos: 12 },
    ...{ an: 12, ans: 12, annee: 12, annees: 12 },
  },
  ...moneyMeasures,
  share: { '%': 1, percent: 1, prozent: 1 },
};

const units: ReadonlyMap<string, { measure: string; factor: number }> = new Map(
  Object.entries(measures).flatMap(([measure, all]) =>
    Object.entries(all).map(([unit, factor]) => [unit, { measure, factor }] as const),
  ),
);
const money: ReadonlySet<string> = new Set(Object.keys(moneyMeasures));

/** The words for periods; a rate per month or quarter is also one per year. */
const periods: Readonly<Record<string, readonly string[]>> = {
  year: [
    'year',
    'yr',
    'jahr',
    'ano',
    'an',
    'annee',
    'a',
    'p.a',
    'pa',
    'annum',
    'annually',
    'yearly',
    'jahrlich',
    'anual',
    'anuales',
    'annuel',
    'annuels',
  ],
  quarter: ['quarter', 'quartal', 'trimestre', 'quarterly', 'vierteljahrlich', 'trimestral', 'trimestriel'],
  month: [
    'month',
    'mo',
    'monat',
    'mes',
    'mois',
    'p.m',
    'pm',
    'pcm',
    'monthly',
    'monatlich',
    'mtl',
    'mensual',
    'mensuales',
    'mensuel',
    'mensuels',
  ],
  week: ['week', 'wk', 'woche', 'semana', 'semaine'],
  day: ['day', 'd', 'tag', 'dia', 'jour'],
  hour: ['hour', 'hr', 'h', 'std', 'stunde', 'hora', 'heure'],
};
const periodsByWord: ReadonlyMap<string, string> = new Map(
  Object.entries(periods).flatMap(([period, words]) => words.map((word) => [word, period] as const)),
);
const timesAYear: ReadonlyMap<string, number> = new Map([
  ['year', 1],
  ['quarter', 4],
  ['month', 12],
]);

const multiples: ReadonlyMap<string, number> = new Map([
  ...['k', 't', 'tsd', 'thousand', 'tausend', 'mil', 'mille'].map((word) => [word, 1e3] as const),
  ...['m', 'mn', 'mio', 'mln', 'mill', 'million', 'millions', 'millionen', 'millon', 'millones'].map(
    (word) => [word, 1e6] as const,
  ),
  ...['bn', 'mrd', 'mld', 'milliarde', 'milliarden', 'milliard', 'milliards'].map((word) => [word, 1e9] as const),
]);

/** How many are meant by one: a thousand in `350k` and `350 Tsd.`; undefined if the word says no such thing. */
export function timesOf(word: string): number | undefined {
  return multiples.get(word);
}

/** Whether it is a sum of money. */
export function isMoneyMeasure(measure: string): boolean {
  return money.has(measure);
}

/** The words for a period, itself included, as they stand behind a rate: `year`, `jahr`, `ano`. */
export function periodWords(period: string): readonly string[] {
  return periods[period] ?? [];
}

const adverb = [
  'p\\. ?[am]',
  'per annum',
  ...[...periodsByWord.keys()].filter((word) => /^[a-z]{3,}$/.test(word)),
].join('|');
const written = new RegExp(
  [
    String.raw`^([^\d+-]{0,4}?) ?([+-]?\d(?:[\d.,' ]{0,18}\d)?) ?`,
    // A multiple only where the rest is no unit: "5 m" are metres, "5 m €" millions.
    String.raw`(?:([a-z]{1,10})\.? (?:de |d')?)??((?!(?:an?|al|per|pro|por|par|je|im|cada|each|every) )[^\d\s/][^\d\s/]{0,9}[23]?)?`,
    String.raw` ?(?:(?:\/|per |pro |por |par |je |im |al |a |an |aux |cada |each |every |a los ) ?(100 ?km|[a-z]{1,9}[23]?)|(${adverb}))?\.?$`,
  ].join(''),
);
const lengthMax = 60;

/** Reads a number that has one unit, before it or after it; undefined if there is none, or one that is not known. */
export function readQuantity(text: string): Quantity | undefined {
  if (text.length > lengthMax) return undefined;
  // Compatibility forms make of m³ what m3 is.
  const plain = text
    .trim()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\s/gu, ' ')
    .replace(/’/g, "'")
    .replace(/\u2212/g, '-')
    .toLowerCase()
    .replace(/^-([^\d\s-]{1,4}) ?(?=\d)/, '$1-')
    .replace(/\b(?:sq\.? ?(?:ft|feet|foot)|square (?:feet|foot)|ft2)\b/, 'sqft')
    .replace(/\b(?:sq\.? ?m|square met(?:re|er)s?)\b/, 'sqm');
  const [, before = '', number = '', multiple = '', behind = '', rate, said] = written.exec(plain) ?? [];
  if (number === '') return undefined;
  // "£310 pcm": what stands behind a number that has its unit before it says how often.
  const isPeriod =
    before !== '' && rate === undefined && said === undefined && periodsByWord.has(behind.replace(/\.$/, ''));
  const [after, adverb] = isPeriod ? ['', behind.replace(/\.$/, '')] : [behind, said];
  const [times, unit] = multipleIn(before, multiple, after);
  const known = units.get(unit);
  const per = periodOrThing(rate, adverb);
  if (!known || times === undefined || per === undefined) return undefined;
  const { measure, factor } = known;
  if (!canBeMoney(unit, text)) return undefined;
  const aYear = timesAYear.get(per);
  // A price per kilogram is also one per tonne.
  const thing = periods[per] ? undefined : units.get(per);
  if (thing)
    return {
      number: money.has(measure) && times === 1 ? wholeMoney(number) : number,
      times,
      measure: `${measure}/${thing.measure}`,
      factor: factor / thing.factor,
      unit: `${unit}/${per}`,
    };
  return {
    number: money.has(measure) && times === 1 ? wholeMoney(number) : number,
    times,
    measure: per === '' ? measure : `${measure}/${aYear === undefined ? per : 'year'}`,
    factor: factor * (aYear ?? 1),
    unit: per === '' ? unit : `${unit}/${per}`,
  };
}

/** `45k €`, `45 k€`, `€45k`: how many, of what. Undefined: it is no multiple, or not of money. */
function multipleIn(before: string, multiple: string, after: string): readonly [number | undefined, string] {
  const [first, second] = [before, after].map((one) => one.replace(/\.$/, '')) as [string, string];
  if (first !== '' && second !== '') {
    if (isMoney(second) && isSignOf(first, second)) return [multiple === '' ? 1 : multiples.get(multiple), second];
    return [multiple === '' && isMoney(first) ? multiples.get(second) : undefined, first];
  }
  const unit = first || second;
  if (multiple !== '') return [isMoney(unit) ? multiples.get(multiple) : undefined, unit];
  if (units.has(unit)) return [1, unit];
  const [, joined = '', rest = ''] = /^([a-z]{1,4})\.?(€|\$|£|[a-z]{3})$/.exec(unit) ?? [];
  return [isMoney(rest) ? multiples.get(joined) : undefined, rest];
}

function isMoney(unit: string): boolean {
  return money.has(units.get(unit)?.measure ?? '');
}

/** What a rate is per: a period, another thing, or nothing (empty). Undefined: a word that says something else. */
function periodOrThing(rate: string | undefined, adverb: string | undefined): string | undefined {
  if (rate !== undefined) return periodsByWord.get(rate) ?? rate.replace(' ', '');
  if (adverb === undefined) return '';
  return periodsByWord.get(adverb.replace(' ', '').replace(/^per/, ''));
}

/** Nobody writes three decimals of money: 18.500 € is eighteen thousand. */
export function wholeMoney(number: string): string {
  return /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/.test(number) ? number.replace(/[.,]/, '') : number;
}
