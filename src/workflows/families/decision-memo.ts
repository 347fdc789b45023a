import type {
  WriteDecisionMemoRequest,
  WriteDecisionMemoResponse,
} from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import type { Plain, ReplyOf } from '../family.ts';

export type DecisionRequest = Plain<WriteDecisionMemoRequest>;
export type DecisionReply = ReplyOf<WriteDecisionMemoResponse>;

/** The decision as Markdown. Names and texts of the caller's are escaped, so that they cannot change its form. */
export function writeMemo(request: DecisionRequest, reply: DecisionReply): string {
  const { ranking, recommendation, sensitivity, eliminated, risks, assumptions, missingFacts, nextBestAction } = reply;
  const criteria = request.criteria.map(({ name, unit }) => `${safe(name)}${unit === '' ? '' : ` (${safe(unit)})`}`);
  const facts = [
    request.audience === '' ? '' : `For: ${safe(request.audience)}  `,
    request.deadline === '' ? '' : `Decide by: ${safe(request.deadline)}  `,
  ].filter((line) => line !== '');
  const firm = sensitivity.filter(({ changesAt }) => changesAt !== undefined);
  return [
    `# ${safe(request.question)}`,
    ...(facts.length > 0 ? ['', ...facts] : []),
    ...section('Recommendation', [
      recommendation?.option
        ? `**${safe(recommendation.option)}** (confidence ${recommendation.confidence})`
        : '**None**',
      '',
      safe(recommendation?.rationale ?? ''),
    ]),
    ...section(
      'Ranking',
      ranking.length === 0
        ? []
        : [
            `| Rank | Option | Score | ${criteria.join(' | ')} |`,
            `|---:|---|---:|${criteria.map(() => '---:|').join('')}`,
            ...ranking.map(
              ({ rank, option, score, criteria: parts }) =>
                `| ${rank} | ${safe(option)} | ${score} | ${parts.map((part) => `${part.value ?? 'not known'} → ${part.score}`).join(' | ')} |`,
            ),
            `| | Weight | | ${(ranking[0]?.criteria ?? []).map(({ weight }) => `${Math.round(weight * 1000) / 10} %`).join(' | ')} |`,
          ],
    ),
    ...section(
      'How firm it stands',
      firm.map(
        ({ criterion, weight, changesAt, newWinner, smallest }) =>
          `- ${safe(criterion)}: at a weight of ${changesAt} in place of ${weight}, ${safe(newWinner)} is level${smallest ? ' (the smallest change)' : ''}.`,
      ),
    ),
    ...section(
      'Left out',
      eliminated.map(({ option, constraint, reason }) => `- ${safe(option)}: ${safe(constraint)}. ${safe(reason)}`),
    ),
    ...section('Risks', risks.map(item)),
    ...section('Assumptions', assumptions.map(item)),
    ...section('Not known', missingFacts.map(item)),
    ...section('Next', [safe(nextBestAction)]),
    '',
  ].join('\n');
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${heading}`, '', ...lines];
}

function item(text: string): string {
  return `- ${safe(text)}`;
}

function safe(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[\\`*_[\]<>|#~]/g, '\\$&')
    .trim();
}
