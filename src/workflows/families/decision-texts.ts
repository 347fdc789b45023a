import { roundTo } from '../../base/round.ts';
import type { Words } from '../words/index.ts';
import type { Guess } from './decision-directions.ts';
import type { DecisionRequest } from './decision-memo.ts';
import type { Scored, smallestChanges, Verdict } from './weighted-sum.ts';

// Below this, the next step is to agree on what counts, not to decide.
export const firmFrom = 0.4;

export function rationaleOf(outcome: Outcome, eliminated: number, words: Words): string {
  const { ranked, verdict, doubts } = outcome;
  const { say } = words;
  const [first, second] = ranked;
  if (outcome.unlawful !== '') return say('decision.protected', { criteria: outcome.unlawful });
  if (!first) return eliminated > 0 ? noneMeets(outcome, words) : say('decision.noneThere');
  if (verdict === 'single') return say('decision.single', { option: first.option });
  if (verdict === 'unknown') return say('decision.notRecommended');
  const by = gainOver(first, second, outcome.guesses, words);
  if (!second) return [onlyOne(outcome, first, words), ...by, ...doubts].join(' ');
  const score = roundTo(first.score, 2);
  if (verdict === 'level') return say('decision.same', { first: first.option, second: second.option, score });
  const lead = roundTo(first.score - second.score, 2);
  return [say('decision.ahead', { first: first.option, score, lead, second: second.option }), ...by, ...doubts].join(
    ' ',
  );
}

function noneMeets({ undecided }: Outcome, { say }: Words): string {
  return say(undecided.length > 0 ? 'decision.noneKnown' : 'decision.noneMeets');
}

function onlyOne({ undecided }: Outcome, { option }: Scored, { say }: Words): string {
  return say(undecided.length > 0 ? 'decision.onlyKnown' : 'decision.only', { option });
}

/**
 * The criterion on which the first option is furthest ahead of the second; for a single option, the one that gives it more
 * than half of its points. What is not known for both tells nothing, nor do two criteria of the same lead, nor one whose
 * direction is unsure.
 */
function gainOver(first: Scored, second: Scored | undefined, guesses: ReadonlySet<string>, { say }: Words): string[] {
  const [ahead, next] = first.criteria
    .map(({ criterion, score, weight, value }, at) => {
      const other = second?.criteria[at];
      const isKnown = value !== undefined && (second === undefined || other?.value !== undefined);
      return { criterion, points: isKnown ? weight * (score - (other?.score ?? 0)) : 0 };
    })
    .sort((a, b) => b.points - a.points);
  if (
    !ahead ||
    guesses.has(ahead.criterion) ||
    roundTo(ahead.points, 9) <= 0 ||
    roundTo(ahead.points - (next?.points ?? 0), 9) <= 0
  )
    return [];
  const { criterion, points } = ahead;
  if (second) return [say('decision.gainsOver', { second: second.option, criterion })];
  return roundTo(points - first.score / 2, 9) > 0 ? [say('decision.gains', { criterion })] : [];
}

export function risksOf(
  ranked: readonly Scored[],
  verdict: Verdict,
  nearest: ReturnType<typeof smallestChanges>[number] | undefined,
  missing: number,
  guesses: ReadonlySet<string>,
  { say }: Words,
): string[] {
  const risks: string[] = missing > 0 ? [say('decision.unknownValues', { count: missing })] : [];
  // The first option's weaknesses are risks of choosing it; without a winner, nothing is chosen.
  if (verdict !== 'winner') return risks;
  const [first, second] = ranked;
  if (first && second && first.score - second.score < 5)
    risks.push(say('decision.closeBehind', { second: second.option, first: first.option }));
  if (nearest?.change !== undefined && nearest.change < 0.1) {
    const { criterion, changesAt = 0, weight, newWinner: option } = nearest;
    // A small change needs more decimals to be seen; one that even these do not show is told as a close result above.
    const decimals = roundTo(changesAt, 2) === roundTo(weight, 2) ? 4 : 2;
    const values = { criterion, at: roundTo(changesAt, decimals), weight: roundTo(weight, decimals), option };
    if (values.at !== values.weight) risks.push(say('decision.otherWeight', values));
  }
  const weakest = first?.criteria
    .filter(({ criterion }) => !guesses.has(criterion))
    .filter(({ score, weight, value }) => value !== undefined && score < 25 && weight >= 0.1)
    .sort((a, b) => b.weight - a.weight)[0];
  if (first && weakest)
    risks.push(
      say('decision.weak', {
        option: first.option,
        criterion: weakest.criterion,
        percent: roundTo(weakest.weight * 100, 1),
      }),
    );
  return risks;
}

export function assumptionsOf(
  request: DecisionRequest,
  guessed: readonly Guess[],
  unread: readonly string[],
  { say }: Words,
): string[] {
  const assumptions = [say('decision.independent')];
  if (request.criteria.some(({ weight }) => weight === undefined)) assumptions.push(say('decision.unweighted'));
  if (request.criteria.some(({ scale }) => scale === '' || scale === 'range')) assumptions.push(say('decision.range'));
  for (const { criterion, isLower, isNamed } of guessed) {
    const named = isLower ? 'decision.lessIsBetter' : 'decision.moreIsBetter';
    const unsure = isLower ? 'decision.unsureLess' : 'decision.unsureDirection';
    assumptions.push(say(isNamed ? named : unsure, { criterion }));
  }
  for (const words of unread.slice(0, 10)) assumptions.push(words);
  return assumptions;
}

export interface Outcome {
  ranked: readonly Scored[];
  verdict: Verdict;
  /** What to do about the most important missing value. */
  unknownValue: string | undefined;
  /** What to do about the first unknown value that decides whether an option that could win meets the constraints. */
  unknownCondition: string | undefined;
  /** The options left out only for what is not known of them. */
  undecided: readonly string[];
  /** Why the recommendation is unsure: directions that nobody gave, options that might meet the constraints after all. */
  doubts: readonly string[];
  confidence: number;
  /** The criteria whose direction is a mere guess: nothing is said of who is ahead or weak there. */
  guesses: ReadonlySet<string>;
  /** The criteria whose direction is unsure and whose reversal would change the winner; empty: there are none. */
  unsure: string;
  /** The deadline has passed. */
  late: boolean;
  /** The criteria by which people must not be chosen; empty: there are none. */
  unlawful: string;
}

export function nextAction(
  { deadline }: DecisionRequest,
  { ranked, verdict, unknownValue, unknownCondition, confidence, unsure, late, unlawful }: Outcome,
  { say }: Words,
): string {
  const winner = ranked[0];
  if (unlawful !== '') return say('decision.leaveOutCriteria', { criteria: unlawful });
  if (unknownCondition !== undefined) return unknownCondition;
  if (!winner) return say('decision.relax');
  if (verdict === 'single') return say('decision.addOption');
  if (unknownValue !== undefined) return unknownValue;
  if (verdict === 'level') return say('decision.tellApart');
  if (unsure !== '') return say('decision.sayDirection', { criterion: unsure });
  if (confidence < firmFrom) return say('decision.agree');
  const { option } = winner;
  if (deadline === '') return say('decision.decide', { option });
  return say(late ? 'decision.decideLate' : 'decision.decideBy', { option, deadline });
}

export function summaryOf(outcome: Outcome, tied: readonly Scored[], words: Words): string {
  const { ranked, verdict, doubts } = outcome;
  const { say } = words;
  const winner = ranked[0];
  if (outcome.unlawful !== '') return say('decision.protected', { criteria: outcome.unlawful });
  if (!winner) return noneMeets(outcome, words);
  if (verdict === 'single') return say('decision.single', { option: winner.option });
  if (verdict === 'unknown') return say('decision.tooLittle');
  if (ranked.length === 1) return [onlyOne(outcome, winner, words), ...doubts].join(' ');
  const score = roundTo(winner.score, 2);
  if (tied.length > 1) return say('decision.level', { options: words.list(tied.map(({ option }) => option)), score });
  return [say('decision.leads', { option: winner.option, score, count: ranked.length }), ...doubts].join(' ');
}
