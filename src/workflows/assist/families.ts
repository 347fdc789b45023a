import type { z } from 'zod';
import { type DraftReply, type DraftRequest, inspectDraft } from '../families/draft.ts';
import { formatValue } from '../families/draft-values.ts';
import type { FamilyName } from '../family.ts';
import { occursIn } from '../text/phrases.ts';
import { documentAnswer } from './answer.ts';
import { type Judged, missed } from './ask.ts';
import type { Assistance, Assisted } from './assistance.ts';
import { decisionAssistance } from './decision.ts';
import { addedClaims } from './draft-claims.ts';
import { guidanceAssistance } from './guidance.ts';
import { readinessAssistance } from './readiness.ts';
import { riskAssistance } from './risk.ts';
import { scoringAssistance } from './scoring.ts';

const draft: Assistance<DraftRequest, DraftReply, z.infer<typeof documentAnswer>> = {
  answer: documentAnswer,
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
  reading: ({ purpose }) => purpose,
  texts: () => [],
  seeksEvidence: true,
  judge({ request, reply }, { title, body }) {
    const before = reply.draft;
    if (!before) return missed('content', 'there is no draft');
    if (body.trim() === '') return missed('empty', 'the body is empty');
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

/** How a model helps each family; families not listed here get no help. */
export const assistances: Readonly<Partial<Record<FamilyName, unknown>>> = {
  guidance: guidanceAssistance,
  readiness: readinessAssistance,
  risk: riskAssistance,
  draft,
  decision: decisionAssistance,
  scoring: scoringAssistance,
};

/** Whether a text contains a value, as given or in the locale's format. */
function states(body: string, value: string, locale: string): boolean {
  return occursIn(body, value) || (locale !== '' && occursIn(body, formatValue(value, locale)));
}

/** A document is valid as a whole or not at all. */
function judged(problems: readonly string[], reply: DraftReply): Judged<Assisted<DraftReply>> {
  if (problems.length > 0) return missed('content', [...new Set(problems)].slice(0, 10).join('; '));
  return { ok: true, output: { reply, outcome: { kept: [{ kind: 'document', name: '' }], dropped: [] } } };
}
