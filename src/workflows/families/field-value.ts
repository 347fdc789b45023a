import { foldText } from '../../base/text/fold.ts';
import { countCodePoints, countWords } from '../../base/text/words.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { PatternFits, Plain } from '../family.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { looksLikeDay, readDay } from '../sense/days.ts';
import { type Fault, fault } from '../sense/fault.ts';
import { type Meaning, meaningOf, wordsOf } from '../sense/field-meaning.ts';
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
import { fractionIn, laterYear, numberProblem } from './field-number.ts';
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
