import type { Check, Outcome } from '../check.ts';
import type { CompileExpression, Program, Variables } from './expressions.ts';

export interface CompiledCheck<Rule extends Check = Check> {
  rule: Rule;
  applies: Program | undefined;
  passes: Program;
}

/** Compiles checks once. Throws an Error that names the check with the invalid expression. */
export function compileChecks<Rule extends Check>(
  rules: readonly Rule[],
  compile: CompileExpression,
): CompiledCheck<Rule>[] {
  const compiled = ({ id }: Rule, part: string, expression: string) => {
    try {
      return compile(expression);
    } catch (error) {
      throw new Error(`check "${id}", ${part}: ${error instanceof Error ? error.message : 'not a CEL expression'}`);
    }
  };
  return rules.map((rule) => ({
    rule,
    applies: rule.when === undefined || rule.when === '' ? undefined : compiled(rule, 'when', rule.when),
    passes: compiled(rule, 'pass', rule.pass),
  }));
}

/** Runs checks with the same variables, in order. */
export function runChecks<Rule extends Check>(
  checks: readonly CompiledCheck<Rule>[],
  variables: Variables,
): { rule: Rule; outcome: Outcome }[] {
  return checks.map(({ rule, applies, passes }) => ({ rule, outcome: outcomeOf(applies, passes, variables) }));
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
