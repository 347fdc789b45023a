import { foldText } from '../../base/text/fold.ts';
import { countCodePoints, countWords } from '../../base/text/words.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { PatternFits, Plain } from '../family.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { looksLikeDay, readDay } from '../sense/days.ts';
import { type Fault, fault } from '../sense/fault.ts';
import { asksAge, type Meaning, meaningOf, wordsOf } from '../sense/field-meaning.ts';
import {
  isMash,
  isMinor,
  meantProvider,
  nonsenseIn,
  phoneOf,
  phoneProblem,
  postcodeOf,
  type SenseContext,
  testAddress,
  vatOf,
} from '../sense/field-sense.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import type { Words } from '../words/index.ts';
import { askedUnitOf, rangeWritten, unitNamedIn } from './asked-unit.ts';
import { readQuantity, timesOf } from './quantity.ts';
import { isOftenSmall } from './scoring-values.ts';
import type { ShownField } from './shown-form.ts';

/** `empty`: optional and not filled in. */
export type Status = 'ok' | 'missing' | 'invalid' | 'weak' | 'empty';

export interface FieldState {
  status: Status;
  message: string;
  suggestion: string;
}

/** How a value meets what its field asks for. Pure. `fits` judges patterns; those of shipped forms run here. */
export function inspectValue(
  { field, shown }: ShownField,
  value: unknown,
  context: SenseContext,
  words: Words,
  fits: PatternFits = matchesWhole,
): FieldState {
  const { label } = shown;
  const meaning = meaningOf(field.name, field.label);
  // A number is shown in the format of the form's country.
  const local =
    field.kind === 'phone' ? phoneOf : meaning === 'postcode' ? postcodeOf : meaning === 'vat' ? vatOf : undefined;
  const example = local?.(context.country) ?? shown.example;
  const advice = (action: string) => adviceOf({ ...shown, example }, action, words);
  if (isBlank(value) || (written.has(field.kind) && isPlaceholderValue(value))) {
    const suggestion = advice(words.say('field.fillIn', { label }));
    return field.required
      ? { status: 'missing', message: words.say('field.missing', { label }), suggestion }
      : { status: 'empty', message: '', suggestion };
  }
  const address = field.kind === 'email' && typeof value === 'string' ? meantAddress(value.trim()) : undefined;
  const correction = (name: 'field.correct' | 'field.improve') =>
    address === undefined ? advice(words.say(name, { label })) : words.say('field.writeInstead', { address });
  const problem = problemOf(field, value, context, fits);
  if (problem !== undefined)
    return {
      status: 'invalid',
      message: words.tell(problem(label)),
      suggestion: correction('field.correct'),
    };
  const weakness = weaknessOf(field, value, context);
  if (weakness !== undefined)
    return {
      status: 'weak',
      message: words.tell(weakness(label)),
      suggestion: correction('field.improve'),
    };
  return { status: 'ok', message: '', suggestion: '' };
}

function adviceOf({ help, choices, example }: ShownField['shown'], action: string, { say }: Words): string {
  const chosen =
    choices.length > 0 && choices.length <= 12 ? say('field.chooseFrom', { choices: choices.join(', ') }) : '';
  const like = example === '' ? '' : say('field.example', { example });
  // A label may be a question: "Correct this: How many rooms do you need?"
  return [action.replace(/([?!])\.$/, '$1'), help, chosen, like].filter((part) => part !== '').join(' ');
}

// Fields to choose or tick have their own options for unknown values.
const written: ReadonlySet<string> = new Set(
  'text long_text email phone url date number integer country list'.split(' '),
);

/** "TBD" is not a value: a required field with it is missing, any other is empty. */
function isPlaceholderValue(value: unknown): boolean {
  if (typeof value === 'string') return isPlaceholder(value);
  return Array.isArray(value) && value.length > 0 && value.every((item) => isBlank(item) || isPlaceholderValue(item));
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return foldText(value.slice(0, 1000)) === '';
  return Array.isArray(value) && value.every((item) => isBlank(item));
}

function problemOf(
  field: Plain<FormField>,
  value: unknown,
  context: SenseContext,
  fits: PatternFits,
): Fault | undefined {
  const { kind } = field;
  if (kind === 'boolean') {
    const said = yesOrNo(value);
    if (said === undefined) return fault('field.boolean');
    return said === false && field.required && consent.test(`${field.name} ${field.label}`)
      ? fault('field.agreed')
      : undefined;
  }
  if (kind === 'number' || kind === 'integer')
    return numberProblem(field, value, context) ?? laterYear(field, value, context);
  if (kind === 'choices' || kind === 'list') return listProblem(field, value);
  if (typeof value !== 'string' && typeof value !== 'number') return fault('field.text');
  const text = String(value).trim();
  const form = formProblems[kind]?.(text, field, context);
  if (form !== undefined) return form;
  const length = countCodePoints(text);
  if (field.maxLength !== undefined && length > field.maxLength)
    return fault('field.tooLong', { max: field.maxLength });
  // A long text that is too short is weak, not wrong.
  if (field.minLength !== undefined && length < field.minLength && kind !== 'long_text')
    return fault('field.tooShort', { min: field.minLength });
  if (field.pattern !== '' && !fits(field.pattern, patternText(value))) return fault('field.pattern');
  const words = wordsOf(field.name, field.label);
  return nonsenseIn({ meaning: meaningIn(field, context), words }, text, context);
}

// A form that books something may also be signed or paid, on a day that has passed.
const saidAndDone =
  /\b(sign|unterschr|firmad|signature|signe|today|heut|hoy|aujourd|paid|bezahlt|pagad|paye|datum heute)/;

/** What a field asks for; in a booking, a day without another meaning is one to come. */
function meaningIn({ kind, name, label }: Plain<FormField>, { subject }: SenseContext): Meaning | undefined {
  const meaning = meaningOf(name, label);
  const isToCome = meaning === undefined && kind === 'date' && subject.isBooking;
  return isToCome && !saidAndDone.test(wordsOf(name, label)) ? 'wished' : meaning;
}

/** True, false, or the words by which people say it in the four languages; the text "false" is a program's mistake. */
function yesOrNo(value: unknown): boolean | undefined {
  if (typeof value !== 'string') return typeof value === 'boolean' ? value : undefined;
  const word = foldText(value.slice(0, 20));
  if (/^(?:yes|y|ja|j|si|oui|o)$/.test(word)) return true;
  return /^(?:no|n|nein|non)$/.test(word) ? false : undefined;
}

const consent =
  /terms|conditions|consent|privacy|accept|agree|agb|datenschutz|einwillig|condiciones|privacidad|acepto|conditions|accepte/i;

type FormProblem = (text: string, field: Plain<FormField>, context: SenseContext) => Fault | undefined;

const formProblems: Readonly<Record<string, FormProblem>> = {
  email: (text) =>
    isEmail(text) ? testAddress(text) : fault(meantAddress(text) === undefined ? 'field.email' : 'field.emailComma'),
  phone: (text, _, context) => phoneProblem(text, context),
  url: (text) => (isUrl(text) ? undefined : fault('field.url')),
  date: dateProblem,
  country: (text) => (countryCodeOf(text) === undefined ? fault('field.country') : undefined),
  choice: (text, { choices }) => (choices.includes(text) ? undefined : fault('field.choice')),
};

function numberProblem(field: Plain<FormField>, value: unknown, context: SenseContext): Fault | undefined {
  const isWritten = typeof value === 'string' && value.length <= 40 && value.trim() !== '';
  const number = isWritten ? readNumber(value, field, context) : value;
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
  return undefined;
}

const yearWords = /\byear\b|jahr\b|\ban[yi]?o\b|\bannee\b|founded/;

/** A year that should be in the past but is later than the current one. */
function laterYear(field: Plain<FormField>, value: unknown, { today }: SenseContext): Fault | undefined {
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

/** "54k" is a number as much as 54,000 is. */
const inThousands = /^(-?\d[\d.,]*) ?(?:k|tsd\.?|tkm)$/i;

/** One group of three digits, which are thousands or decimals. */
const oneGroup = /^-?[1-9]\d{0,2}[.,]\d{3}$/;
const commaDecimals = /^-?(?:\d+,\d{1,2}|0,\d+|\d{1,3}(?:\.\d{3})+(?:,\d+)?)$/;

/** A number as written in any of the four languages: 1234.5, 1234,5, 1.234,50, 1,234.50 or 54k. */
function readNumber(text: string, field: Plain<FormField>, context: SenseContext): number {
  const thousands = inThousands.exec(text.trim());
  if (thousands) return readNumber(thousands[1] ?? '', field, context) * 1000;
  const bare = text.trim().replace(/[\s\u00a0'’](?=\d{3})/g, '');
  if (oneGroup.test(bare)) return readGroup(bare, field, context);
  if (commaDecimals.test(bare)) return Number(bare.replaceAll('.', '').replace(',', '.'));
  return Number(/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare) ? bare.replaceAll(',', '') : bare);
}

/** 250.000 is what the field can hold, else what it is in the reader's language. */
function readGroup(text: string, { kind, min, max }: Plain<FormField>, { decimal }: SenseContext): number {
  const whole = Number(text.replace(/[.,]/, ''));
  if (kind === 'integer') return whole;
  const part = Number(text.replace(',', '.'));
  const [only, other] = [whole, part].filter((one) => one >= (min ?? -Infinity) && one <= (max ?? Infinity));
  if (only !== undefined && other === undefined) return only;
  return text.includes(decimal) ? part : whole;
}

function listProblem(field: Plain<FormField>, value: unknown): Fault | undefined {
  if (!Array.isArray(value))
    return fault(field.kind === 'choices' && typeof value === 'string' ? 'field.choices' : 'field.list');
  if (field.maxLength !== undefined && value.length > field.maxLength)
    return fault('field.moreItems', { max: field.maxLength });
  if (field.minLength !== undefined && value.length < field.minLength)
    return fault('field.fewerItems', { min: field.minLength });
  if (field.kind !== 'choices') return undefined;
  const known = new Set<unknown>(field.choices);
  return value.every((item) => known.has(item)) ? undefined : fault('field.choices');
}

function dateProblem(text: string, field: Plain<FormField>, { locale }: SenseContext): Fault | undefined {
  const day = readDay(text, locale);
  if (day === undefined) return looksLikeDay(text) ? fault('field.noSuchDay') : fault('field.date');
  if (field.min !== undefined && day.year < field.min) return fault('field.beforeYear', { year: String(field.min) });
  if (field.max !== undefined && day.year > field.max) return fault('field.afterYear', { year: String(field.max) });
  return undefined;
}

function isEmail(text: string): boolean {
  if (text.length > 254) return false;
  return (
    /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}][\p{L}\p{N}-]{0,62})*\.\p{L}[\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u.test(
      text,
    ) && !text.includes('..')
  );
}

/** The address that was meant by one with a comma instead of a dot, or with a slip in a large provider's name. */
function meantAddress(text: string): string | undefined {
  const dotted = text.replace(/ ?, ?/g, '.');
  if (!isEmail(dotted)) return undefined;
  const domain = meantProvider(dotted);
  if (domain !== undefined) return `${dotted.split('@')[0]}@${domain}`;
  return dotted === text ? undefined : dotted;
}

/** With its scheme, or as people write it: "www.example.com". */
function isUrl(text: string): boolean {
  if (text.length > 2048) return false;
  if (fileName.test(text)) return false;
  const address = bareAddress.test(text) ? `https://${text}` : text;
  if (!/^https?:\/\//i.test(address)) return false;
  return URL.canParse(address) && new URL(address).hostname.replace(/^www\./, '').includes('.');
}

const bareAddress = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?:[/?#]\S*)?$/u;

// No ending of a domain is called so.
const fileName = /^[^/]+\.(?:jpe?g|png|gif|webp|svg|heic|pdf|docx?|xlsx?|txt)$/i;

const patternTextMax = 10_000;

/** The text of a value that a pattern is tested against; anything longer is not a form value and matches nothing. */
export function patternText(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text.length > patternTextMax ? '\0' : text;
}

function matchesWhole(pattern: string, text: string): boolean {
  return compiled(pattern).test(text);
}

const patterns = new Map<string, RegExp>();

// Only patterns of shipped forms get here, so their number is bounded.
function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known) return known;
  const made = new RegExp(`^(?:${pattern})$`, 'u');
  patterns.set(pattern, made);
  return made;
}

// What people type to get past a form. A mere placeholder is not a value at all.
const placeholders = new Set([
  'test',
  'testing',
  'asdf',
  'asdfasdf',
  'qwerty',
  'qwertz',
  'azerty',
  'aaa',
  'abc',
  'none',
  'na',
  'example',
  'beispiel',
  'prueba',
  'ejemplo',
  'essai',
  'exemple',
  'string',
  '123',
  '1234',
]);

/** Of these people may have none, and say so. */
const mayHaveNone =
  /allerg|intoler|unvertrag|\bdiet|\bdiat|\bdieta|medica|medikam|medicin|illness|disease|krankh|enfermed|maladie|disab|behinder|discap|handicap|restrict|einschrank|restric|\bpets?\b|haustier|mascota|animaux|child|kinder|hijos|enfants|\bdebts?\b|schulden|deudas|dettes|convict|vorstraf|claims?\b|accident|unfall|previous|vorher|anterior|precedent|remark|bemerk|comment|notes?\b|request|wunsch|wunsche|special|other|sonstig|weitere|otros|otras|autres/;

const inPercent = /percent|%|prozent|porcentaje|por ciento|pourcentage|pour cent/;

/** A percentage that was written as a fraction: 0.21 for 21 %. Where less than one percent is usual, nobody knows. */
function fractionIn(field: Plain<FormField>, value: unknown, context: SenseContext): Fault | undefined {
  const words = wordsOf(field.name, field.label);
  const number = typeof value === 'string' ? readNumber(value, field, context) : Number(value);
  if (!(number > 0 && number < 1) || (field.max ?? 100) <= 1 || !inPercent.test(words) || isOftenSmall(words))
    return undefined;
  return fault('field.fraction', { value: number, percent: Number((number * 100).toPrecision(6)) });
}

const numbered = /(?:\b|[a-z])(?:number|nummer|numero)\b|\bnr\b/;
// Houses have names, too, and what is asked for beside a number may be all that is given.
const numberedOtherwise =
  /house|\bhaus|street|strasse|address|adresse|direccion|calle|\brue\b|name|nombre|\bnom\b|number of|numero de (?:personas|hijos)|nombre de|or\b|oder|\bo\b|\bou\b|floor|room|zimmer/;

function weaknessOf(field: Plain<FormField>, value: unknown, context: SenseContext): Fault | undefined {
  if (field.kind === 'number') return fractionIn(field, value, context);
  if (typeof value !== 'string' || field.kind === 'choice') return undefined;
  const text = value.trim();
  const meaning = meaningOf(field.name, field.label);
  // A number with a form of its own has been looked at.
  if (meaning === 'number') return undefined;
  if (meaning === 'birth' && context.subject.isForAdults && isMinor(text, context)) return fault('field.minor');
  const meant = field.kind === 'email' ? meantProvider(text) : undefined;
  if (meant !== undefined) return fault('field.emailSlip', { domain: meant });
  const folded = foldText(text.slice(0, 10_000));
  if (placeholders.has(folded) && !(folded === 'none' && mayHaveNone.test(wordsOf(field.name, field.label))))
    return fault('field.placeholder');
  // Two letters may be a name.
  const repeatsFrom = meaning === 'person' || meaning === 'company' ? 3 : 4;
  if (text.length >= repeatsFrom && new Set(folded.replaceAll(' ', '')).size === 1) return fault('field.repeats');
  const words = wordsOf(field.name, field.label);
  if (field.kind === 'text' && numbered.test(words) && !numberedOtherwise.test(words) && !/\d/.test(text))
    return fault('field.noDigit');
  if (field.kind !== 'long_text') return undefined;
  if (folded.startsWith('lorem ipsum')) return fault('field.placeholder');
  if (isMash(text)) return fault('field.mash');
  if (field.minLength !== undefined && countCodePoints(text) < field.minLength)
    return fault('field.couldBeLonger', { min: field.minLength });
  if (text.length >= 40 && countWords(text) < 4) return fault('field.fewWords');
  const letters = text.replace(/[^A-Za-z]/g, '');
  return letters.length >= 40 && letters === letters.toUpperCase() ? fault('field.capitals') : undefined;
}
