import type { Slices } from '../../base/slices.ts';
import { codePointOffsets, type Folded, fold } from '../../base/text/fold.ts';
import type { AllowedPlace, Finding } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import type { Plain } from '../family.ts';
import type { Allowance, OwnMatch, OwnSearch } from '../own-packs/rules.ts';
import type { RiskClassifier } from '../packs/risk-classifier.ts';
import type { RiskEntry } from '../packs/risk-pack.ts';
import type { SignPack } from '../packs/sign-pack.ts';
import { classify } from '../text/classifier/index.ts';
import { detectInSlices } from '../text/detect.ts';
import type { PhraseIndex } from '../text/phrases.ts';
import { type Tokens, tokensOf } from '../text/signs/index.ts';
import { smuggledIn } from '../text/smuggled.ts';
import { unfinishedIn } from '../text/unfinished.ts';
import { type Place, resembling, withTalk } from './passages.ts';
import { isPayeesAccount } from './payee-account.ts';
import { isPublishedNumber } from './published-number.ts';
import { accountId, inOrder, type Spotted, withoutOverlaps } from './spotted.ts';

/** A place allowed by one of the account's own packs, and the findings there that do not count. */
export interface Allowed extends Omit<OwnMatch<Allowance>, 'entry'>, Allowance {
  pack: string;
  found: Spotted[];
}

/** What to search a text with. */
export interface Looking {
  /** The phrases of a domain, if one is given. */
  phrases: PhraseIndex<RiskEntry> | undefined;
  own?: PhraseIndex<RiskEntry> | undefined;
  /** The signs of the text's languages. */
  packs?: readonly SignPack[] | undefined;
  /** What judges whole passages. */
  classifier?: RiskClassifier | undefined;
  /** Phrases that are harmless here. */
  allow?: PhraseIndex<number> | undefined;
  /** The account's own packs; `allow` does not hide anything from them. */
  ownPacks?: OwnSearch | undefined;
  /** Personal data counts wherever it stands, also the account that the reader is to pay to. */
  hidesAccounts?: boolean | undefined;
  /** The text was cut off, so what it ends with may be the beginning of a number. */
  isCut?: boolean | undefined;
}

export interface Scan {
  folded: Folded;
  /** The text's words, if signs were looked for. */
  words: Tokens | undefined;
  spotted: Spotted[];
  /** Personal data that counts, also where a graver finding at the same place is told instead. */
  personal: Spotted[];
  allowed: Allowed[];
  /** The whole text was searched for the account's own packs. */
  isOwnWhole: boolean;
  /** The number of e-mail addresses, telephone, card and account numbers; and of links. */
  contacts: number;
  links: number;
  /** The text has more words than are examined. */
  isCut: boolean;
}

/** Searches one text with everything given. */
export function* look(written: string, looking: Looking): Slices<Scan> {
  const { phrases, own, packs, classifier, allow, ownPacks } = looking;
  const { length } = written;
  yield length;
  const text = allow ? yield* withoutAllowed(written, allow) : written;
  const folded = fold(text);
  const detected = yield* detectInSlices(text);
  if (looking.isCut) detected.push(...unfinishedIn(text, detected));
  const ofPhrases = phrases ? yield* phrases.findInSlices(folded) : [];
  let spotted: Spotted[] = ofPhrases.map((match) => ({ ...match, source: 'rules' }));
  if (packs && packs.length > 0) yield length * 2;
  const words = packs && packs.length > 0 ? tokensOf(text, folded) : undefined;
  const ordinary: Place[] = [];
  for (const pack of packs ?? [])
    if (words) spotted.push(...(yield* signsIn(words, pack, ordinary)).map((one) => withJoined(text, one)));
  const passages = words && classifier ? yield* classify(words, classifier) : [];
  spotted = withTalk(spotted, passages);
  for (const match of own ? yield* own.findInSlices(folded) : []) spotted.push({ ...match, source: 'own' });
  const personal = new Set<Spotted>();
  for (const { kind, start, end } of detected) {
    const entry = detectedEntries[kind];
    if (kind === 'iban' && !looking.hidesAccounts && isPayeesAccount(text, start)) continue;
    if (kind === 'phone' && !looking.hidesAccounts && isPublishedNumber(text, start, end)) continue;
    if (entry) personal.add({ entry, start, end, source: 'rules' });
  }
  spotted.push(...personal);
  if (classifier) spotted.push(...resembling(spotted, passages, classifier, ordinary, text));
  const links = detected.filter(({ kind }) => kind === 'link').length;
  const ofOwnPacks = ownPacks && (yield* ownPacks.look(text === written ? folded : fold(written)));
  const found: Spotted[] = (ofOwnPacks?.found ?? []).map((match) => ({
    ...match,
    source: 'own',
    pack: match.entry.pack,
  }));
  const allowed = (ofOwnPacks?.allowed ?? []).map(({ entry, ...place }) => ({ ...entry, ...place, found: [] }));
  const counted = ownPacks ? withoutAllowedFindings([...spotted, ...found], allowed, ownPacks) : spotted;
  const unseen = smuggledIn(text).map((place): Spotted => ({ entry: smuggled, ...place, source: 'rules' }));
  return {
    folded,
    words,
    // Findings of the account's own packs, of whole sentences and of what nobody sees are reported alongside others at the same place.
    spotted: inOrder([
      ...withoutOverlaps(counted.filter(isOfOthers)),
      ...counted.filter((one) => !isOfOthers(one)),
      ...unseen,
    ]),
    personal: counted.filter((one) => personal.has(one)),
    allowed,
    isOwnWhole: ofOwnPacks?.isWhole ?? true,
    contacts: detected.length - links,
    links,
    isCut: words?.isCut ?? false,
  };
}

/** Assigns each finding to the allowed place that covers it; returns those that count. */
function withoutAllowedFindings(
  spotted: readonly Spotted[],
  allowed: readonly Allowed[],
  { mayAllow }: OwnSearch,
): Spotted[] {
  return spotted.filter((one) => {
    const place = allowed.find((place) => isAllowedAt(one, place));
    if (place === undefined || !mayAllow()) return true;
    place.found.push(one);
    return false;
  });
}

/**
 * Whether a place allows a finding: it must cover the whole finding, which must not be critical unless critical findings are
 * allowed, too. What the request itself searches for is never allowed.
 */
export function isAllowedAt(
  { start, end, source, pack, entry }: Spotted,
  place: Pick<Allowed, 'start' | 'end' | 'allowsCritical'>,
): boolean {
  const isOfRequest = source === 'own' && pack === undefined;
  const isAllowed = entry.severity !== 'critical' || place.allowsCritical;
  return !isOfRequest && isAllowed && start >= place.start && end <= place.end;
}

function isOfOthers({ pack, source }: Spotted): boolean {
  return pack === undefined && source !== 'classifier';
}

/** Replaces allowed text with blanks, so that offsets stay right. */
function* withoutAllowed(text: string, allow: PhraseIndex<number>): Slices<string> {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of yield* allow.findInSlices(fold(text))) {
    parts.push(text.slice(at, start), ' '.repeat(Math.max(0, end - Math.max(at, start))));
    at = Math.max(at, end);
  }
  return parts.join('') + text.slice(at);
}

const joined = /(?:[-\u2010-\u2015][\p{L}\p{N}]+)+/uy;

/** A number or a password is one thing with what hyphens join to it: a mask must not leave half of it. */
function withJoined(text: string, one: Spotted): Spotted {
  const { category } = one.entry;
  if (category !== 'personal_data' && category !== 'secrets') return one;
  joined.lastIndex = one.end;
  const [more = ''] = joined.exec(text) ?? [];
  return more === '' ? one : { ...one, end: one.end + more.length };
}

/** The signs in a text; ordinary sentences are added to `ordinary`. */
function* signsIn(words: Tokens, { index, entries }: SignPack, ordinary: Place[]): Slices<Spotted[]> {
  const found = yield* index.readInSlices(words);
  return found.flatMap(({ sign, start, end }): Spotted[] => {
    const entry = entries[sign];
    if (entry) return [{ entry, start, end, source: 'rules' }];
    ordinary.push({ start, end });
    return [];
  });
}

/** How much of a phrase a reply shows, in UTF-16 units. */
const shownUnits = 400;

/** The findings as stated in replies, with offsets in code points. */
export function findingsOf(text: string, spotted: readonly Spotted[], messageIndex?: number): Plain<Finding>[] {
  const starts = codePointOffsets(
    text,
    spotted.map(({ start }) => start),
  );
  const shown = spotted.map(({ start, end }) => text.slice(start, Math.min(end, start + shownUnits)));
  return spotted.map(({ entry, source, pack = '' }, index) => {
    const phrase = shown[index] as string;
    const start = starts[index] as number;
    return {
      phrase,
      start,
      end: start + [...text.slice((spotted[index] as Spotted).start, (spotted[index] as Spotted).end)].length,
      category: entry.category,
      severity: entry.severity,
      reason: entry.reason,
      suggestion: entry.suggestion,
      messageIndex,
      source,
      pack,
    };
  });
}

/** The allowed places as stated in replies. */
export function allowedOf(text: string, allowed: readonly Allowed[], messageIndex?: number): Plain<AllowedPlace>[] {
  const places = [...allowed].sort((a, b) => a.start - b.start);
  const starts = codePointOffsets(
    text,
    places.map(({ start }) => start),
  );
  return places.map(({ start, end, pack, allowsCritical, found }, index) => {
    const phrase = text.slice(start, end);
    const from = starts[index] as number;
    return {
      ...{
        phrase: phrase.slice(0, shownUnits),
        start: from,
        end: from + [...phrase].length,
        messageIndex,
        pack,
        allowsCritical,
      },
      findings: findingsOf(text, inOrder(found), messageIndex),
    };
  });
}

const smuggled: RiskEntry = {
  id: 'smuggled-text',
  category: 'prompt_injection',
  severity: 'high',
  reason: 'The text contains characters that no reader sees, and that spell something to a model.',
  suggestion: 'Remove them.',
};

const detectedEntries: Readonly<Record<string, RiskEntry | undefined>> = {
  email: {
    id: 'email-address',
    category: 'personal_data',
    severity: 'low',
    reason: 'An e-mail address identifies a person.',
    suggestion: 'Leave it out unless the reader needs it.',
  },
  phone: {
    id: 'telephone-number',
    category: 'personal_data',
    severity: 'low',
    reason: 'A telephone number identifies a person.',
    suggestion: 'Leave it out unless the reader needs it.',
  },
  card: {
    id: 'card-number',
    category: 'personal_data',
    severity: 'high',
    reason: 'The text contains a payment card number (its check digit is valid).',
    suggestion: 'Remove the number; card data may be kept only under the rules of the card industry.',
  },
  iban: {
    id: accountId,
    category: 'personal_data',
    severity: 'medium',
    reason: 'The text contains a bank account number (its check digits are valid).',
    suggestion: 'Remove the number unless the reader has to pay to it.',
  },
};
