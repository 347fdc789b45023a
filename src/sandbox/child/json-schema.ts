import { Ajv2020, type AnySchemaObject, type Options } from 'ajv/dist/2020.js';
import type { RegExpEngine } from 'ajv/dist/types/index.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { boundSchema, type SchemaProblem } from './schema-bounds.ts';

/** Says whether a value fits a schema, and where it does not: the path of the first mismatch and what was expected. */
export type SchemaCheck = (value: unknown) => { fits: true } | { fits: false; path: string; problem: string };

export type CompiledSchema = { ok: true; check: SchemaCheck } | ({ ok: false } & SchemaProblem);

// A compiled schema takes 10 to 20 bytes for each of its characters, more where it is run, and its patterns are bounded.
const bytesPerCharacter = 40;
const bytesAtLeast = 16_384;
const compiledBytesMax = 24 * 1024 * 1024;
const compiled = new LRUCache<string, CompiledSchema>({
  maxSize: compiledBytesMax,
  sizeCalculation: (_, text) => bytesAtLeast + text.length * bytesPerCharacter,
});

/**
 * Compiles a JSON Schema (2020-12, which older drafts mostly are part of) that a caller wrote, given as JSON. Patterns run
 * on RE2, which is linear; `boundSchema` says what is refused. `format` is an annotation, as the standard has it by default.
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
    // Ajv shares patterns whose text is the same.
    return { test: (text: string) => compiledPattern.matcher(text).find(), toString: () => pattern };
  },
  // Ajv writes this only into code that it exports, which we never do.
  { code: 'linearRegExp' },
);

const options: Options = {
  strict: false,
  validateFormats: false,
  inlineRefs: false,
  logger: false,
  // The passes that shorten the code are quadratic in it.
  code: { regExp: linearRegExp, optimize: false },
};

// Compiling the dialect's own schema takes longer than most schemas; it is done once.
const dialect = new Ajv2020(options);

function compile(text: string): CompiledSchema {
  // The dialect's name would make the compiler look for a definition that it does not have.
  const { $schema: _, ...schema } = JSON.parse(text) as AnySchemaObject;
  const problem = boundSchema(schema);
  if (problem) return { ok: false, ...problem };
  try {
    if (dialect.validateSchema(schema) !== true) {
      const [first] = dialect.errors ?? [];
      return { ok: false, pointer: first?.instancePath ?? '', problem: first?.message ?? 'is no JSON Schema' };
    }
    const validate = new Ajv2020({ ...options, meta: false, validateSchema: false }).compile(schema);
    return {
      ok: true,
      check: (value) => {
        const valid: unknown = validate(value);
        if (valid === true) return { fits: true };
        if (valid !== false) throw new Error('the schema gives no answer');
        const [first] = validate.errors ?? [];
        return { fits: false, path: first?.instancePath ?? '', problem: first?.message ?? 'does not fit' };
      },
    };
  } catch (error) {
    const words = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
    return { ok: false, pointer: '', problem: `cannot be compiled: ${words}` };
  }
}
