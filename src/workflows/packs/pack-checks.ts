import { type CompiledCheck, compileChecks, runChecks } from '../../sandbox/cel/checks.ts';
import { celVariables, createExpressions } from '../../sandbox/cel/expressions.ts';
import type { CheckResult, CheckRule } from '../checks/checks.ts';

// The only place outside the sandbox that runs CEL: expressions and patterns of shipped packs, which callers cannot change. A
// child process would cost more than the checks themselves. See docs/decisions/2026-11-22-callers-code-in-processes.md.
const compile = createExpressions((pattern) => new RegExp(pattern, 'u'));

/** A pack's checks, ready to run on named JSON values. */
export type PackChecks = (variables: Readonly<Record<string, unknown>>) => CheckResult[];

/** Compiles the checks of a shipped pack. Throws an Error naming the check whose expression is wrong. */
export function compilePackChecks(rules: readonly CheckRule[]): PackChecks {
  const checks: CompiledCheck<CheckRule>[] = compileChecks(rules, compile);
  return (variables) => runChecks(checks, celVariables(variables));
}
