import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { atOnce, inTurns, type Slices, unitsOfATurn } from '../../base/slices.ts';
import { codePointOffsets, foldText } from '../../base/text/fold.ts';
import { nearestName } from '../../base/text/nearest.ts';
import { createPace } from '../../base/turn.ts';
import type {
  Citation,
  DraftDocumentRequest,
  DraftDocumentResponse,
  DraftFact,
  DraftPlaceholder,
} from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import type { Finding } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import type { CheckResult } from '../checks/checks.ts';
import { type RiskLevel, riskLevelOf, riskScoreOf } from '../checks/risk-level.ts';
import { basisOf, type Family, type Plain, type Prepared, type ReplyOf } from '../family.ts';
import { bareName, type DraftKind, draftKinds, draftKindsVersion, neutralKind } from '../packs/draft-kinds.ts';
import type { DraftLanguage, DraftWords } from '../packs/draft-language.ts';
import { type DraftTone, draftTemplates } from '../packs/draft-templates.ts';
import type { RiskMessages } from '../packs/risk-messages.ts';
import type { Domain, RiskEntry } from '../packs/risk-pack.ts';
import { indexPhrases, plain } from '../text/phrases.ts';
import { assign, itemsIn } from './draft-assign.ts';
import { type Composing, compose, titleOf, wordsOf } from './draft-compose.ts';
import { asInDrafts, harmIn } from './draft-harm.ts';
import { neededFrom } from './draft-needed.ts';
import { kindCalled, kindOfPurpose, occasionOf } from './draft-purpose.ts';
import { type DraftLocale, draftLocaleOf, formatValue } from './draft-values.ts';
import { findingsOf, look } from './findings.ts';
import { riskPacks } from './risk.ts';
import { riskMessages, signPacks } from './risk-assessment.ts';
import { worded } from './risk-words.ts';
import { inOrder, type Spotted, sharesOf, withoutOverlaps } from './spotted.ts';

export type DraftRequest = Plain<DraftDocumentRequest>;
export type DraftReply = ReplyOf<DraftDocumentResponse>;

/** Creates a safe draft: it states only the given facts, and says which are missing. */
export const draftFamily: Family<DraftRequest, DraftReply> = {
  name: 'draft',
  prepare(request): Result<Prepared<DraftReply>> {
    const { templates } = draftTemplates;
    if (request.template !== '' && !templates.has(request.template))
      return fail(invalid('template', `is not one of ${[...templates.keys()].join(', ')}`));
    const kind = kindCalled(request.kind);
    if (request.kind !== '' && kind === undefined) return fail(invalid('kind', unknownKind(request.kind)));
    const names = new Set<string>();
    for (const [index, { name }] of request.facts.entries()) {
      if (names.has(foldText(name))) return fail(invalid(`facts[${index}].name`, `${name} is there twice`));
      names.add(foldText(name));
    }
    return succeed({ variables: {}, ownChecks: [], compute: () => write(request, kind) });
  },
};

function unknownKind(kind: string): string {
  const near = nearestName(kind, new Set(draftKinds.keys()));
  const hint = near === undefined ? '' : `; perhaps ${near} is meant`;
  return `is not one of ${[...draftKinds.keys()].join(', ')}${hint}`;
}

/** What follows from a draft's text: where facts are stated, what is open, and how risky it is. */
export interface DraftInspection {
  placeholders: string[];
  openPlaceholders: Plain<DraftPlaceholder>[];
  citations: Plain<Citation>[];
  riskLevel: string;
  findings: Plain<Finding>[];
}

/** The terms under which a draft was made; each of its versions is inspected under the same ones. */
export interface DraftTerms {
  facts: readonly Plain<DraftFact>[];
  mustAvoid: readonly string[];
  domain: string;
  /** Empty or absent: the neutral form, and an unknown language. */
  kind?: string;
  locale?: string;
  /** What the document is for. Judged where it may turn somebody away: a neutral text does not make it right to do so for who they are. */
  purpose?: string;
}

/** Inspects a draft's text, whoever wrote it. Pure. */
export function inspectDraft(body: string, terms: DraftTerms): DraftInspection {
  return atOnce(inspectInSlices(body, terms)).inspection;
}

/** The same, yielding to the event loop in between. */
export async function inspectDraftInTurns(body: string, terms: DraftTerms): Promise<DraftInspection> {
  return (await inTurns(inspectInSlices(body, terms), createPace(unitsOfATurn))).inspection;
}

/** The inspection, and which of the caller's phrases to avoid are there, each once. */
interface Inspected {
  inspection: DraftInspection;
  avoidedPhrases: string[];
}

function* inspectInSlices(body: string, terms: DraftTerms, beside?: readonly string[]): Slices<Inspected> {
  const { facts, mustAvoid, domain, kind = '', locale = '' } = terms;
  const pack = riskPacks.get((domain || 'general') as Domain) ?? riskPacks.get('general');
  if (!pack) throw new Error('no general risk pack');
  const language = locale === '' ? undefined : draftLocaleOf(locale, '').language;
  const signs = language === undefined ? undefined : signPacks.get(language);
  const words = wordsOf(language ?? 'en');
  const looking = { phrases: pack.index, packs: signs ? [signs] : [] };
  const found = yield* look(body, looking);
  const risky = yield* neededFrom(found.spotted, body, facts, looking, beside);
  const harm = yield* harmIn(body, language, found.spotted, kind, found.words);
  const matches = mustAvoid.length > 0 ? yield* avoided(mustAvoid, words).findInSlices(found.folded) : [];
  // Whatever else is found at its place, a phrase to avoid is there.
  const own = matches.map((match): Spotted => ({ ...match, source: 'own' }));
  const spotted = inOrder([...withoutOverlaps([...asInDrafts(risky, words.checks, kind), ...harm]), ...own]);
  const openPlaceholders = placeholdersIn(body, draftKinds.get(kind) ?? neutralKind, language);
  const messages = riskMessages.get(words.language) as RiskMessages;
  const meant = yield* excludedFor(terms, language);
  const inspection = {
    placeholders: openPlaceholders.map(({ name }) => name),
    openPlaceholders,
    citations: citationsOf(body, facts, locale),
    riskLevel: riskLevelOf(riskScoreOf(sharesOf([...meant, ...spotted]))),
    findings: [
      ...findingsOf(terms.purpose ?? '', worded(meant, messages)).map((one) => ({ ...one, field: 'purpose' })),
      ...findingsOf(body, worded(spotted.slice(0, 200), messages)),
    ],
  };
  return { inspection, avoidedPhrases: [...new Set(own.map(({ start, end }) => body.slice(start, end)))] };
}

const turningAway: ReadonlySet<string> = new Set(['rejection', 'notice', 'refund_refused']);
// In English, German, Spanish and French, without accents.
const ofAnothers =
  /\b(?:answer|repl|respon|complain|report|alleg|accus|apolog|antwort|beschwer|vorw|entschuldig|meld|contest|quej|reclam|denunci|disculp|repon|plain[td]|signal|excus)/;

/** Where the purpose of a letter that turns somebody away says that it is for who they are. */
function* excludedFor({ purpose = '', kind = '' }: DraftTerms, language?: DraftLanguage): Slices<Spotted[]> {
  if (purpose === '') return [];
  // A letter of no known kind may dismiss somebody, or answer whoever says that they were dismissed so.
  const turnsAway = kind === '' ? !ofAnothers.test(foldText(purpose)) : turningAway.has(kind);
  if (!turnsAway) return [];
  const harm = yield* harmIn(purpose, language, []);
  return harm.filter(({ entry }) => entry.category === 'discrimination').slice(0, 1);
}

/** Each name once, at its first occurrence. */
function placeholdersIn(
  body: string,
  kind: DraftKind,
  language: DraftLocale['language'] = 'en',
): Plain<DraftPlaceholder>[] {
  const first = new Map<string, number>();
  for (const { 1: name = '', index } of body.matchAll(/\[\[([^[\]]{1,128})\]\]/g))
    if (!first.has(name)) first.set(name, index);
  const starts = codePointOffsets(body, [...first.values()]);
  return [...first.keys()].map((name, index) => {
    const start = starts[index] as number;
    const field = kind.byName.get(language)?.get(bareName(name)) ?? '';
    return { name, field, start, end: start + [...name].length + 4 };
  });
}

// "My contract" belongs to one person, unless a firm or several people sign.
const ofOneself = /\b(?:my|myself|mein\w*|ich|mi|mon|ma|je)\b/;
const ofSeveral =
  /\b(?:gmbh|ag|kg|ohg|ug|ltd|llc|inc|plc|s ?l|s ?a|sarl|sas|eurl|team|and|und|y|et|e ?v|familie|family)\b|&/;

// First and last name, or several of either.
const ofPerson = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’.-]*){1,3}$/u;
const ofUs = /\b(?:our|we|unser\w*|wir|nuestr\w*|notre|nos|nous)\b/;

/** Ending a contract under a person's name, without mention of others, means that one person does it alone. */
function isByOne(purpose: string, sender: string, isEnding: boolean): boolean {
  if (ofSeveral.test(foldText(sender).replaceAll('.', ' '))) return false;
  const said = foldText(purpose.slice(0, 500));
  return ofOneself.test(said) || (isEnding && ofPerson.test(sender) && !ofUs.test(said));
}

function* write(request: DraftRequest, called: DraftKind | undefined): Slices<DraftReply> {
  const names = [...request.facts.map(({ name }) => name), ...request.mustInclude];
  const kind = called ?? kindOfPurpose(request.purpose, names);
  const locale = draftLocaleOf(request.locale, request.purpose, names);
  const occasion = kind.id === '' ? occasionOf(request.purpose) : undefined;
  const assigned = assign(kind, request, locale, occasion);
  const name = request.template || kind.template;
  const template = draftTemplates.templates.get(name);
  if (!template) throw new Error(`no form ${name}`);
  const composing: Composing = {
    ...{ kind, assigned, words: wordsOf(locale.language), template: { ...template, name } },
    ...{ audience: request.audience, facts: request.facts, mustInclude: request.mustInclude },
    occasion,
    tone: (request.tone || 'neutral') as DraftTone,
    isByOne: isByOne(request.purpose, assigned.slots.get('sender')?.text ?? '', assigned.isEnding),
    length: request.length,
    mustAvoid: request.mustAvoid.map(foldText),
  };
  const body = compose(composing);
  yield body.length * 2;
  const terms = { ...request, kind: kind.id, locale: locale.tag };
  const { inspection: inspected, avoidedPhrases } = yield* inspectInSlices(body, terms, request.mustInclude);
  const missing = inspected.placeholders;
  return {
    draft: {
      draftId: '',
      version: 1,
      title: request.title || titleOf(composing),
      body,
      ...inspected,
      kind: kind.id,
      locale: locale.tag,
      state: 'pending_review',
      reviews: [],
      createTime: undefined,
      versions: [],
    },
    missingFacts: missing,
    nextBestAction: nextAction(composing, inspected),
    summary: summaryOf(composing, inspected),
    basis: basisOf(
      checksOf(composing, missing, inspected, avoidedPhrases),
      `draft/${kind.id || 'neutral'}@${draftKindsVersion}`,
    ),
    unusedFields: assigned.unusedFields,
  };
}

function citationsOf(body: string, facts: readonly Plain<DraftFact>[], locale: string): Plain<Citation>[] {
  const spans: { start: number; end: number; fact: Plain<DraftFact> }[] = [];
  let from = 0;
  for (const fact of facts) {
    const given = fact.value.trim();
    if (given === '') continue;
    const formatted = locale === '' ? given : formatValue(given, locale);
    const written = body.includes(formatted) ? formatted : given;
    // In a list, each item has its own line: the first one is where the list begins.
    const value = body.includes(written) ? written : (itemsIn(written)[0] ?? written);
    const after = body.indexOf(value, from);
    const start = after >= 0 ? after : body.indexOf(value);
    if (start < 0) continue;
    from = Math.max(from, start + value.length);
    spans.push({ start, end: start + value.length, fact });
  }
  spans.sort((a, b) => a.start - b.start);
  const starts = codePointOffsets(
    body,
    spans.map(({ start }) => start),
  );
  return spans.map(({ start, end, fact }, index) => {
    const first = starts[index] as number;
    return { start: first, end: first + [...body.slice(start, end)].length, fact: fact.name, source: fact.source };
  });
}

const avoidCategory = 'must_avoid';

function avoided(phrases: readonly string[], { checks }: DraftWords): ReturnType<typeof indexPhrases<RiskEntry>> {
  return indexPhrases(
    phrases.map((phrase, index) => ({
      phrase: plain(phrase),
      entry: {
        id: `must-avoid-${index + 1}`,
        category: avoidCategory,
        severity: 'high' as const,
        reason: checks.avoided.message,
        suggestion: checks.avoided.action.replace('{phrase}', () => phrase),
      },
    })),
  );
}

function checksOf(
  { words: { checks }, mustAvoid }: Composing,
  missing: readonly string[],
  inspected: DraftInspection,
  avoidedPhrases: readonly string[],
): CheckResult[] {
  const check = (
    failed: boolean,
    terms: { id: string; fact: string; message: string; action: string; weight: number },
  ) =>
    ({ outcome: failed ? 'failed' : 'passed', rule: { ...terms, pass: '', severity: 'high' } }) satisfies CheckResult;
  const { open, risky, avoided: unwanted } = checks;
  const riskyCount = inspected.findings.filter(({ category }) => category !== avoidCategory).length;
  const results = [
    check(missing.length > 0, {
      ...{ id: 'facts-given', fact: 'facts', weight: 5, action: open.action },
      message: open.message.replace('{names}', () => missing.join(', ')),
    }),
    check(riskyCount > 0, {
      ...{ id: 'text-not-risky', fact: 'wording', weight: 4, action: risky.action },
      message: risky.message.replace('{count}', String(riskyCount)),
    }),
  ];
  if (mustAvoid.length === 0) return results;
  const action = unwanted.action.replace('{phrase}', () => avoidedPhrases.join(', '));
  return [
    ...results,
    check(avoidedPhrases.length > 0, {
      ...{ id: 'avoided-phrases', fact: 'wording', weight: 4, action },
      message: unwanted.message,
    }),
  ];
}

/** First what is critical, then what is missing, then other risks. */
function nextAction({ words }: Composing, { findings, placeholders }: DraftInspection): string {
  const critical = findings.find(({ severity }) => severity === 'critical');
  if (critical) return critical.suggestion;
  const names = placeholders.slice(0, 5).join(', ');
  if (placeholders.length > 0) return words.actions.state.replace('{names}', () => names);
  const [finding] = findings.filter(({ severity }) => severity !== 'info' && severity !== 'low');
  return finding?.suggestion ?? words.actions.review;
}

function summaryOf({ words }: Composing, { riskLevel, citations, placeholders }: DraftInspection): string {
  const messages = riskMessages.get(words.language) as RiskMessages;
  return words.summary
    .replace('{stated}', String(citations.length))
    .replace('{open}', String(placeholders.length))
    .replace('{level}', messages.levels[riskLevel as RiskLevel]);
}
