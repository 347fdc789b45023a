import { foldText } from '../../base/text/fold.ts';
import { countCodePoints, countWords } from '../../base/text/words.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { PatternFits, Plain } from '../family.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { looksLikeDay, readDay } from '../sense/days.ts';
import { meaningOf } from '../sense/field-meaning.ts';
import { isMinor, nonsenseIn, phoneProblem, type SenseContext, testAddress } from '../sense/field-sense.ts';

/** `empty`: optional and not filled in. */
export type Status = 'ok' | 'missing' | 'invalid' | 'weak' | 'empty';

export interface FieldState {
  status: Status;
  message: string;
  suggestion: string;
}

/** How a value stands against what its field asks for. Pure. `fits` judges patterns; a shipped form's are run here. */
export function inspectValue(
  field: Plain<FormField>,
  value: unknown,
  context: SenseContext,
  fits: PatternFits = matchesWhole,
): FieldState {
  const label = field.label || field.name;
  if (isBlank(value)) return blank(field, label);
  const problem = problemOf(field, value, context, fits);
  if (problem !== undefined)
    return { status: 'invalid', message: `${label} ${problem}.`, suggestion: advice(field, `Correct this: ${label}.`) };
  const weakness = weaknessOf(field, value, context);
  if (weakness !== undefined)
    return { status: 'weak', message: `${label} ${weakness}.`, suggestion: advice(field, `Improve this: ${label}.`) };
  return { status: 'ok', message: '', suggestion: '' };
}

function blank(field: Plain<FormField>, label: string): FieldState {
  const suggestion = advice(field, `Fill in: ${label}.`);
  return field.required
    ? { status: 'missing', message: `${label} is not filled in.`, suggestion }
    : { status: 'empty', message: '', suggestion };
}

function advice(field: Plain<FormField>, action: string): string {
  const choices =
    field.choices.length > 0 && field.choices.length <= 12 ? `Choose from: ${field.choices.join(', ')}.` : '';
  const example = field.example === '' ? '' : `For example: ${field.example}.`;
  return [action, field.help, choices, example].filter((part) => part !== '').join(' ');
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
): string | undefined {
  const { kind } = field;
  if (kind === 'boolean') {
    if (typeof value !== 'boolean') return 'has to be true or false';
    return value === false && field.required && consent.test(`${field.name} ${field.label}`)
      ? 'has to be agreed to'
      : undefined;
  }
  if (kind === 'number' || kind === 'integer') return numberProblem(field, value);
  if (kind === 'choices' || kind === 'list') return listProblem(field, value);
  if (typeof value !== 'string' && typeof value !== 'number') return 'has to be a text';
  const text = String(value).trim();
  const form = formProblems[kind]?.(text, field, context);
  if (form !== undefined) return form;
  const length = countCodePoints(text);
  if (field.maxLength !== undefined && length > field.maxLength) return `is longer than ${field.maxLength} characters`;
  // A long text that is too short is weak, not wrong.
  if (field.minLength !== undefined && length < field.minLength && kind !== 'long_text')
    return `is shorter than ${field.minLength} characters`;
  if (field.pattern !== '' && !fits(field.pattern, patternText(value)))
    return 'does not have the form that is asked for';
  return nonsenseIn(meaningOf(field.name, field.label), text, context);
}

const consent =
  /terms|conditions|consent|privacy|accept|agree|agb|datenschutz|einwillig|condiciones|privacidad|acepto|conditions|accepte/i;

type FormProblem = (text: string, field: Plain<FormField>, context: SenseContext) => string | undefined;

const formProblems: Readonly<Record<string, FormProblem>> = {
  email: (text) => (isEmail(text) ? testAddress(text) : 'is not an e-mail address'),
  phone: (text, _, context) => phoneProblem(text, context),
  url: (text) => (isUrl(text) ? undefined : 'is not an address that begins with http:// or https://'),
  date: dateProblem,
  country: (text) =>
    countryCodeOf(text) === undefined ? 'is no country: write its name or its code of ISO 3166' : undefined,
  choice: (text, { choices }) => (choices.includes(text) ? undefined : 'is not one of the choices'),
};

function numberProblem(field: Plain<FormField>, value: unknown): string | undefined {
  const number = typeof value === 'string' && value.length <= 40 && value.trim() !== '' ? readNumber(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return 'has to be a number';
  if (field.kind === 'integer' && !Number.isInteger(number)) return 'has to be a whole number';
  if (field.min !== undefined && number < field.min) return `is less than ${field.min}`;
  if (number < 0 && field.min === undefined && counted.test(spacedName(field))) return 'is less than 0';
  if (number === 0 && measured.test(spacedName(field))) return 'has to be more than 0';
  if (field.max !== undefined && number > field.max) return `is more than ${field.max}`;
  return undefined;
}

// What is counted or measured is never less than nothing; what is sent or paid weighs and costs something.
const counted =
  /count|number|quantity|amount|price|weight|length|width|height|pieces|employees|anzahl|menge|preis|gewicht|cantidad|precio|peso|quantite|prix|poids/i;
const measured = /\b(weight|gewicht|peso|poids|quantity|menge|cantidad|quantite|length|width|height|payout amount)\b/i;

function spacedName({ name, label }: Plain<FormField>): string {
  return `${name.replace(/([a-z\d])([A-Z])/g, '$1 $2')} ${label}`;
}

/** A number as people of the four languages write it: 1234.5, 1234,5, 1.234,50 or 1,234.50. */
function readNumber(text: string): number {
  const bare = text.trim().replace(/[\s\u00a0'’](?=\d{3})/g, '');
  if (/^-?\d+,\d{1,2}$|^-?\d{1,3}(\.\d{3})+(,\d+)?$/.test(bare) && !/^-?\d{1,3}\.\d{3}$/.test(bare))
    return Number(bare.replaceAll('.', '').replace(',', '.'));
  return Number(/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare) ? bare.replaceAll(',', '') : bare);
}

function listProblem(field: Plain<FormField>, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'has to be a list';
  if (field.maxLength !== undefined && value.length > field.maxLength) return `has more than ${field.maxLength} items`;
  if (field.minLength !== undefined && value.length < field.minLength) return `has fewer than ${field.minLength} items`;
  if (field.kind !== 'choices') return undefined;
  const known = new Set<unknown>(field.choices);
  return value.every((item) => known.has(item)) ? undefined : 'has something that is not one of the choices';
}

function dateProblem(text: string, field: Plain<FormField>, { locale }: SenseContext): string | undefined {
  const day = readDay(text, locale);
  if (day === undefined)
    return looksLikeDay(text) ? 'is a day that does not exist' : 'is not a date such as 2024-05-17';
  if (field.min !== undefined && day.year < field.min) return `is before ${field.min}`;
  if (field.max !== undefined && day.year > field.max) return `is after ${field.max}`;
  return undefined;
}

function isEmail(text: string): boolean {
  if (text.length > 254) return false;
  return (
    /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}][\p{L}\p{N}-]{0,62})+$/u.test(
      text,
    ) && !text.includes('..')
  );
}

function isUrl(text: string): boolean {
  if (text.length > 2048 || !/^https?:\/\//i.test(text)) return false;
  return URL.canParse(text) && new URL(text).hostname.includes('.');
}

const patternTextMax = 10_000;

/** What of a value a pattern is held against; what is longer is no field of a form, and matches nothing. */
export function patternText(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text.length > patternTextMax ? '\0' : text;
}

function matchesWhole(pattern: string, text: string): boolean {
  return compiled(pattern).test(text);
}

const patterns = new Map<string, RegExp>();

// Only patterns of shipped forms come here, whose number is known.
function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known) return known;
  const made = new RegExp(`^(?:${pattern})$`, 'u');
  patterns.set(pattern, made);
  return made;
}

const placeholders = new Set([
  'test',
  'testing',
  'asdf',
  'asdfasdf',
  'qwerty',
  'xxx',
  'aaa',
  'abc',
  'none',
  'n/a',
  'na',
  'tbd',
  'todo',
  'unknown',
  'example',
  'lorem ipsum',
  'string',
  'null',
  'undefined',
  '...',
  '???',
  '123',
  '1234',
]);

function weaknessOf(field: Plain<FormField>, value: unknown, context: SenseContext): string | undefined {
  if (typeof value !== 'string' || field.kind === 'choice') return undefined;
  const text = value.trim();
  if (meaningOf(field.name, field.label) === 'birth' && isMinor(text, context)) return 'is of somebody younger than 18';
  const folded = foldText(text.slice(0, 10_000));
  if (placeholders.has(folded)) return 'looks like a placeholder';
  if (text.length >= 4 && new Set(folded.replaceAll(' ', '')).size === 1) return 'repeats one character';
  if (field.kind !== 'long_text') return undefined;
  if (field.minLength !== undefined && countCodePoints(text) < field.minLength)
    return `could be longer: ${field.minLength} characters or more`;
  if (text.length >= 40 && countWords(text) < 4) return 'says little in words';
  const letters = text.replace(/[^A-Za-z]/g, '');
  return letters.length >= 40 && letters === letters.toUpperCase() ? 'is written in capital letters' : undefined;
}
