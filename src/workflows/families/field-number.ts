import { foldText } from '../../base/text/fold.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { Plain } from '../family.ts';
import { type Fault, fault } from '../sense/fault.ts';
import { asksAge, meaningOf, wordsOf } from '../sense/field-meaning.ts';
import type { SenseContext } from '../sense/field-sense.ts';
import { askedUnitOf, rangeWritten, unitNamedIn } from './asked-unit.ts';
import { numberIn, readNumber, yearWords } from './number-in-text.ts';
import { readQuantity, timesOf } from './quantity.ts';
import { isOftenSmall } from './scoring-values.ts';

/** What is wrong with a value of a field for numbers. */
export function numberProblem(field: Plain<FormField>, value: unknown, context: SenseContext): Fault | undefined {
  const number = typeof value === 'string' ? numberIn(value, field, context) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return numberFault(value, field, context);
  if (field.kind === 'integer' && !Number.isInteger(number)) return fault('field.integer');
  const words = wordsOf(field.name, field.label);
  // A year has no thousands.
  const bound = (limit: number) => (yearWords.test(words) ? String(limit) : limit);
  if (field.min !== undefined && number < field.min) return fault('field.less', { min: bound(field.min) });
  if (number > ageMax && asksAge(words)) return fault('field.more', { max: ageMax });
  if (number < 0 && field.min === undefined && counted.test(words) && !signed.test(words))
    return fault('field.less', { min: 0 });
  if (number === 0 && measured.test(words)) return fault('field.positive');
  if (field.max !== undefined && number > field.max) return fault('field.more', { max: bound(field.max) });
  if (number > 100 && field.max === undefined && inPercent.test(words) && ofAWhole.test(words))
    return fault('field.more', { max: 100 });
  return undefined;
}

/** A year that should be in the past but is later than the current one. */
export function laterYear(field: Plain<FormField>, value: unknown, { today }: SenseContext): Fault | undefined {
  const meaning = meaningOf(field.name, field.label);
  // An amount claimed for an accident is no year.
  const isYear =
    meaning === 'founded' || (meaning === 'past' && /\b(year|jahr|ano|annee)/.test(wordsOf(field.name, field.label)));
  return field.kind === 'integer' && isYear && Number(value) > today.year ? fault('field.future') : undefined;
}

/** "m²", "km/h" and "ca." are one word each. */
const wordWritten = /\p{L}[\p{L}/]*[23²³]?\.?|\p{Sc}|%/u;
// "1 m 60" is 1.60 m.
const metresWritten = /^(\d) ?m ?(\d{2})$/i;
const multipleWritten = /^(-?\d[\d.,' ]*?) ?(\p{L}{2,})\.?$/u;

/** Why a text is not a number, and the number to write where it can be told. */
function numberFault(value: unknown, field: Plain<FormField>, context: SenseContext): Fault {
  const text = typeof value === 'string' && value.length <= 40 ? value.trim() : '';
  if (!/\d/.test(text)) return fault('field.number');
  if (rangeWritten.test(text)) return fault('field.range', { value: text });
  const [unit] = text.match(wordWritten) ?? [];
  if (unit === undefined) return fault('field.number');
  const [, amount = '', multiple = ''] = multipleWritten.exec(text) ?? [];
  // What the field can hold says nothing of a number in another unit.
  const read = (number: string) =>
    readNumber(number, { ...field, kind: 'number', min: undefined, max: undefined }, context);
  const millions = timesOf(foldText(multiple));
  if (millions !== undefined) return numberInstead(text, read(amount) * millions);
  // "1 week" in a field for days: without its unit it would be one day.
  const asked = askedUnitOf(field);
  const given = readQuantity(text.replace(metresWritten, '$1.$2 m'));
  if (given === undefined) return fault('field.numberAlone', { unit });
  if (asked !== undefined && given.measure !== asked.measure) return fault('field.otherUnit', { unit });
  const times = asked === undefined ? given.times : (given.factor * given.times) / asked.factor;
  return times === 1 ? fault('field.numberAlone', { unit }) : numberInstead(text, read(given.number) * times);
}

/** What to write for a number in words or in another unit; the unit is named where the label names it. */
function numberInstead(value: string, read: number): Fault {
  const number = Number(read.toPrecision(6));
  return (label) => {
    const asked = unitNamedIn(label);
    return asked === undefined
      ? { name: 'field.inDigits', values: { label, value, number } }
      : { name: 'field.inUnit', values: { label, asked, value, number } };
  };
}

// Counts and measures are never negative; something that is sent or paid has a weight and an amount above zero.
const counted =
  /count|number|quantity|amount|price|weight|length|width|height|pieces|employees|people|persons|guests|participants|children|years|months|days|hours|kilomet|mileage|rooms|nights|deposit|\brent\b|cost|salary|income|fee\b|age\b|anzahl|menge|preis|gewicht|person(en)?\b|gaste|teilnehm|kinder|jahre\b|monate|tage|stunden|gehalt|einkommen|betrag|zimmer|nachte|kaution|miete|hohe|breite|lange|flache|alter\b|mitarbeiter|stuckzahl|cantidad|precio|peso|personas|huespedes|participantes|hijos|anos|meses|dias|horas|sueldo|salario|ingresos|importe|habitaciones|noches|fianza|alquiler|edad|superficie|empleados|quantite|prix|poids|personnes|invites|enfants|annees|mois|jours|heures|salaire|revenu|montant|chambres|nuits|caution|loyer|surface|effectif|salaries/;
const measured = /\b(weight|gewicht|peso|poids|quantity|menge|cantidad|quantite|length|width|height|payout amount)\b/;
// Results and changes count money over months and days, and may be below zero.
const signed =
  /profit|loss|result|balance|saldo|growth|change|differ|temperat|gewinn|verlust|ergebnis|wachstum|ander|benefici|perdida|crecim|variac|diferen|benefice|perte|croiss|solde|evolution/;

const ageMax = 120;

// Of these there is no more than the whole.
const ofAWhole =
  /\bshare\b|ownership|stake\b|beteiligung|anteil|participacion|\bpart\b|discount|rabatt|descuento|remise|down ?payment|anzahlung|acompte|apport|\b(vat|tax|mwst|ust|iva|tva)\b|skonto|pensum|auslastung|occupancy|attendance/;
const inPercent = /percent|%|prozent|porcentaje|por ciento|pourcentage|pour cent/;

/** A percentage that was written as a fraction: 0.21 for 21 %. Where less than one percent is usual, nobody knows. */
export function fractionIn(field: Plain<FormField>, value: unknown, context: SenseContext): Fault | undefined {
  const words = wordsOf(field.name, field.label);
  const number = typeof value === 'string' ? numberIn(value, field, context) : Number(value);
  if (!(number > 0 && number < 1) || (field.max ?? 100) <= 1 || !inPercent.test(words) || isOftenSmall(words))
    return undefined;
  return fault('field.fraction', { value: number, percent: Number((number * 100).toPrecision(6)) });
}
