import { roundTo } from '../base/round.ts';

/** A check as far as it is run: expressions of CEL, and what passing counts for. */
export interface Check {
  id: string;
  /** It applies when this expression is true; undefined: always. */
  when?: string | undefined;
  /** It passes when this expression is true. */
  pass: string;
  weight: number;
}

/** `error`: the expression has no value for this input, so the check counts neither way. */
export type Outcome = 'passed' | 'failed' | 'skipped' | 'error';

/** 0-100: the weight of what passed, of all that applied. 100 when nothing applied. One decimal. */
export function scoreOf(results: Iterable<{ rule: Pick<Check, 'weight'>; outcome: Outcome }>): number {
  let passed = 0;
  let all = 0;
  for (const { rule, outcome } of results) {
    if (outcome === 'passed') passed += rule.weight;
    if (outcome === 'passed' || outcome === 'failed') all += rule.weight;
  }
  return all === 0 ? 100 : roundTo((passed / all) * 100, 1);
}
