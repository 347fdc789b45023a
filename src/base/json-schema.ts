import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import type { RegExpEngine } from 'ajv/dist/types/index.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/** Says whether a value fits a schema, and where it does not: the path of the first mismatch and what was expected. */
export type SchemaCheck = (value: unknown) => { fits: true } | { fits: false; path: string; problem: string };

export type CompiledSchema = { ok: true; check: SchemaCheck } | { ok: false; problem: string };

const schemaCharactersMax = 262_144;
const compiled = new LRUCache<string, CompiledSchema>({ max: 500 });

/**
 * Compiles a JSON Schema (2020-12, which older drafts mostly are part of) that a caller wrote. It is safe with hostile
 * ones: patterns run on RE2, which is linear; references outside the schema are refused; the size is bounded. `format`
 * is an annotation, as the standard has it by default.
 */
export function compileSchema(schema: Readonly<Record<string, unknown>>): CompiledSchema {
  const text = JSON.stringify(schema);
  let result = compiled.get(text);
  if (!result) {
    result = compile(text);
    compiled.set(text, result);
  }
  return result;
}

function compile(text: string): CompiledSchema {
  if (text.length > schemaCharactersMax)
    return { ok: false, problem: `it is larger than ${schemaCharactersMax} characters` };
  // A copy of our own; the dialect's name would make the compiler look for a definition that it does not have.
  const { $schema: _, ...schema } = JSON.parse(text) as AnySchemaObject;
  try {
    const ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      inlineRefs: false,
      logger: false,
      code: { regExp: linearRegExp },
    });
    const validate = ajv.compile(schema);
    return {
      ok: true,
      check: (value) => {
        if (validate(value)) return { fits: true };
        const [first] = validate.errors ?? [];
        return { fits: false, path: first?.instancePath ?? '', problem: first?.message ?? 'does not fit' };
      },
    };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message.slice(0, 300) : 'it cannot be compiled' };
  }
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
