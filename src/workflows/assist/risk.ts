import type { z } from 'zod';
import type { Finding } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import { findingsOf } from '../families/findings.ts';
import type { RiskReply, RiskRequest } from '../families/risk.ts';
import { allowModelFindings, withModelFindings } from '../families/risk-evidence.ts';
import { messagesFor } from '../families/risk-words.ts';
import type { Plain } from '../family.ts';
import { riskCategories } from '../packs/risk-categories.ts';
import { type FindingAdvice, findingsAnswer } from './answer.ts';
import type { Assistance } from './assistance.ts';
import { spotIn } from './evidence.ts';
import type { Subject, Wordable } from './judge-text.ts';
import { join, type Outcome } from './outcome.ts';
import type { Verdict } from './verdict.ts';
import { locate } from './verify.ts';
import { subjectOf, textsWithFindings, withFindingTexts, withMain, wordTexts } from './wording.ts';

/** Better wording for a risk check; findings that appear in the text, which raise level, score and action. */
export const riskAssistance: Assistance<RiskRequest, RiskReply, z.infer<typeof findingsAnswer>> = {
  answer: findingsAnswer,
  task: `A text is looked at before it is used. Word the texts. Under "findings" name risky phrases that the result does not name yet, each quoted exactly, with a category and a severity; they raise the level and the score as findings of the rules do. Categories: ${riskCategories.join(', ')}.`,
  material: ({ text, messages, domain, locale }) => ({ text, messages, domain, locale }),
  reading: (request) => textsOf(request).join('\n'),
  seeksEvidence: true,
  texts,
  judge({ request, reply, reader }, answer) {
    const subject = reader && subjectOf(request, reply, reader, verdictOf(reply), { risky: categoriesOf(reply) });
    const { findings, outcome } = findingsIn(request, reply, answer.findings, subject);
    const { counted, allowed } = allowModelFindings(reply.allowed, findings);
    const raised = withModelFindings({ ...reply, allowed }, counted, request.locale);
    const then = reader && subjectOf(request, raised, reader, verdictOf(raised), { risky: categoriesOf(raised) });
    const worded = wordTexts(answer.texts, texts(request, reply), texts(request, raised), then);
    const output = {
      ...withMain(raised, worded.words),
      findings: withFindingTexts(raised.findings, worded.words),
    };
    return { ok: true, output: { reply: output, outcome: join(outcome, worded.outcome) } };
  },
};

function texts(_request: RiskRequest, reply: RiskReply): Wordable[] {
  return textsWithFindings(reply);
}

function textsOf({ text, messages }: RiskRequest): string[] {
  return messages.length > 0 ? messages.map(({ content }) => content) : [text];
}

/** Each finding is searched for in the messages in order. */
function findingsIn(
  request: RiskRequest,
  reply: RiskReply,
  advices: readonly FindingAdvice[],
  subject: Subject | undefined,
): { findings: Plain<Finding>[]; outcome: Outcome } {
  const texts = textsOf(request);
  const messages = messagesFor(request.locale, reply.assessment?.languages ?? []);
  const findings: Plain<Finding>[] = [];
  const outcomes: Outcome[] = [];
  const isTalk = request.messages.length > 0;
  for (const advice of advices) {
    const index = Math.max(
      texts.findIndex((text) => locate(text, advice.quote) !== undefined),
      0,
    );
    const text = texts[index] ?? '';
    const known = [...reply.findings, ...findings].filter(({ messageIndex }) => !isTalk || messageIndex === index);
    const found = spotIn(text, [advice], known, messages, subject);
    outcomes.push(found.outcome);
    findings.push(...findingsOf(text, found.spotted, isTalk ? index : undefined));
  }
  return { findings, outcome: join(...outcomes) };
}

function categoriesOf({ findings }: RiskReply): string[] {
  return findings.map(({ category }) => category);
}

function verdictOf({ riskLevel }: RiskReply): Verdict {
  const side = riskLevel === 'low' ? 'unproven' : 'bad';
  return { side, level: riskLevel === 'unknown' ? '' : riskLevel, rating: '' };
}
