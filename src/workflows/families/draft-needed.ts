import type { Slices } from '../../base/slices.ts';
import { foldText } from '../../base/text/fold.ts';
import type { DraftFact } from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import type { Plain } from '../family.ts';
import { ideasSaidBy } from '../packs/draft-names.ts';
import { type Looking, look } from './findings.ts';
import type { Spotted } from './spotted.ts';

type Fact = Plain<DraftFact>;

/** What the numbers and addresses in a letter are found as. */
const numbers: ReadonlySet<string> = new Set(['email-address', 'telephone-number', 'account-number']);
// What names say that a letter gives so that its reader can answer, come or pay.
const contacts = [
  'phone',
  'email',
  'contact',
  'iban',
  'bank',
  'account',
  'sender',
  'signed',
  'agent',
  'support',
  'emergency',
];

// Whose number is not the sender's to give, in English, German, Spanish and French.
const others =
  /neighbou?r|witness|colleague|relative|mother|father|nachbar|zeuge|zeugin|kolleg|verwandt|mutter|vater|vecin|testigo|companer|familiar|madre|padre|voisin|temoin|collegue|proche|mere|pere/;

/** Only what one fact says by itself counts of these: a link in one line and a deadline in another make no lure. */
const together: ReadonlySet<string> = new Set([
  ...['off_platform_payment', 'advance_fee', 'phishing', 'impersonation', 'personal_data'],
]);
/** These count whoever is called so. */
const abuse: ReadonlySet<string> = new Set(['threat', 'hate', 'harassment', 'self_harm']);

/**
 * What was found in a draft without what is found only because facts stand in one letter: contacts and accounts that a fact gives as
 * such, lures put together from several facts, and a person's name that is a word, too ("Olivia Grant"). Where the draft is ours,
 * `beside` is what the caller wrote beside the facts, and our own words alone are no lure either.
 */
export function* neededFrom(
  spotted: readonly Spotted[],
  body: string,
  facts: readonly Fact[],
  looking: Looking,
  beside?: readonly string[],
): Slices<Spotted[]> {
  const given = spotted.filter(
    (one) => !isContact(body.slice(one.start, one.end), one, facts) && !isAskedFor(body, one, facts),
  );
  const names = facts.map(({ value }) => value.trim()).filter((value) => personName.test(value));
  const ofFacts = given.filter(
    (one) =>
      together.has(one.entry.category) && !isNumber(one.entry) && (beside !== undefined || isSpread(body, one, facts)),
  );
  const ofNames = given.filter(
    (one) => !abuse.has(one.entry.category) && !isNumber(one.entry) && names.some((name) => touches(body, one, name)),
  );
  const doubted = new Set<Spotted>();
  if (ofFacts.length > 0) {
    // A name of several words may be a text of its own, but one of software is only what we call a fact.
    const told = facts
      .flatMap(({ name, value }) => (/\s/.test(name.trim()) ? [`${name}: ${value}`] : [value]))
      .filter((value) => !personName.test(value.trim()))
      .concat(beside ?? []);
    const found = yield* categoriesIn(told, looking);
    for (const one of ofFacts) if (!found.has(one.entry.category)) doubted.add(one);
  }
  if (ofNames.length > 0) {
    const found = yield* categoriesIn([names.reduce((text, name) => text.replaceAll(name, ' '), body)], looking);
    for (const one of ofNames) if (!found.has(one.entry.category)) doubted.add(one);
  }
  return doubted.size === 0 ? given : given.filter((one) => !doubted.has(one));
}

function* categoriesIn(texts: readonly string[], looking: Looking): Slices<Set<string>> {
  const found = new Set<string>();
  for (const text of texts) for (const { entry } of (yield* look(text, looking)).spotted) found.add(entry.category);
  return found;
}

/** Whether it is in several facts. */
function isSpread(body: string, one: Spotted, facts: readonly Fact[]): boolean {
  return facts.filter(({ value }) => value.trim() !== '' && touches(body, one, value.trim())).length > 1;
}

/** Whether it only names documents that a letter asks for, such as a passport. */
function isAskedFor(body: string, one: Spotted, facts: readonly Fact[]): boolean {
  if (one.entry.category !== 'personal_data' || isNumber(one.entry)) return false;
  return facts.some(
    ({ name, value }) =>
      value.trim() !== '' && touches(body, one, value.trim()) && saysAny(name, 'material', 'missing'),
  );
}

function isNumber({ id }: Spotted['entry']): boolean {
  return numbers.has(id) || id === 'card-number';
}

function isContact(text: string, { entry }: Spotted, facts: readonly Fact[]): boolean {
  if (!numbers.has(entry.id)) return false;
  const fact = facts.find(({ value }) => value.includes(text));
  if (fact === undefined || others.test(foldText(fact.name))) return false;
  return fact.value.trim() === text || saysAny(fact.name, ...contacts);
}

// A title or none, and two to four names.
const personName = /^(?:\p{Lu}\p{L}{0,4}\. ?)?\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’.-]*){1,3}$/u;

function touches(body: string, { start, end }: Spotted, name: string): boolean {
  const at = body.indexOf(name, Math.max(0, start - name.length));
  return at >= 0 && at < end && start < at + name.length;
}

function saysAny(name: string, ...ideas: readonly string[]): boolean {
  const said = ideasSaidBy(name);
  return ideas.some((idea) => said.has(idea));
}
