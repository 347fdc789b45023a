import { type CelInput, CelScalar, celEnv, celFunc, isCelError, isCelMap, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { foldText } from '../../base/text/fold.ts';
import { countWords } from '../../base/text/words.ts';

/** The variables of a CEL expression, by name. Values other than plain numbers, strings and booleans must be made by `celValue`. */
export type Variables = Record<string, CelInput>;

/** A compiled expression. Returns its value, or why there is none; never throws. */
export type Program = (variables: Variables) => { ok: true; value: unknown } | { ok: false; reason: string };

const { STRING, BOOL, DOUBLE, INT, DYN } = CelScalar;

/** The functions that expressions may call besides the standard ones and those of CEL's strings extension. */
const functions = [
  ...strings,
  // Whether a map has a value that is not blank: given(attributes, "brand").
  celFunc('given', [DYN, STRING], BOOL, (map, name) => isGiven(entryOf(map, name))),
  celFunc('given', [DYN], BOOL, (value) => isGiven(value)),
  // A value as a number. Absent or not a number: an error, so that no check passes because of it.
  celFunc('number', [DYN, STRING], DOUBLE, (map, name) => asNumber(entryOf(map, name))),
  celFunc('number', [DYN], DOUBLE, (value) => asNumber(value)),
  // A value as text; empty if there is none.
  celFunc('text', [DYN, STRING], STRING, (map, name) => toText(entryOf(map, name))),
  celFunc('words', [STRING], INT, (text) => BigInt(countWords(text))),
  // A text normalised for comparison: lower case, without accents or repeated blanks.
  celFunc('fold', [STRING], STRING, (text) => foldText(text)),
];

/** The functions whose name has a namespace: `strings.quote`. */
export const namespacedFunctions: ReadonlySet<string> = new Set(
  functions.map(({ name }) => name).filter((name) => name.includes('.')),
);

/** A compiled regular expression, as CEL's `matches` needs it. */
export interface Pattern {
  test(text: string): boolean;
}

/** Compiles one expression. Throws an Error that says what is wrong with it. */
export type CompileExpression = (expression: string) => Program;

/** Expressions with patterns compiled by `compilePattern`: which engine may run them depends on who wrote them. */
export function createExpressions(compilePattern: (pattern: string) => Pattern): CompileExpression {
  const env = celEnv({ funcs: functions, re2: { compile: remembering(compilePattern) } });
  return (expression) => {
    const evaluate = plan(env, parse(expression));
    return (variables) => {
      try {
        const value = evaluate(variables);
        return isCelError(value) ? { ok: false, reason: reasonIn(value.message) } : { ok: true, value };
      } catch (error) {
        return { ok: false, reason: error instanceof Error ? reasonIn(error.message) : 'cannot be evaluated' };
      }
    };
  };
}

/** The engine's reason, in words for who wrote the expression. */
function reasonIn(message: string): string {
  if (message.startsWith('Failed to parse timestamp'))
    return 'timestamp() takes a text such as "2026-12-04T09:00:00Z", and this is another one';
  if (message.startsWith('Failed to parse duration'))
    return 'duration() takes a text such as "90s" or "1.5h", and this is another one';
  return /overload.*(?:double, int|int, double)/.test(message)
    ? `${message}; JSON numbers are doubles, so write 2.0 beside them, not 2`
    : message;
}

/** Named JSON values as an expression's variables. */
export function celVariables(values: Readonly<Record<string, unknown>>): Variables {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, celValue(value)]));
}

/** A JSON value as CEL sees it: objects become maps, so that names such as `__proto__` are only names. */
export function celValue(value: unknown): CelInput {
  if (Array.isArray(value)) return value.map(celValue);
  if (value instanceof Map) return value as CelInput;
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([name, inner]) => [name, celValue(inner)]));
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

const patternsMax = 100;

/** CEL compiles a pattern on every use; the few in a pack or a definition are cached. */
function remembering(compile: (pattern: string) => Pattern): (pattern: string) => Pattern {
  const known = new Map<string, Pattern>();
  return (pattern) => {
    const found = known.get(pattern);
    if (found) return found;
    const made = compile(pattern);
    if (known.size >= patternsMax) known.clear();
    known.set(pattern, made);
    return made;
  };
}

export function entryOf(map: unknown, name: string): unknown {
  if (map instanceof Map) return map.get(name);
  return isCelMap(map) ? map.get(name) : undefined;
}

export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value === 'object' && 'size' in value) return value.size !== 0;
  return !(typeof value === 'number' && Number.isNaN(value));
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string' || value.length > 40) return Number.NaN;
  const text = value.trim();
  return text === '' ? Number.NaN : Number(text);
}

function asNumber(value: unknown): number {
  const number = toNumber(value);
  if (Number.isNaN(number)) throw new Error('the value is absent or not a number');
  return number;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : '';
}
