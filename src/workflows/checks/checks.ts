import { type Check, isUnmet, type Outcome } from '../../sandbox/index.ts';

/** `info` is only informative; `critical` blocks. */
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';

/** A named rule as written by packs and callers. */
export interface CheckRule extends Check {
  /** What it is about, in the words used in `missingFacts`. */
  fact: string;
  severity: Severity;
  message: string;
  action: string;
  /** Failing means that the fact is absent, so it is listed in `missingFacts`. */
  missing?: boolean | undefined;
}

export interface CheckResult {
  rule: CheckRule;
  outcome: Outcome;
}

/**
 * The checks that did not pass, in the order in which to fix them: blocking ones, then by weight; ties in the pack's order. A
 * check that could not be evaluated counts as failed and blocks, in the words of `notEvaluated`.
 */
export function failedByUrgency(
  results: readonly CheckResult[],
  notEvaluated: (rule: CheckRule) => CheckRule,
): CheckRule[] {
  const blocks = ({ severity }: CheckRule) => (severity === 'critical' ? 1 : 0);
  return results
    .filter(({ outcome }) => isUnmet(outcome))
    .map(({ rule, outcome }) => (outcome === 'error' ? notEvaluated(rule) : rule))
    .sort((a, b) => blocks(b) - blocks(a) || b.weight - a.weight);
}

/** The absent facts, by weight, each once. */
export function missingFactsOf(failed: readonly CheckRule[]): string[] {
  return [...new Set(failed.filter((rule) => rule.missing === true && rule.fact !== '').map((rule) => rule.fact))];
}
