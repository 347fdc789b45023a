import { foldText } from '../../base/text/fold.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { Plain } from '../family.ts';
import { asksAge, wordsOf } from '../sense/field-meaning.ts';
import type { SenseContext } from '../sense/field-sense.ts';
import { isOwnCurrency, moneyIn } from '../sense/form-currencies.ts';
import { saysNone } from '../sense/short-answers.ts';
import { askedUnitOf } from './asked-unit.ts';
import { isMoneyMeasure, readQuantity } from './quantity.ts';

const writtenMax = 40;

/**
 * The number that a text says to a field: alone in any of the four languages, with the unit or currency that the field asks for,
 * about so many, or in one word. NaN if it says none, or two.
 */
export function numberIn(text: string, field: Plain<FormField>, context: SenseContext): number {
  if (text.trim() === '' || text.length > writtenMax) return Number.NaN;
  const plain = text.trim().replace(noCents, '');
  const alone = readNumber(plain, field, context);
  if (Number.isFinite(alone)) return alone;
  const words = wordsOf(field.name, field.label);
  const isYear = yearWords.test(words);
  if (saysNone(plain)) return isYear || asksAge(words) ? Number.NaN : 0;
  const counted = field.kind === 'integer' && !isYear && !asksAge(words) ? counts.get(foldText(plain)) : undefined;
  if (counted !== undefined) return counted;
  const exact = isYear ? plain : plain.replace(about, '');
  const number = readNumber(exact, field, context);
  return Number.isFinite(number) ? number : readNumber(withoutUnit(exact, field, words, context), field, context);
}

/** Years have no thousands, and nothing about them is about so much. */
export const yearWords = /\byear\b|jahr\b|\ban[yi]?o\b|\bannee\b|founded/;

/** "2.950,-", "50,--", "1'200.–": no cents. */
const noCents = /[.,] ?[-–—]{1,2}(?=\s*(?:\p{Sc}|[A-Za-z]{2,5})?$)/u;

const about =
  /^(?:(?:ca|circa|etwa|rund|ungef[aä]hr|about|around|approx(?:imately)?|roughly|environ|env|aprox(?:imadamente)?|alrededor de|cerca de|unos|unas)\b\.? ?|[~≈] ?)/i;

/** "ca." in "ca. 35": the word by which a number is only about so much; undefined if it has none. */
export function aboutIn(text: string): string | undefined {
  return about.exec(text.trim())?.[0].trim();
}

// How many persons, rooms and children people write out; in an age or a year that would be a slip.
const counts: ReadonlyMap<string, number> = new Map(
  [
    'one two three four five six seven eight nine ten eleven twelve',
    'eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf',
    'uno dos tres cuatro cinco seis siete ocho nueve diez once doce',
    'un deux trois quatre cinq six sept huit neuf dix onze douze',
  ]
    .flatMap((words) => words.split(' ').map((word, at) => [word, at + 1] as const))
    .concat([
      ['ein', 1],
      ['eine', 1],
      ['einer', 1],
      ['una', 1],
      ['une', 1],
    ]),
);

// What is measured so often in one unit that a field need not name it.
const impliedUnits: readonly (readonly [RegExp, string])[] = [
  [/kilomet|laufleistung/, 'km'],
  [/\bmileage|\bmiles\b|odometer/, 'miles'],
  [/^(?:age|alter|edad)\b/, 'years'],
];

/** A text without the unit that its field asks for anyway; a text with another unit stays as it is. */
function withoutUnit(text: string, field: Plain<FormField>, words: string, context: SenseContext): string {
  const implied = impliedUnits.find(([pattern]) => pattern.test(words))?.[1];
  const asked = askedUnitOf(field) ?? (implied === undefined ? undefined : readQuantity(`1 ${implied}`));
  const given = readQuantity(text);
  if (asked && given && given.measure === asked.measure && given.factor * given.times === asked.factor)
    return given.number;
  const money = asked === undefined || isMoneyMeasure(asked.measure) ? moneyIn(foldText(text)) : undefined;
  const isOwn = money && isOwnCurrency(money.sign, words, context.country, context.language);
  return isOwn ? money.amount : text;
}

/** "54k" is a number as much as 54,000 is. */
const inThousands = /^(-?\d[\d.,]*) ?(?:k|tsd\.?|tkm)$/i;

/** One group of three digits, which are thousands or decimals. */
const oneGroup = /^-?[1-9]\d{0,2}[.,]\d{3}$/;
const commaDecimals = /^-?(?:\d+,\d{1,2}|0,\d+|\d{1,3}(?:\.\d{3})+(?:,\d+)?)$/;

/** A number as written in any of the four languages: 1234.5, 1234,5, 1.234,50, 1,234.50 or 54k. */
export function readNumber(text: string, field: Plain<FormField>, context: SenseContext): number {
  const thousands = inThousands.exec(text.trim());
  if (thousands) return readNumber(thousands[1] ?? '', field, context) * 1000;
  const bare = text.trim().replace(/[\s\u00a0'’](?=\d{3})/g, '');
  if (oneGroup.test(bare)) return readGroup(bare, field, context);
  if (commaDecimals.test(bare)) return Number(bare.replaceAll('.', '').replace(',', '.'));
  return Number(/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare) ? bare.replaceAll(',', '') : bare);
}

/** 250.000 is what the field can hold, else what it is in the reader's language. */
function readGroup(text: string, { kind, min, max }: Plain<FormField>, { decimal }: SenseContext): number {
  const whole = Number(text.replace(/[.,]/, ''));
  if (kind === 'integer') return whole;
  const part = Number(text.replace(',', '.'));
  const [only, other] = [whole, part].filter((one) => one >= (min ?? -Infinity) && one <= (max ?? Infinity));
  if (only !== undefined && other === undefined) return only;
  return text.includes(decimal) ? part : whole;
}
