import { sumOf } from './check-digits.ts';
import { readDay } from './days.ts';
import type { KnownNumber } from './known-number.ts';

/** The numbers of persons, firms and accounts in Mexico, Argentina, Chile, Colombia and Peru. */
export const latinAmericanNumbers: readonly KnownNumber[] = [
  { words: /\bcurp\b|clave unica de registro/, of: ['MX'], isRight: isCurp },
  { words: /\brfc\b|registro federal de contribuyentes/, of: ['MX'], isRight: isRfc },
  { words: /\bclabe\b/, of: ['MX'], isRight: isClabe },
  { words: /\bcui[tl]\b|clave unica de identificacion/, of: ['AR'], isRight: isCuit },
  { words: /\b(cbu|cvu)\b|clave (bancaria|virtual) uniforme/, of: ['AR'], isRight: isCbu },
  // Uruguay and Colombia call other numbers so, too.
  {
    words: /\brut\b|rol unico (tributario|nacional)|^run( run)?$/,
    of: ['CL'],
    isRight: (number, country) => country === undefined || isRut(number),
  },
  {
    words: /\bnit\b|identificacion tributaria/,
    of: ['CO'],
    isRight: (number, country) => country === undefined || isNit(number),
  },
  {
    words: /\bruc\b|registro unico de contribuyentes/,
    of: ['PE'],
    isRight: (number, country) => country === undefined || isRuc(number),
  },
];

/** The number by which the tax office of a country knows a person or firm, judged where a form only says "tax number". */
export const latinAmericanTaxNumbers: Readonly<Record<string, (number: string) => boolean>> = {
  AR: isCuit,
  CL: isRut,
  MX: isRfc,
  PE: isRuc,
};

const curpSigns = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
const curpForm = /^[A-Z][AEIOUX][A-Z]{2}(\d{6})[HMX][A-Z]{2}[B-DF-HJ-NÑP-TV-Z]{3}[A-Z\d]\d$/;

/** RENAPO's check digit: each sign's place in the alphabet times 18, 17, ... 2, completed to a multiple of 10. */
function isCurp(number: string): boolean {
  const [, day = ''] = curpForm.exec(number) ?? [];
  return isDayOfTwoDigits(day) && weighed(number.slice(0, 17), curpSigns, 18) % 10 === (10 - Number(number[17])) % 10;
}

const rfcSigns = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';
/** Of the general public and of whoever lives abroad. */
const rfcOfNobody: ReadonlySet<string> = new Set(['XAXX010101000', 'XEXX010101000']);

/** SAT's check digit: each sign's place in the alphabet times 13, 12, ... 2, modulo 11; firms have a blank before. */
function isRfc(number: string): boolean {
  if (rfcOfNobody.has(number)) return true;
  const [, day = ''] = /^[A-ZÑ&]{3,4}(\d{6})[A-Z\d]{2}[A\d]$/.exec(number) ?? [];
  if (!isDayOfTwoDigits(day)) return false;
  const rest = weighed(number.padStart(13, ' ').slice(0, 12), rfcSigns, 13) % 11;
  return number.at(-1) === (rest === 0 ? '0' : rest === 1 ? 'A' : String(11 - rest));
}

function weighed(text: string, signs: string, first: number): number {
  return [...text].reduce((sum, sign, at) => sum + signs.indexOf(sign) * (first - at), 0);
}

/** Of either century. */
function isDayOfTwoDigits(digits: string): boolean {
  const [year, month, day] = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)];
  return ['19', '20'].some((century) => readDay(`${century}${year}-${month}-${day}`) !== undefined);
}

const clabeWeights = [3, 7, 1];

/** CLABE (Asociación de Bancos de México): the last digits of each digit times 3, 7, 1, completed to a multiple of 10. */
function isClabe(number: string): boolean {
  if (!/^\d{18}$/.test(number)) return false;
  const sum = [...number.slice(0, 17)].reduce(
    (all, digit, at) => all + ((Number(digit) * (clabeWeights[at % 3] ?? 0)) % 10),
    0,
  );
  return (10 - (sum % 10)) % 10 === Number(number[17]);
}

/** CUIT and CUIL (AFIP): modulo 11 with the weights 2 to 7 from the right. */
function isCuit(number: string): boolean {
  return /^(2[03-7]|3[034])\d{9}$/.test(number) && sumOf(number, [1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5]) % 11 === 0;
}

/** CBU (BCRA): bank and account each have a digit that completes the sum, times 3, 1, 7, 9 from the right, to a multiple of 10. */
function isCbu(number: string): boolean {
  if (!/^\d{22}$/.test(number)) return false;
  return [number.slice(0, 8), number.slice(8)].every(
    (part) => sumOf(part, [1, 3, 1, 7, 9, 3, 1, 7, 9, 3, 1, 7, 9, 3]) % 10 === 0,
  );
}

/** RUT and RUN of Chile: modulo 11 with the weights 2 to 7 from the right; 10 is written K. */
function isRut(number: string): boolean {
  const [, body = '', check] = /^(\d{6,9})([\dK])$/.exec(number) ?? [];
  if (body === '') return false;
  const left = 11 - (sumOf(body, [2, 3, 4, 5, 6, 7]) % 11);
  return check === (left === 11 ? '0' : left === 10 ? 'K' : String(left));
}

/** NIT (DIAN): modulo 11 with prime weights from the right; nine digits alone are the number without its check digit. */
function isNit(number: string): boolean {
  if (/^\d{8,9}$/.test(number)) return true;
  if (!/^\d{10}$/.test(number)) return false;
  const rest = sumOf(number.slice(0, 9), [3, 7, 13, 17, 19, 23, 29, 37, 41]) % 11;
  return Number(number[9]) === (rest < 2 ? rest : 11 - rest);
}

/** RUC (SUNAT): modulo 11 with the weights 2 to 7 from the right. */
function isRuc(number: string): boolean {
  if (!/^(10|15|16|17|20)\d{9}$/.test(number)) return false;
  return (11 - (sumOf(number.slice(0, 10), [2, 3, 4, 5, 6, 7]) % 11)) % 10 === Number(number[10]);
}
