import { roundTo } from '../../base/round.ts';
import { spokenName } from '../../base/text/spoken-name.ts';
import type { CheckResult } from '../checks/checks.ts';
import type { Words } from '../words/index.ts';
import { columnAt, describeConstraint, type ReadOption, standingOf, twoNumbersIn } from './decision-constraints.ts';
import type { DecisionRequest } from './decision-memo.ts';
import type { Scored } from './weighted-sum.ts';

/** Whether every option meets each constraint; what is not known is told apart from what is not met. */
export function constraintChecks(
  { constraints }: DecisionRequest,
  options: readonly ReadOption[],
  words: Words,
): CheckResult[] {
  const { say, list } = words;
  return constraints.map((constraint, index) => {
    const { attribute } = constraint;
    const column = columnAt(attribute, options, words);
    const named = (standing: string) =>
      options.filter((option) => standingOf(constraint, option, column) === standing).map(({ name }) => name);
    const [unmet, unknown] = [named('unmet'), named('unknown')];
    const toCorrect = new Map(
      options
        .filter(({ name }) => unknown.includes(name))
        .flatMap((option) => {
          const twoNumbers = twoNumbersIn(constraint, option, column);
          return twoNumbers ? [[option.name, words.tell(twoNumbers)] as const] : [];
        }),
    );
    const toFind = unknown.filter((name) => !toCorrect.has(name));
    const described = describeConstraint(constraint, words);
    const told = (of: readonly string[], sentence: () => string) => (of.length > 0 ? [sentence()] : []);
    return {
      outcome: unmet.length + unknown.length > 0 ? 'failed' : 'passed',
      rule: {
        id: `constraint-${index + 1}`,
        fact: attribute,
        pass: '',
        weight: 1,
        severity: 'medium',
        message: [
          ...told(unmet, () => say('decision.notMetBy', { constraint: described, options: someOf(unmet).join(', ') })),
          ...told(unknown, () =>
            say('decision.notKnownOf', { criterion: attribute, options: someOf(unknown).join(', ') }),
          ),
        ].join(' '),
        action: [
          ...[...new Set(toCorrect.values())].slice(0, namesTold),
          ...told(toFind, () =>
            say('decision.findOut', {
              value: list(someOf(toFind.map((option) => say('decision.valueOf', { criterion: attribute, option })))),
            }),
          ),
          ...told(unmet, () => say('decision.leaveOut', { options: list(someOf(unmet)) })),
        ].join(' '),
      },
    };
  });
}

/** Whether each criterion's value is known for every option; the check's weight is the criterion's share of all weights, in percent. */
export function criterionChecks(ranked: readonly Scored[], { say }: Words): CheckResult[] {
  return (ranked[0]?.criteria ?? []).map(({ criterion, weight }, at) => {
    const unknown = ranked.filter(({ criteria }) => criteria[at]?.value === undefined).map(({ option }) => option);
    return {
      outcome: unknown.length > 0 ? 'failed' : 'passed',
      rule: {
        id: `criterion-${at + 1}`,
        fact: spokenName(criterion),
        pass: '',
        weight: roundTo(weight * 100, 2),
        severity: 'medium',
        message: say('decision.notKnownOf', { criterion, options: someOf(unknown).join(', ') }),
        action: say('decision.findOut', { value: spokenName(criterion) }),
      },
    };
  });
}

const namesTold = 10;

/** Names that one sentence tells: of a hundred options, the first ten. */
function someOf(names: readonly string[]): readonly string[] {
  return names.length > namesTold ? [...names.slice(0, namesTold), '…'] : names;
}
