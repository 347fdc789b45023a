import { roundTo } from '../base/round.ts';

/** The parts of a check that are needed to run it: CEL expressions, and the weight. */
export interface Check {
  id: string;
  /** The check applies if this expression is true; undefined: always. */
  when?: string | undefined;
  /** The check passes if this expression is true. */
  pass: string;
  weight: number;
  /** Whether a failure of this check blocks approval. */
  blocks?: boolean | undefined;
}

/** `error`: the expression has no value for this input, for example because a fact is missing. It counts as failed. */
export type Outcome = 'passed' | 'failed' | 'skipped' | 'error';

/** Whether a check did not pass: it failed, or could not be evaluated. */
export function isUnmet(outcome: Outcome): boolean {
  return outcome === 'failed' || outcome === 'error';
}

/**
 * 0-100: the weight of the passed checks as a share of all that applied; an error counts as applied but not passed. 100 if none
 * applied. One decimal.
 */
export function scoreOf(results: Iterable<{ rule: Pick<Check, 'weight'>; outcome: Outcome }>): number {
  let passed = 0;
  let all = 0;
  for (const { rule, outcome } of results) {
    if (outcome === 'passed') passed += rule.weight;
    if (outcome !== 'skipped') all += rule.weight;
  }
  return all === 0 ? 100 : roundTo((passed / all) * 100, 1);
}
