import type { Answers, Jobs, Refused } from '../job.ts';
import { compileSchema } from './json-schema.ts';

/** Compiles a schema, and holds a JSON text against it when there is one. */
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

/** A place in a schema as it stands after the schema's own: `#/properties/a`; nothing for the whole. */
export function fragmentOf(pointer: string): string {
  if (pointer === '') return '';
  return `#${pointer.length > pointerMax ? `${pointer.slice(0, pointerMax)}...` : pointer}`;
}
