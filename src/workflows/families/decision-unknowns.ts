import { foldText } from '../../base/text/fold.ts';
import type { Words } from '../words/index.ts';
import { columnAt, type ReadOption, standingOf, twoNumbersIn } from './decision-constraints.ts';
import type { Guess } from './decision-directions.ts';
import type { DecisionReply, DecisionRequest } from './decision-memo.ts';
import { rankOptions, type Scored, verdictOn } from './weighted-sum.ts';

export interface MissingValue {
  /** "price of North" */
  name: string;
  option: string;
  criterion: string;
  weight: number;
}

/** The unknown values, those of the heaviest criterion first. */
export function missingValues(ranked: readonly Scored[], { say }: Words): MissingValue[] {
  return ranked
    .flatMap(({ option, criteria }) =>
      criteria
        .filter(({ value }) => value === undefined)
        .map(({ criterion, weight }) => ({
          name: say('decision.valueOf', { criterion, option }),
          option,
          criterion,
          weight,
        })),
    )
    .sort((a, b) => b.weight - a.weight);
}

/** What would have to be known to say whether the undecided options meet the constraints ("GDPR of North"), with what to do. */
export function unknownConditions(
  { constraints }: DecisionRequest,
  undecided: readonly ReadOption[],
  options: readonly ReadOption[],
  words: Words,
): ReadonlyMap<string, string> {
  const { say, tell } = words;
  const columns = constraints.map(({ attribute }) => columnAt(attribute, options, words));
  const actions = new Map<string, string>();
  for (const option of undecided)
    for (const [at, constraint] of constraints.entries()) {
      if (standingOf(constraint, option, columns[at]) !== 'unknown') continue;
      const value = say('decision.valueOf', { criterion: constraint.attribute, option: option.name });
      const twoNumbers = twoNumbersIn(constraint, option, columns[at]);
      if (!actions.has(value)) actions.set(value, twoNumbers ? tell(twoNumbers) : say('decision.findOut', { value }));
    }
  return actions;
}

/** Whether another option could be the best if the undecided ones met the constraints. */
export function couldWin(
  undecided: readonly ReadOption[],
  remaining: readonly ReadOption[],
  ranked: readonly Scored[],
  { criteria }: DecisionRequest,
  words: Words,
): boolean {
  const together = rankOptions([...remaining, ...undecided], criteria, words).ranked;
  return verdictOn(together) !== 'winner' || together[0]?.option !== ranked[0]?.option;
}

/** What to do about a missing value: name the field rightly that was meant for it, correct what was sent, or find it out. */
export function howToLearn(
  missing: MissingValue | undefined,
  refused: ReadonlyMap<string, string>,
  unused: DecisionReply['unusedFields'],
  options: readonly ReadOption[],
  { say }: Words,
): string | undefined {
  if (missing === undefined) return undefined;
  const { option, criterion, name } = missing;
  const key = foldText(option);
  const at = options.findIndex((one) => foldText(one.name) === key);
  const places = [`options[${at}].attributes.`, 'table.'];
  for (const place of places) {
    const misnamed = unused.find(({ field, nearest }) => nearest === criterion && field.startsWith(place));
    if (misnamed)
      return say('decision.misnamed', { given: misnamed.field.slice(place.length), option, meant: criterion });
  }
  return refused.get(criterion) ?? say('decision.findOut', { value: name });
}

/**
 * The criteria whose direction is unsure and whose reversal, together or alone, would make another option as good as the
 * winner. Turning one alone may only bring a tie about, so each other option has whichever direction favours it.
 */
export function unsureDirections(
  guessed: readonly Guess[],
  { criteria }: DecisionRequest,
  options: readonly ReadOption[],
  ranked: readonly Scored[],
  words: Words,
): string[] {
  const unsure = new Set(guessed.filter(({ isNamed }) => !isNamed).map(({ criterion }) => criterion));
  const [winner, ...others] = ranked;
  if (!winner || unsure.size === 0) return [];
  const turned = criteria.map((one) =>
    unsure.has(one.name) ? { ...one, direction: one.direction === 'lower' ? 'higher' : 'lower' } : one,
  );
  const turnedParts = new Map(
    rankOptions(options, turned, words).ranked.map(({ option, criteria }) => [option, criteria]),
  );
  for (const other of others) {
    const swings = winner.criteria.map(({ criterion, score, weight }, at) => {
      const ahead = score - (other.criteria[at]?.score ?? 0);
      const after =
        (turnedParts.get(winner.option)?.[at]?.score ?? 0) - (turnedParts.get(other.option)?.[at]?.score ?? 0);
      return { criterion, points: weight * (ahead - after) };
    });
    const helpful = swings.filter(({ points }) => points > 0).sort((a, b) => b.points - a.points);
    const gained = helpful.reduce((sum, { points }) => sum + points, 0);
    if (gained > 0 && winner.score - other.score - gained < 1e-9) return helpful.map(({ criterion }) => criterion);
  }
  return [];
}
