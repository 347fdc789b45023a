import { isLuhn, sumOf } from './check-digits.ts';
import type { KnownNumber } from './known-number.ts';

// The first two digits that the IRS gives out.
const einForm = /^(0[1-6]|1[0-6]|2[0-7]|3\d|4[0-8]|5\d|6[0-8]|7[1-7]|8[0-8]|9[0-589])\d{7}$/;

/** The numbers of persons and firms in the United States and Canada. */
export const northAmericanNumbers: readonly KnownNumber[] = [
  {
    // "Ein" is also a German word.
    words:
      /\bein ein\b|^ein\b(?= (number|no)\b|$)|\b(company|business|employer|vendor|us|tax) ein\b|\bfein\b|employer identification|federal (tax )?(employer )?id/,
    of: ['US'],
    isRight: (number) => einForm.test(number),
  },
  {
    words: /\bssn\b|social security (number|no)/,
    of: ['US'],
    isRight: (number) => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(number),
  },
  {
    words: /\b(aba|routing) (number|no)\b|\brouting\b/,
    of: ['US'],
    isRight: (number) => /^\d{9}$/.test(number) && sumOf(number, [1, 7, 3]) % 10 === 0,
  },
  {
    // "Sin" is also a Spanish word, "nas" none of the four languages.
    words: /social insurance (number|no)|numero d'assurance sociale|^(sin|nas)( (sin|nas|number))?$/,
    of: ['CA'],
    isRight: (number) => /^[1-79]\d{8}$/.test(number) && isLuhn(number),
  },
  {
    words:
      /\bvin\b|fahrgestell ?(nummer|nr)|fahrzeug ?ident|numero de (bastidor|chassis)|vehicle identification|identification (du|de) vehicule/,
    isRight: (number, country) =>
      /^[A-HJ-NPR-Z\d]{17}$/.test(number) && (!isNorthAmerica(country) || hasVehicleCheckDigit(number)),
    // A number that begins so was given in the United States or Canada.
    isDoubtful: (number) => /^[1245]/.test(number) && !hasVehicleCheckDigit(number),
  },
];

/** Where a vehicle has a check digit by law; of those built there for other markets not all have one. */
function isNorthAmerica(country: string | undefined): boolean {
  return country === 'US' || country === 'CA';
}

// 49 CFR 565: what each letter counts, and the weight of each place; the ninth sign is the sum modulo 11, 10 being X.
const vehicleLetters: Readonly<Record<string, number>> = {
  ...{ A: 1, B: 2, C: 3, D: 4, E: 5, F: 6, G: 7, H: 8, J: 1, K: 2, L: 3, M: 4, N: 5, P: 7, R: 9 },
  ...{ S: 2, T: 3, U: 4, V: 5, W: 6, X: 7, Y: 8, Z: 9 },
};
const vehicleWeights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];

function hasVehicleCheckDigit(number: string): boolean {
  const sum = [...number].reduce(
    (all, sign, at) => all + (vehicleLetters[sign] ?? Number(sign)) * (vehicleWeights[at] ?? 0),
    0,
  );
  return number[8] === (sum % 11 === 10 ? 'X' : String(sum % 11));
}
