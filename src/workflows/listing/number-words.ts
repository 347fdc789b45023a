// Numbers in words, in English, German, Spanish and French; in lower case and without accents.

const inOrder = (from: number, step: number, words: string): [string, number][] =>
  words.split(' ').map((word, at) => [word, from + at * step]);

const english = inOrder(
  1,
  1,
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
).concat(inOrder(20, 10, 'twenty thirty forty fifty sixty seventy eighty ninety'), [
  ['hundred', 100],
  ['thousand', 1000],
]);
const spanish = inOrder(
  1,
  1,
  'uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve',
).concat(
  inOrder(30, 10, 'treinta cuarenta cincuenta sesenta setenta ochenta noventa cien'),
  inOrder(
    100,
    100,
    'ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos mil',
  ),
  [
    ['un', 1],
    ['una', 1],
    ['veintiun', 21],
  ],
);
const french = inOrder(
  1,
  1,
  'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
).concat(inOrder(20, 10, 'vingt trente quarante cinquante soixante septante huitante nonante cent'), [
  ['une', 1],
  ['vingts', 20],
  ['cents', 100],
  ['mille', 1000],
]);
const values: ReadonlyMap<string, number> = new Map([...english, ...spanish, ...french]);

/** In German, a number is one word, of these. */
const germanParts: ReadonlyMap<string, number> = new Map([
  ...inOrder(10, 1, 'zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn'),
  ...inOrder(20, 10, 'zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig'),
  ['dreißig', 30],
  ...inOrder(1, 1, 'ein zwei drei vier funf sechs sieben acht neun'),
  ['hundert', 100],
  ['tausend', 1000],
]);
const germanPart = new RegExp(`${[...germanParts.keys()].join('|')}|und`, 'y');

/** As part of a RegExp. Every word is made of these in one way only, so that no text takes long. */
const germanWord =
  '(?:zehn|elf|zwolf|zwanzig|(?:ss|ß)ig|zig|ein|zwei|drei|vier|funf|sechs?|sieb(?:en)?|acht|neun|hundert|tausend|und){1,14}';
const words = `(?:${[...values.keys()].sort((a, b) => b.length - a.length).join('|')}|${germanWord})(?![a-zß])`;

/** A number in words, as part of a RegExp. */
export const numberInWords = `(?<![a-zß])${words}(?:[ -](?:(?:and|und|y|et) )?${words}){0,7}`;

/** What a number in words says: "zweihunderttausend", "fifty-two thousand", "deux cent mille". NaN for anything else. */
export function wordsNumber(text: string): number {
  let [total, below, last] = [0, 0, 0];
  for (const value of valuesOf(text)) {
    if (value === 1000) {
      if (total >= 1000) return Number.NaN;
      [total, below] = [(below || 1) * 1000, 0];
    } else if (value === 100 && below < 10) below = (below || 1) * 100;
    // "Quatre-vingts" is four times twenty; in German, the ones come before the tens.
    else if (value === 20 && last === 4) below += 76;
    else if (follows(below % 100, value)) below += value;
    else return Number.NaN;
    last = value;
  }
  return last === 0 ? Number.NaN : total + below;
}

/** Whether a number may stand beside what is below a hundred already. */
function follows(tens: number, value: number): boolean {
  if (Number.isNaN(value)) return false;
  if (tens === 0) return true;
  if (tens < 10) return value >= 20 && value < 100;
  return (tens === 60 || tens === 80 ? value < 20 : tens >= 20 && value < 10) && tens % 10 === 0;
}

function valuesOf(text: string): number[] {
  const said = text.split(/[\s-]+/).filter((word) => !/^(?:and|und|y|et|)$/.test(word));
  return said.flatMap((word) => {
    const value = values.get(word);
    return value === undefined ? germanValues(word) : [value];
  });
}

function germanValues(word: string): number[] {
  const found: number[] = [];
  for (let at = 0; at < word.length; at = germanPart.lastIndex) {
    germanPart.lastIndex = at;
    const part = germanPart.exec(word)?.[0];
    if (part === undefined) return [Number.NaN];
    if (part !== 'und') found.push(germanParts.get(part) ?? Number.NaN);
  }
  return found;
}
