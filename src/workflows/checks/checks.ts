import { compileExpression, type Program, type Variables } from './expressions.ts';

/** `info` only says something; `critical` blocks. */
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';

export const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** A named rule, as packs and callers write it. */
export interface CheckRule {
  id: string;
  /** What it is about, in words that stand in `missingFacts`. */
  fact: string;
  /** It applies when this CEL expression is true; undefined: always. */
  when?: string | undefined;
  /** It passes when this CEL expression is true. */
  pass: string;
  weight: number;
  severity: Severity;
  message: string;
  action: string;
  /** Failing means that the fact is not there at all, so it is named in `missingFacts`. */
  missing?: boolean | undefined;
}

export interface CompiledCheck {
  rule: CheckRule;
  applies: Program | undefined;
  passes: Program;
}

/** `error`: the expression has no value for this input, so the check counts neither way. */
export type Outcome = 'passed' | 'failed' | 'skipped' | 'error';

export interface CheckResult {
  rule: CheckRule;
  outcome: Outcome;
}

/** Compiles checks once. Throws an Error that names the check whose expression is wrong. */
export function compileChecks(rules: readonly CheckRule[], by: 'pack' | 'caller' = 'pack'): CompiledCheck[] {
  return rules.map((rule) => ({
    rule,
    applies: rule.when === undefined || rule.when === '' ? undefined : compiled(rule, 'when', rule.when, by),
    passes: compiled(rule, 'pass', rule.pass, by),
  }));
}

export function runChecks(checks: readonly CompiledCheck[], variables: Variables): CheckResult[] {
  return checks.map(({ rule, applies, passes }) => ({ rule, outcome: outcomeOf(applies, passes, variables) }));
}

/** 0-100: the weight of what passed, of all that applied. 100 when nothing applied. One decimal. */
export function scoreOf(results: readonly CheckResult[]): number {
  let passed = 0;
  let all = 0;
  for (const { rule, outcome } of results) {
    if (outcome === 'passed') passed += rule.weight;
    if (outcome === 'passed' || outcome === 'failed') all += rule.weight;
  }
  return all === 0 ? 100 : roundTo((passed / all) * 100, 1);
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

export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  // The smallest step above keeps 0.285 from becoming 0.28 for want of binary digits.
  return Math.round((value + Number.EPSILON * Math.abs(value)) * factor) / factor;
}

function outcomeOf(applies: Program | undefined, passes: Program, variables: Variables): Outcome {
  if (applies) {
    const applied = applies(variables);
    if (!applied.ok) return 'error';
    if (applied.value !== true) return 'skipped';
  }
  const passed = passes(variables);
  if (!passed.ok || typeof passed.value !== 'boolean') return 'error';
  return passed.value ? 'passed' : 'failed';
}

function compiled(rule: CheckRule, part: string, expression: string, by: 'pack' | 'caller'): Program {
  try {
    return compileExpression(expression, by);
  } catch (error) {
    throw new Error(`check "${rule.id}", ${part}: ${error instanceof Error ? error.message : 'not a CEL expression'}`);
  }
}
