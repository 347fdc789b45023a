import { foldText } from '../../base/text/fold.ts';
import { countCodePoints, countWords } from '../../base/text/words.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { PatternFits, Plain } from '../family.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { asksCountries, asksNationality, isNationality, noCountryIn } from '../sense/country-lists.ts';
import { looksLikeDay, readDay } from '../sense/days.ts';
import { type Fault, fault } from '../sense/fault.ts';
import { dayMeaningOf, isDayMeaning, type Meaning, meaningOf, wordsOf } from '../sense/field-meaning.ts';
import {
  doubtIn,
  isMash,
  isMinor,
  meantProvider,
  nonsenseIn,
  phoneOf,
  phoneProblem,
  postcodeOf,
  type SenseContext,
  testAddress,
  timeProblem,
  vatOf,
} from '../sense/field-sense.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import { saysNo, saysNone, saysNotApplicable, saysYes } from '../sense/short-answers.ts';
import type { Words } from '../words/index.ts';
import { fractionIn, laterYear, numberProblem } from './field-number.ts';
import { aboutIn } from './number-in-text.ts';
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
  if (isBlank(value) || isUnanswered(field, value)) {
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

/** Whether a value is none: a placeholder, or in an optional field for something with a form of its own, a word that there is none. */
function isUnanswered(field: Plain<FormField>, value: unknown): boolean {
  if (!written.has(field.kind)) return false;
  if (typeof value === 'string' && !field.required && withForm.has(field.kind) && saysNone(value)) return true;
  return isPlaceholderValue(value) && !(typeof value === 'string' && isNoneHere(field, value));
}

const withForm: ReadonlySet<string> = new Set('email phone url date country'.split(' '));

/** Whether a text answers that there is none of what people may have none of: "n/a" to a question for allergies. */
function isNoneHere({ kind, name, label }: Plain<FormField>, value: string): boolean {
  if (kind !== 'text' && kind !== 'long_text' && kind !== 'list') return false;
  const words = wordsOf(name, label);
  return (saysNone(value) || saysNotApplicable(value)) && (mayHaveNone.test(words) || asksWhich.test(label));
}

// "Which pets do you have?" may be answered by "none"; neither that nor "What happened?" is answered by "yes".
const asksWhich = /^\W{0,2}(?:which|what|welche[nrsm]?|was|cu[aá]l(?:es)?|qu[eé]|quel(?:le)?s?)\s/iu;
const asksAccount =
  /descri|beschreib|schilder|hergang|what happened|how (?:did|it)|account of|circumstances|circonstances|expliqu|explain|explic|erlauter|begrund|que (?:ocurrio|paso|sucedio)|lo ocurrido|relat[eo]\b|deroulement|recit\b/;

/** Only yes or no where something has to be told. */
function isNoAccount({ kind, name, label }: Plain<FormField>, text: string): boolean {
  if (kind !== 'text' && kind !== 'long_text') return false;
  if (saysYes(text)) return asksWhich.test(label) || asksAccount.test(wordsOf(name, label));
  return kind === 'long_text' && saysNo(text) && asksAccount.test(wordsOf(name, label));
}

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
  if (kind === 'choices' || kind === 'list') return listProblem(field, kind === 'list' ? listedIn(value) : value);
  if (typeof value !== 'string' && typeof value !== 'number') return fault('field.text');
  const text = String(value).trim();
  if (isNoAccount(field, text)) return fault('field.account');
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
  const time = timeProblem(text, words);
  if (time !== undefined) return time;
  const meaning = meaningIn(field, context);
  if (isDayMeaning(meaning) && looksLikeDay(text) && readDay(text, context.dayOrder) === undefined)
    return fault('field.noSuchDay');
  return nonsenseIn({ meaning, words }, text, context);
}

// A form that books something may also be signed or paid, on a day that has passed.
const saidAndDone =
  /\b(sign|unterschr|firmad|signature|signe|today|heut|hoy|aujourd|paid|bezahlt|pagad|paye|datum heute)/;

/** What a field asks for; in a booking, a day without another meaning is one to come. */
function meaningIn({ kind, name, label }: Plain<FormField>, { subject }: SenseContext): Meaning | undefined {
  if (kind === 'text' || kind === 'long_text') return meaningOf(name, label);
  if (kind !== 'date') return undefined;
  const meaning = dayMeaningOf(name, label);
  const isToCome = meaning === undefined && subject.isBooking;
  return isToCome && !saidAndDone.test(wordsOf(name, label)) ? 'wished' : meaning;
}

/**
 * True, false, or the words by which people say it in the four languages, with more behind a comma or without; the text "false"
 * is a program's mistake.
 */
function yesOrNo(value: unknown): boolean | undefined {
  if (typeof value !== 'string') return typeof value === 'boolean' ? value : undefined;
  const word = foldText(value.slice(0, 200).replace(/^(\s*\p{L}{2,4})\s?(?:[,;.:(]|[-–—]\s).*$/su, '$1'));
  if (/^(?:yes|y|ja|j|si|oui|o)$/.test(word)) return true;
  return /^(?:no|n|nein|non)$/.test(word) || saysNone(value) ? false : undefined;
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
  country: countryProblem,
  choice: (text, { choices }) => (choices.includes(text) ? undefined : fault('field.choice')),
};

/** A country; also a nationality where that is asked for, and several countries where they are. */
function countryProblem(text: string, { name, label }: Plain<FormField>): Fault | undefined {
  if (countryCodeOf(text) !== undefined) return undefined;
  const words = wordsOf(name, label);
  if (asksNationality.test(words)) return isNationality(text) ? undefined : fault('field.country');
  return asksCountries.test(words) ? strayCountry(text) : fault('field.country');
}

function strayCountry(text: string): Fault | undefined {
  const stray = noCountryIn(text);
  return stray === undefined ? undefined : fault('field.countries', { value: stray.slice(0, 100) });
}

/** People write lists as texts: "Spanish, French". */
function listedIn(value: unknown): unknown {
  return typeof value === 'string' ? value.split(/[,;\n]/).filter((item) => item.trim() !== '') : value;
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

// Cards expire in a month, and of a purchase people remember no more.
const monthAlone = /^(?:0?[1-9]|1[0-2]) ?[/.-] ?(?:19|20)?\d{2}$/;
const hasMonth: ReadonlySet<Meaning | undefined> = new Set<Meaning>(['expiry', 'founded', 'past']);

function dateProblem(text: string, field: Plain<FormField>, { dayOrder }: SenseContext): Fault | undefined {
  const day = readDay(text, dayOrder);
  if (day === undefined && monthAlone.test(text) && hasMonth.has(dayMeaningOf(field.name, field.label)))
    return undefined;
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

const everybodyHas: ReadonlySet<Meaning> = new Set(['person', 'company', 'contact', 'street', 'city']);

/** Of these people may have none, and say so. */
const mayHaveNone =
  /allerg|intoler|unvertrag|\bdiet|\bdiat|\bdieta|medica|medikam|medicin|illness|disease|krankh|enfermed|maladie|disab|behinder|discap|handicap|restrict|einschrank|restric|\bpets?\b|haustier|mascota|animaux|child|kinder|hijos|enfants|\bdebts?\b|schulden|deudas|dettes|convict|vorstraf|claims?\b|accident|unfall|previous|vorher|anterior|precedent|remark|bemerk|comment|notes?\b|request|wunsch|wunsche|special|other|sonstig|weitere|otros|otras|autres/;

const numbered = /(?:\b|[a-z])(?:number|nummer|numero)\b|\bnr\b/;
// Houses have names, too, and what is asked for beside a number may be all that is given.
const numberedOtherwise =
  /house|\bhaus|street|strasse|address|adresse|direccion|calle|\brue\b|name|nombre|\bnom\b|number of|numero de (?:personas|hijos)|nombre de|or\b|oder|\bo\b|\bou\b|floor|room|zimmer/;

/** A number that is only about so much, or a fraction where a percentage is asked for. */
function roughNumber(field: Plain<FormField>, value: unknown, context: SenseContext): Fault | undefined {
  const unit = typeof value === 'string' ? aboutIn(value) : undefined;
  if (unit !== undefined) return fault('field.numberAlone', { unit });
  return field.kind === 'number' ? fractionIn(field, value, context) : undefined;
}

/** What is no country in a list of them; it may be a part of one. */
function listedCountry({ name, label }: Plain<FormField>, items: unknown): Fault | undefined {
  if (!Array.isArray(items) || !asksCountries.test(wordsOf(name, label))) return undefined;
  return strayCountry(items.filter((item) => typeof item === 'string' && !saysNone(item)).join('; '));
}

function weaknessOf(field: Plain<FormField>, value: unknown, context: SenseContext): Fault | undefined {
  if (field.kind === 'number' || field.kind === 'integer') return roughNumber(field, value, context);
  if (field.kind === 'list') return listedCountry(field, listedIn(value));
  if (typeof value !== 'string' || field.kind === 'choice') return undefined;
  const text = value.trim();
  const meaning = meaningOf(field.name, field.label);
  const words = wordsOf(field.name, field.label);
  // A number with a form of its own has been looked at.
  if (meaning === 'number' && /\d/.test(text)) return doubtIn({ meaning, words }, text);
  if (meaning === 'birth' && context.subject.isForAdults && isMinor(text, context)) return fault('field.minor');
  const meant = field.kind === 'email' ? meantProvider(text) : undefined;
  if (meant !== undefined) return fault('field.emailSlip', { domain: meant });
  const folded = foldText(text.slice(0, 10_000));
  const mayBeNone = mayHaveNone.test(words) || asksWhich.test(field.label);
  if (placeholders.has(folded) && !(folded === 'na' && mayBeNone)) return fault('field.placeholder');
  // Everybody has a name and lives somewhere.
  if (meaning !== undefined && everybodyHas.has(meaning) && saysNone(text) && !mayBeNone)
    return fault('field.placeholder');
  // Two letters may be a name.
  const repeatsFrom = meaning === 'person' || meaning === 'company' ? 3 : 4;
  if (text.length >= repeatsFrom && new Set(folded.replaceAll(' ', '')).size === 1) return fault('field.repeats');
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
