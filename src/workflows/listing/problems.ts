import type { CheckResult, Severity } from '../checks/checks.ts';
import { isMash } from '../sense/field-sense.ts';
import type { Kind } from './fact-patterns.ts';
import type { Fact, ReadFacts } from './facts.ts';

interface Listed {
  title: string;
  description: string;
  price: number | undefined;
}

/** What cannot be true of a listing: facts that contradict each other, values out of their domain, a text of random keys. */
export function problemsOf(kind: Kind, listing: Listed, read: ReadFacts, thisYear: number): CheckResult[] {
  return [
    ...contradictions(kind, read, listing),
    ...impossible(kind, listing, read, thisYear),
    ...(isMash(listing.description)
      ? [
          problem(
            'description-mash',
            'description',
            'The description is keys pressed at random.',
            'Write a real description.',
          ),
        ]
      : []),
  ];
}

// Numbers that a text states once: another one in the field, or again in the text, is a mistake.
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

function contradictions(kind: Kind, { facts, said }: ReadFacts, { title, description }: Listed): CheckResult[] {
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
      found.push(contradiction(name, value, texts[0] as Fact));
  }
  // A field called mileage says no unit.
  const field = facts.find(({ name, source }) => name === 'mileageKm' && source === 'field');
  const miles = said.get('mileageMiles')?.[0];
  if (
    field &&
    miles &&
    !said.has('mileageKm') &&
    !isNear(Number(field.value), Number(miles.value)) &&
    !isConverted(Number(miles.value), Number(field.value))
  )
    found.push(contradiction('mileage', field.value, miles));
  for (const name of saidOnce[kind] ?? []) {
    const [first, second] = said.get(name) ?? [];
    if (first && second && !/house|haus|casa|maison|storey|duplex/i.test(title))
      found.push(contradiction(name, first.quote, second));
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
        'condition',
        'The text says that it is untouched and that it is damaged.',
        'Say in which condition it is.',
      ),
    );
  else if (parts && states.some(({ value }) => value === 'very good' || value === 'good' || value === 'new'))
    found.push(
      problem(
        'contradiction-condition',
        'condition',
        'The field says that it is broken, the text that it is good.',
        'Say in which condition it is.',
      ),
    );
  const owners = said.get('owners')?.some(({ value }) => Number(value) > 1);
  if (
    owners &&
    /only ever been owned by me|one owner|owned by me since new|first owner|erstbesitz|1\. hand|aus erster hand|unico dueno|único dueño|premiere main|première main/i.test(
      text,
    )
  )
    found.push(
      problem(
        'contradiction-owners',
        'owners',
        'The text says that there was one owner and that there were several.',
        'Say how many owners it has had.',
      ),
    );
  return found;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * 0.05;
}

function isConverted(a: number, b: number): boolean {
  return isNear(a * 1.609, b) || isNear(a, b * 1.609);
}

function contradiction(name: string, value: string, text: Fact): CheckResult {
  return problem(
    `contradiction-${name.toLowerCase()}`,
    spaced(name),
    `Two values are given: ${value}, and "${text.quote}".`,
    `Say which is right: ${value}, or "${text.quote}".`,
  );
}

/** Prices between which things of a kind are sold, in any large currency; a price out of it is a mistake or a lure. */
const prices: Readonly<Partial<Record<Kind, readonly [number, number]>>> = {
  vehicles: [100, 5_000_000],
  property: [20, 100_000_000],
  electronics: [1, 50_000],
  furniture: [1, 100_000],
  fashion: [1, 50_000],
  services: [0.01, 200_000],
};

function impossible(kind: Kind, listing: Listed, read: ReadFacts, thisYear: number): CheckResult[] {
  const found: CheckResult[] = [];
  const numberOf = (name: string) => {
    const value = read.facts.find((fact) => fact.name === name)?.value;
    return value === undefined ? undefined : Number(value);
  };
  const wrong = (id: string, fact: string, message: string) =>
    found.push(problem(`impossible-${id}`, fact, message, `Correct the ${fact}.`));
  const range = prices[kind];
  if (
    range &&
    listing.price !== undefined &&
    listing.price > 0 &&
    (listing.price < range[0] || listing.price > range[1])
  )
    wrong('price', 'price', `${listing.price} is not the price of such a thing.`);
  const year = numberOf('year');
  const plate = kind === 'vehicles' ? /\b(20[3-9]\d)\b(?= (?:plate|model|reg))/.exec(listing.title)?.[1] : undefined;
  const latest = Math.max(year ?? 0, Number(plate ?? 0));
  if (kind === 'vehicles' && latest > thisYear + 1) wrong('year', 'year', `${latest} has not come yet.`);
  if (kind === 'vehicles' && year !== undefined && year < 1885)
    wrong('year', 'year', `There were no motor vehicles in ${year}.`);
  const mileage = numberOf('mileageKm') ?? numberOf('mileageMiles');
  if (mileage !== undefined && (mileage < 0 || mileage > 2_000_000))
    wrong('mileage', 'mileage', `A mileage of ${mileage} cannot be.`);
  const area = numberOf('areaSqm');
  const rooms = numberOf('bedrooms') ?? numberOf('rooms') ?? 1;
  if (
    area !== undefined &&
    (area <= 0 ||
      area > 100_000 ||
      (rooms > 1 && area / rooms < 6 && !/room|zimmer|habitaci|chambre/i.test(listing.title)))
  )
    wrong('area', 'area', `${area} m² cannot be the area of this home.`);
  const height = /(?:\bh(?:eight|ohe|öhe|auteur)?|alto|altura)\.? ?:? ?(\d{1,3}) ?cm/i.exec(listing.description)?.[1];
  if (kind === 'furniture' && height !== undefined && Number(height) < 10)
    wrong('height', 'height', `A height of ${height} cm cannot be.`);
  const hours = numberOf('hoursPerWeek');
  if (kind === 'jobs' && hours !== undefined && hours > 80) wrong('hours', 'hours', `${hours} hours a week cannot be.`);
  const pay = numberOf('salaryMin');
  if (kind === 'jobs' && pay !== undefined && pay > 1_000_000)
    wrong('pay', 'pay', `A pay of ${pay} is not believable.`);
  return found;
}

function problem(id: string, fact: string, message: string, action: string): CheckResult {
  const severity: Severity = 'critical';
  return { outcome: 'failed', rule: { id, fact, pass: '', weight: 6, severity, message, action } };
}

function spaced(name: string): string {
  return name
    .replace(/(Km|Miles|Sqm|Gb|PerWeek)$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}
