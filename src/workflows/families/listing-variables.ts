import { foldText } from '../../base/text/fold.ts';
import { countCodePoints, countWords } from '../../base/text/words.ts';
import type { Listing } from '../../gen/intelligence/workflow/v1/readiness_pb.ts';
import { riskScoreOf } from '../checks/risk-level.ts';
import type { Plain } from '../family.ts';
import { withoutDeniedCopies } from '../listing/denied-copies.ts';
import type { Fact } from '../listing/facts.ts';
import { isPlaceholder } from '../sense/placeholders.ts';
import { graver, type Spotted, sharesOf } from './spotted.ts';

/** The variables for listing checks, under the names explained in packs/listing/generic.yaml. */
export function variablesOf(
  listing: Plain<Listing>,
  spotted: readonly Spotted[],
  isWork: boolean,
  facts: readonly Fact[],
): Record<string, unknown> {
  const title = textFacts(listing.title);
  const description = textFacts(listing.description);
  const inTitle = spotted.filter(({ start }) => start < listing.title.length);
  const inDescription = spotted.filter(({ start }) => start > listing.title.length);
  const category = foldText(listing.category);
  const folded = `${title.folded} ${description.folded}`;
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
      isWork,
      category: givenText(listing.category),
      location: givenText(listing.location),
      contact: givenText(listing.contact),
      kind: `${category} ${title.folded}`,
      folded,
      asserted: withoutDeniedCopies(folded),
    },
    attributes: listing.attributes ?? {},
    facts: Object.fromEntries(facts.map(({ name, value }) => [name, value])),
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
  const words = folded.split(' ').slice(0, 5000);
  return {
    text: trimmed,
    isPlaceholder: isPlaceholder(trimmed),
    folded,
    length: countCodePoints(trimmed),
    words: countWords(trimmed),
    capitals: shareOfCapitals(trimmed),
    exclamations: trimmed.split('!').length - 1,
    repeated: words.length === 0 ? 0 : 1 - new Set(words).size / words.length,
  };
}

const unlikeLowerCase = /(?<!\S)[^a-z\d\s]{4,}(?!\S)/g;

/**
 * The share of letters in capitals. Names of models and units are written so ("BMW 320d", "2.0 TDI"): words with digits do not count, and
 * at least two words of four letters have to be in capitals.
 */
function shareOfCapitals(text: string): number {
  // Almost no text has such words, and nothing else has to be looked at in those without.
  if ((text.match(unlikeLowerCase)?.length ?? 0) < 2) return 0;
  const words = text.split(/\s+/).filter((word) => !/\d/.test(word));
  const written = words.map((word) => word.replace(/[^A-Za-z\u00c0-\uffff]/g, ''));
  const shouted = written.filter((word) => word.length >= 4 && word === word.toUpperCase());
  if (shouted.length < 2) return 0;
  const letters = written.join('');
  return letters.replace(/[^A-Z]/g, '').length / letters.length;
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

function givenText(text: string): string {
  return isPlaceholder(text) ? '' : text.trim();
}

/** The attributes that have a value; the caller's own checks see all attributes. */
export function withoutPlaceholders(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => typeof value !== 'string' || !isPlaceholder(value)),
  );
}
