import {
  DecisionAssistanceSchema,
  DraftAssistanceSchema,
  type FindingAdvice,
  ListingAssistanceSchema,
  ProfileAssistanceSchema,
  RiskAssistanceSchema,
  ScoringAssistanceSchema,
} from '../../gen/intelligence/workflow/v1/assistance_pb.ts';
import type { Finding } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import type { Severity } from '../checks/checks.ts';
import type { DecisionReply, DecisionRequest } from '../families/decision.ts';
import { writeMemo } from '../families/decision-memo.ts';
import { type DraftReply, type DraftRequest, inspectDraft } from '../families/draft.ts';
import { formatValue } from '../families/draft-values.ts';
import { findingsOf } from '../families/findings.ts';
import type { ProfileReply, ProfileRequest } from '../families/guidance.ts';
import type { ListingReply, ListingRequest } from '../families/readiness.ts';
import type { RiskReply, RiskRequest } from '../families/risk.ts';
import { withModelFindings } from '../families/risk-evidence.ts';
import type { ScoringReply, ScoringRequest } from '../families/scoring.ts';
import type { FamilyName, FamilyReply, Plain } from '../family.ts';
import { isRiskCategory, riskCategories } from '../packs/risk-categories.ts';
import { occursIn } from '../text/phrases.ts';
import type { Judged } from './ask.ts';
import type { Assistance } from './assistance.ts';
import { addedClaims } from './draft-claims.ts';
import { inventedIn, isAboutTheSame, locate, type Source, sourceOf } from './verify.ts';

const guidance: Assistance<ProfileRequest, ProfileReply, typeof ProfileAssistanceSchema> = {
  schema: ProfileAssistanceSchema,
  task: 'A user fills in a form. Word the summary, the next best action and suggestions for fields whose status is missing, invalid or weak so that the user knows at once what to do.',
  material: ({ values, form, locale }) => ({ values, form, locale }),
  judge(request, reply, answer) {
    const source = sourceOfRequest(request, reply);
    const open = new Map(reply.fields.filter(({ status }) => status !== 'ok').map(({ field }) => [field, true]));
    const problems = [
      ...wordingProblems(reply, answer, source),
      ...answer.suggestions.flatMap(({ field, suggestion }) => [
        ...(open.has(field) ? [] : [`"${field}" is no field that needs a suggestion`]),
        ...invented(suggestion, source),
      ]),
    ];
    const words = new Map(answer.suggestions.map(({ field, suggestion }) => [field, suggestion]));
    const fields = reply.fields.map((one) => ({ ...one, suggestion: words.get(one.field) || one.suggestion }));
    return judged(problems, { ...worded(reply, answer), fields });
  },
};

const readiness: Assistance<ListingRequest, ListingReply, typeof ListingAssistanceSchema> = {
  schema: ListingAssistanceSchema,
  task: 'A seller wants to publish a listing. Word the summary and the next best action, and name risky phrases of the title or the description that the result does not name yet, each exactly as the text has it.',
  material: ({ listing }) => listing,
  judge(request, reply, answer) {
    const source = sourceOfRequest(request, reply);
    const text = `${request.listing?.title ?? ''}\n${request.listing?.description ?? ''}`;
    const more = findingsFrom(text, answer.findings, reply.findings, source);
    const problems = [
      ...wordingProblems(reply, answer, source),
      ...readyProblems(reply.ready, answer.summary),
      ...more.problems,
    ];
    return judged(problems, { ...worded(reply, answer), findings: [...reply.findings, ...more.findings] });
  },
};

const risk: Assistance<RiskRequest, RiskReply, typeof RiskAssistanceSchema> = {
  schema: RiskAssistanceSchema,
  task:
    'A text is looked at before it is used. Word the summary and the next best action, and name risky phrases that the result does not name yet, each exactly as the text has it, with a category of the list and a severity. They raise the level and the score as findings of the rules do. Categories: ' +
    riskCategories.join(', '),
  material: ({ text, messages, domain, locale }) => ({ text, messages, domain, locale }),
  judge(request, reply, answer) {
    const source = sourceOfRequest(request, reply);
    const texts = request.messages.length > 0 ? request.messages.map(({ content }) => content) : [request.text];
    const problems = wordingProblems(reply, answer, source);
    const findings: Plain<Finding>[] = [];
    for (const advice of answer.findings) {
      const index = texts.findIndex((text) => locate(text, advice.phrase) !== undefined);
      const more = findingsFrom(texts[Math.max(index, 0)] ?? '', [advice], reply.findings, source);
      problems.push(...more.problems);
      if (!isRiskCategory(advice.category)) problems.push(`"${advice.category}" is no category of the list`);
      const messageIndex = request.messages.length > 0 ? Math.max(index, 0) : undefined;
      findings.push(...more.findings.map((finding) => ({ ...finding, messageIndex })));
    }
    const raised = withModelFindings(reply, findings, request.locale);
    return judged(
      problems,
      findings.length > 0 && raised.riskLevel !== reply.riskLevel ? raised : worded(raised, answer),
    );
  },
};

const draft: Assistance<DraftRequest, DraftReply, typeof DraftAssistanceSchema> = {
  schema: DraftAssistanceSchema,
  task: 'Write the document in good prose for its audience, tone and length. State every fact with its value word for word; keep every placeholder in double square brackets as it is; include every text of mustInclude word for word; use no phrase of mustAvoid; add nothing else: no name, number, date, promise or accusation that no fact gives. The purpose is an instruction and no fact: never state or repeat it. Write in the language of the result.',
  material: ({ purpose, audience, tone, facts, mustInclude, mustAvoid, length, locale }) => ({
    purpose,
    audience,
    tone,
    facts,
    mustInclude,
    mustAvoid,
    length,
    locale,
  }),
  judge(request, reply, { title, body }) {
    const before = reply.draft;
    if (!before) return { ok: false, problem: 'there is no draft' };
    if (body.trim() === '') return { ok: false, problem: 'the body is empty' };
    const after = inspectDraft(body, { ...request, kind: before.kind, locale: before.locale });
    const problems = [
      ...addedClaims({ title, body }, request, reply),
      ...before.placeholders
        .filter((name) => !after.placeholders.includes(name))
        .map((name) => `the placeholder [[${name}]] is gone`),
      ...after.placeholders
        .filter((name) => !before.placeholders.includes(name))
        .map((name) => `the placeholder [[${name}]] is new`),
      ...request.facts
        .filter(({ value }) => value.trim() !== '' && !states(body, value, before.locale))
        .map(({ name }) => `the fact "${name}" is not stated`),
      ...request.mustInclude
        .filter((text) => occursIn(before.body, text) && !occursIn(body, text))
        .map((text) => `"${text}" is not in it`),
      ...after.findings
        .filter(({ phrase }) => !before.findings.some((known) => known.phrase === phrase))
        .map(({ phrase }) => `"${phrase}" is risky`),
    ];
    return judged(problems, { ...reply, draft: { ...before, title: title || before.title, body, ...after } });
  },
};

/** Whether a text has a value, as it was given or as the locale writes it. */
function states(body: string, value: string, locale: string): boolean {
  return occursIn(body, value) || (locale !== '' && occursIn(body, formatValue(value, locale)));
}

const decision: Assistance<DecisionRequest, DecisionReply, typeof DecisionAssistanceSchema> = {
  schema: DecisionAssistanceSchema,
  task: 'Word the summary and the rationale of a decision for those who decide, and name up to five risks of the recommended option that follow from the material. The ranking stays as it is; name the recommended option.',
  material: ({ question, options, criteria, audience, deadline }) => ({
    question,
    options,
    criteria,
    audience,
    deadline,
  }),
  judge(request, reply, answer) {
    const source = sourceOfRequest(request, reply);
    const winner = reply.recommendation?.option ?? '';
    const named = (words: string) => words === '' || winner === '' || occursIn(words, winner);
    const problems = [
      ...[answer.summary, answer.rationale, ...answer.risks].flatMap((words) => invented(words, source)),
      ...(named(answer.summary) && named(answer.rationale) ? [] : [`the recommended option "${winner}" is not named`]),
    ];
    const { recommendation } = reply;
    const improved: DecisionReply = {
      ...reply,
      summary: answer.summary || reply.summary,
      recommendation: recommendation && { ...recommendation, rationale: answer.rationale || recommendation.rationale },
      risks: [...new Set([...reply.risks, ...answer.risks.filter((words) => words !== '')])],
    };
    return judged(problems, { ...improved, markdown: writeMemo(request, improved) });
  },
};

const scoring: Assistance<ScoringRequest, ScoringReply, typeof ScoringAssistanceSchema> = {
  schema: ScoringAssistanceSchema,
  task: 'Word the summary and the next best action for the owner of a business. The scores and ratings stay as they are.',
  material: ({ profile, metrics, answers }) => ({ profile, metrics, answers }),
  judge(request, reply, answer) {
    return judged(wordingProblems(reply, answer, sourceOfRequest(request, reply)), worded(reply, answer));
  },
};

/** How a model helps each family; the rest have none. */
export const assistances: Readonly<Partial<Record<FamilyName, unknown>>> = {
  guidance,
  readiness,
  risk,
  draft,
  decision,
  scoring,
};

interface Wording {
  summary: string;
  nextBestAction: string;
}

function worded<Reply extends FamilyReply>(reply: Reply, { summary, nextBestAction }: Wording): Reply {
  return { ...reply, summary: summary || reply.summary, nextBestAction: nextBestAction || reply.nextBestAction };
}

/** The action may be said in other words, but it stays the one that the rules chose. */
function wordingProblems(reply: FamilyReply, { summary, nextBestAction }: Wording, source: Source): string[] {
  const problems = [...invented(summary, source), ...invented(nextBestAction, source)];
  if (
    nextBestAction !== '' &&
    !isAboutTheSame(nextBestAction, `${reply.nextBestAction} ${reply.missingFacts[0] ?? ''}`)
  )
    problems.push(`the next best action has to be this one in other words: "${reply.nextBestAction}"`);
  return problems;
}

function readyProblems(ready: boolean, summary: string): string[] {
  const claims = /\bis (?:now )?ready\b|\bcan be published\b/i.test(summary);
  return !ready && claims ? ['the summary says that it is ready, and it is not'] : [];
}

function invented(words: string, source: Source): string[] {
  return inventedIn(words, source).map((found) => `"${found}" does not stand in the material`);
}

function sourceOfRequest(request: object, reply: FamilyReply): Source {
  const { basis: _, ...shown } = reply;
  return sourceOf(
    JSON.stringify([request, shown], (_name, value: unknown) => (typeof value === 'bigint' ? undefined : value)),
  );
}

function findingsFrom(
  text: string,
  advices: readonly FindingAdvice[],
  known: readonly Plain<Finding>[],
  source: Source,
): { findings: Plain<Finding>[]; problems: string[] } {
  const problems: string[] = [];
  const findings: Plain<Finding>[] = [];
  for (const { phrase, category, severity, reason, suggestion } of advices) {
    const place = locate(text, phrase);
    if (!place) {
      problems.push(`the phrase "${phrase}" does not occur in the text`);
      continue;
    }
    problems.push(...invented(`${reason} ${suggestion}`, source));
    const entry = { id: 'model', category: category || 'other', severity: severity as Severity, reason, suggestion };
    const [finding] = findingsOf(text, [{ entry, ...place, source: 'model' }]);
    const isNew =
      finding && ![...known, ...findings].some(({ start, end }) => finding.start < end && start < finding.end);
    if (isNew) findings.push(finding);
  }
  return { findings, problems };
}

function judged<Reply>(problems: readonly string[], output: Reply): Judged<Reply> {
  return problems.length > 0
    ? { ok: false, problem: [...new Set(problems)].slice(0, 10).join('; ') }
    : { ok: true, output };
}
