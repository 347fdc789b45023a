import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../src/sandbox/child/json-schema.ts';

function check(schema: Record<string, unknown>, value: unknown) {
  const compiled = compileSchema(JSON.stringify(schema));
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.check(value);
}

describe('a JSON Schema from a caller', () => {
  test('says where a value does not fit', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'integer' } } },
      required: ['a'],
    };
    expect(check(schema, { a: [1, 2] })).toEqual({ fits: true });
    expect(check(schema, { a: [1, 'x'] })).toMatchObject({ fits: false, path: '/a/1' });
    expect(check(schema, {})).toEqual({ fits: false, path: '/a', problem: 'is required' });
    expect(check({ properties: { a: {} }, additionalProperties: false }, { a: 1, 'b/c': 2 })).toEqual({
      ...{ fits: false, path: '/b~1c', problem: 'is not a known property' },
    });
    expect(compileSchema('{"properties": {"coste": {"type": "numero"}}}')).toEqual({
      ...{ ok: false, pointer: '/properties/coste/type' },
      problem: 'must be one of "array", "boolean", "integer", "null", "number", "object", "string"',
    });
  });

  test('is about what a value has, and not about what it inherits', () => {
    const schema = { properties: { constructor: { type: 'integer' } }, required: ['toString'] };
    expect(check(schema, {})).toEqual({ fits: false, path: '/toString', problem: 'is required' });
    expect(check(schema, JSON.parse('{"toString":1}'))).toEqual({ fits: true });
    expect(check({ required: ['__proto__'] }, {})).toMatchObject({ fits: false });
    expect(check({ required: ['__proto__'] }, JSON.parse('{"__proto__":1}'))).toEqual({ fits: true });
  });

  test('names the values of a short enum, and no long list', () => {
    const state = (values: readonly string[]) => ({ properties: { state: { enum: values } } });
    expect(check(state(['new', 'used']), { state: 'New' })).toMatchObject({
      path: '/state',
      problem: 'must be one of "new", "used"',
    });
    const many = check(state(Array.from({ length: 500 }, (_, at) => `v${at}`)), { state: 'x' });
    expect(JSON.stringify(many).length).toBeLessThan(200);
  });

  test('may name an older dialect, and refer to its own definitions', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: {
        node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } }, additionalProperties: false },
      },
      $ref: '#/definitions/node',
    };
    expect(check(schema, { next: { next: {} } })).toEqual({ fits: true });
    expect(check(schema, { next: { other: 1 } })).toMatchObject({ fits: false });
  });

  test('keeps its patterns apart', () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(check(schema, { a: 'a', b: 'b' })).toEqual({ fits: true });
    expect(check(schema, { a: 'a', b: 'a' })).toMatchObject({ fits: false, path: '/b' });
  });

  test('never hangs on a pattern', () => {
    // An engine that goes back to try again would need longer than there is time.
    expect(check({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toMatchObject({ fits: false });
  });

  test.each([
    ['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }],
    ['an unknown type', { type: 'strange' }],
    ['a pattern with a look-behind', { type: 'string', pattern: '(?<=a)b' }],
    ['no schema at all', { properties: 5 }],
  ])('with %s is refused with a reason', (_, schema) => {
    expect(compileSchema(JSON.stringify(schema))).toMatchObject({ ok: false });
  });
});
