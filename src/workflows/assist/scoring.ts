import type { z } from 'zod';
import type { ScoringReply, ScoringRequest } from '../families/scoring.ts';
import { textsAnswer } from './answer.ts';
import type { Assistance } from './assistance.ts';
import type { Wordable } from './judge-text.ts';
import type { Verdict } from './verdict.ts';
import { mainTexts, subjectOf, withMain, wordTexts } from './wording.ts';

/** Better wording for the scores of a business. */
export const scoringAssistance: Assistance<ScoringRequest, ScoringReply, z.infer<typeof textsAnswer>> = {
  answer: textsAnswer,
  task: 'Word the texts for the owner of a business. The scores and ratings stay as they are.',
  material: ({ profile, metrics, answers }) => ({ profile, metrics, answers }),
  // Shipped scorecards are in English.
  reading: ({ customScorecard }) => (customScorecard?.dimensions ?? []).map(({ label }) => label).join(' '),
  seeksEvidence: false,
  texts,
  judge({ request, reply, reader }, answer) {
    const subject = reader && subjectOf(request, reply, reader, verdictOf(reply));
    const { words, outcome } = wordTexts(answer.texts, texts(request, reply), texts(request, reply), subject);
    return { ok: true, output: { reply: withMain(reply, words), outcome } };
  },
};

function texts(_request: ScoringRequest, reply: ScoringReply): Wordable[] {
  return mainTexts(reply);
}

/** A and B are good; C is not bad, but praise would overstate it. */
function verdictOf({ rating, riskLevel }: ScoringReply): Verdict {
  const side = rating === 'A' || rating === 'B' ? 'good' : 'bad';
  return { side, level: riskLevel === 'unknown' ? '' : riskLevel, rating };
}
