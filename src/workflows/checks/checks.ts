import type { Check, Outcome } from '../../sandbox/index.ts';

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

/** What failed, the heaviest first; equal weights in the pack's order. */
export function failedByWeight(results: readonly CheckResult[]): CheckRule[] {
  return results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ rule }) => rule)
    .sort((a, b) => b.weight - a.weight);
}

/** The facts that are not there, in weight order, each once. */
export function missingFactsOf(failed: readonly CheckRule[]): string[] {
  return [...new Set(failed.filter((rule) => rule.missing === true && rule.fact !== '').map((rule) => rule.fact))];
}
