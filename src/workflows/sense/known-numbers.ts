import { checkVAT, countries as vatCountries } from 'jsvat';
import { crossSum, isEan, isLuhn, isMod11And10, restOf97, sumOf } from './check-digits.ts';
import type { KnownNumber } from './known-number.ts';
import { latinAmericanNumbers } from './latin-american-numbers.ts';
import { northAmericanNumbers } from './north-american-numbers.ts';

const notPaymentCards =
  /holder|inhaber|titular|expir|valid|gultig|caduc|\bt[iy]pe?o?\b|brand|loyalty|member|mitglied|kunden|client|cliente|fidelite|socio|\bid\b|identi|ausweis|insurance|versicher|gesundheit|health|sanitaria|vitale|gift|geschenk|regalo|cadeau|library|student|residence|sejour|sim\b|fahrer|driv/;

const knownNumbers: readonly KnownNumber[] = [
  {
    words:
      /\bcard ?(number|no|nr)\b|\b(credit|debit) ?card\b|karten ?(nummer|nr)\b|kreditkarte|numero de (la )?(tarjeta|carte)|tarjeta de (credito|debito)|carte (bancaire|bleue|de credit)/,
    unless: notPaymentCards,
    isRight: (number) => /^\d{12,19}$/.test(number) && isLuhn(number),
  },
  { words: /\b(cvv2?|cvc2?|cryptogramme|kartenprufnummer)\b/, isRight: (number) => /^\d{3,4}$/.test(number) },
  {
    words: /\bsiret\b/,
    of: ['FR'],
    // Before the establishment is known, people give the SIREN.
    isRight: (number) => isSiret(number) || isSiren(number),
  },
  { words: /\bsiren\b/, of: ['FR'], isRight: (number) => isSiren(number) || isSiret(number) },
  {
    words: /securite sociale|numero de secu\b|\bnir\b|numero d'assure/,
    of: ['FR'],
    isRight: isNir,
  },
  {
    words: /\b(nif|nie|dni|cif)\b|documento nacional|identificacion fiscal/,
    unless: /pasaporte|passport|\biva\b|\bvat\b/,
    of: ['ES', 'PT'],
    isRight: (number, country) => isIberian(number, country),
  },
  {
    words: /(seguridad|seguro) social|numero de afiliacion|\bnu?ss\b|\bnaf\b/,
    of: ['ES', 'MX'],
    isRight: (number, country) =>
      (country !== 'MX' && isNaf(number)) || (country !== 'ES' && isMexicanInsurance(number)),
  },
  {
    words: /steuer ?id(ent(ifikations)?(nummer|nr)?|nr|nummer)?\b|steuerliche identifikationsnummer|\bidnr\b/,
    unless: /umsatz|\bust\b|wirtschaft/,
    of: ['DE'],
    isRight: (number) => /^[1-9]\d{10}$/.test(number) && isMod11And10(number),
  },
  {
    words: /(sozial|renten) ?versicherungs ?(nummer|nr)|\bsv ?(nummer|nr)\b/,
    of: ['DE', 'AT'],
    isRight: (number, country) =>
      (country !== 'AT' && isGermanPension(number)) || (country !== 'DE' && isAustrianInsurance(number)),
  },
  {
    words: /(krankenversicher\w*|krankenversicherten|versicherten) ?(nummer|nr)\b|\bkvnr\b/,
    of: ['DE'],
    isRight: isGermanHealth,
  },
  { words: /\b(ahv|avs)\b/, of: ['CH'], isRight: (number) => /^756\d{10}$/.test(number) && isEan(number) },
  {
    words: /national insurance|\b(nino|ni) (number|no)\b/,
    of: ['GB'],
    isRight: isNino,
  },
  {
    // "Nino" is also a Spanish child.
    words: /^nino nino$/,
    of: ['GB'],
    isRight: (number, country) => country === undefined || isNino(number),
  },
  {
    words: /\bnhs (number|no)\b|\bnhs\b$/,
    of: ['GB'],
    isRight: (number) => /^\d{10}$/.test(number) && sumOf(number, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) % 11 === 0,
  },
  {
    words: /\butr\b|unique taxpayer/,
    of: ['GB'],
    isRight: (number) =>
      /^\d{10}K?$/.test(number) &&
      '21987654321'[sumOf(number.slice(1, 10), [2, 3, 4, 5, 10, 9, 8, 7, 6]) % 11] === number[0],
  },
  { words: /\bsort ?code\b/, of: ['GB'], isRight: (number) => /^\d{6}$/.test(number) },
  {
    words: /\bisbn\b/,
    isRight: (number) =>
      (/^97[89]\d{10}$/.test(number) && isEan(number)) ||
      (/^\d{9}[\dX]$/.test(number) &&
        (sumOf(number.slice(0, 9), [2, 3, 4, 5, 6, 7, 8, 9, 10]) + (number[9] === 'X' ? 10 : Number(number[9]))) %
          11 ===
          0),
  },
  { words: /\b(ean|gtin)\b/, isRight: (number) => /^(\d{8}|\d{12,14})$/.test(number) && isEan(number) },
  {
    words: /numero d'entreprise|\bbce\b|enterprise number|unternehmensnummer/,
    of: ['BE'],
    isRight: isBelgianCompany,
  },
  {
    words: /companies house|company (registration )?(number|no)\b/,
    of: ['GB'],
    isRight: (number) => /^(\d{6,8}|[A-Z]{2}\d{6})$/.test(number),
  },
  { words: /firmenbuch/, of: ['AT'], isRight: (number) => /^(FN)?\d{1,6}[A-Z]$/.test(number) },
  {
    // A vehicle has a registration number, too; that of a company is all digits.
    words: /registration (number|no)\b|numero d'immatriculation|\brcs\b/,
    of: ['FR', 'BE'],
    isRight: (number, country) =>
      country === 'FR'
        ? !/^(\d{9}|\d{14})$/.test(number) || isSiren(number) || isSiret(number)
        : country !== 'BE' || !/^[01]\d{9}$/.test(number) || isBelgianCompany(number),
  },
  {
    words: /registre national|\bniss\b|national register number/,
    of: ['BE'],
    isRight: isBelgianPerson,
  },
  {
    words: /\babn\b|australian business/,
    of: ['AU'],
    isRight: isAustralianCompany,
  },
  {
    words: /\bpps ?n?\b|personal public service/,
    of: ['IE'],
    isRight: isIrishPerson,
  },
  { words: /\bimei\b/, isRight: (number) => /^\d{15}$/.test(number) && isLuhn(number) },
  ...northAmericanNumbers,
  ...latinAmericanNumbers,
  {
    words: /\blei\b( code)?$|legal entity identifier/,
    isRight: (number) => /^[A-Z\d]{18}\d{2}$/.test(number) && restOf97(lettersAsNumbers(number)) === 1,
  },
];

/** The number that a field asks for; undefined if it asks for none that can be checked. */
export function knownNumberOf(words: string): KnownNumber | undefined {
  return knownNumbers.find((one) => one.words.test(words) && one.unless?.test(words) !== true);
}

/** Whether a text is not the number that a field asks for; numbers of another country are not judged. */
export function isWrongNumber({ of, isRight }: KnownNumber, text: string, country: string | undefined): boolean {
  if (of !== undefined && country !== undefined && !of.includes(country)) return false;
  return !isRight(bare(text), country);
}

/** Whether the number that a field asks for may be right, but had better be compared with the papers. */
export function isDoubtfulNumber({ isDoubtful }: KnownNumber, text: string): boolean {
  return isDoubtful?.(bare(text)) === true;
}

function bare(text: string): string {
  return text.replace(/[\s./-]/g, '').toUpperCase();
}

function isSiren(number: string): boolean {
  return /^\d{9}$/.test(number) && isLuhn(number);
}

function isSiret(number: string): boolean {
  if (!/^\d{14}$/.test(number)) return false;
  // The offices of La Poste have a rule of their own.
  return isLuhn(number) || (number.startsWith('356000000') && sumOf(number, [1]) % 5 === 0);
}

/** With or without its key of two digits. Corsica's departments are 2A and 2B. */
function isNir(number: string): boolean {
  const found = /^([1-478]\d{2}(?:0[1-9]|[1-9]\d)(?:\d{2}|2[AB])\d{6})(\d{2})?$/.exec(number);
  if (!found) return false;
  const [, body = '', key] = found;
  const digits = body.replace('2A', '19').replace('2B', '18');
  return key === undefined || 97 - restOf97(digits) === Number(key);
}

/** Whether it is a tax number of Spain or Portugal: NIF, NIE or CIF; of either where no country is known. */
export function isIberian(number: string, country: string | undefined): boolean {
  const prefixes = country === undefined ? ['ES', 'PT'] : [country];
  return prefixes.some(
    (prefix) => checkVAT(prefix + number.replace(new RegExp(`^${prefix}`), ''), vatCountries).isValid,
  );
}

/** HMRC's form; there is no check digit. */
function isNino(number: string): boolean {
  return /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(number);
}

function isNaf(number: string): boolean {
  if (!/^\d{12}$/.test(number)) return false;
  const [body, key] = [number.slice(2, -2), number.slice(-2)];
  // A short serial number is counted without its leading zeros.
  const digits =
    Number(body) < 10_000_000 ? number.slice(0, 2) + String(Number(body)).padStart(7, '0') : number.slice(0, -2);
  return restOf97(digits) === Number(key);
}

/** IMSS: Luhn's. */
function isMexicanInsurance(number: string): boolean {
  return /^\d{11}$/.test(number) && isLuhn(number);
}

/** Crossroads Bank for Enterprises: 97 less the remainder of the first eight digits. */
export function isBelgianCompany(number: string): boolean {
  const [, digits = '', key] = /^(?:BE)?([01]\d{7})(\d{2})$/.exec(number) ?? [];
  return digits !== '' && 97 - restOf97(digits) === Number(key);
}

/** National Register: 97 less the remainder of the first nine digits, with a 2 before them for who was born from 2000 on. */
function isBelgianPerson(number: string): boolean {
  const [, digits = '', key] = /^(\d{9})(\d{2})$/.exec(number) ?? [];
  return digits !== '' && [digits, `2${digits}`].some((one) => 97 - restOf97(one) === Number(key));
}

/** ABN (Australian Taxation Office): modulo 89, after 1 is taken from the first digit. */
function isAustralianCompany(number: string): boolean {
  if (!/^[1-9]\d{10}$/.test(number)) return false;
  return (sumOf(number, [19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 10]) - 10) % 89 === 0;
}

/** PPSN (Department of Social Protection): the weights 8 to 2, and 9 for a second letter, modulo 23. */
function isIrishPerson(number: string): boolean {
  const [, digits = '', check, second = 'W'] = /^(\d{7})([A-W])([A-IW])?$/.exec(number) ?? [];
  if (digits === '') return false;
  const more = second === 'W' ? 0 : (second.charCodeAt(0) - 0x40) * 9;
  return 'WABCDEFGHIJKLMNOPQRSTUV'[(sumOf(digits, [2, 3, 4, 5, 6, 7, 8]) + more) % 23] === check;
}

function isGermanPension(number: string): boolean {
  const found = /^(\d{8})([A-Z])(\d{2})(\d)$/.exec(number);
  if (!found) return false;
  const [, area = '', letter = '', serial = '', check = ''] = found;
  const digits = area + letterAsDigits(letter) + serial;
  return sumOf(digits, [1, 2, 1, 2, 1, 2, 1, 7, 5, 2, 1, 2], crossSum) % 10 === Number(check);
}

function isGermanHealth(number: string): boolean {
  const found = /^([A-Z])(\d{8})(\d)$/.exec(number);
  if (!found) return false;
  const [, letter = '', digits = '', check = ''] = found;
  return sumOf(letterAsDigits(letter) + digits, [2, 1], crossSum) % 10 === Number(check);
}

function isAustrianInsurance(number: string): boolean {
  if (!/^[1-9]\d{9}$/.test(number)) return false;
  return sumOf(number.slice(0, 3) + number.slice(4), [6, 1, 2, 4, 8, 5, 9, 7, 3]) % 11 === Number(number[3]);
}

function letterAsDigits(letter: string): string {
  return String(letter.charCodeAt(0) - 0x40).padStart(2, '0');
}

function lettersAsNumbers(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 0x37));
}
