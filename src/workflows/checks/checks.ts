import { type Check, isUnmet, type Outcome } from '../../sandbox/index.ts';

/** `info` only says something; `critical` blocks. */
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';

export const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** A named rule, as packs and callers write it. */
export interface CheckRule extends Check {
  /** What it is about, in words that stand in `missingFacts`. */
  fact: string;
  severity: Severity;
  message: string;
  action: string;
  /** Failing means that the fact is not there at all, so it is named in `missingFacts`. */
  missing?: boolean | undefined;
}

export interface CheckResult {
  rule: CheckRule;
  outcome: Outcome;
}

/**
 * What did not pass, in the order in which it is best put right: what blocks, then the heaviest; equal ones in the pack's
 * order. What could not be evaluated did not pass and blocks, in the words of `notEvaluated`.
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

/** The facts that are not there, in weight order, each once. */
export function missingFactsOf(failed: readonly CheckRule[]): string[] {
  return [...new Set(failed.filter((rule) => rule.missing === true && rule.fact !== '').map((rule) => rule.fact))];
}
