import { spokenName } from '../../base/text/spoken-name.ts';
import type {
  WriteDecisionMemoRequest,
  WriteDecisionMemoResponse,
} from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import type { Plain, ReplyOf } from '../family.ts';
import { decimalSignIn, type Words, wordsFor } from '../words/index.ts';

export type DecisionRequest = Plain<WriteDecisionMemoRequest>;
export type DecisionReply = ReplyOf<WriteDecisionMemoResponse>;

/** Uses the language of the locale, or else of the question, the options and the criteria. */
export function decisionWords({ locale, question, options, criteria }: DecisionRequest): Words {
  const text = [
    question,
    ...options.flatMap(({ name, description }) => [description, name]),
    ...criteria.map(({ name }) => name),
  ];
  const words = wordsFor(locale, text.join('\n'));
  // Criteria are often named like fields: "deliveryDays".
  const say: Words['say'] = (name, ...[values]) => {
    const given: Readonly<Record<string, string | number>> = values ?? {};
    const { criterion } = given;
    return words.tell({
      name,
      values: typeof criterion === 'string' ? { ...given, criterion: spokenName(criterion) } : given,
    });
  };
  // The region decides how numbers are written, and a language alone has several.
  return { ...words, say, decimals: /[-_][a-z]{2}\b/i.test(locale) ? decimalSignIn(locale) : undefined };
}

/** The decision as Markdown. Names and texts of the caller's are escaped, so that they cannot alter its structure. */
export function writeMemo(request: DecisionRequest, reply: DecisionReply): string {
  const { say, number } = decisionWords(request);
  const { ranking, recommendation, sensitivity, eliminated, risks, assumptions, missingFacts, nextBestAction } = reply;
  const criteria = request.criteria.map(
    ({ name, unit }) => `${safe(spokenName(name))}${unit === '' ? '' : ` (${safe(unit)})`}`,
  );
  const facts = [
    request.audience === '' ? '' : `${say('memo.audience', { audience: safe(request.audience) })}  `,
    request.deadline === '' ? '' : `${say('memo.deadline', { deadline: safe(request.deadline) })}  `,
  ].filter((line) => line !== '');
  // Options that are level already need no other weight for it.
  const firm = sensitivity.filter(({ changesAt, weight }) => changesAt !== undefined && changesAt !== weight);
  return [
    `# ${safe(request.question)}`,
    ...(facts.length > 0 ? ['', ...facts] : []),
    ...section(say('memo.recommendation'), [
      recommendation?.option
        ? `**${safe(recommendation.option)}** (${say('memo.confidence', { confidence: recommendation.confidence })})`
        : `**${say('memo.none')}**`,
      '',
      safe(recommendation?.rationale ?? ''),
    ]),
    ...section(
      say('memo.ranking'),
      ranking.length === 0
        ? []
        : [
            `| ${say('memo.rank')} | ${say('memo.option')} | ${say('memo.score')} | ${criteria.join(' | ')} |`,
            `|---:|---|---:|${criteria.map(() => '---:|').join('')}`,
            ...ranking.map(
              ({ rank, option, score, criteria: parts }) =>
                `| ${rank} | ${safe(option)} | ${number(score)} | ${parts.map(({ value, score }) => `${value === undefined ? say('memo.unknownValue') : number(value)} → ${number(score)}`).join(' | ')} |`,
            ),
            `| | ${say('memo.weight')} | | ${(ranking[0]?.criteria ?? []).map(({ weight }) => `${number(Math.round(weight * 1000) / 10)} %`).join(' | ')} |`,
          ],
    ),
    ...section(
      say('memo.firmness'),
      firm.map(({ criterion, weight, changesAt = weight, newWinner, smallest }) => {
        const values = { criterion: safe(spokenName(criterion)), at: changesAt, weight, option: safe(newWinner) };
        return `- ${smallest ? say('memo.levelAtFirst', values) : say('memo.levelAt', values)}`;
      }),
    ),
    ...section(
      say('memo.leftOut'),
      eliminated.map(({ option, constraint, reason }) => `- ${safe(option)}: ${safe(constraint)}. ${safe(reason)}`),
    ),
    ...section(say('memo.risks'), risks.map(item)),
    ...section(say('memo.assumptions'), assumptions.map(item)),
    ...section(say('memo.missing'), missingFacts.map(item)),
    ...section(say('memo.next'), [safe(nextBestAction)]),
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
