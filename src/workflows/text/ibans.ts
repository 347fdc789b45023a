import type { Place } from './cards.ts';

/**
 * Finds the check digits of what may be an account number, because digits are rarer than letters; the country before them is
 * captured. A pattern of one's own, because it has a state. Blanks only after capitals: "at 10 30" is a time.
 */
export function ibanHeads(): RegExp {
  return /\d(?<=(?<![\p{sc=Latin}\p{Nd}])([A-Z]{2}[\s.\-_/\u00b7]{0,3}|[A-Za-z]{2}[.\-_/\u00b7]?)\d)(?:[.\-_/\u00b7]?|(?<=[A-Z]{2}[\s.\-_/\u00b7]{0,3}\d)[\s.\-_/\u00b7]{0,3})\d/gu;
}

/** Where the number begins that a match of these belongs to. */
export function ibanStart({ 1: country = '', index }: RegExpExecArray): number {
  return index - country.length;
}

// The registry of ISO 13616, and the countries that use the form without being in it.
const lengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AO25 AT20 AZ28 BA20 BE16 BF28 BG22 BH22 BI27 BJ28 BR29 BY28 CF27 CG27 CH21 CI28 CM27 CR22 CV25 CY28 CZ24 DE22 ' +
    'DJ27 DK18 DO28 DZ26 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GA27 GB22 GE22 GI23 GL18 GQ27 GR27 GT28 GW25 HN28 HR21 HU28 IE22 IL23 ' +
    'IQ23 IR26 IS26 IT27 JO30 KM27 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MA28 MC27 MD24 ME22 MG27 MK19 ML28 MN20 MR27 MT31 ' +
    'MU30 MZ25 NE28 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SN28 SO23 ST25 ' +
    'SV28 TD27 TG28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((one) => [one.slice(0, 2), Number(one.slice(2))]),
);

const separators = new Set([...' \t\n\v\f\r.-_/\u00b7\u2028\u2029'].map((sign) => sign.charCodeAt(0)));
const separatorsMax = 3;
const digitsMin = 8;
/** With fewer, little more than the bank is known. */
const unfinishedDigitsMin = 6;
/** The country and the check digits. */
const headUnits = 4;

/**
 * Reads an account number (ISO 13616, mod 97) from where it may begin: as many letters and digits as its country's have, so that
 * what follows it does not matter ("... 0130 00 BIC COBADEFF"). The check digits allow for blanks, line breaks and hyphens anywhere.
 */
export function ibanAt(text: string, start: number): Place | undefined {
  const { isWhole, digits, end } = read(text, start);
  if (!isWhole || digits < digitsMin || isAlphanumeric(text.charCodeAt(end))) return undefined;
  return restOf97(text.slice(start, end).replace(/[^A-Za-z\d]/g, '')) === 1 ? { start, end } : undefined;
}

/** Whether an account number may begin here that goes on beyond the end of the text. */
export function isUnfinishedIban(text: string, start: number): boolean {
  const { isWhole, digits, end } = read(text, start);
  return !isWhole && digits >= unfinishedDigitsMin && end === text.length;
}

/** Reads as much of an account number as there is. */
function read(text: string, start: number): { isWhole: boolean; digits: number; end: number } {
  const length = lengths.get(text.slice(start, start + 2).toUpperCase()) ?? 0;
  let units = 0;
  let digits = 0;
  let apart = 0;
  let end = start;
  for (; units < length && end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (isAlphanumeric(unit)) {
      apart = 0;
      if (++units > headUnits && isDigit(unit)) digits++;
    } else if (!separators.has(unit) || ++apart > separatorsMax) break;
  }
  return { isWhole: length > 0 && units === length, digits, end };
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isAlphanumeric(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

function restOf97(number: string): number {
  let rest = 0;
  for (const letter of number.slice(headUnits) + number.slice(0, headUnits)) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
