import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { codePointOffsets, foldText } from '../../base/text/fold.ts';
import { countWords } from '../../base/text/words.ts';
import type {
  Citation,
  DraftDocumentRequest,
  DraftDocumentResponse,
  DraftFact,
} from '../../gen/intelligence/workflow/v1/draft_pb.ts';
import type { Finding } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import type { CheckResult } from '../checks/checks.ts';
import { riskLevelOf, riskScoreOf } from '../checks/risk-level.ts';
import { basisOf, counted, type Family, type Plain, type Prepared, type ReplyOf } from '../family.ts';
import { type DraftTemplate, draftTemplates } from '../packs/draft-templates.ts';
import type { Domain, RiskEntry } from '../packs/risk-pack.ts';
import { indexPhrases, plain } from '../text/phrases.ts';
import { findingsOf, scan, sharesOf } from './findings.ts';
import { riskPacks } from './risk.ts';

export type DraftRequest = Plain<DraftDocumentRequest>;
export type DraftReply = ReplyOf<DraftDocumentResponse>;

/** Creates a safe draft: it states only the facts that are given, and says which are not. */
export const draftFamily: Family<DraftRequest, DraftReply> = {
  name: 'draft',
  prepare(request): Result<Prepared<DraftReply>> {
    const template = draftTemplates.templates.get(request.template || 'letter');
    if (!template) return fail(invalid('template', `is not one of ${[...draftTemplates.templates.keys()].join(', ')}`));
    const names = new Set<string>();
    for (const [index, { name }] of request.facts.entries()) {
      if (names.has(foldText(name))) return fail(invalid(`facts[${index}].name`, `${name} is there twice`));
      names.add(foldText(name));
    }
    return succeed({ variables: {}, ownChecks: [], compute: () => write(request, template) });
  },
};

/** What of a draft follows from its text: where facts are stated, what is open, and how risky it is. */
export interface DraftInspection {
  placeholders: string[];
  citations: Plain<Citation>[];
  riskLevel: string;
  findings: Plain<Finding>[];
}

/** Looks at a draft's text, whoever wrote it. Pure. */
export function inspectDraft(
  body: string,
  facts: readonly Plain<DraftFact>[],
  mustAvoid: readonly string[],
  domain: string,
): DraftInspection {
  const pack = riskPacks.get((domain || 'general') as Domain) ?? riskPacks.get('general');
  if (!pack) throw new Error('no general risk pack');
  const { spotted } = scan(body, pack.index, mustAvoid.length > 0 ? avoided(mustAvoid) : undefined);
  return {
    placeholders: [...new Set([...body.matchAll(/\[\[([^[\]]{1,128})\]\]/g)].map(([, name]) => name as string))],
    citations: citationsOf(body, facts),
    riskLevel: riskLevelOf(riskScoreOf(sharesOf(spotted))),
    findings: findingsOf(body, spotted.slice(0, 200)),
  };
}

function write(request: DraftRequest, template: DraftTemplate): DraftReply {
  const missing = missingFactsOf(request);
  const body = compose(request, template, missing);
  const inspected = inspectDraft(body, request.facts, request.mustAvoid, request.domain);
  const avoidedFindings = inspected.findings.filter(({ category }) => category === avoidCategory);
  return {
    draft: {
      draftId: '',
      version: 1,
      title: request.title || titleOf(request.purpose),
      body,
      ...inspected,
      state: 'pending_review',
      reviews: [],
      createTime: undefined,
      versions: [],
    },
    missingFacts: missing,
    nextBestAction: nextAction(missing, inspected),
    summary: summaryOf(missing.length, inspected),
    basis: basisOf(
      checksOf(request, missing, inspected, avoidedFindings.length),
      `draft/templates@${draftTemplates.version}`,
    ),
  };
}

/**
 * The facts that the draft needs and that are not given: those without a value, and what must be in it and is neither a
 * fact nor a sentence (up to four words without an end mark name a fact).
 */
function missingFactsOf({ facts, mustInclude }: DraftRequest): string[] {
  const known = new Set(facts.map(({ name }) => foldText(name)));
  const unnamed = mustInclude.filter((text) => !known.has(foldText(text)) && namesFact(text));
  const empty = facts.filter(({ value }) => value.trim() === '').map(({ name }) => name);
  return [...new Set([...empty, ...unnamed])];
}

function namesFact(text: string): boolean {
  return countWords(text) <= 4 && !/[.!?。！？:]\s*$/.test(text);
}

function compose(request: DraftRequest, template: DraftTemplate, missing: readonly string[]): string {
  const tone = draftTemplates.tones.get(request.tone || 'neutral');
  if (!tone) throw new Error(`no tone ${request.tone}`);
  const fill = (text: string) =>
    text.replace('{audience}', () => request.audience.trim()).replace('{purpose}', () => sentence(request.purpose));
  const parts: Record<string, string> = {
    greeting: request.audience.trim() === '' ? '' : fill(tone.greeting),
    opening: fill(tone.opening),
    facts: factLines(request, template, missing),
    must: request.mustInclude.filter((text) => !namesFact(text)).join('\n\n'),
    request: request.length === 'short' ? '' : template.request,
    closing: request.length === 'short' ? '' : `${tone.closing}\n${senderOf(request)}`,
  };
  const written = template.parts.map((part) => parts[part] ?? '').filter((part) => part !== '');
  const sources = request.facts.filter(({ source, value }) => source !== '' && value.trim() !== '');
  if (request.length === 'long' && sources.length > 0)
    written.push(`Sources\n${sources.map(({ name, source }) => `- ${name}: ${source}`).join('\n')}`);
  return written.join('\n\n');
}

function senderOf(request: DraftRequest): string {
  return request.facts.find(({ name }) => foldText(name) === 'sender')?.value.trim() || '[[sender]]';
}

function factLines(request: DraftRequest, template: DraftTemplate, missing: readonly string[]): string {
  const stated = request.facts.filter(({ name, value }) => value.trim() !== '' && foldText(name) !== 'sender');
  const lines = [
    ...stated.map(({ name, value }) => `- ${capital(name)}: ${value.trim()}`),
    ...missing
      .filter((name) => foldText(name) !== 'sender')
      .map((name) => `- ${capital(name)}: [[${name.replace(/[[\]]/g, ' ')}]]`),
  ];
  if (lines.length === 0) return '';
  return template.factsHeading === '' ? lines.join('\n') : `${template.factsHeading}\n${lines.join('\n')}`;
}

function citationsOf(body: string, facts: readonly Plain<DraftFact>[]): Plain<Citation>[] {
  const spans: { start: number; end: number; fact: Plain<DraftFact> }[] = [];
  let from = 0;
  for (const fact of facts) {
    const value = fact.value.trim();
    if (value === '') continue;
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

function avoided(phrases: readonly string[]): ReturnType<typeof indexPhrases<RiskEntry>> {
  return indexPhrases(
    phrases.map((phrase, index) => ({
      phrase: plain(phrase),
      entry: {
        id: `must-avoid-${index + 1}`,
        category: avoidCategory,
        severity: 'high' as const,
        reason: 'The phrase is one that must not be in the document.',
        suggestion: `Write this in other words: ${phrase}.`,
      },
    })),
  );
}

function checksOf(
  request: DraftRequest,
  missing: readonly string[],
  inspected: DraftInspection,
  avoidedCount: number,
): CheckResult[] {
  const rule = (id: string, fact: string, message: string, action: string, weight: number) => ({
    id,
    fact,
    pass: '',
    weight,
    severity: 'high' as const,
    message,
    action,
  });
  const risky = inspected.findings.length - avoidedCount;
  const checks: CheckResult[] = [
    {
      outcome: missing.length === 0 ? 'passed' : 'failed',
      rule: rule('facts-given', 'facts', `Not given: ${missing.join(', ')}.`, 'State what is not given.', 5),
    },
    {
      outcome: risky === 0 ? 'passed' : 'failed',
      rule: rule(
        'text-not-risky',
        'wording',
        `${counted(risky, 'risky phrase', 'risky phrases')} in the text.`,
        'Rewrite the phrases in the findings.',
        4,
      ),
    },
  ];
  if (request.mustAvoid.length > 0)
    checks.push({
      outcome: avoidedCount === 0 ? 'passed' : 'failed',
      rule: rule('avoided-phrases', 'wording', 'A phrase that must not be in the document is in it.', 'Rewrite it.', 4),
    });
  return checks;
}

function nextAction(missing: readonly string[], { findings, placeholders }: DraftInspection): string {
  if (missing.length > 0) return `State what is not given: ${missing.slice(0, 5).join(', ')}.`;
  if (placeholders.length > 0) return `Fill in: ${placeholders.slice(0, 5).join(', ')}.`;
  return findings[0]?.suggestion ?? 'Review the draft and approve it.';
}

function summaryOf(missing: number, { riskLevel, citations }: DraftInspection): string {
  const open = missing === 0 ? 'nothing is open' : `${counted(missing, 'fact is', 'facts are')} not given`;
  return `The draft states ${counted(citations.length, 'fact', 'facts')}; ${open}. Its risk is ${riskLevel}. It waits for review.`;
}

function titleOf(purpose: string): string {
  const first =
    purpose
      .trim()
      .split(/[\n.!?。！？]/u)[0]
      ?.trim() ?? '';
  const points = [...first];
  return capital(points.length > 80 ? `${points.slice(0, 79).join('')}…` : first);
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?。！？]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}

function capital(text: string): string {
  const [first = '', ...rest] = text;
  return first.toUpperCase() + rest.join('');
}
