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

/** A check that could not be evaluated, in words of its own: it counts as failed and blocks, whatever its severity. */
export function notEvaluated(rule: CheckRule): CheckRule {
  const about = rule.fact === '' ? rule.id : rule.fact;
  return {
    ...rule,
    severity: 'critical',
    message: `The check ${rule.id} could not be evaluated: a fact that it needs is absent or of another type.`,
    action: rule.action === '' ? `Add what the check needs: ${about}.` : rule.action,
  };
}

/**
 * What did not pass, in the order in which it is best put right: what blocks, then the heaviest; equal ones in the pack's
 * order. What could not be evaluated did not pass and blocks.
 */
export function failedByUrgency(results: readonly CheckResult[]): CheckRule[] {
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
