import { roundTo } from '../base/round.ts';

/** A check as far as it is run: expressions of CEL, and what passing counts for. */
export interface Check {
  id: string;
  /** It applies when this expression is true; undefined: always. */
  when?: string | undefined;
  /** It passes when this expression is true. */
  pass: string;
  weight: number;
  /** Whether nothing is approved while it does not pass. */
  blocks?: boolean | undefined;
}

/** `error`: the expression has no value for this input, for example because a fact is absent. It counts as failed. */
export type Outcome = 'passed' | 'failed' | 'skipped' | 'error';

/** Whether a check did not pass: it failed, or could not be evaluated. */
export function isUnmet(outcome: Outcome): boolean {
  return outcome === 'failed' || outcome === 'error';
}

/** 0-100: the weight of what passed, of all that applied; an error applied and did not pass. 100 when nothing applied. One decimal. */
export function scoreOf(results: Iterable<{ rule: Pick<Check, 'weight'>; outcome: Outcome }>): number {
  let passed = 0;
  let all = 0;
  for (const { rule, outcome } of results) {
    if (outcome === 'passed') passed += rule.weight;
    if (outcome !== 'skipped') all += rule.weight;
  }
  return all === 0 ? 100 : roundTo((passed / all) * 100, 1);
}
