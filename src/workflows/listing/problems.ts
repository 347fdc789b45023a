import type { CheckResult, Severity } from '../checks/checks.ts';
import { isMash } from '../sense/field-sense.ts';
import type { SentenceName, Words } from '../words/index.ts';
import type { Fact, ReadFacts } from './facts.ts';
import type { Misplaced } from './kinds.ts';
import type { Kind } from './patterns/pattern.ts';

interface Listed {
  title: string;
  description: string;
  price: number | undefined;
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
    ...contradictions(kind, read, listing, words),
    ...impossible(kind, listing, read, thisYear, words),
    ...(isMash(listing.description)
      ? [problem('description-mash', say('fact.description'), say('listing.mash'), say('listing.writeReal'))]
      : []),
  ];
}

// Numbers that have one value only: a different one in the field, or elsewhere in the text, is a mistake.
const compared: readonly string[] = [
  'mileageKm',
  'mileageMiles',
  'areaSqm',
  'rooms',
  'bedrooms',
  'ramGb',
  'storageGb',
  'hoursPerWeek',
  'floor',
];
const saidOnce: Readonly<Partial<Record<Kind, readonly string[]>>> = { jobs: ['hoursPerWeek'], property: ['floor'] };

function contradictions(
  kind: Kind,
  { facts, said }: ReadFacts,
  { title, description }: Listed,
  words: Words,
): CheckResult[] {
  const { say } = words;
  const found: CheckResult[] = [];
  for (const { name, value, source } of facts) {
    const field = Number(value);
    const texts = said.get(name) ?? [];
    if (source !== 'field' || !compared.includes(name) || !Number.isFinite(field) || texts.length === 0) continue;
    if (
      !texts.some(
        (one) =>
          isNear(Number(one.value), field) || (name.startsWith('mileage') && isConverted(Number(one.value), field)),
      )
    )
      found.push(contradiction(name, value, texts[0] as Fact, words));
  }
  // A field called mileage has no unit.
  const field = facts.find(({ name, source }) => name === 'mileageKm' && source === 'field');
  const miles = said.get('mileageMiles')?.[0];
  if (
    field &&
    miles &&
    !said.has('mileageKm') &&
    !isNear(Number(field.value), Number(miles.value)) &&
    !isConverted(Number(miles.value), Number(field.value))
  )
    found.push(contradiction('mileage', field.value, miles, words));
  for (const name of saidOnce[kind] ?? []) {
    const [first, second] = said.get(name) ?? [];
    if (first && second && !/house|haus|casa|maison|storey|duplex/i.test(title))
      found.push(contradiction(name, first.quote, second, words));
  }
  const text = `${title} ${description}`;
  const untouched =
    /\bsealed\b|unopened|never used|originalverpackt|unbenutzt|precintad|sin estrenar|jamais (?:utilis|servi|port)|sous blister|ungeoffnet|ungeöffnet/i;
  const harmed =
    /\bcrack|broken\b|scratch(?!.?proof)|small crack|kratzer|\briss\b|gesprungen|defekt|aranaz|arañaz|rotur|\brota\b|rayure|fissur|cass[ée]|worn for|used for/i;
  const states = said.get('condition') ?? [];
  const parts = facts.find(
    ({ name, value, source }) => name === 'condition' && source === 'field' && value === 'for parts',
  );
  if (kind === 'electronics' && untouched.test(text) && harmed.test(text))
    found.push(
      problem(
        'contradiction-condition',
        say('fact.condition'),
        say('listing.untouchedAndHarmed'),
        say('listing.sayCondition'),
      ),
    );
  else if (parts && states.some(({ value }) => value === 'very good' || value === 'good' || value === 'new'))
    found.push(
      problem(
        'contradiction-condition',
        say('fact.condition'),
        say('listing.brokenAndGood'),
        say('listing.sayCondition'),
      ),
    );
  const owners = said.get('owners')?.some(({ value }) => Number(value) > 1);
  if (
    owners &&
    /only ever been owned by me|one owner|owned by me since new|first owner|erstbesitz|1\. hand|aus erster hand|unico dueno|único dueño|premiere main|première main/i.test(
      text,
    )
  )
    found.push(problem('contradiction-owners', say('fact.owners'), say('listing.owners'), say('listing.sayOwners')));
  return found;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * 0.05;
}

function isConverted(a: number, b: number): boolean {
  return isNear(a * 1.609, b) || isNear(a, b * 1.609);
}

// Facts are compared by names that include a unit; people read these names instead.
const factNames: Readonly<Record<string, Extract<SentenceName, `fact.${string}`>>> = {
  mileage: 'fact.mileage',
  mileageKm: 'fact.mileage',
  mileageMiles: 'fact.mileage',
  areaSqm: 'fact.area',
  rooms: 'fact.rooms',
  bedrooms: 'fact.bedrooms',
  ramGb: 'fact.ram',
  storageGb: 'fact.storage',
  hoursPerWeek: 'fact.hours',
  floor: 'fact.floor',
};

function contradiction(name: string, given: string, { quote }: Fact, { say }: Words): CheckResult {
  const fact = factNames[name];
  return problem(
    `contradiction-${name.toLowerCase()}`,
    fact === undefined ? name : say(fact),
    say('listing.twoValues', { given, quote }),
    say('listing.sayWhich', { given, quote }),
  );
}

/** The price range of things of a kind, in any large currency; a price outside it is a mistake or a lure. */
const prices: Readonly<Partial<Record<Kind, readonly [number, number]>>> = {
  vehicles: [100, 5_000_000],
  property: [20, 100_000_000],
  electronics: [1, 50_000],
  furniture: [1, 100_000],
  fashion: [1, 50_000],
  services: [0.01, 200_000],
};

function impossible(kind: Kind, listing: Listed, read: ReadFacts, thisYear: number, { say }: Words): CheckResult[] {
  const found: CheckResult[] = [];
  const numberOf = (name: string) => {
    const value = read.facts.find((fact) => fact.name === name)?.value;
    return value === undefined ? undefined : Number(value);
  };
  const wrong = (id: 'price' | 'year' | 'mileage' | 'area' | 'height' | 'hours' | 'pay', message: string) => {
    const fact = say(`fact.${id}`);
    found.push(problem(`impossible-${id}`, fact, message, say('listing.correct', { fact })));
  };
  const range = prices[kind];
  if (
    range &&
    listing.price !== undefined &&
    listing.price > 0 &&
    (listing.price < range[0] || listing.price > range[1])
  )
    wrong('price', say('listing.price', { amount: listing.price }));
  const year = numberOf('year');
  const plate = kind === 'vehicles' ? /\b(20[3-9]\d)\b(?= (?:plate|model|reg))/.exec(listing.title)?.[1] : undefined;
  const latest = Math.max(year ?? 0, Number(plate ?? 0));
  if (kind === 'vehicles' && latest > thisYear + 1) wrong('year', say('listing.yearToCome', { year: String(latest) }));
  if (kind === 'vehicles' && year !== undefined && year < 1885)
    wrong('year', say('listing.yearTooEarly', { year: String(year) }));
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

function problem(
  id: string,
  fact: string,
  message: string,
  action: string,
  severity: Severity = 'critical',
): CheckResult {
  return { outcome: 'failed', rule: { id, fact, pass: '', weight: 6, severity, message, action } };
}
