import { ownValue } from '../../base/own-value.ts';
import { occursIn } from '../text/phrases.ts';
import { knownFacts } from './facts.ts';
import { notMileage } from './patterns/mileage.ts';
import type { Kind } from './patterns/pattern.ts';
import { otherYear } from './patterns/vehicles.ts';
import { amountOf, countOf, numeral, plainText, smallWords } from './plain-text.ts';

/** A fact that a model reads from a text: its value, and the words that state it. */
export interface ProposedFact {
  fact: string;
  value: string;
  quote: string;
}

/** Why a proposed fact does not count. */
export type FactFault = 'quote' | 'value' | 'doubtful';

interface Shown {
  /** Words that a quote must contain to show that it is about this fact. */
  cue: RegExp;
  /** Words near the quote that give it another meaning. */
  not?: RegExp;
  least?: number;
  most?: number;
}

const notArea = /garden|terrace|garten|plot|grundst|jardin|parcela|terrain|balkon|balcon|keller|cellar|patio|cave/;

// In lower case and without accents, like the output of `plainText`. A fact not listed here cannot be shown by any quote.
const shown: Readonly<Record<string, Shown>> = {
  mileageKm: {
    cue: /km|kilomet|tkm|tacho|odometer|laufleistung|gelaufen|gefahren|recorrid|compteur|parcouru/,
    not: notMileage,
    least: 50,
    most: 2_000_000,
  },
  mileageMiles: { cue: /\bmi\b|miles?|mls|clock|odometer|mileage/, not: notMileage, least: 50, most: 1_500_000 },
  year: {
    cue: /regist|zulass|\bez\b|baujahr|\bbj\b|matricul|circulation|model|modell|ano|annee|built|gebaut|fabric|year|plate/,
    not: otherYear,
    least: 1930,
    most: 2035,
  },
  fuel: {
    cue: /fuel|tank|kraftstoff|sprit|carburant|combustible|runs on|lauft mit|roule (?:a|au)|petrol|benzin|super|diesel|gas|elec|elek|ele[ck]tr|hybrid|ethanol|wasserstoff|hydrogen/,
  },
  transmission: { cue: /gear|getriebe|schalt|cambio|marchas|boite|vitesse|transmission|transmision|gang|auto|manu/ },
  areaSqm: { cue: /m2|m²|qm|sqm|quadrat|square m|metros|metres|meter/, not: notArea, least: 1, most: 1_000_000 },
  areaSqft: { cue: /ft|feet|foot/, not: notArea, least: 10, most: 10_000_000 },
  rooms: { cue: /room|zimmer|raum|raume|habitacion|estancia|piece|cuarto/, least: 1, most: 60 },
  bedrooms: { cue: /bed|schlaf|dormitor|chambre|dorm/, least: 1, most: 50 },
  storageGb: { cue: /gb|tb|\bgo\b|\bto\b|giga|tera|storage|speicher|almacen|stockage/, least: 1, most: 100_000 },
  hoursPerWeek: { cue: /hour|hrs|std|stunde|hora|heure|\dh\b/, least: 1, most: 80 },
  dimensions: {
    cue: /cm|mm|\dm\b|meter|metre|metro|inch|zoll|pulgada|pouce|\bft\b|feet|wide|breit|ancho|large|high|hoch|alto|haut|lang|long|largo/,
    least: 0.01,
    most: 100_000,
  },
  size: { cue: /size|grosse|große|\bgr\b|talla|taille|pointure|numero|\buk\b|\beu\b|\bus\b/ },
  condition: {
    cue: /condition|zustand|estado|etat|used|gebraucht|usad|occasion|new|neu|nuev|worn|getragen|refurb|works|funktion|funcion|fonction/,
  },
};

/** The facts of a kind of thing that a model may read from a text. */
export function proposableFacts(kind: Kind): string[] {
  return knownFacts(kind).filter((name) => Object.hasOwn(shown, name));
}

/** Why a fact that a model reads from a text does not count: the text's own words must show it. */
export function faultOfFact(text: string, { fact, value, quote }: ProposedFact): FactFault | undefined {
  if (!text.includes(quote.trim()) && !occursIn(text, quote)) return 'quote';
  const terms = ownValue(shown, fact);
  if (!terms) return 'doubtful';
  const words = plainText(quote);
  if (terms.least === undefined) {
    if (!holdsWord(words, plainText(value).trim())) return 'value';
    return terms.cue.test(words) ? undefined : 'doubtful';
  }
  const amount = amountIn(value);
  if (!amountsIn(words).includes(amount)) return 'value';
  const isWithin = amount >= terms.least && amount <= (terms.most ?? Number.MAX_SAFE_INTEGER);
  const isOther = terms.not?.test(around(text, quote)) === true;
  return isWithin && !isOther && terms.cue.test(words) ? undefined : 'doubtful';
}

/** A fact's value as stated in replies: a number without its unit. */
export function valueOfFact({ fact, value }: ProposedFact): string {
  return shown[fact]?.least === undefined ? value.trim() : String(amountIn(value));
}

/** A quote with the words right before and after it in its clause. */
function around(text: string, quote: string): string {
  const at = Math.max(0, text.indexOf(quote.trim()));
  const end = at + quote.trim().length;
  const before = text
    .slice(Math.max(0, at - 24), at)
    .split(/[.;,\n]/)
    .at(-1);
  const after = text.slice(end, end + 20).split(/[.;,\n]/)[0];
  return plainText(`${before}${text.slice(at, end)}${after}`);
}

function holdsWord(words: string, value: string): boolean {
  const at = words.indexOf(value);
  if (value === '' || at < 0) return false;
  const isLetter = (unit: string | undefined) => unit !== undefined && /[\p{L}\d]/u.test(unit);
  return !isLetter(words[at - 1]) && !isLetter(words[at + value.length]);
}

function amountIn(value: string): number {
  return amountsIn(plainText(value))[0] ?? Number.NaN;
}

// "61 400", "61k", "61 tsd", "thirty": a number with a word for thousands has only that value.
const written = new RegExp(
  `(?<![\\d.,])(${numeral})\\s?(k\\b|tsd|tkm|mil\\b|thousand|tausend)?|\\b(${smallWords})\\b`,
  'g',
);

function amountsIn(words: string): number[] {
  return [...words.matchAll(written)].map(({ 1: digits, 2: thousands, 3: word = '' }) =>
    digits === undefined ? countOf(word) : amountOf(digits) * (thousands === undefined ? 1 : 1000),
  );
}
