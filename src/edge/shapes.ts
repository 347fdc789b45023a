import { bytesOfBase64 } from '@intelligence-api/transcoding/parts';
import { z } from 'zod';
import { FailureError, type FieldViolation } from '../base/failure.ts';
import { type PlaceOf, snakeCase } from './places.ts';

const violationsMax = 10;
const ignoredMax = 20;

/** Validates another API's body against the facade's shape; `ignored` names the members that the shape omits. */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  body: unknown,
): { value: z.infer<Shape>; ignored: string[] } {
  const parsed = shape.safeParse(body);
  if (!parsed.success) {
    const violations = parsed.error.issues.slice(0, violationsMax).map(violationOf);
    throw new FailureError({ kind: 'invalid_argument', violations });
  }
  return { value: parsed.data, ignored: ignoredOf(body, parsed.data) };
}

/**
 * A list of at most `max` values, read up to the first invalid one: the package itself would describe every one of them, which
 * takes seconds for a list of nonsense.
 */
export function listOf<Shape extends z.ZodType>(shape: Shape, max: number, min = 0) {
  return z
    .array(z.unknown())
    .min(min)
    .max(max)
    .transform((values, context): z.infer<Shape>[] => {
      const read: z.infer<Shape>[] = [];
      for (const [index, value] of values.entries()) {
        const parsed = shape.safeParse(value);
        if (!parsed.success) {
          for (const issue of parsed.error.issues.slice(0, violationsMax)) {
            const { path, message } = deepest(issue);
            context.addIssue({ code: 'custom', path: [index, ...path], message });
          }
          return z.NEVER;
        }
        read.push(parsed.data);
      }
      return read;
    });
}

/** Bytes as base64, decoded where they are checked: a second time would take as long, and the memory of an image again. */
export const base64 = z.string().transform((text, context) => {
  const bytes = bytesOfBase64(text);
  if (bytes) return bytes;
  context.addIssue({ code: 'custom', message: 'must be base64' });
  return z.NEVER;
});

/** The settings that the model did not support, named as in other APIs. */
export function untakenNames(ignored: readonly { field: string }[], placeOf: PlaceOf = snakeCase): string[] {
  return ignored.map(({ field }) => placeOf(field).replace(/\[\d+\]/g, ''));
}

/** Lists the unused names in `X-Ignored-Parameters`, each once. */
export function noteIgnored(replyHeaders: Record<string, string>, names: readonly string[]): void {
  const plain = [...new Set(names)].filter((name) => /^[\w.-]{1,100}$/.test(name)).slice(0, ignoredMax);
  if (plain.length > 0) replyHeaders['x-ignored-parameters'] = plain.join(', ');
}

/** The members that were sent but not read, each name once: `top_k`, `tools.defer_loading`. */
function ignoredOf(sent: unknown, read: unknown, at = '', names = new Set<string>()): string[] {
  if (Array.isArray(sent) && Array.isArray(read))
    for (const [index, each] of sent.entries()) ignoredOf(each, read[index], at, names);
  else if (typeof sent === 'object' && sent !== null && typeof read === 'object' && read !== null)
    for (const [name, value] of Object.entries(sent)) {
      const path = at === '' ? name : `${at}.${name}`;
      if (Object.hasOwn(read, name)) ignoredOf(value, (read as Record<string, unknown>)[name], path, names);
      else if (value !== null && value !== undefined) names.add(path);
    }
  return [...names];
}

/** The other APIs' own names; any other is one that a caller chose, as keys of `metadata` are. */
const named = /^[a-z][a-z0-9_]*$/;

function keyOf(name: PropertyKey): string {
  return typeof name === 'number' ? `[${name}]` : `[${JSON.stringify(String(name))}]`;
}

function violationOf(issue: z.core.$ZodIssue): FieldViolation {
  const { path, message } = deepest(issue);
  let field = '';
  for (const name of path)
    field += typeof name === 'string' && named.test(name) ? `${field && '.'}${name}` : keyOf(name);
  return { field: field || 'body', description: message };
}

/** If a value may have several forms, the issue with the closest match says the most. */
function deepest(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return worded(issue);
  const [inner] = issue.errors
    .flat()
    .toSorted((a, b) => b.path.length - a.path.length || Number(isOfType(a)) - Number(isOfType(b)));
  return inner ? deepest({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue) : worded(issue);
}

function isOfType({ code }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type';
}

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The package's own messages are for programmers; those that a shape defines are kept. */
function worded(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  const { path, message } = issue;
  return { path, message: /^(Invalid|Too) /.test(message) ? (wordsFor(issue) ?? message) : message };
}

function wordsFor(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is required'
        : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return `must ${amount(issue.origin, issue.maximum, 'at most')}`;
    case 'too_small':
      return `must ${amount(issue.origin, issue.minimum, 'at least')}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'invalid_union': {
      const named = [...issue.message.matchAll(/'([^']+)'/g)]
        .map(([, name]) => name)
        .filter((name) => name !== 'undefined');
      return named.length > 0 ? `must be one of ${named.join(', ')}` : undefined;
    }
    default:
      return undefined;
  }
}

function amount(of: string, bound: number | bigint, most: string): string {
  if (of !== 'array' && of !== 'string') return `be ${most} ${bound}`;
  return `have ${most} ${bound} ${of === 'array' ? 'element' : 'character'}${Number(bound) === 1 ? '' : 's'}`;
}
