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
  const known = new Map<string, Program>();
  const compiled = ({ id }: Rule, part: string, expression: string) => {
    try {
      const program = known.get(expression) ?? compile(expression);
      known.set(expression, program);
      return program;
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

/** Runs checks with the same variables, in order. An expression that several checks have is evaluated once. */
export function runChecks<Rule extends Check>(
  checks: readonly CompiledCheck<Rule>[],
  variables: Variables,
): { rule: Rule; outcome: Outcome }[] {
  const evaluated = new Map<Program, Evaluated>();
  const evaluate = (program: Program) => {
    const known = evaluated.get(program);
    if (known) return known;
    const value = program(variables);
    evaluated.set(program, value);
    return value;
  };
  return checks.map((check) => ({ rule: check.rule, outcome: outcomeOf(check, evaluate) }));
}

type Evaluated = ReturnType<Program>;

function outcomeOf({ applies, passes }: CompiledCheck, evaluate: (program: Program) => Evaluated): Outcome {
  if (applies) {
    const applied = evaluate(applies);
    if (!applied.ok) return 'error';
    if (applied.value !== true) return 'skipped';
  }
  const passed = evaluate(passes);
  if (!passed.ok || typeof passed.value !== 'boolean') return 'error';
  return passed.value ? 'passed' : 'failed';
}
