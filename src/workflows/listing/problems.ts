import type { CheckResult } from '../checks/checks.ts';
import type { Words } from '../words/index.ts';
import { contradictionsIn, nameOf } from './contradictions.ts';
import type { ReadFacts } from './facts.ts';
import { isGibberish } from './gibberish.ts';
import type { Misplaced } from './kinds.ts';
import { namesModel } from './patterns/makes.ts';
import type { Kind } from './patterns/pattern.ts';
import { plainText } from './plain-text.ts';
import { problem } from './problem.ts';
import { ranges } from './ranges.ts';

interface Listed {
  title: string;
  description: string;
  price: number | undefined;
  currency: string;
}

/** What cannot be true in a listing: facts that contradict each other, values outside their domain, a text of random keystrokes. */
export function problemsOf(
  kind: Kind,
  listing: Listed,
  read: ReadFacts,
  thisYear: number,
  words: Words,
): CheckResult[] {
  const { say } = words;
  return [
    ...contradictionsIn(kind, read, listing, words),
    ...impossible(kind, listing, read, thisYear, words),
    ...(isGibberish(listing.title)
      ? [problem('title-mash', say('fact.title'), say('listing.titleMash'), say('listing.writeRealTitle'))]
      : []),
    ...(isGibberish(listing.description)
      ? [problem('description-mash', say('fact.description'), say('listing.mash'), say('listing.writeReal'))]
      : []),
  ];
}

/** The price range of things of a kind, in a large currency; a price outside it is a mistake or a lure. */
const prices: Readonly<Partial<Record<Kind, readonly [number, number]>>> = {
  vehicles: [100, 5_000_000],
  property: [20, 100_000_000],
  electronics: [1, 50_000],
  furniture: [1, 100_000],
  fashion: [1, 50_000],
  services: [0.01, 200_000],
};

const bicycle =
  /\b(?:(?:mountain|road|city|kids'?|ladies'?|men'?s|electric|e-?)[ -]?bikes?|bicycles?|(?:damen|herren|kinder|trekking|elektro)?fahrrad|e-?bike|rennrad|pedelec|bicicletas?|bici|v[ée]los?|vtt)\b/i;
/** Money of which a bicycle never costs hundreds of thousands. */
const large: ReadonlySet<string> = new Set(['EUR', 'GBP', 'USD', 'CHF']);
/** Of other money a thing may cost as many times more: 16 million pesos buy a small car. */
const smallMoney = 10_000;

/** Whether a bicycle costs what a house does: a figure too many, or a lure. */
export function isBicycleTooDear(title: string, price: number | undefined, currency: string): boolean {
  return price !== undefined && price > 50_000 && large.has(currency.trim().toUpperCase()) && bicycle.test(title);
}

/** Whether a price is none that a thing of a kind has. */
export function isPriceOutside(kind: Kind, price: number | undefined, currency: string): boolean {
  const range = prices[kind];
  if (range === undefined || price === undefined || price <= 0) return false;
  const code = currency.trim().toUpperCase();
  const isSmall = /^[A-Z]{3}$/.test(code) && !large.has(code);
  return price < range[0] || price > range[1] * (isSmall ? smallMoney : 1);
}

const shoes =
  /\b(?:shoes?|boots?|trainers|sneakers?|sandals?|heels|loafers|schuhe?|[a-z]*stiefel|sandalen|pumps|zapat(?:os|illas)|botas|botines|tenis|sandalias|chaussures?|bottes|bottines|baskets|escarpins|sandales)(?![a-z])/i;

function impossible(kind: Kind, listing: Listed, read: ReadFacts, thisYear: number, words: Words): CheckResult[] {
  const { say } = words;
  const found: CheckResult[] = [];
  const numberOf = (name: string) => {
    const value = read.facts.find((fact) => fact.name === name)?.value;
    return value === undefined ? undefined : Number(value);
  };
  const wrong = (id: 'price' | 'size' | 'year' | 'mileage' | 'area' | 'height' | 'hours' | 'pay', message: string) => {
    const fact = say(`fact.${id}`);
    found.push(problem(`impossible-${id}`, fact, message, say('listing.correct', { fact })));
  };
  const isTooDear = kind === 'generic' && isBicycleTooDear(listing.title, listing.price, listing.currency);
  if (listing.price !== undefined && (isTooDear || isPriceOutside(kind, listing.price, listing.currency)))
    wrong('price', say('listing.price', { amount: listing.price }));
  const year = numberOf('year');
  const plate = kind === 'vehicles' ? /\b(20[3-9]\d)\b(?= (?:plate|model|reg))/.exec(listing.title)?.[1] : undefined;
  const latest = Math.max(year ?? 0, Number(plate ?? 0));
  if (kind === 'vehicles' && latest > thisYear + 1) wrong('year', say('listing.yearToCome', { year: String(latest) }));
  if (kind === 'vehicles' && year !== undefined && year < 1885)
    wrong('year', say('listing.yearTooEarly', { year: String(year) }));
  // The models that are known by name are all of later decades.
  if (kind === 'vehicles' && year !== undefined && year >= 1885 && year < 1930 && namesModel(plainText(listing.title)))
    wrong('year', say('listing.yearBeforeModel', { year: String(year) }));
  const mileage = numberOf('mileageKm') ?? numberOf('mileageMiles');
  if (mileage !== undefined && (mileage < 0 || mileage > 2_000_000))
    wrong('mileage', say('listing.mileage', { amount: mileage }));
  const area = numberOf('areaSqm');
  const rooms = numberOf('bedrooms') ?? numberOf('rooms') ?? 1;
  if (
    area !== undefined &&
    (area <= 0 ||
      area > 100_000 ||
      (rooms > 1 && area / rooms < 6 && !/room|zimmer|habitaci|chambre/i.test(listing.title)))
  )
    wrong('area', say('listing.area', { amount: area }));
  const height = /(?:\bh(?:eight|ohe|öhe|auteur)?|alto|altura)\.? ?:? ?(\d{1,3}) ?cm/i.exec(listing.description)?.[1];
  if (kind === 'furniture' && height !== undefined && Number(height) < 10)
    wrong('height', say('listing.height', { amount: Number(height) }));
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = numberOf(name);
    if (value === undefined || !Number.isFinite(value) || (value >= least && value <= most)) continue;
    const fact = nameOf(name, words);
    found.push(
      problem(
        `impossible-${name.toLowerCase()}`,
        fact,
        say('listing.outOfRange', { fact, amount: value }),
        say('listing.correct', { fact }),
      ),
    );
  }
  const size = numberOf('size');
  // Sizes from 200 on are millimetres of a foot.
  if (kind === 'fashion' && size !== undefined && size > 60 && size < 200 && shoes.test(listing.title))
    wrong('size', say('listing.outOfRange', { fact: say('fact.size'), amount: size }));
  const bought = Number(read.facts.find(({ name }) => name === 'purchased')?.value.slice(0, 4));
  if (bought > thisYear) wrong('year', say('listing.yearToCome', { year: String(bought) }));
  const hours = numberOf('hoursPerWeek');
  if (kind === 'jobs' && hours !== undefined && hours > 80) wrong('hours', say('listing.hours', { amount: hours }));
  const pay = numberOf('salaryMin');
  if (kind === 'jobs' && pay !== undefined && pay > 1_000_000) wrong('pay', say('listing.pay', { amount: pay }));
  return found;
}

/** A category that contradicts what the listing offers: people search for it elsewhere. It does not block. */
export function misplacedOf(misplaced: Misplaced | undefined, { say }: Words): CheckResult[] {
  if (misplaced === undefined) return [];
  return [
    problem('category-fits', say('fact.category'), say(`listing.${misplaced}`), say('listing.otherCategory'), 'medium'),
  ];
}
