import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import type { Slices } from '../../base/slices.ts';
import type {
  Listing,
  ScoreListingRequest,
  ScoreListingResponse,
} from '../../gen/intelligence/workflow/v1/readiness_pb.ts';
import { isUnmet, scoreOf } from '../../sandbox/index.ts';
import { type CheckResult, type CheckRule, failedByUrgency, missingFactsOf } from '../checks/checks.ts';
import { riskLevelOf, riskScoreOf, takenBy } from '../checks/risk-level.ts';
import { basisOf, boundJson, type Family, ownRules, type Plain, type Prepared, type ReplyOf } from '../family.ts';
import {
  type Fact,
  isKnownField,
  isLikeField,
  knownFields,
  type ReadFacts,
  readFactsInSlices,
  withFacts,
  withYears,
} from '../listing/facts.ts';
import { kindsOf } from '../listing/kinds.ts';
import type { Kind } from '../listing/patterns/pattern.ts';
import { isBicycleTooDear, isPriceOutside, misplacedOf, problemsOf } from '../listing/problems.ts';
import { bare } from '../listing/units.ts';
import { type CheckPack, readCheckPack } from '../packs/read.ts';
import { type Day, dayAt } from '../sense/days.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import { unusedFieldsOf } from '../unused-fields.ts';
import { listingDone, listingRule, notEvaluated, type Words, wordsFor } from '../words/index.ts';
import { findingsOf, look } from './findings.ts';
import { harmfulIn } from './listing-marks.ts';
import { variablesOf, withoutPlaceholders } from './listing-variables.ts';
import { riskPacks } from './risk.ts';
import { hear } from './risk-assessment.ts';
import { helpFirst, messagesFor, worded } from './risk-words.ts';
import { graver, type Spotted, sharesOf } from './spotted.ts';

export type ListingRequest = Plain<ScoreListingRequest>;
export type ListingReply = ReplyOf<ScoreListingResponse>;

export const listingPolicies = [
  'generic',
  'vehicles',
  'property',
  'electronics',
  'jobs',
  'services',
  'furniture',
  'fashion',
] as const;
export const listingPacks: ReadonlyMap<string, CheckPack> = new Map(
  listingPolicies.map((name) => [name, readCheckPack('listing', name)]),
);

const readyAt = 70;
const emptyListing: Plain<Listing> = {
  title: '',
  description: '',
  category: '',
  currency: '',
  images: [],
  location: '',
  contact: '',
};

/** Scores whether a listing is ready to be published. */
export const readinessFamily: Family<ListingRequest, ListingReply> = {
  name: 'readiness',
  *prepare(request, { nowMs }): Slices<Result<Prepared<ListingReply>>> {
    const listing = request.listing ?? emptyListing;
    if (request.policy !== '' && !listingPacks.has(request.policy))
      return fail(invalid('policy', `is not one of ${listingPolicies.join(', ')}`));
    const bounded = boundJson('listing.attributes', listing.attributes);
    if (!bounded.ok) return bounded;
    const text = `${listing.title}\n${listing.description}`;
    const marketplace = riskPacks.get('marketplace');
    if (!marketplace) throw new Error('no risk pack for listings');
    const { packs } = hear(text, request.locale);
    const { spotted } = yield* look(text, { phrases: marketplace.index, packs });
    const today = dayAt(nowMs);
    const judged = yield* judge(request, listing, spotted, [], today);
    return succeed({
      variables: judged.variables,
      ownChecks: ownRules(request.checks, judged.words),
      compute: (own) => scoreListing(request, judged, own, text),
      // The caller's own checks saw the request without the evidence, and stay as they are.
      *reconsider(own, evidence) {
        const all = [...spotted, ...evidence.spotted].sort((a, b) => a.start - b.start);
        return scoreListing(request, yield* judge(request, listing, all, evidence.facts, today), own, text);
      },
    });
  },
};

interface Judged {
  words: Words;
  pack: CheckPack;
  results: CheckResult[];
  /** The risks in a listing of its kind. */
  spotted: readonly Spotted[];
  variables: Record<string, unknown>;
  facts: ListingReply['facts'];
  unusedFields: ListingReply['unusedFields'];
}

/**
 * Judges a listing as the kind of thing it offers. A category on its own only suggests what to add: if the listing's own words
 * make it another kind, for which nothing is missing, then what the category's kind lacks does not block.
 */
function* judge(
  request: ListingRequest,
  listing: Plain<Listing>,
  found: readonly Spotted[],
  proposed: readonly Fact[],
  today: Day,
): Slices<Judged> {
  const { title, description, category, price } = listing;
  const { length } = description;
  yield length;
  const text = `${title}\n${description}`;
  const words = wordsFor(request.locale, text);
  const named = request.policy as Kind | '';
  const { byWords, kind, misplaced } = named
    ? { byWords: named, kind: named, misplaced: undefined }
    : kindsOf(title, description, category);
  const isWork = isWorkKind(byWords) || isWorkKind(kind);
  const isJob = byWords === 'jobs' || kind === 'jobs';
  const spotted = harmfulIn(text, found, isJob);
  // The listing's own location takes precedence over a place in its text.
  const isPlaced = listing.location.trim() !== '' && !isPlaceholder(listing.location);
  const needless = isPlaced ? place : nothing;
  const looked = function* (as: Kind) {
    const said = yield* readFactsInSlices(text, listing.attributes ?? {}, as, category, needless);
    const read = withYears(withFacts(withOwnCurrency(said, listing), proposed, as), today.iso);
    yield length * 2;
    const variables = variablesOf(listing, spotted, isWork, read.facts);
    const pack = listingPacks.get(as);
    if (!pack) throw new Error(`no pack for ${as}`);
    const attributes = withoutPlaceholders(listing.attributes ?? {});
    yield length;
    return { pack, read, variables, results: pack.run({ ...variables, attributes }) };
  };
  const chosen = yield* looked(kind);
  const isMissing = (results: readonly CheckResult[]) => results.some((one) => !isGeneric(one) && isBlocking(one));
  // Work needs no price. What is work by its category alone, and has none, has to say what work has to say.
  const isExempt =
    isWork && !isWorkKind(byWords) && price === undefined && !chosen.read.facts.some(({ name }) => name === 'price');
  // The other kind is examined only if it could make a difference.
  const blocks =
    kind === byWords || isExempt || !isMissing(chosen.results) || isMissing((yield* looked(byWords)).results);
  yield length;
  const { currency } = listing;
  const facts = { title, description, price, currency };
  // A price counts as impossible only if it is so both for the kind that the words name and for the category's.
  const problems = problemsOf(kind, facts, chosen.read, today.year, words).filter(
    ({ rule }) =>
      rule.id !== 'impossible-price' ||
      isPriceOutside(byWords, price, currency) ||
      isBicycleTooDear(title, price, currency),
  );
  const advised = blocks ? chosen.results : chosen.results.map((one) => (isGeneric(one) ? one : asAdvice(one)));
  const results = advised.map((one) => ({ ...one, rule: listingRule(words, kind, one.rule) }));
  return {
    words,
    pack: chosen.pack,
    results: [...problems, ...misplacedOf(misplaced, words), ...results],
    spotted,
    variables: chosen.variables,
    facts: chosen.read.facts,
    unusedFields: unusedAttributes(listing.attributes ?? {}, kind),
  };
}

const place: ReadonlySet<string> = new Set(['location']);
const nothing: ReadonlySet<string> = new Set();

/** The listing's own currency takes precedence over the sign that dollars and pesos share. */
function withOwnCurrency(read: ReadFacts, { currency }: Plain<Listing>): ReadFacts {
  if (/^(?:usd|us\$|)$/i.test(currency.trim())) return read;
  const isOther = ({ name, source, quote }: Fact) => name === 'currency' && source === 'text' && bareDollar.test(quote);
  return { ...read, facts: read.facts.filter((fact) => !isOther(fact)) };
}

const bareDollar = /^(?!.*(?:us|u\$s))[^a-z]*\$/i;

function isWorkKind(kind: Kind): boolean {
  return kind === 'jobs' || kind === 'services';
}

const genericIds: ReadonlySet<string> = new Set(listingPacks.get('generic')?.checks.map(({ id }) => id));

function isGeneric({ rule }: CheckResult): boolean {
  return genericIds.has(rule.id);
}

function isBlocking({ rule, outcome }: CheckResult): boolean {
  return rule.severity === 'critical' && isUnmet(outcome);
}

function asAdvice(result: CheckResult): CheckResult {
  // Missing details can become advice; forbidden content stays critical.
  return result.rule.severity === 'critical' && result.rule.missing === true
    ? { ...result, rule: { ...result.rule, severity: 'medium' } }
    : result;
}

function unusedAttributes(attributes: Readonly<Record<string, unknown>>, kind: Kind): ListingReply['unusedFields'] {
  const fields = knownFields(kind);
  const isUsed = (name: string) => isKnownField(name, attributes[name], kind) || ofPacks.has(bare(name));
  if (Object.keys(attributes).every(isUsed)) return [];
  const [used, others] = [new Set(fields.keys()), [] as string[]];
  for (const name of ofPacks) used.add(name);
  for (const name of Object.keys(attributes)) {
    if (isUsed(name)) used.add(name);
    // A value in a unit of something else is not read, whatever the field's name.
    else if (used.delete(name)) others.push(name);
  }
  return unusedFieldsOf('listing.attributes', attributes, used).map((one) => {
    const name = one.field.slice('listing.attributes.'.length);
    return others.includes(name) || !isLikeField(name, one.nearest, kind) ? { ...one, nearest: '' } : one;
  });
}

// The attributes that the packs' expressions refer to by name.
const ofPacks: ReadonlySet<string> = new Set([
  'brand',
  'make',
  'model',
  'employer',
  'company',
  'operatinghours',
  'currency',
  'price',
]);

function scoreListing(
  request: ListingRequest,
  { words, pack, results: packResults, spotted, facts, unusedFields }: Judged,
  own: readonly CheckResult[],
  text: string,
): ListingReply {
  const results = [...packResults, ...own];
  const unevaluated = (rule: CheckRule) => notEvaluated(rule, words);
  const failed = failedByUrgency(results, unevaluated);
  // Checks for one kind of thing do not count in the score, so that choosing a category never lowers it.
  const counted = [...packResults.filter(isGeneric), ...own];
  const readinessScore = scoreOf(counted);
  const blocking = failed.filter(({ severity }) => severity === 'critical');
  const riskLevel = riskLevelOf(
    riskScoreOf([...sharesOf(spotted), ...failedByUrgency(counted, unevaluated).map(shareOfCheck)]),
  );
  const judgement = judgementOf(spotted, riskLevel);
  const messages = messagesFor(words.language, []);
  const signs = spotted.map(({ entry }) => entry);
  const ready = readinessScore >= (request.readyAt ?? readyAt) && blocking.length === 0 && judgement === 'harmless';
  return {
    readinessScore,
    riskLevel,
    missingFacts: missingFactsOf(failed.filter(({ severity }) => severity !== 'low' && severity !== 'info')),
    nextBestAction: helpFirst(signs, messages) ?? nextAction(failed, judgement, ready, listingDone(words, pack), words),
    ready,
    blockers: blocking.map(({ id, fact, message, action }) => ({ check: id, fact, message, action })),
    findings: findingsOf(text, worded(spotted.slice(0, 200), messages)),
    summary: summaryOf({ ready, readinessScore, blockers: blocking.length, failed: failed.length, judgement }, words),
    basis: basisOf(results, pack.label, words),
    unusedFields,
    facts,
    kind: pack.name,
  };
}

type Judgement = 'harmless' | 'doubtful' | 'harmful';

/** A single sign can be wrong, so a person decides; with a critical sign, or two different ones, a listing must not be published. */
function judgementOf(spotted: readonly Spotted[], riskLevel: ListingReply['riskLevel']): Judgement {
  const grave = spotted.filter(({ entry }) => graver(entry.severity, 'medium'));
  const isCritical = riskLevel === 'critical' || grave.some(({ entry }) => entry.severity === 'critical');
  if (isCritical || new Set(grave.map(({ entry }) => entry.category)).size > 1) return 'harmful';
  return grave.length > 0 ? 'doubtful' : 'harmless';
}

/**
 * First blockers, then risky words, then the heaviest failed check; publishing only once it is ready. Who is told to complete a text that
 * must not be published does so for nothing.
 */
function nextAction(
  failed: readonly CheckRule[],
  judgement: Judgement,
  ready: boolean,
  done: string,
  words: Words,
): string {
  const blocking = failed.filter(({ severity }) => severity === 'critical');
  if (judgement === 'harmful' && blocking.every(({ missing }) => missing)) return words.say('listing.rewrite');
  if (judgement === 'doubtful' && blocking.length === 0) return words.say('listing.haveItSeen');
  return failed[0]?.action ?? (ready ? done : words.say('listing.haveItSeen'));
}

/** Something missing or badly put is a quarter of the risk of a harmful phrase of the same severity. */
function shareOfCheck({ severity }: CheckRule): number {
  return takenBy[severity] / 4;
}

function summaryOf(
  facts: { ready: boolean; readinessScore: number; blockers: number; failed: number; judgement: Judgement },
  { say }: Words,
): string {
  if (facts.ready && facts.failed === 0) return say('listing.ready');
  if (facts.ready) return say('listing.better', { count: facts.failed });
  const notReady = say('listing.notReady', { score: facts.readinessScore });
  const because =
    facts.blockers > 0
      ? say('listing.blocked', { count: facts.blockers })
      : facts.judgement === 'harmless'
        ? ''
        : say(`listing.${facts.judgement}`);
  return `${notReady} ${because}`.trim();
}
