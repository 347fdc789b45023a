import { LRUCache } from 'lru-cache';
import type { CompiledCheck } from '../cel/checks.ts';
import { createExpressions, type Program } from '../cel/expressions.ts';
import type { Check } from '../check.ts';
import { boundExpression } from './expression-bounds.ts';
import { compilePattern } from './patterns.ts';

const compile = createExpressions(compilePattern);

/** The cache is bounded by the length of expressions: a compiled one takes some 100 bytes per character. */
const charactersMax = 50_000;
const known = new LRUCache<string, Compilation<Program>>({
  maxSize: charactersMax,
  sizeCalculation: (_, expression) => expression.length + 1,
});

type Compilation<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Compiles a caller's expression; its patterns run on RE2. */
export function compileCallers(expression: string): Compilation<Program> {
  let found = known.get(expression);
  if (!found) {
    found = compileNow(expression);
    known.set(expression, found);
  }
  return found;
}

function compileNow(expression: string): Compilation<Program> {
  const problem = boundExpression(expression);
  if (problem) return { ok: false, problem };
  try {
    return { ok: true, value: compile(expression) };
  } catch (error) {
    return { ok: false, problem: wordsOf(error) };
  }
}

/** Compiles a caller's checks; a problem is reported with its path within the list: `[2].pass`. */
export function compileCallersChecks(
  rules: readonly Check[],
): { ok: true; checks: CompiledCheck[] } | { ok: false; at: string; problem: string } {
  const checks: CompiledCheck[] = [];
  for (const [index, rule] of rules.entries()) {
    const applies = rule.when ? compileCallers(rule.when) : undefined;
    if (applies?.ok === false) return { ok: false, at: `[${index}].when`, problem: applies.problem };
    const passes = compileCallers(rule.pass);
    if (!passes.ok) return { ok: false, at: `[${index}].pass`, problem: passes.problem };
    checks.push({ rule, applies: applies?.value, passes: passes.value });
  }
  return { ok: true, checks };
}

/** The useful part of an error's message. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'cannot be read';
}
