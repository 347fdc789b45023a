import type { Answers, Jobs, Refused } from '../job.ts';
import { compileSchema } from './json-schema.ts';

/** Compiles a schema, and checks a JSON text against it, if there is one. */
export function checkSchema({ schema, text }: Jobs['schema']): Answers['schema'] | Refused {
  const compiled = compileSchema(schema);
  if (!compiled.ok) return { refused: { at: fragmentOf(compiled.pointer), problem: compiled.problem } };
  if (text === undefined) return { fits: true };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fits: false };
  }
  return { fits: compiled.check(value).fits };
}

const pointerMax = 200;

/** A pointer into a schema as a suffix for the schema's own path: `#/properties/a`; empty for the whole schema. */
export function fragmentOf(pointer: string): string {
  if (pointer === '') return '';
  return `#${pointer.length > pointerMax ? `${pointer.slice(0, pointerMax)}...` : pointer}`;
}
