import { isCelList, isCelMap, isCelUint } from '@bufbuild/cel';
import { LRUCache } from 'lru-cache';
import { compileSchema, type SchemaCheck } from '../../base/json-schema.ts';
import { type CompiledCheck, compileChecks, runChecks, scoreOf } from '../checks/checks.ts';
import { boundExpression } from '../checks/expression-bounds.ts';
import { celValue, compileExpression, type Program } from '../checks/expressions.ts';
import type { JobAnswer } from '../sandbox/job.ts';
import type { CustomDefinition } from './definition.ts';

interface Compiled {
  input: SchemaCheck;
  output: SchemaCheck;
  checks: CompiledCheck[];
  fields: { name: string; program: Program }[];
}

type Compilation = { ok: true; compiled: Compiled } | { ok: false; field: string; problem: string };

const known = new LRUCache<string, Compilation>({ max: 200 });

/**
 * Runs a client's workflow by rules: the input fits its schema, the checks are looked at, the fields are computed, and
 * the output is compared with its schema. `drafted` are properties that a model proposes; computed ones always win.
 */
export function runCustom(
  definition: CustomDefinition,
  input: unknown,
  drafted: Readonly<Record<string, unknown>> = {},
): JobAnswer {
  const compilation = compiledOnce(definition);
  if (!compilation.ok) return { kind: 'refused', field: compilation.field, problem: compilation.problem };
  const { compiled } = compilation;
  const fitting = compiled.input(input);
  if (!fitting.fits)
    return { kind: 'custom', outcome: { ok: false, field: fieldAt('input', fitting.path), problem: fitting.problem } };

  const variables = { input: celValue(input) };
  const checks = runChecks(compiled.checks, variables);
  const score = scoreOf(checks);
  const passed = new Map(checks.map(({ rule, outcome }) => [rule.id, outcome === 'passed']));
  const fields: Record<string, unknown> = {};
  for (const { name, program } of compiled.fields) {
    const computed = program({ ...variables, checks: passed, score, fields: celValue(fields) });
    if (!computed.ok)
      return { kind: 'custom', outcome: { ok: false, field: `fields.${name}`, problem: computed.reason } };
    fields[name] = jsonOfCel(computed.value);
  }
  const output = { ...drafted, ...fields };
  const whole = compiled.output(output);
  const problem = whole.fits ? '' : `output${whole.path}: ${whole.problem}`;
  return { kind: 'custom', outcome: { ok: true, output, fits: whole.fits, problem, checks, score } };
}

function compiledOnce(definition: CustomDefinition): Compilation {
  if (definition.id === undefined) return compile(definition);
  let found = known.get(definition.id);
  if (!found) {
    found = compile(definition);
    known.set(definition.id, found);
  }
  return found;
}

function compile(definition: CustomDefinition): Compilation {
  const input = compileSchema(definition.inputSchema);
  if (!input.ok) return { ok: false, field: 'definition.inputSchema', problem: input.problem };
  const output = compileSchema(definition.outputSchema);
  if (!output.ok) return { ok: false, field: 'definition.outputSchema', problem: output.problem };
  const checks: CompiledCheck[] = [];
  for (const [index, rule] of definition.checks.entries()) {
    const problem = boundExpression(rule.pass) ?? (rule.when ? boundExpression(rule.when) : undefined);
    if (problem) return { ok: false, field: `definition.checks[${index}]`, problem };
    try {
      checks.push(...compileChecks([rule], 'caller'));
    } catch (error) {
      return { ok: false, field: `definition.checks[${index}]`, problem: wordsOf(error) };
    }
  }
  const fields: Compiled['fields'] = [];
  for (const [index, { name, expression }] of definition.fields.entries()) {
    const field = `definition.fields[${index}].expression`;
    const problem = boundExpression(expression);
    if (problem) return { ok: false, field, problem };
    try {
      fields.push({ name, program: compileExpression(expression, 'caller') });
    } catch (error) {
      return { ok: false, field, problem: wordsOf(error) };
    }
  }
  return { ok: true, compiled: { input: input.check, output: output.check, checks, fields } };
}

/** A CEL value as JSON: integers become numbers, maps objects. */
function jsonOfCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (isCelUint(value)) return Number(value.value);
  if (isCelList(value)) return [...value].map(jsonOfCel);
  if (isCelMap(value))
    return Object.fromEntries([...value.entries()].map(([name, inner]) => [String(name), jsonOfCel(inner)]));
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

/** `input` and a JSON pointer as a field's path: `input.items[0].name`. */
function fieldAt(root: string, pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`), root);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'cannot be read';
}
