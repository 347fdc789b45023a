import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { foldText } from '../../base/text/fold.ts';
import { countCodePoints, countWords } from '../../base/text/words.ts';
import type {
  Listing,
  ScoreListingRequest,
  ScoreListingResponse,
} from '../../gen/intelligence/workflow/v1/readiness_pb.ts';
import { scoreOf } from '../../sandbox/index.ts';
import { type CheckResult, type CheckRule, failedByUrgency, missingFactsOf } from '../checks/checks.ts';
import { riskLevelOf, riskScoreOf, takenBy } from '../checks/risk-level.ts';
import {
  basisOf,
  boundJson,
  counted,
  type Family,
  ownRules,
  type Plain,
  type Prepared,
  type ReplyOf,
} from '../family.ts';
import { type CheckPack, readCheckPack } from '../packs/read.ts';
import { findingsOf, graver, type Spotted, scan, sharesOf } from './findings.ts';
import { riskPacks } from './risk.ts';

export type ListingRequest = Plain<ScoreListingRequest>;
export type ListingReply = ReplyOf<ScoreListingResponse>;

export const listingPolicies = ['generic', 'vehicles', 'property', 'electronics'] as const;
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

/** Scores whether a listing is ready before it is published. */
export const readinessFamily: Family<ListingRequest, ListingReply> = {
  name: 'readiness',
  prepare(request): Result<Prepared<ListingReply>> {
    const listing = request.listing ?? emptyListing;
    const pack = request.policy === '' ? packFor(listing.category) : listingPacks.get(request.policy);
    if (!pack) return fail(invalid('policy', `is not one of ${listingPolicies.join(', ')}`));
    const bounded = boundJson('listing.attributes', listing.attributes);
    if (!bounded.ok) return bounded;
    const text = `${listing.title}\n${listing.description}`;
    const marketplace = riskPacks.get('marketplace');
    if (!marketplace) throw new Error('no risk pack for listings');
    const scanned = scan(text, marketplace.index);
    const variables = variablesOf(listing, scanned.spotted);
    const results = pack.run(variables);
    return succeed({
      variables,
      ownChecks: ownRules(request.checks),
      compute: (own) => scoreListing(request, pack, [...results, ...own], text, scanned.spotted),
    });
  },
};

function scoreListing(
  request: ListingRequest,
  pack: CheckPack,
  results: readonly CheckResult[],
  text: string,
  spotted: readonly Spotted[],
): ListingReply {
  const failed = failedByUrgency(results);
  const readinessScore = scoreOf(results);
  const blocking = failed.filter(({ severity }) => severity === 'critical');
  const riskLevel = riskLevelOf(riskScoreOf([...sharesOf(spotted), ...failed.map(shareOfCheck)]));
  const harmful = riskLevel === 'critical' || spotted.some(({ entry }) => graver(entry.severity, 'medium'));
  const ready = readinessScore >= (request.readyAt ?? readyAt) && blocking.length === 0 && !harmful;
  const missingFacts = missingFactsOf(failed);
  return {
    readinessScore,
    riskLevel,
    missingFacts,
    nextBestAction: failed[0]?.action ?? pack.done,
    ready,
    blockers: blocking.map(({ id, fact, message, action }) => ({ check: id, fact, message, action })),
    findings: findingsOf(text, spotted.slice(0, 200)),
    summary: summaryOf({ ready, readinessScore, blockers: blocking.length, failed: failed.length }),
    basis: basisOf(results, pack.label),
    unusedFields: [],
    facts: [],
    kind: pack.name,
  };
}

/** What is not there or badly put is a lesser risk than a harmful phrase of the same severity: a quarter of it. */
function shareOfCheck({ severity }: CheckRule): number {
  return takenBy[severity] / 4;
}

function packFor(category: string): CheckPack | undefined {
  const words = new Set(foldText(category).split(/[^\p{L}\p{N}]+/u));
  const folded = ` ${[...words].join(' ')} `;
  for (const pack of listingPacks.values())
    if (pack.categories.some((known) => folded.includes(` ${known} `) || folded.includes(` ${known}s `))) return pack;
  return listingPacks.get('generic');
}

function variablesOf(listing: Plain<Listing>, spotted: readonly Spotted[]): Record<string, unknown> {
  const title = textFacts(listing.title);
  const description = textFacts(listing.description);
  const inTitle = spotted.filter(({ start }) => start < listing.title.length);
  const inDescription = spotted.filter(({ start }) => start > listing.title.length);
  const category = foldText(listing.category);
  return {
    title: { ...title, ...contactFacts(listing.title, inTitle) },
    description: { ...description, ...contactFacts(listing.description, inDescription) },
    price: {
      given: listing.price !== undefined,
      amount: listing.price ?? 0,
      currency: listing.currency.trim(),
    },
    images: imageFacts(listing),
    listing: {
      category: listing.category.trim(),
      location: listing.location.trim(),
      contact: listing.contact.trim(),
      kind: `${category} ${title.folded}`,
      folded: `${title.folded} ${description.folded}`,
    },
    attributes: listing.attributes ?? {},
    risk: {
      score: riskScoreOf(sharesOf(spotted)),
      high: spotted.filter(({ entry }) => graver(entry.severity, 'medium')).length,
      findings: spotted.length,
    },
  };
}

function textFacts(text: string) {
  const trimmed = text.trim();
  const folded = foldText(trimmed);
  let letters = 0;
  let capitals = 0;
  let exclamations = 0;
  for (let at = 0; at < trimmed.length; at++) {
    const unit = trimmed.charCodeAt(at);
    if (unit === 0x21) exclamations++;
    else if (unit >= 0x41 && unit <= 0x5a) capitals++;
    if ((unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit >= 0xc0) letters++;
  }
  const words = folded.split(' ').slice(0, 5000);
  return {
    text: trimmed,
    folded,
    length: countCodePoints(trimmed),
    words: countWords(trimmed),
    capitals: letters === 0 ? 0 : capitals / letters,
    exclamations,
    repeated: words.length === 0 ? 0 : 1 - new Set(words).size / words.length,
  };
}

function contactFacts(text: string, spotted: readonly Spotted[]) {
  const contacts = spotted.filter(
    ({ entry }) => entry.category === 'personal_data' || entry.category === 'payment_data',
  ).length;
  return {
    contacts,
    links: text.includes('://') || text.includes('www.') ? (text.match(/https?:\/\/|www\./gi)?.length ?? 0) : 0,
  };
}

function imageFacts(listing: Plain<Listing>) {
  const images = listing.images.filter(({ url }) => url.trim() !== '');
  return {
    count: images.length,
    captioned: images.filter(({ caption }) => caption.trim() !== '').length,
    small: images.filter(({ width }) => width !== undefined && width < 600).length,
    duplicates: images.length - new Set(images.map(({ url }) => url)).size,
  };
}

function summaryOf(facts: { ready: boolean; readinessScore: number; blockers: number; failed: number }): string {
  if (facts.ready && facts.failed === 0) return 'The listing is ready to be published.';
  if (facts.ready) return `The listing can be published; ${counted(facts.failed, 'thing', 'things')} could be better.`;
  const blockers = facts.blockers > 0 ? ` ${counted(facts.blockers, 'thing blocks', 'things block')} it.` : '';
  return `The listing is not ready: it scores ${facts.readinessScore} of 100.${blockers}`;
}
