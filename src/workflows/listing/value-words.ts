import { ownValue } from '../../base/own-value.ts';
import type { SentenceName, Words } from '../words/index.ts';

type ValueName = Extract<SentenceName, `value.${string}`>;

/** Facts have codes, which programs compare; people read these words instead. */
const valueNames: Readonly<Record<string, ValueName>> = {
  new: 'value.new',
  'like new': 'value.likeNew',
  'very good': 'value.veryGood',
  good: 'value.good',
  working: 'value.working',
  used: 'value.used',
  'for parts': 'value.broken',
  petrol: 'value.petrol',
  diesel: 'value.diesel',
  electric: 'value.electric',
  hybrid: 'value.hybrid',
  'plug-in hybrid': 'value.plugInHybrid',
  lpg: 'value.lpg',
  cng: 'value.cng',
  manual: 'value.manual',
  automatic: 'value.automatic',
  rent: 'value.rent',
  sale: 'value.sale',
  'holiday let': 'value.holidayLet',
  'full-time': 'value.fullTime',
  'part-time': 'value.partTime',
  permanent: 'value.permanent',
  'fixed-term': 'value.fixedTerm',
  temporary: 'value.temporary',
  internship: 'value.internship',
  apprenticeship: 'value.apprenticeship',
  freelance: 'value.freelance',
};

/** "No" beside "accidents" would say the opposite of `accidentFree: false`. */
const yesAndNo: Readonly<Record<string, Readonly<Record<string, ValueName>>>> = {
  accidentFree: { true: 'value.accidentFree', false: 'value.accidents' },
  furnished: { true: 'value.furnished', false: 'value.unfurnished' },
  petsAllowed: { true: 'value.pets', false: 'value.noPets' },
};

/** What people call a fact's value. One without a code, such as a number or a word that the caller wrote, stays as it is. */
export function valueInWords(fact: string, value: string, { say }: Words): string {
  const names = ownValue(yesAndNo, fact) ?? valueNames;
  const name = ownValue(names, value);
  return name === undefined ? value : say(name);
}
