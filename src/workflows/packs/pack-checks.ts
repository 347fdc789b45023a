import { type CompiledCheck, compileChecks, runChecks } from '../../sandbox/cel/checks.ts';
import { celVariables, createExpressions, type Program } from '../../sandbox/cel/expressions.ts';
import { readPlainly } from '../../sandbox/cel/plain-expressions.ts';
import type { CheckResult, CheckRule } from '../checks/checks.ts';

// The only place outside the sandbox that runs CEL: expressions and patterns of shipped packs, which callers cannot change. A
// child process would cost more than the checks themselves. See docs/decisions/2026-11-22-callers-code-in-processes.md.
const compilePattern = (pattern: string) => new RegExp(pattern, 'u');
const compile = createExpressions(compilePattern);

/** An expression that is as plain as most are needs the engine only for what it does not tell itself. */
function compileQuickly(expression: string): Program {
  const program = compile(expression);
  const plain = readPlainly(expression, compilePattern);
  if (!plain) return program;
  return (variables) => {
    const value = plain(variables);
    return value === undefined ? program(variables) : { ok: true, value };
  };
}

/** A pack's checks, ready to run on named JSON values. */
export type PackChecks = (variables: Readonly<Record<string, unknown>>) => CheckResult[];

/** Compiles the checks of a shipped pack. Throws an Error naming the check whose expression is wrong. */
export function compilePackChecks(rules: readonly CheckRule[]): PackChecks {
  const checks: CompiledCheck<CheckRule>[] = compileChecks(rules, compileQuickly);
  return (variables) => runChecks(checks, celVariables(variables));
}
