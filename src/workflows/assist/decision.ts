import type { z } from 'zod';
import type { DecisionReply, DecisionRequest } from '../families/decision.ts';
import { writeMemo } from '../families/decision-memo.ts';
import { jsonOf } from '../family.ts';
import { decisionAnswer } from './answer.ts';
import type { Assistance } from './assistance.ts';
import { faultIn, type Subject, type Wordable } from './judge-text.ts';
import type { Options } from './options.ts';
import { join, type Outcome } from './outcome.ts';
import { numbersIn, textsIn } from './verify.ts';
import { mainTexts, subjectOf, withMain, wordTexts } from './wording.ts';

/** Better wording for a decision, and risks of the recommended option. The ranking stays as it is. */
export const decisionAssistance: Assistance<DecisionRequest, DecisionReply, z.infer<typeof decisionAnswer>> = {
  answer: decisionAnswer,
  task: 'Word the texts of a decision for those who decide, and name under "risks" up to five risks of the recommended option that follow from the material. The ranking stays as it is. The summary and the rationale name the recommended option.',
  material: ({ question, options, criteria, audience, deadline }) => ({
    question,
    options,
    criteria,
    audience,
    deadline,
  }),
  reading: ({ question, audience }) => `${question} ${audience}`,
  seeksEvidence: false,
  texts,
  judge({ request, reply, reader }, answer) {
    const subject =
      reader &&
      subjectOf(
        request,
        reply,
        reader,
        { side: 'none', level: '', rating: '' },
        { options: optionsOf(request, reply) },
      );
    const { words, outcome } = wordTexts(answer.texts, texts(request, reply), texts(request, reply), subject);
    const more = risksOf(answer.risks, reply, subject);
    const { recommendation } = reply;
    const improved: DecisionReply = {
      ...withMain(reply, words),
      recommendation: recommendation && {
        ...recommendation,
        rationale: words.get('rationale') ?? recommendation.rationale,
      },
      risks: [...reply.risks.map((text, index) => words.get(riskId(index)) ?? text), ...more.risks],
    };
    const output = { ...improved, markdown: writeMemo(request, improved) };
    return { ok: true, output: { reply: output, outcome: join(outcome, more.outcome) } };
  },
};

function texts(_request: DecisionRequest, reply: DecisionReply): Wordable[] {
  return [
    ...mainTexts(reply),
    { id: 'rationale', kind: 'rationale', name: '', text: reply.recommendation?.rationale ?? '' },
    ...reply.risks.map((text, index) => ({ id: riskId(index), kind: 'risk' as const, name: '', text })),
  ];
}

function riskId(index: number): string {
  return `risk-${index + 1}`;
}

function optionsOf(request: DecisionRequest, reply: DecisionReply): Options {
  const names = request.options.map(({ name }) => name);
  const numbersOf = names.map((name) => {
    const own = request.options.find((option) => option.name === name)?.attributes;
    const rows = (request.table?.rows ?? []).map(({ cells }) => cells.map(jsonOf)).filter(([first]) => first === name);
    const ranked = reply.ranking.filter(({ option }) => option === name);
    return [name, new Set(numbersIn(textsIn([own, rows, ranked]).join('\n')))] as const;
  });
  return { recommended: reply.recommendation?.option ?? '', names, numbersOf: new Map(numbersOf) };
}

/** A model can only add risks; anything other than a risk of the option is dropped. */
function risksOf(
  risks: readonly string[],
  reply: DecisionReply,
  subject: Subject | undefined,
): { risks: string[]; outcome: Outcome } {
  const kept: string[] = [];
  const outcome: Outcome = { kept: [], dropped: [] };
  const item = { kind: 'risk' as const, name: '' };
  for (const text of risks.map((words) => words.trim())) {
    if (text === '' || reply.risks.includes(text) || kept.includes(text)) continue;
    const fault = subject ? faultIn(text, { kind: 'risk', text: '' }, subject) : { reason: 'language' as const };
    if (fault) outcome.dropped.push({ ...item, ...fault });
    else {
      kept.push(text);
      outcome.kept.push(item);
    }
  }
  return { risks: kept, outcome };
}
