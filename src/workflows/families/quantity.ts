/** A number with the unit that it is written with: `6.0 m3`, `18.500 €`, `£289`, `4 500 kWh/an`. */
export interface Quantity {
  /** The number alone, as written. */
  number: string;
  /** What is measured, and per what: quantities of the same measure can be compared. */
  measure: string;
  /** By how much the number is to be multiplied, so that all of a measure are in one unit. */
  factor: number;
  unit: string;
}

/** Units that convert into each other, by what they measure. */
const measures: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mass: {
    mg: 1e-6,
    g: 1e-3,
    gr: 1e-3,
    kg: 1,
    kgs: 1,
    t: 1_000,
    to: 1_000,
    tonne: 1_000,
    tonnes: 1_000,
    tonnen: 1_000,
    toneladas: 1_000,
  },
  length: { mm: 1e-3, cm: 1e-2, m: 1, km: 1_000, kms: 1_000 },
  area: { m2: 1, qm: 1, sqm: 1, ha: 10_000 },
  volume: {
    ml: 1e-6,
    cl: 1e-5,
    l: 1e-3,
    liter: 1e-3,
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
    ...{ day: 24, days: 24, tag: 24, tage: 24, dia: 24, dias: 24, jour: 24, jours: 24 },
    ...{ week: 168, weeks: 168, woche: 168, wochen: 168, semana: 168, semanas: 168, semaine: 168, semaines: 168 },
  },
  months: {
    ...{ month: 1, months: 1, monat: 1, monate: 1, mes: 1, meses: 1, mois: 1 },
    ...{ year: 12, years: 12, jahr: 12, jahre: 12, ano: 12, anos: 12, an: 12, ans: 12 },
  },
  eur: { '€': 1, eur: 1, euro: 1, euros: 1 },
  gbp: { '£': 1, gbp: 1 },
  usd: { $: 1, usd: 1 },
  chf: { chf: 1, fr: 1, franken: 1 },
  share: { '%': 1, percent: 1, prozent: 1 },
};

const units: ReadonlyMap<string, { measure: string; factor: number }> = new Map(
  Object.entries(measures).flatMap(([measure, all]) =>
    Object.entries(all).map(([unit, factor]) => [unit, { measure, factor }] as const),
  ),
);
const money: ReadonlySet<string> = new Set(['eur', 'gbp', 'usd', 'chf']);

const written =
  /^([^\d+-]{0,4}?) ?([+-]?\d(?:[\d.,' ]{0,18}\d)?) ?([^\d\s/][^\d\s/]{0,9}[23]?)?(?: ?(?:\/|per |pro |por |par ) ?([a-z]{1,9}))?$/;
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
    .toLowerCase();
  const [, before = '', number = '', after = '', per] = written.exec(plain) ?? [];
  if (number === '' || (before === '') === (after === '')) return undefined;
  const unit = (before || after).replace(/\.$/, '');
  const known = units.get(unit);
  if (!known) return undefined;
  const { measure, factor } = known;
  return {
    number: money.has(measure) ? wholeMoney(number) : number,
    measure: per ? `${measure}/${per}` : measure,
    factor,
    unit,
  };
}

/** Nobody writes three decimals of money: 18.500 € is eighteen thousand. */
function wholeMoney(number: string): string {
  return /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/.test(number) ? number.replace(/[.,]/, '') : number;
}
