import { isCelList, isCelMap, isCelUint } from '@bufbuild/cel';
import { toJson } from '@bufbuild/protobuf';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import { LRUCache } from 'lru-cache';
import { tooLargeJson } from '../../base/json-size.ts';
import { type CompiledCheck, runChecks } from '../cel/checks.ts';
import { celValue, type Program } from '../cel/expressions.ts';
import { isUnmet, scoreOf } from '../check.ts';
import type { Answers, CustomRules, Jobs, Refused } from '../job.ts';
import { compileCallers, compileCallersChecks, wordsOf } from './caller-expressions.ts';
import { fragmentOf } from './check-schema.ts';
import { unknownNameIn } from './expression-names.ts';
import { compileSchema, type SchemaCheck } from './json-schema.ts';
import { targetOf } from './schema-bounds.ts';
import { readDocument } from './schema-document.ts';
import type { Follow } from './schema-edges.ts';

interface Compiled {
  input: SchemaCheck;
  output: SchemaCheck;
  checks: CompiledCheck[];
  fields: { name: string; program: Program }[];
}

type Compilation = { ok: true; compiled: Compiled } | { ok: false; at: string; problem: string };

// Schemas are cached separately, by weight; this only keeps the expressions, a few KB per definition.
const known = new LRUCache<string, Compilation>({ max: 100 });

/** An expression of some characters can make millions of values of a small input, and the service reads and prints each. */
const outputMost = { values: 10_000, levels: 32, characters: 1_000_000 };

/**
 * Runs a client's workflow by rules: checks that the input fits its schema, runs the checks, computes the fields, and compares
 * the output with its schema. `drafted` are properties proposed by a model; computed ones always win.
 */
export function runCustom({ rules, input, drafted }: Jobs['custom']): Answers['custom'] | Refused {
  const compilation = compiledOnce(rules);
  if (!compilation.ok) return { refused: { at: `definition.${compilation.at}`, problem: compilation.problem } };
  const { compiled } = compilation;
  const fitting = compiled.input(input);
  if (!fitting.fits) return { ok: false, field: fieldAt('input', fitting.path), problem: fitting.problem };

  const variables = { input: celValue(input) };
  const checks = runChecks(compiled.checks, variables);
  const blocked = checks.some(({ rule, outcome }) => isUnmet(outcome) && (rule.blocks === true || outcome === 'error'));
  const score = blocked ? 0 : scoreOf(checks);
  const passed = new Map(checks.map(({ rule, outcome }) => [rule.id, outcome === 'passed']));
  const fields: Record<string, unknown> = {};
  for (const { name, program } of compiled.fields) {
    const computed = program({ ...variables, checks: passed, score, blocked, fields: celValue(fields) });
    if (!computed.ok) return { ok: false, field: `fields.${name}`, problem: computed.reason };
    try {
      fields[name] = jsonOfCel(computed.value);
    } catch (error) {
      return { ok: false, field: `fields.${name}`, problem: wordsOf(error) };
    }
  }
  const output = { ...drafted, ...fields };
  const tooLarge = tooLargeJson(output, outputMost);
  if (tooLarge !== undefined) return { ok: false, field: 'output', problem: tooLarge };
  const whole = compiled.output(output);
  const problem = whole.fits ? '' : `output${whole.path}: ${whole.problem}`;
  return { ok: true, output, fits: whole.fits, problem, outcomes: checks.map(({ outcome }) => outcome), score };
}

function compiledOnce(rules: CustomRules): Compilation {
  if (rules.id === undefined) return compile(rules);
  let found = known.get(rules.id);
  if (!found) {
    found = compile(rules);
    known.set(rules.id, found);
  }
  return found;
}

function compile(rules: CustomRules): Compilation {
  const input = compileSchema(JSON.stringify(rules.inputSchema));
  if (!input.ok) return { ok: false, at: `inputSchema${fragmentOf(input.pointer)}`, problem: input.problem };
  const output = compileSchema(JSON.stringify(rules.outputSchema));
  if (!output.ok) return { ok: false, at: `outputSchema${fragmentOf(output.pointer)}`, problem: output.problem };
  const compiled = compileCallersChecks(rules.checks);
  if (!compiled.ok) return { ok: false, at: `checks${compiled.at}`, problem: compiled.problem };
  const fields: Compiled['fields'] = [];
  for (const [index, { name, expression }] of rules.fields.entries()) {
    const program = compileCallers(expression);
    if (!program.ok) return { ok: false, at: `fields[${index}].expression`, problem: program.problem };
    fields.push({ name, program: program.value });
  }
  const unknown = rules.id === undefined ? unknownNames(rules) : undefined;
  if (unknown) return { ok: false, ...unknown };
  return { ok: true, compiled: { input: input.check, output: output.check, checks: compiled.checks, fields } };
}

/**
 * The first expression that uses a name that does not exist. Only checked while a definition is being created; an existing
 * version runs as it is. The expressions have already been compiled, so they can be parsed.
 */
function unknownNames({ inputSchema, checks, fields }: CustomRules): { at: string; problem: string } | undefined {
  const scope: Record<string, Readonly<Record<string, unknown>> | undefined> = { input: inputSchema };
  const all: { at: string; expression: string; scope: typeof scope }[] = [];
  for (const [index, { when, pass }] of checks.entries()) {
    if (when) all.push({ at: `checks[${index}].when`, expression: when, scope });
    all.push({ at: `checks[${index}].pass`, expression: pass, scope });
  }
  const { anchors } = readDocument(inputSchema);
  const follow: Follow = (reference) => targetOf(inputSchema, anchors, reference);
  const ids = closed(checks.map(({ id }) => id));
  for (const [index, { expression }] of fields.entries()) {
    const before = closed(fields.slice(0, index).map(({ name }) => name));
    const more = { checks: ids, fields: before, score: { type: 'number' }, blocked: { type: 'boolean' } };
    all.push({ at: `fields[${index}].expression`, expression, scope: { ...scope, ...more } });
  }
  for (const { at, expression, scope } of all) {
    const problem = unknownNameIn(expression, scope, follow);
    if (problem !== undefined) return { at, problem };
  }
  return undefined;
}

function closed(names: readonly string[]) {
  return { properties: Object.fromEntries(names.map((name) => [name, {}])), additionalProperties: false };
}

/**
 * A CEL value as JSON, as protobuf writes it: a timestamp, a duration, bytes and an integer that no double holds become texts.
 * Throws an Error for what has no JSON.
 */
function jsonOfCel(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (isCelUint(value)) return jsonOfCel(value.value);
  if (isCelList(value)) return [...value].map(jsonOfCel);
  if (isCelMap(value))
    return Object.fromEntries(
      [...value.entries()].map(([name, inner]) => [String(isCelUint(name) ? name.value : name), jsonOfCel(inner)]),
    );
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (isReflectMessage(value)) return toJson(value.desc, value.message);
  throw new Error('is a value that JSON does not have');
}

/** `root` and a JSON pointer as a field path: `input.items[0].name`. */
function fieldAt(root: string, pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`), root);
}
