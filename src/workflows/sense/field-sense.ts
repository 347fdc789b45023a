import { isValidBIC, isValidIBAN } from 'ibantools';
import { checkVAT, countries as vatCountries } from 'jsvat';
import {
  type CountryCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import mobileNumbers from 'libphonenumber-js/mobile/examples';
import { foldText } from '../../base/text/fold.ts';
import { countryCodeOf } from './countries.ts';
import { type Day, type DayOrder, readDay } from './days.ts';
import { type Fault, fault } from './fault.ts';
import type { Meaning } from './field-meaning.ts';
import type { FormSubject } from './form-subject.ts';
import { isDoubtfulNumber, isIberian, isWrongNumber, knownNumberOf } from './known-numbers.ts';
import { latinAmericanTaxNumbers } from './latin-american-numbers.ts';
import { isStockName } from './stock-names.ts';

/** The context from the other values and the request: the subject's country, and the current day. */
export interface SenseContext {
  /** ISO 3166, from the form's country field or the locale's region. */
  country: string | undefined;
  /** The reader's language. */
  language: string;
  /** How the days of the form are written. */
  dayOrder: DayOrder;
  /** The sign before decimals in the reader's language. */
  decimal: '.' | ',';
  today: Day;
  subject: FormSubject;
}

/** What a field asks for: its meaning, and the folded words that say so. */
export interface AskedFor {
  meaning: Meaning | undefined;
  words: string;
}

/** Why a value cannot be what its field asks for; undefined if it can. Uses only lists and check digits. */
export function nonsenseIn({ meaning, words }: AskedFor, text: string, context: SenseContext): Fault | undefined {
  if (meaning === undefined) return undefined;
  return isStockName(meaning, text) ? fault('field.stockName') : senses[meaning](text, context, words);
}

type Sense = (text: string, context: SenseContext, words: string) => Fault | undefined;

const senses: Readonly<Record<Meaning, Sense>> = {
  iban: (text) => (isValidIBAN(bare(text)) ? undefined : fault('field.iban')),
  bic: (text) => (isValidBIC(bare(text)) ? undefined : fault('field.bic')),
  vat: vatProblem,
  currency: (text) => (currencies.has(text.toUpperCase()) ? undefined : fault('field.currency')),
  postcode: (text, { country }) => postcodeProblem(text, country),
  birth: birthProblem,
  number: (text, { country }, words) => {
    const known = knownNumberOf(words);
    return known !== undefined && isWrongNumber(known, text, country) ? fault('field.wrongNumber') : undefined;
  },
  founded: notYet,
  past: notYet,
  expiry: expiryProblem,
  wished: passed,
  person: (text) => (/\p{L}/u.test(text) && !address.test(text) ? mashed(text) : fault('field.noName')),
  contact: (text, _, words) =>
    named.test(words) && !reached.test(words) && address.test(text) ? fault('field.noName') : mashed(text),
  street: mashed,
  city: mashed,
  company: mashed,
};

const address = /^\S+@\S+\.\S+$/;
// Of a contact, people may be asked for the name alone or for how to reach them.
const named = /\bname\b|ansprech|persona|personne|interlocut|nombre|\bnom\b/;
const reached = /mail|correo|courriel|phone|telef|tele\b|reach|erreich/;

function mashed(text: string): Fault | undefined {
  return isMash(text) ? fault('field.mash') : undefined;
}

function notYet(text: string, { today, dayOrder }: SenseContext): Fault | undefined {
  const day = readDay(text, dayOrder);
  return day !== undefined && day.iso > today.iso ? fault('field.future') : undefined;
}

/** Why a text with hours and minutes is no time of a day. */
export function timeProblem(text: string, words: string): Fault | undefined {
  const [, hours, minutes] = /^(\d{1,2}) ?[:h] ?(\d{2})\b/i.exec(text) ?? [];
  if (hours === undefined || !asksTime.test(words)) return undefined;
  return Number(hours) > 24 || Number(minutes) > 59 ? fault('field.noSuchTime') : undefined;
}

const asksTime = /\btime\b|\w*uhrzeit\b|\bhora\b|\bheure\b/;

function passed(text: string, { today, dayOrder }: SenseContext): Fault | undefined {
  const day = readDay(text, dayOrder);
  return day !== undefined && day.iso < today.iso ? fault('field.passed') : undefined;
}

/** A day, or a month as cards write it: "04/27". */
function expiryProblem(text: string, context: SenseContext): Fault | undefined {
  const [, month = '', year = ''] = /^(\d{1,2}) ?[/-] ?(?:20)?(\d{2})$/.exec(text) ?? [];
  if (month === '') return passed(text, context);
  if (Number(month) < 1 || Number(month) > 12) return fault('field.noSuchMonth');
  const lastDay = new Date(Date.UTC(2000 + Number(year), Number(month), 0)).toISOString().slice(0, 10);
  return passed(lastDay, context);
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

function bare(text: string): string {
  return text.replace(/[\s.-]/g, '').toUpperCase();
}

// The prefixes whose format the check knows; other countries' tax numbers are accepted as they are.
const vatPrefixes: ReadonlySet<string> = new Set(vatCountries.flatMap(({ codes }) => [codes[0] ?? '']));

// Where these words stand, a VAT ID is meant, and not any number of a tax office.
const vatAlone = /\bvat\b|\bust id|ustid|umsatzsteuer id|\bmwst\b|\buid\b|\btva\b|nif iva/;
const taxAlso = /\btax\b|steuernummer|fiscal/;

function vatProblem(text: string, { country }: SenseContext, words: string): Fault | undefined {
  const number = bare(text).replaceAll('/', '');
  const isTaxNumber = country === undefined ? undefined : latinAmericanTaxNumbers[country];
  if (isTaxNumber?.(number)) return undefined;
  const prefix = number.slice(0, 2);
  const own = prefix === 'EL' ? 'GR' : prefix;
  if (vatPrefixes.has(own) && (own === country || countryCodeOf(own) !== undefined))
    return isVat(number) ? undefined : fault('field.vat');
  if (number.length < 5 || !/\d/.test(number)) return fault('field.vatShort');
  if (isTaxNumber !== undefined) return fault('field.wrongNumber');
  if (country === undefined || /^[A-Z]{2}/.test(number)) return undefined;
  // At home, numbers are written without their prefix.
  if (country === 'ES' || country === 'PT') return isIberian(number, country) ? undefined : fault('field.wrongNumber');
  const isAlone = vatAlone.test(words) && !taxAlso.test(words);
  if (!isAlone || !vatPrefixes.has(country)) return undefined;
  return isVat(`${homePrefixes[country] ?? country}${number}`) ? undefined : fault('field.vat');
}

// Where the prefix of VAT IDs is not the country's code.
const homePrefixes: Readonly<Record<string, string>> = { CH: 'CHE', GR: 'EL' };

function isVat(number: string): boolean {
  return checkVAT(number, vatCountries).isValid;
}

// One example per country, with a valid check digit.
const vatLike =
  'ATU12345675 BE0403170701 CHE116281710 CZ25123891 DE136695976 DK13585628 ESB58378431 FI20774740 FR40303265045 GB980780684 IE6388047V IT00743110157 LU15027442 NL004495445B01 PL5260001246 PT501964843 SE556188840401'.split(
    ' ',
  );

/** An example of a country's VAT ID format; undefined if none is known. */
export function vatOf(country: string | undefined): string | undefined {
  return country === undefined ? undefined : vatLike.find((number) => number.startsWith(country));
}

/** The country of a VAT ID, by its prefix. */
export function countryOfVat(text: string): string | undefined {
  const prefix = bare(text).slice(0, 2);
  if (prefix === 'EL') return 'GR';
  return vatPrefixes.has(prefix) ? (prefix === 'XI' ? 'GB' : prefix) : undefined;
}

/** Whether the number that a field asks for may be right, but had better be compared with the papers. */
export function doubtIn({ meaning, words }: AskedFor, text: string): Fault | undefined {
  const known = meaning === 'number' ? knownNumberOf(words) : undefined;
  return known !== undefined && isDoubtfulNumber(known, text) ? fault('field.doubtfulNumber') : undefined;
}

const yearsMax = 120;
const adultAt = 18;

function birthProblem(text: string, { today, dayOrder }: SenseContext): Fault | undefined {
  const day = readDay(text, dayOrder);
  if (day === undefined) return undefined;
  if (day.iso > today.iso) return fault('field.future');
  const age = today.year - day.year - (today.iso.slice(5) < day.iso.slice(5) ? 1 : 0);
  if (age > yearsMax) return fault('field.longAgo', { years: yearsMax });
  return undefined;
}

/** Whether a date of birth belongs to someone under 18. */
export function isMinor(text: string, { today, dayOrder }: SenseContext): boolean {
  const day = readDay(text, dayOrder);
  if (day === undefined || day.iso > today.iso) return false;
  return today.year - day.year - (today.iso.slice(5) < day.iso.slice(5) ? 1 : 0) < adultAt;
}

// The formats of the most requested members of the Universal Postal Union; others are not judged.
const postcodes: Readonly<Record<string, RegExp>> = {
  AT: /^[1-9]\d{3}$/,
  AU: /^\d{4}$/,
  BE: /^[1-9]\d{3}$/,
  CA: /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/,
  CH: /^[1-9]\d{3}$/,
  CZ: /^\d{3} ?\d{2}$/,
  DE: /^(?!00)\d{5}$/,
  DK: /^\d{4}$/,
  ES: /^(0[1-9]|[1-4]\d|5[0-2])\d{3}$/,
  FI: /^\d{5}$/,
  FR: /^(?!00)\d{5}$/,
  GB: /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/,
  IE: /^[A-Z]\d[\dW] ?[A-Z\d]{4}$/,
  IT: /^\d{5}$/,
  LI: /^94\d{2}$/,
  LU: /^(L-?)?\d{4}$/,
  MX: /^\d{5}$/,
  NL: /^[1-9]\d{3} ?[A-Z]{2}$/,
  NO: /^\d{4}$/,
  PL: /^\d{2}-?\d{3}$/,
  PT: /^\d{4}(-?\d{3})?$/,
  SE: /^\d{3} ?\d{2}$/,
  US: /^\d{5}(-\d{4})?$/,
};

// Examples for countries whose format is known.
const postcodesLike: Readonly<Record<string, string>> = {
  ...{
    AT: '8010',
    AU: '3000',
    BE: '1000',
    CA: 'K1A 0B1',
    CH: '3011',
    CZ: '110 00',
    DE: '10115',
    DK: '2100',
    ES: '28013',
  },
  ...{ FI: '00100', FR: '75011', GB: 'SW1A 1AA', IE: 'D02 X285', IT: '00184', LI: '9490', LU: '1009', MX: '06000' },
  ...{ NL: '1012 AB', NO: '0150', PL: '00-001', PT: '1000-001', SE: '111 20', US: '20500' },
};

/** An example of a country's postcode format; undefined if the format is not known. */
export function postcodeOf(country: string | undefined): string | undefined {
  return country === undefined ? undefined : postcodesLike[country];
}

function postcodeProblem(text: string, country: string | undefined): Fault | undefined {
  const form = country === undefined ? undefined : postcodes[country];
  // In no country is there a postal code without a digit.
  if (form === undefined) return country === undefined && !/\d/.test(text) ? fault('field.noPostcode') : undefined;
  const code = text
    .trim()
    .toUpperCase()
    .replace(new RegExp(`^${country}-`), '')
    .replace(/^[AD]-(?=\d)/, '');
  return form.test(code) ? undefined : fault('field.postcode', { country: String(country) });
}

/** An example of a country's mobile numbers; undefined if none is known. */
export function phoneOf(country: string | undefined): string | undefined {
  if (country === undefined || !isSupportedCountry(country)) return undefined;
  return getExampleNumber(country, mobileNumbers)?.formatInternational();
}

const shortNumbers: ReadonlySet<string> = new Set('AD FK FO GL KI NC NF NU PM SB SH TK TO WF'.split(' '));

// "Tel. 0171 4482209", "0171 4482209 (abends)".
const whose = /^(?:tel|telefon|telephone|t[eé]l[eé]fono|phone|mobile?|m[oó]vil|handy|cell|portable)[.:]* (?=[+(\d])/i;
const when = /\s*\([^()\d]{1,30}\)$/;
const phoneMax = 80;
const extension = /[\s,]+(?:ext(?:ension)?|x|durchwahl|dw|poste|anexo|interno)\.? ?\d{1,6}$/i;

/** Why a text is not a telephone number; numbers without a country code are taken as the form's country's. */
export function phoneProblem(written: string, { country }: Pick<SenseContext, 'country'>): Fault | undefined {
  // Longer texts are no numbers, and blanks in them would take long.
  const isShort = written.length <= phoneMax;
  const text = isShort ? written.replace(whose, '').replace(when, '').replace(extension, '') : written;
  const digits = text.replace(/\D/g, '');
  if (!/^\+?[\d ().\-/]{6,30}$/.test(text) || digits.length < 6 || digits.length > 15) return fault('field.phone');
  const home = country !== undefined && isSupportedCountry(country) ? (country as CountryCode) : undefined;
  const isAbroad = text.startsWith('+') || text.startsWith('00');
  // Six digits are a number without its area code, save where numbers are that short.
  if (!isAbroad && digits.length < 7 && !shortNumbers.has(country ?? '')) return fault('field.phone');
  if (!isAbroad && home === undefined) return undefined;
  const number = parsePhoneNumberFromString(text.replace(/^00/, '+'), home);
  return number?.isValid() ? undefined : fault('field.phoneNowhere');
}

// What people type before the @ of a large provider to get past a form.
const triedUsers =
  /^(test(er|ing)?\d*|asdf\w*|abc|nobody|no ?one|none|noemail|nomail|name|your ?\.?(name|email)|user(name)?|(max|erika)\.?mustermann|(john|jane)\.?doe|example|ejemplo|exemple|beispiel|correo|email|fake|foo|bar)$/;

// Names that RFC 2606 and RFC 6761 reserve for tests and examples, and what people type to get past a form.
const reservedDomains = /(^|\.)(example\.(com|net|org)|test|invalid|localhost|example)$/;
const triedDomains =
  /^(test|tests|testing|asdf|asdfg|qwerty|abc|aaa|xxx|fake|none|nomail|noemail|foo|bar|foobar|mail|email|domain)\.(com|net|org|de|es|fr|co\.uk|io)$/;

/** Why nobody can be reached at a well-formed e-mail address. */
export function testAddress(text: string): Fault | undefined {
  const [user = '', domain = ''] = text.toLowerCase().split('@');
  if (reservedDomains.test(domain)) return fault('field.emailReserved');
  if (domain !== 'mail.com' && domain !== 'email.com' && triedDomains.test(domain))
    return fault('field.emailPlaceholder');
  const isTried = mailProviders.includes(domain) && triedUsers.test(user);
  return isTried || /^(mustermann|musterfirma)\./.test(domain) || isMash(user)
    ? fault('field.emailPlaceholder')
    : undefined;
}

const mailProviders =
  'gmail.com googlemail.com hotmail.com hotmail.es hotmail.fr outlook.com yahoo.com yahoo.de yahoo.es yahoo.fr icloud.com gmx.de gmx.at gmx.net web.de t-online.de orange.fr wanadoo.fr laposte.net free.fr live.com aol.com mail.com email.com ymail.com rocketmail.com hotmail.de hotmail.it hotmail.co.uk yahoo.it yahoo.co.uk outlook.de outlook.es outlook.fr'.split(
    ' ',
  );

/**
 * The large provider that an address's domain may have been meant to be: two neighbouring letters are swapped, or one is wrong,
 * missing or one too many.
 */
export function meantProvider(text: string): string | undefined {
  const domain = text.toLowerCase().split('@')[1] ?? '';
  if (mailProviders.includes(domain)) return undefined;
  // Short names resemble others, unless their ending is that of no country.
  const [name = '', ending = ''] = domain.split('.');
  const isNowhere = domain === `${name}.${ending}` && ending.length === 2 && countryCodeOf(ending) === undefined;
  return mailProviders.find(
    (known) =>
      ((domain.length >= 7 && known.length >= 8) || (isNowhere && known.startsWith(`${name}.`))) &&
      isSlip(domain, known),
  );
}

function isSlip(typed: string, meant: string): boolean {
  let at = 0;
  while (at < meant.length && typed[at] === meant[at]) at++;
  const [rest, wanted] = [typed.slice(at), meant.slice(at)];
  const swapped = `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}`;
  return [swapped, rest.slice(1), `${wanted[0]}${rest}`, `${wanted[0]}${rest.slice(1)}`].includes(wanted);
}

/** The rows of the keyboards of the four languages. */
export const keyboardRows = [
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
];
// Four neighbours in a row.
const runs: ReadonlySet<string> = new Set(
  keyboardRows
    .flatMap((row) => [row, [...row].reverse().join('')])
    .flatMap((row) => [...row].map((_, at) => row.slice(at, at + 4)).filter(({ length }) => length === 4)),
);

const lettersOfKeys = 26;
/** Whether a run begins with these two letters. */
const beginsRun = new Uint8Array(lettersOfKeys ** 2);
for (const run of runs) beginsRun[pairAt(run, 0)] = 1;

function pairAt(word: string, at: number): number {
  return (word.charCodeAt(at) - 0x61) * lettersOfKeys + word.charCodeAt(at + 1) - 0x61;
}

/** Whether most of a text's words are runs of neighbouring keys, as in "asdf qwer". */
export function isMash(text: string): boolean {
  const words = foldText(text.slice(0, 5000))
    .split(/[^a-z]+/)
    .filter(({ length }) => length >= 4);
  if (words.length === 0) return false;
  const mashed = words.filter((word) => isRun(word)).length;
  return mashed * 2 > words.length;
}

function isRun(word: string): boolean {
  let inRuns = 0;
  for (let at = 0; at + 4 <= word.length; at++)
    if (beginsRun[pairAt(word, at)] === 1 && runs.has(word.slice(at, at + 4))) inRuns++;
  return inRuns * 2 >= word.length - 3;
}
