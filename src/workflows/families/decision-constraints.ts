import type { JsonValue } from '@bufbuild/protobuf';
import { foldText } from '../../base/text/fold.ts';
import type { Constraint } from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import { jsonOf, type Plain } from '../family.ts';
import type { Words } from '../words/index.ts';

/** An option with its values by criterion or attribute name. */
export interface ReadOption {
  name: string;
  values: ReadonlyMap<string, JsonValue>;
}

export interface Eliminated {
  option: string;
  constraint: string;
  reason: string;
  /** The constraint's index. */
  index: number;
}

/** Removes options that violate a constraint or for which its value is unknown; the first unmet constraint is named. */
export function eliminate(
  options: readonly ReadOption[],
  constraints: readonly Plain<Constraint>[],
  words: Words,
): { remaining: ReadOption[]; eliminated: Eliminated[] } {
  const remaining: ReadOption[] = [];
  const eliminated: Eliminated[] = [];
  for (const option of options) {
    const index = constraints.findIndex((constraint) => !isMet(constraint, option.values.get(constraint.attribute)));
    const unmet = constraints[index];
    if (unmet === undefined) {
      remaining.push(option);
      continue;
    }
    const known = option.values.has(unmet.attribute);
    const reason = known
      ? unmet.reason || words.say('decision.notMet')
      : words.say('decision.notKnown', { attribute: unmet.attribute });
    eliminated.push({ option: option.name, constraint: describeConstraint(unmet, words), reason, index });
  }
  return { remaining, eliminated };
}

export function describeConstraint({ attribute, operator, value }: Plain<Constraint>, { say }: Words): string {
  if (operator === 'present') return say('decision.present', { attribute });
  return `${attribute} ${operator} ${JSON.stringify(jsonOf(value)).slice(0, 200)}`;
}

function isMet({ operator, value: wanted }: Plain<Constraint>, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (operator === 'present') return value !== '' && value !== false;
  const limit = jsonOf(wanted);
  if (operator === 'in') return Array.isArray(limit) && limit.some((one) => isSame(one, value));
  if (operator === '=') return isSame(limit, value);
  if (operator === '!=') return !isSame(limit, value);
  const [a, b] = [Number(value), Number(limit)];
  if (typeof value === 'object' || value === '' || Number.isNaN(a) || Number.isNaN(b)) return false;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return foldText(a) === foldText(b);
  if (typeof a === 'object' || typeof b === 'object') return JSON.stringify(a) === JSON.stringify(b);
  return (
    a === b || (a !== '' && b !== '' && typeof a !== 'boolean' && typeof b !== 'boolean' && Number(a) === Number(b))
  );
}
