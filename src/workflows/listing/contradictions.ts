import type { CheckResult } from '../checks/checks.ts';
import type { SentenceName, Words } from '../words/index.ts';
import { type Fact, type ReadFacts, states } from './facts.ts';
import type { Kind } from './patterns/pattern.ts';
import { amountOf, numeral, plainText, smallWords } from './plain-text.ts';
import { problem } from './problem.ts';
import { valueInWords } from './value-words.ts';

interface Listed {
  title: string;
  description: string;
  price: number | undefined;
}

/** Facts of a listing that cannot both be true: a field and the prose, the title and the description, two places of the prose. */
export function contradictionsIn(kind: Kind, read: ReadFacts, listing: Listed, words: Words): CheckResult[] {
  const { title, description } = listing;
  const found = read.facts.flatMap((fact) => {
    const said = (read.said.get(fact.name) ?? []).filter((one) => isStated(one, title));
    const field = fact.source === 'field' ? againstField(fact, said, words) : undefined;
    const other = field ?? withinProse(fact.name, said, title, description);
    return other === undefined ? [] : [contradiction(fact.name, other.given, other.quote, words)];
  });
  const all = [
    ...found,
    ...mileageInOtherUnit(read, words),
    ...powersOf(read, words),
    ...saidTwice(kind, read, title, words),
    ...conditions(kind, read, words),
    ...ownersOf(read, words),
    ...pricesOf(kind, listing, read, words),
  ];
  return all.filter(({ rule }, at) => all.findIndex((one) => one.rule.id === rule.id) === at);
}

type Agree = (one: string, other: string) => boolean;

/** Numbers agree within a share of the larger one, for roundings and conversions. */
const within =
  (share: number): Agree =>
  (one, other) =>
    isNear(Number(one), Number(other), share);
/** Whole numbers agree within a difference. */
const apart =
  (most: number): Agree =>
  (one, other) =>
    Math.abs(Number(one) - Number(other)) <= most;
const same: Agree = (one, other) => one.toLowerCase() === other.toLowerCase();
/** Only these pairs exclude each other. */
const unless =
  (...pairs: readonly (readonly [string, string])[]): Agree =>
  (one, other) =>
    !pairs.some(([a, b]) => (one === a && other === b) || (one === b && other === a));

/** When two values of a fact can both be true. Facts that are not here may have several values, or words that only resemble them. */
const agreements: Readonly<Record<string, Agree>> = {
  mileageKm: (one, other) => within(0.05)(one, other) || isConverted(Number(one), Number(other)),
  mileageMiles: (one, other) => within(0.05)(one, other) || isConverted(Number(one), Number(other)),
  // A model year is often the one after the first registration.
  year: apart(1),
  // A car with gas or a second motor has petrol or diesel besides.
  fuel: unless(
    ['petrol', 'diesel'],
    ['petrol', 'electric'],
    ['diesel', 'electric'],
    ['lpg', 'diesel'],
    ['lpg', 'electric'],
    ['cng', 'electric'],
    ['cng', 'diesel'],
  ),
  transmission: same,
  // A second hand may be called one previous owner, and a tailgate a door.
  owners: apart(1),
  doors: apart(1),
  seats: apart(0),
  engineLitres: within(0.05),
  powerKw: within(0.06),
  powerHp: within(0.06),
  // Batteries are named by what they hold, or by what can be used of it.
  batteryKwh: within(0.12),
  accidentFree: same,
  areaSqm: within(0.05),
  areaSqft: within(0.05),
  rooms: apart(0.5),
  bedrooms: apart(0),
  bathrooms: apart(1),
  floor: apart(0),
  yearBuilt: apart(2),
  furnished: same,
  petsAllowed: same,
  energyClass: (one, other) => one[0]?.toLowerCase() === other[0]?.toLowerCase(),
  offer: unless(['rent', 'sale'], ['holiday let', 'sale']),
  // With heating or without.
  rentPerMonth: within(0.35),
  ramGb: apart(0),
  storageGb: within(0.1),
  screenInch: within(0.05),
  capacityKg: within(0.05),
  batteryHealthPercent: apart(2),
  hoursPerWeek: within(0.05),
  workload: same,
  contract: unless(
    ['permanent', 'fixed-term'],
    ['permanent', 'temporary'],
    ['permanent', 'internship'],
    ['permanent', 'freelance'],
  ),
};

/** Years in prose are of many things: only one in the title, or beside a word for its registration, is the thing's own. */
const ownYear = /^(?:ez|erstzul|bau|bj|first|registered|reg\b|reg\.|ano|del ano|matric|mise|annee|model|built|plate)/;

function isStated({ name, quote }: Fact, title: string): boolean {
  return name !== 'year' || title.includes(quote) || ownYear.test(plainText(quote));
}

interface Pair {
  given: string;
  quote: string;
}

function againstField({ name, value }: Fact, said: readonly Fact[], words: Words): Pair | undefined {
  const agree = agreements[name];
  const [first] = said;
  if (!agree || !first || (isNumeric(first.value) && !isNumeric(value))) return undefined;
  return said.some((one) => agree(one.value, value))
    ? undefined
    : { given: valueInWords(name, value, words), quote: first.quote };
}

/** Facts that a title states of the whole thing, so that another value in the description is a mistake. */
const inTitles: ReadonlySet<string> = new Set([
  'mileageKm',
  'mileageMiles',
  'year',
  'fuel',
  'transmission',
  'areaSqm',
  'areaSqft',
  'rooms',
  'bedrooms',
  'hoursPerWeek',
  'contract',
  'accidentFree',
]);
/** These have one storage; computers may have a second drive besides. */
const hasOneStorage = /phone|handy|movil|galaxy|pixel|xiaomi|redmi|ipad|tablet/;

function withinProse(name: string, said: readonly Fact[], title: string, description: string): Pair | undefined {
  const agree = agreements[name];
  const isOfTitle = inTitles.has(name) || (name === 'storageGb' && hasOneStorage.test(plainText(title)));
  if (!agree || !isOfTitle) return undefined;
  const inTitle = said.filter(({ quote }) => title.includes(quote));
  const [first] = inTitle;
  // What is far smaller than the home is one of its rooms, or a yard.
  const isPart = (one: Fact) => name === 'areaSqm' && Number(one.value) < Number(first?.value) / 3;
  const below = said.filter((one) => !title.includes(one.quote) && !isPart(one));
  const [second] = below;
  if (inTitle.length !== 1 || !first || !second || !tellsNumber(first) || !tellsNumber(second)) return undefined;
  // What the description repeats is not told twice; then the other value is of something else.
  return below.some((one) => agree(one.value, first.value)) || repeats(description, first)
    ? undefined
    : { given: first.quote, quote: second.quote };
}

const number = new RegExp(`\\d|${smallWords}`);

/** A studio has one room and may be called one of several: where no number is said, none can be wrong. */
function tellsNumber({ value, quote }: Fact): boolean {
  return !isNumeric(value) || number.test(plainText(quote));
}

/** A numeral as it is quoted, from its first digit to its last. */
const digits = /\d(?:.*\d)?/;

function repeats(description: string, { name, value, quote }: Fact): boolean {
  const [numeral] = digits.exec(quote) ?? [];
  const isThere =
    isNumeric(value) && numeral !== undefined
      ? new RegExp(`(?<!\\d)${numeral.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\d)`).test(description)
      : plainText(description).includes(plainText(quote));
  return isThere || states(description, name, value);
}

function isNumeric(value: string): boolean {
  return value.trim() !== '' && Number.isFinite(Number(value));
}

/** A mileage in a field, and one of the other unit in prose. A field called mileage has no unit. */
function mileageInOtherUnit({ facts, said, inTheirUnit }: ReadFacts, words: Words): CheckResult[] {
  const field = facts.find(({ name, source }) => name.startsWith('mileage') && source === 'field');
  if (!field || said.has(field.name)) return [];
  const isKm = field.name === 'mileageKm';
  const other = said.get(isKm ? 'mileageMiles' : 'mileageKm')?.[0];
  if (!other) return [];
  const [given, told] = [Number(field.value), Number(other.value)];
  const [km, miles] = isKm ? [given, told] : [told, given];
  const agrees = inTheirUnit.has(field.name)
    ? isNear(miles * 1.609, km, 0.06)
    : isNear(given, told, 0.05) || isConverted(told, given);
  return agrees ? [] : [contradiction('mileage', field.value, other.quote, words)];
}

/** Kilowatts and horsepower of one engine. Hybrids have two, and batteries are charged in kilowatts. */
function powersOf({ facts, said }: ReadFacts, words: Words): CheckResult[] {
  const [kw, hp, fuel] = ['powerKw', 'powerHp', 'fuel'].map((fact) => facts.find(({ name }) => name === fact));
  if (!kw || !hp) return [];
  const all = (fact: Fact) => [fact, ...(said.get(fact.name) ?? [])].map(({ value }) => Number(value));
  if (all(kw).some((one) => all(hp).some((other) => isNear(one * 1.36, other, 0.1)))) return [];
  const hasOneEngine = fuel?.value === 'petrol' || fuel?.value === 'diesel';
  const isMistaken = kw.value === hp.value || (hasOneEngine && (kw.source === 'field' || hp.source === 'field'));
  const written = (fact: Fact, unit: string) => fact.quote || `${fact.value} ${unit}`;
  return isMistaken ? [contradiction('powerKw', written(kw, 'kW'), written(hp, 'hp'), words)] : [];
}

/** Facts that have one value only, wherever the prose says them. */
const saidOnce: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  jobs: ['hoursPerWeek'],
  property: ['floor'],
  vehicles: ['accidentFree'],
};

function saidTwice(kind: Kind, { said }: ReadFacts, title: string, words: Words): CheckResult[] {
  if (/house|haus|casa|maison|storey|duplex/i.test(title)) return [];
  return (saidOnce[kind] ?? []).flatMap((name) => {
    const [first, second] = said.get(name) ?? [];
    return first && second ? [contradiction(name, first.quote, second.quote, words)] : [];
  });
}

const untouched =
  /\bsealed\b|unopened|never used|originalverpackt|unbenutzt|ungetragen|precintad|sin estrenar|jamais (?:utilis|servi|port)|sous blister|ungeoffnet/;
const harmed =
  /\bcrack|broken\b|scratch(?!.?proof)|small crack|kratzer|\briss\b|gesprungen|defekt|aranaz|rotur|\brota\b|rayure|fissur|casse|worn for|used for/;
/** It does not do what it is for; not a part of it, nor its box. */
const unusable =
  /(?:does ?n[o']t|will not|wo ?n'?t|not) (?:turn|switch|power|boot|start|charge)|(?:does ?n[o']t|no longer) work|for parts|spares (?:or|and) repairs?|spares only|smashed|(?:display|screen|bildschirm) (?:is |ist )?(?:broken|cracked|kaputt|gebrochen|gesprungen|defekt)|(?:geht|lasst sich|schaltet) (?:leider )?nicht (?:mehr )?(?:an|ein)|(?:als |an )?bastler|ersatzteilspender|nur fur teile|\bdefektes? (?:gerat|handy)|ist (?:leider )?(?:defekt|kaputt)|no (?:enciende|funciona|arranca|carga)|para piezas|averiad[oa]|pantalla (?:rota|partida)|ne (?:s'allume|fonctionne|demarre|charge) (?:plus|pas)|pour pieces|en panne|\bhs\b|ecran (?:casse|brise|fissure)/;
const usedLong =
  /(?:used|worn|in use) (?:daily|every day|for (?:about |over )?(?:\d+|two|three|four|five|several|many) (?:years|months))|(?:\d+|zwei|drei|vier|funf|mehrere) jahre (?:lang )?(?:benutzt|genutzt|getragen|alt)|taglich (?:benutzt|genutzt|getragen)|(?:deutliche|starke|viele|sichtbare) (?:gebrauchsspuren|kratzer)|muchos? (?:uso|aranazos)|(?:usad[oa]|llevad[oa]) (?:a diario|durante|muchos)|senales de uso|(?:utilise|porte|servi)e? (?:tous les jours|pendant|quotidiennement)|nombreuses (?:rayures|traces)|heavily used|well worn|lots of scratches/;

function conditions(kind: Kind, { facts, said, plain }: ReadFacts, words: Words): CheckResult[] {
  const { say } = words;
  const given = facts.find(({ name, source }) => name === 'condition' && source === 'field')?.value ?? '';
  const states = (said.get('condition') ?? []).map(({ value }) => value);
  const told = (message: string) => [
    problem('contradiction-condition', say('fact.condition'), message, say('listing.sayCondition')),
  ];
  if (kind === 'electronics' && untouched.test(plain) && harmed.test(plain))
    return told(say('listing.untouchedAndHarmed'));
  const inWords = (value: string) => valueInWords('condition', value, words);
  const differs = (other: string) =>
    told(say('listing.twoConditions', { given: inWords(given), told: inWords(other) }));
  const isGood = ['new', 'like new', 'very good', 'good'].includes(given);
  const praised = states.find((one) => ['very good', 'good', 'new'].includes(one));
  if (given === 'for parts' && praised !== undefined) return differs(praised);
  if (isGood && unusable.test(plain)) return differs('for parts');
  const isCalledUsed = said
    .get('condition')
    ?.some(({ value, quote }) => value === 'used' && calledUsed.test(plainText(quote)));
  return given === 'new' && (isCalledUsed || usedLong.test(plain)) ? differs('used') : [];
}

/** What is called used, and not what can be used or was scratched. "Wird nicht mehr gebraucht" says of nothing that it is old. */
const calledUsed = /^(?:gebrauchte|usad[oa]|segunda mano|d'occasion|second.?hand|pre-?(?:loved|owned))/;

const firstOwner =
  /only ever been owned by me|one owner|owned by me since new|first owner|erstbesitz|1\. hand|aus erster hand|unico dueno|premiere main/;

function ownersOf({ said, plain }: ReadFacts, { say }: Words): CheckResult[] {
  return said.get('owners')?.some(({ value }) => Number(value) > 1) && firstOwner.test(plain)
    ? [problem('contradiction-owners', say('fact.owners'), say('listing.owners'), say('listing.sayOwners'))]
    : [];
}

// No shorter numeral may match where the whole one has "each" after it.
const statedPrice = new RegExp(
  `(?<![a-z])(?:preis|festpreis|kaufpreis|kp|vb|vhb|price|asking(?: price)?|precio|prix)(?: (?:ist|is|de|von|of|fijo|ferme|vb|final|festpreis))?[ :]{1,2}(?:[€£$] ?)?(${numeral})(?!\\d|[.,']\\d| \\d{3}(?!\\d)| ?(?:€|euros?|eur|£)? ?(?:/|per\\b|pro\\b|je\\b|each|(?:das )?stuck|cada|por\\b|la unidad|(?:a |la )?piece|par\\b|chacun))`,
  'g',
);

/** A quick look, since to find all matches copies the pattern. */
const mayState = /preis|price|asking|precio|prix|(?<![a-z])(?:kp|vh?b)[ :]/;

/** A price in prose, with a word for it, that is quite another one than the field's. */
function pricesOf(kind: Kind, listing: Listed, read: ReadFacts, words: Words): CheckResult[] {
  const { plain } = read;
  const { title, description, price } = listing;
  if (price === undefined || price <= 0 || kind === 'jobs' || kind === 'services') return [];
  const slip = slipOf(kind, price, read);
  if (slip) return [contradiction('price', String(price), slip.quote, words)];
  if (!mayState.test(plain)) return [];
  const said = [...plain.matchAll(statedPrice)].filter(({ 1: digits = '' }) => amountOf(digits) > 0);
  const isOther = ({ 1: digits = '' }: RegExpExecArray) =>
    !isNear(amountOf(digits), price, 0.25) || isTransposed(amountOf(digits), price);
  const [first] = said;
  if (!first || !said.every(isOther)) return [];
  // Every letter of the plain text is where it is in the listing's own.
  const quote = `${title}\n${description}`.slice(first.index, first.index + first[0].length);
  return [contradiction('price', String(price), quote, words)];
}

/** The sum that the text asks for, if the field has its digits with the sign for thousands or cents misread: 14.2 for 14.200. */
function slipOf(kind: Kind, price: number, { said }: ReadFacts): Fact | undefined {
  const sums = (kind === 'property' ? undefined : said.get('price')) ?? [];
  const isSlip = (one: Fact) =>
    [100, 1000].some((times) => Number(one.value) === Math.round(price * times * 100) / 100);
  const slip = sums.find((one) => Number(one.value) >= 1000 && isSlip(one));
  return sums.some(({ value }) => isNear(Number(value), price, 0.25)) ? undefined : slip;
}

/** Whether two sums have the same digits in another order: 294,000 for 249,000. */
function isTransposed(a: number, b: number): boolean {
  const sorted = (value: number) => [...String(value)].sort().join('');
  return a !== b && sorted(a) === sorted(b);
}

function isNear(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * share;
}

function isConverted(a: number, b: number): boolean {
  return isNear(a * 1.609, b, 0.05) || isNear(a, b * 1.609, 0.05);
}

// Facts are compared by names that include a unit; people read these names instead.
const factNames: Readonly<Record<string, Extract<SentenceName, `fact.${string}`>>> = {
  mileage: 'fact.mileage',
  mileageKm: 'fact.mileage',
  mileageMiles: 'fact.mileage',
  year: 'fact.year',
  fuel: 'fact.fuel',
  transmission: 'fact.transmission',
  owners: 'fact.owners',
  doors: 'fact.doors',
  seats: 'fact.seats',
  engineLitres: 'fact.engine',
  powerKw: 'fact.power',
  powerHp: 'fact.power',
  batteryKwh: 'fact.battery',
  batteryHealthPercent: 'fact.battery',
  accidentFree: 'fact.accidents',
  areaSqm: 'fact.area',
  areaSqft: 'fact.area',
  rooms: 'fact.rooms',
  bedrooms: 'fact.bedrooms',
  bathrooms: 'fact.bathrooms',
  floor: 'fact.floor',
  yearBuilt: 'fact.yearBuilt',
  furnished: 'fact.furnished',
  petsAllowed: 'fact.pets',
  energyClass: 'fact.energyClass',
  offer: 'fact.offer',
  rentPerMonth: 'fact.rent',
  ramGb: 'fact.ram',
  storageGb: 'fact.storage',
  screenInch: 'fact.screen',
  capacityKg: 'fact.capacity',
  hoursPerWeek: 'fact.hours',
  workload: 'fact.workload',
  contract: 'fact.contract',
  experienceYears: 'fact.experience',
  price: 'fact.price',
};

/** What people call a fact. */
export function nameOf(fact: string, { say }: Words): string {
  const name = factNames[fact];
  return name === undefined ? fact : say(name);
}

function contradiction(name: string, given: string, quote: string, words: Words): CheckResult {
  const { say } = words;
  return problem(
    `contradiction-${name.toLowerCase()}`,
    nameOf(name, words),
    say('listing.twoValues', { given, quote }),
    say('listing.sayWhich', { given, quote }),
  );
}
