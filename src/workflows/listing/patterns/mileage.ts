import { numberInWords, wordsNumber } from '../number-words.ts';
import { amountOf, numeral } from '../plain-text.ts';
import { after, beforeInSentence, type FactPattern } from './pattern.ts';

/** Words before a number of kilometres or miles that make it something else: a range, an interval, a guarantee. */
export const notMileage =
  /range|reichweite|autonom|within|umkreis|radius|radio|per |por |pro |jede|cada|every|alle|kit|belt|serviced at|service at|\bbei $|\bat $|a los|faite? a|vidange|revision|inspektion|warranty|garantie|rayon|l\/|around/;

const mileage = (unit: 'km' | 'miles', words: string): FactPattern => ({
  fact: unit === 'km' ? 'mileageKm' : 'mileageMiles',
  type: 'number',
  kinds: ['vehicles'],
  pattern: new RegExp(
    `(?<![\\d.,])(-?(?:${numeral})\\s?(?:k|tsd\\.?|tausend|mil|mille|thousand)?|${numberInWords})\\s?(?:${words})(?![a-z/²2³])`,
    'g',
  ),
  needs: new RegExp(`(?:${words})(?![a-z/²2³])`),
  read(match, text) {
    const said = match[1] ?? '';
    const isInWords = /^[a-z]/.test(said);
    const value = isInWords ? wordsNumber(said) : amountOf(said) * (/\btkm$|\dtkm$/.test(match[0]) ? 1000 : 1);
    // "Hundreds of miles" in words are of a journey.
    const least = isInWords ? 2000 : 50;
    if (said.startsWith('-') || notMileage.test(beforeInSentence(text, match)) || !(value >= least)) return undefined;
    return String(value);
  },
});

const distance = new RegExp(
  `(?<![\\d.,])(${numeral})\\s?(k|tsd\\.?|tausend|thousand|mil|mille)?\\s?(?:kms?|miles|kilometer|kilometres?|kilometros)(?![a-z/²2³])`,
  'g',
);

/** Whether a plain text tells a distance that only an engine covers. */
export function hasMileage(plain: string): boolean {
  for (let match = distance.exec(plain); match; match = distance.exec(plain))
    if (amountOf(match[1] ?? '') * (match[2] ? 1000 : 1) >= 5000 && !notMileage.test(beforeInSentence(plain, match))) {
      distance.lastIndex = 0;
      return true;
    }
  return false;
}

/** How far a vehicle has been driven. */
export const mileagePatterns: readonly FactPattern[] = [
  mileage('km', 'kms?|kilometer[ns]?|kilometros|kilometres|kilometers|tkm'),
  mileage('miles', 'miles|mi|mls'),
  {
    fact: 'mileageMiles',
    type: 'number',
    kinds: ['vehicles'],
    pattern: new RegExp(`(?<![\\d.,])((?:${numeral})k?) on the clock`, 'g'),
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    // Whoever writes "mileage" and no unit counts miles.
    fact: 'mileageMiles',
    type: 'number',
    kinds: ['vehicles'],
    needs: /mileage/,
    pattern: new RegExp(`mileage ?(?::|is|of)? ?(?:about |approx\\.? |currently )?((?:${numeral})k?)(?!\\d)`, 'g'),
    read: (match, text) =>
      /^ ?k?ms?\b|^ ?kilo/.test(after(text, match, 8)) ? undefined : String(amountOf(match[1] ?? '')),
  },
  {
    // "Has done 62k", "covered 62,000 from new".
    fact: 'mileageMiles',
    type: 'number',
    kinds: ['vehicles'],
    unlessSaid: true,
    needs: /done|covered|clocked|only/,
    pattern: new RegExp(
      `(?<![a-z])(?:done|covered|clocked up|only(?: done| covered)?)(?: (?:only|just|a mere|about|around|approx\\.?|a genuine))? ((?:${numeral})k?)(?! ?(?:[€£$%]|k?ms?\\b|kilomet|hours|hrs|ono\\b|left|months?|years?|days?|weeks?|\\d)|[\\d/])`,
      'g',
    ),
    read: (match) => {
      const value = amountOf(match[1] ?? '');
      return value >= 5000 ? String(value) : undefined;
    },
  },
  {
    fact: 'mileageKm',
    type: 'number',
    kinds: ['vehicles'],
    unlessSaid: true,
    needs: /gelaufen|gefahren/,
    pattern: new RegExp(`(?<![\\d.,])(${numeral}) (?:erst )?(?:gelaufen|gefahren)(?![a-z])`, 'g'),
    read: (match) => (amountOf(match[1] ?? '') >= 1000 ? String(amountOf(match[1] ?? '')) : undefined),
  },
  {
    fact: 'mileageKm',
    type: 'number',
    kinds: ['vehicles'],
    fields: [
      'mileage',
      'mileagekm',
      'kilometers',
      'kilometres',
      'km',
      'odometer',
      'laufleistung',
      'kilometerstand',
      'kilometraje',
      'kilometros',
      'kms',
      'kilometrage',
      'kilometer',
      'kmstand',
      'gelaufenekilometer',
    ],
    pattern: new RegExp(
      `(?:kilometerstand|\\bkm[ -]?stand|(?<!\\d ?)\\bkms?(?= ?:)|laufleistung|kilometraje|kilometrage|compteur|odometer|tacho)\\s?(?::|ist|es de|affiche|of|is|unter)?\\s?(?:ca\\.?|about|unos|environ)?\\s?((?:${numeral})k?)`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? '')),
  },
];
