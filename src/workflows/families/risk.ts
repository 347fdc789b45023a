import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { ownValue } from '../../base/own-value.ts';
import type { Slices } from '../../base/slices.ts';
import type {
  CheckRiskRequest,
  CheckRiskResponse,
  OwnPhrase,
  RequiredFact,
} from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import { type CheckResult, missingFactsOf, type Severity } from '../checks/checks.ts';
import { riskLevelOf, riskScoreOf } from '../checks/risk-level.ts';
import { basisOf, boundJson, type Family, type Plain, type Prepared, type ReplyOf } from '../family.ts';
import { noPack, type OwnRules } from '../own-packs/rules.ts';
import type { RiskMessages } from '../packs/risk-messages.ts';
import { type Domain, type RiskEntry, type RiskPack, readRiskPacks } from '../packs/risk-pack.ts';
import type { SignLanguage } from '../packs/sign-pack.ts';
import { indexPhrasesInSlices, type PhraseIndex, plain } from '../text/phrases.ts';
import { allowedOf, findingsOf, look, type Scan } from './findings.ts';
import { assessmentOf, type Hearing, hear, labelsOf, signPacks } from './risk-assessment.ts';
import { type FoundCategories, helpFirst, type Level, messagesFor, summaryOf, worded } from './risk-words.ts';
import { graver, type Spotted, sharesOf } from './spotted.ts';

export type RiskRequest = Plain<CheckRiskRequest>;
export type RiskReply = ReplyOf<CheckRiskResponse>;

export const riskPacks = readRiskPacks();
const findingsMax = 200;
const checksMax = 100;
/** The check of a fact that the caller requires. */
export const requiredFact = 'required-fact';
const textUnitsMax = 300_000;

/** Detects risky phrases and missing facts in a text or a conversation. */
export const riskFamily: Family<RiskRequest, RiskReply> = {
  name: 'risk',
  ownPacksOf: ({ packs, domain }) => (packs.includes(noPack) ? undefined : { packs, domain }),
  prepare(request, { ownPacks }): Result<Prepared<RiskReply>> {
    if (request.text !== '' && request.messages.length > 0)
      return fail(invalid('messages', 'send either text or messages'));
    if (request.text === '' && request.messages.length === 0)
      return fail(invalid('text', 'send a text or messages to look at'));
    const texts = request.messages.length > 0 ? request.messages.map(({ content }) => content) : [request.text];
    if (texts.reduce((sum, text) => sum + text.length, 0) > textUnitsMax)
      return fail(invalid('messages', `hold more than ${textUnitsMax} characters; send a part at a time`));
    if (request.packs.includes(noPack) && request.packs.length > 1)
      return fail(invalid('packs', `name either packs or "${noPack}"`));
    const bounded = boundJson('facts', request.facts);
    if (!bounded.ok) return bounded;
    return succeed({ variables: {}, ownChecks: [], compute: () => checkRisk(request, texts, ownPacks) });
  },
};

function* checkRisk(request: RiskRequest, texts: readonly string[], ownPacks: OwnRules | undefined): Slices<RiskReply> {
  const hearing = hear(texts.join('\n'), request.locale);
  const pack = riskPacks.get(request.domain as Domain);
  const looking = {
    phrases: pack?.index,
    own: request.phrases.length > 0 ? yield* indexOwn(request.phrases) : undefined,
    allow: request.allowPhrases.length > 0 ? yield* indexAllowed(request.allowPhrases) : undefined,
    packs: hearing.packs,
    classifier: hearing.classifier,
    ownPacks: ownPacks?.search(),
  };
  const scans: Scan[] = [];
  for (const text of texts) scans.push(yield* look(text, looking));
  const isWhole = scans.every(({ isOwnWhole }) => isOwnWhole);
  const spoken = messagesFor(request.locale, hearing.languages);
  const unknown = unknownIn(spoken, hearing, isWhole);
  const messages = { ...spoken, unknown };
  const facts = yield* factChecks(request, scans, messages.missing);
  const missing = facts.filter(({ outcome }) => outcome === 'failed');
  const missingFacts = missingFactsOf(missing.map(({ rule }) => rule).sort((a, b) => b.weight - a.weight));
  const found = scans.map((one) => worded(one.spotted, messages));
  const spotted = found.flat();
  const shares = sharesOf(spotted);
  const riskScore = riskScoreOf([...shares, ...missing.map(({ rule }) => shareOfFact(rule.weight))]);
  const riskLevel = levelOf(riskScore, spotted, hearing, isWhole);
  const messageOf = (index: number) => (request.messages.length > 0 ? index : undefined);
  const findings: RiskReply['findings'] = [];
  for (const [index, one] of found.entries()) {
    if (findings.length >= findingsMax) break;
    const text = texts[index] as string;
    yield text.length;
    findings.push(...findingsOf(text, one.slice(0, findingsMax - findings.length), messageOf(index)));
  }
  const allowed = scans.flatMap((one, index) => allowedOf(texts[index] as string, one.allowed, messageOf(index)));
  const ownLabels = ownPacks?.labels ?? [];
  return {
    riskLevel,
    riskScore,
    findings,
    findingsTotal: spotted.length,
    missingFacts,
    nextBestAction: nextAction(riskLevel, spotted, shares, missing, messages),
    summary: summaryOf(riskLevel, categoriesOf(spotted), missingFacts, messages),
    basis: basisOf(
      [...phraseChecks(spotted, shares), ...facts],
      [...allLabelsOf(hearing, pack), ...ownLabels].join(' '),
    ),
    assessment: assessmentOf(hearing, [...(pack ? [pack.label] : []), ...ownLabels], scans),
    allowed,
  };
}

function allLabelsOf(hearing: Hearing, pack: RiskPack | undefined): string[] {
  return [pack?.label ?? `risk/all@${riskPacks.size}`, ...labelsOf(hearing)];
}

/** Why a text may be unknown: it was searched in part, by a short pack, or not at all. */
function unknownIn(messages: RiskMessages, { languages }: Hearing, isWhole: boolean): RiskMessages['unknown'] {
  if (!isWhole) return messages.cut;
  return languages.some((language) => signPacks.has(language as SignLanguage)) ? messages.short : messages.unknown;
}

/** What was not judged is not low risk; a short pack that finds nothing has not judged. */
function levelOf(riskScore: number, spotted: readonly Spotted[], { languages }: Hearing, isWhole: boolean): Level {
  const isSpoken = languages.some((language) => signPacks.get(language as SignLanguage)?.scope === 'full');
  const isFound = spotted.some(({ entry }) => entry.severity !== 'info');
  if (!isWhole && riskScore < 25) return 'unknown';
  return isSpoken || isFound || riskScore >= 25 ? riskLevelOf(riskScore) : 'unknown';
}

/** The clear categories found, gravest first; hints do not count. */
function categoriesOf(spotted: readonly Spotted[]): FoundCategories {
  const counted = spotted.filter(({ entry }) => entry.severity !== 'info');
  const clear = counted.filter(({ entry }) => !entry.isUnclear);
  if (clear.length === 0 && counted.length > 0) return 'unclear';
  const sorted = clear.sort((a, b) => (graver(a.entry.severity, b.entry.severity) ? -1 : 1));
  return [...new Set(sorted.map(({ entry }) => entry.category))].slice(0, 5);
}

/** A missing required fact removes a tenth of the safety per unit of weight, at most half. */
function shareOfFact(weight: number): number {
  return Math.min(0.5, weight * 0.1);
}

function indexOwn(phrases: readonly Plain<OwnPhrase>[]): Slices<PhraseIndex<RiskEntry>> {
  return indexPhrasesInSlices(
    phrases.map((own, index) => ({
      phrase: own.phrase,
      entry: {
        id: `own-${index + 1}`,
        category: own.category || 'own',
        severity: (own.severity || 'medium') as Severity,
        reason: own.reason || 'The phrase is on your own list.',
        suggestion: own.suggestion || 'Write it in other words.',
      },
    })),
  );
}

function indexAllowed(phrases: readonly string[]): Slices<PhraseIndex<number>> {
  return indexPhrasesInSlices(phrases.map((phrase) => ({ phrase: plain(phrase), entry: 0 })));
}

function* factChecks(
  request: RiskRequest,
  scans: readonly Scan[],
  { message, action }: RiskMessages['missing'],
): Slices<CheckResult[]> {
  if (request.requiredFacts.length === 0) return [];
  const wanted = request.requiredFacts.flatMap((fact) =>
    phrasesFor(fact).map((phrase) => ({ phrase: plain(phrase), entry: fact.name })),
  );
  const index = yield* indexPhrasesInSlices(wanted);
  const stated = new Set<string>();
  for (const { folded } of scans) for (const { entry } of yield* index.findInSlices(folded, 10_000)) stated.add(entry);
  const given = request.facts ?? {};
  return request.requiredFacts.map((fact) => {
    const value = ownValue(given, fact.name);
    const known = stated.has(fact.name) || (value !== undefined && value !== null && value !== '');
    return {
      outcome: known ? 'passed' : 'failed',
      rule: {
        id: requiredFact,
        fact: fact.name,
        pass: '',
        weight: fact.weight ?? 1,
        severity: 'medium',
        message: message.replace('{fact}', () => fact.name),
        action: fact.action || action.replace('{fact}', () => fact.name),
        missing: true,
      },
    };
  });
}

function phrasesFor(fact: Plain<RequiredFact>): string[] {
  return fact.anyOf.length > 0 ? fact.anyOf : [fact.name];
}

/** Each kind of risk found, as a failed check; its weight is the share of safety that it removed, in percent. At most `checksMax`. */
function phraseChecks(spotted: readonly Spotted[], shares: readonly number[]): CheckResult[] {
  const byEntry = new Map<string, { entry: RiskEntry; share: number; times: number }>();
  for (const [index, { entry }] of spotted.entries()) {
    const known = byEntry.get(entry.id) ?? { entry, share: 0, times: 0 };
    byEntry.set(entry.id, { entry, share: known.share + (shares[index] as number), times: known.times + 1 });
  }
  const all = [...byEntry.values()];
  // By these a reply still knows that somebody needs help when a model's findings are added.
  const needed = all.filter(({ entry }) => entry.category === 'self_harm' || entry.isVictim);
  const kept = new Set([...new Set([...needed, ...all])].slice(0, checksMax));
  const shown = all.filter((one) => kept.has(one));
  return shown.map(({ entry, share, times }) => ({
    outcome: 'failed',
    rule: {
      id: entry.id,
      fact: entry.category,
      pass: '',
      weight: Math.round(share * 1000) / 10,
      severity: entry.severity,
      message: times > 1 ? `${entry.reason} (${times}x)` : entry.reason,
      action: entry.suggestion,
    },
  }));
}

function nextAction(
  level: Level,
  spotted: readonly Spotted[],
  shares: readonly number[],
  missing: readonly CheckResult[],
  messages: RiskMessages,
): string {
  const help = helpFirst(
    spotted.map(({ entry }) => entry),
    messages,
  );
  if (help !== undefined) return help;
  let heaviest = { share: 0, action: level === 'unknown' ? messages.unknown.action : messages.low.action };
  for (const [index, { entry }] of spotted.entries()) {
    const share = shares[index] as number;
    if (share > heaviest.share) heaviest = { share, action: entry.suggestion };
  }
  for (const { rule } of missing) {
    const share = shareOfFact(rule.weight);
    if (share > heaviest.share) heaviest = { share, action: rule.action };
  }
  return heaviest.action;
}
