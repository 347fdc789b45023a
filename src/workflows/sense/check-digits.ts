/** Check digits, over texts of digits only. What is not of that form is wrong. */

/** Luhn's: cards, SIRET, SIREN, IMEI. */
export function isLuhn(digits: string): boolean {
  return /^\d+$/.test(digits) && sumOf(digits, [1, 2], (product) => crossSum(product)) % 10 === 0;
}

/** ISO 7064, mod 11,10: the German tax identification number. */
export function isMod11And10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return /^\d+$/.test(digits) && (11 - product) % 10 === Number(digits.at(-1));
}

/** The remainder by 97, exactly, for numbers of any length. */
export function restOf97(digits: string): number {
  return Number(BigInt(digits) % 97n);
}

/** EAN: three times every second digit from the right, the last one being the check digit. */
export function isEan(digits: string): boolean {
  return /^\d+$/.test(digits) && sumOf(digits, [1, 3]) % 10 === 0;
}

/** The sum of digits, each times its weight; the weights repeat, from the right. */
export function sumOf(
  digits: string,
  weights: readonly number[],
  each: (product: number) => number = (product) => product,
): number {
  return [...digits]
    .reverse()
    .reduce((sum, digit, at) => sum + each(Number(digit) * (weights[at % weights.length] ?? 0)), 0);
}

/** The sum of a number's digits, for numbers below 100. */
export function crossSum(number: number): number {
  return Math.floor(number / 10) + (number % 10);
}
