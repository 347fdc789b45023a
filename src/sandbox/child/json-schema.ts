import { Ajv2020, type AnySchemaObject, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import type { RegExpEngine } from 'ajv/dist/types/index.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { boundSchema, type SchemaProblem } from './schema-bounds.ts';

/** Checks whether a value fits a schema; if not, returns the path of the first mismatch and what was expected. */
export type SchemaCheck = (value: unknown) => { fits: true } | { fits: false; path: string; problem: string };

export type CompiledSchema = { ok: true; check: SchemaCheck } | ({ ok: false } & SchemaProblem);

// A compiled schema takes 10 to 20 bytes for each of its characters, more once it has run, and its patterns are bounded.
const bytesPerCharacter = 40;
const bytesAtLeast = 16_384;
const compiledBytesMax = 24 * 1024 * 1024;
const compiled = new LRUCache<string, CompiledSchema>({
  maxSize: compiledBytesMax,
  sizeCalculation: (_, text) => bytesAtLeast + text.length * bytesPerCharacter,
});

/**
 * Compiles a caller's JSON Schema, given as JSON (2020-12, of which older drafts are mostly a subset). Patterns run on RE2, in
 * linear time; see `boundSchema` for what is refused. `format` is an annotation, the standard's default.
 */
export function compileSchema(text: string): CompiledSchema {
  let result = compiled.get(text);
  if (!result) {
    result = compile(text);
    compiled.set(text, result);
  }
  return result;
}

const linearRegExp: RegExpEngine = Object.assign(
  (pattern: string) => {
    const compiledPattern = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Ajv shares patterns that have the same text.
    return { test: (text: string) => compiledPattern.matcher(text).find(), toString: () => pattern };
  },
  // Ajv only writes this into exported code, which we never use.
  { code: 'linearRegExp' },
);

const options: Options = {
  strict: false,
  validateFormats: false,
  inlineRefs: false,
  // What a value inherits ("constructor") is none of its properties.
  ownProperties: true,
  logger: false,
  // The passes that shorten the code take quadratic time.
  code: { regExp: linearRegExp, optimize: false },
};

// Compiling the dialect's own schema takes longer than most schemas, so do it once.
const dialect = new Ajv2020(options);

const namedValuesMax = 12;

/** Where a value does not fit, and what would: the place of a missing or unknown property, and the values of a short `enum`. */
function placed(error: ErrorObject | undefined): { path: string; problem: string } {
  const path = error?.instancePath ?? '';
  const { allowedValues, missingProperty, additionalProperty } = (error?.params ?? {}) as Record<string, unknown>;
  if (error?.keyword === 'required' && typeof missingProperty === 'string')
    return { path: below(path, missingProperty), problem: 'is required' };
  if (
    error?.keyword === 'additionalProperties' &&
    typeof additionalProperty === 'string' &&
    additionalProperty.length <= 200
  )
    return { path: below(path, additionalProperty), problem: 'is not a known property' };
  if (error?.keyword === 'enum' && Array.isArray(allowedValues) && allowedValues.length <= namedValuesMax) {
    const values = allowedValues.map((value) => JSON.stringify(value)).join(', ');
    if (values.length <= 300) return { path, problem: `must be one of ${values}` };
  }
  return { path, problem: error?.message ?? 'does not fit' };
}

function below(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function compile(text: string): CompiledSchema {
  // With the dialect's name, the compiler would look for a definition that it does not have.
  const { $schema: _, ...schema } = JSON.parse(text) as AnySchemaObject;
  const problem = boundSchema(schema);
  if (problem) return { ok: false, ...problem };
  try {
    if (dialect.validateSchema(schema) !== true) {
      // A type may be one name or a list of them; the first complaint is about one name.
      const { path, problem } = placed(dialect.errors?.[0]);
      return { ok: false, pointer: path, problem };
    }
    const validate = new Ajv2020({ ...options, meta: false, validateSchema: false }).compile(schema);
    return {
      ok: true,
      check: (value) => {
        const valid: unknown = validate(value);
        if (valid === true) return { fits: true };
        if (valid !== false) throw new Error('the schema gives no answer');
        const [first] = validate.errors ?? [];
        return { fits: false, ...placed(first) };
      },
    };
  } catch (error) {
    const words = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
    return { ok: false, pointer: '', problem: `cannot be compiled: ${words}` };
  }
}
