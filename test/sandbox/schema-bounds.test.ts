import { describe, expect, test } from 'vitest';
import { patternWeight } from '../../src/sandbox/child/patterns.ts';
import { boundSchema } from '../../src/sandbox/child/schema-bounds.ts';
import { schemaText } from '../../src/sandbox/schema-text.ts';

type Schema = Record<string, unknown>;

/** `count` definitions, each of which refers to the next one twice. */
function doublings(count: number): Schema {
  const next = (at: number) => ({ $ref: `#/$defs/d${at}` });
  const $defs = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`d${at}`, { allOf: [next(at + 1), next(at + 1)] }]),
  );
  return { ...next(0), $defs: { ...$defs, [`d${count}`]: { type: 'string' } } };
}

describe('a schema is refused before it is compiled', () => {
  const refused: [string, Schema, string, RegExp][] = [
    ['$async', { $async: true, type: 'object' }, '/$async', /not allowed/],
    ['$async below', { properties: { a: { items: { $async: true } } } }, '/properties/a/items/$async', /not allowed/],
    ['$async in a definition that nothing names', { $defs: { a: { $async: true } } }, '/$defs/a/$async', /not allowed/],
    ['$async in an unknown keyword', { x: { $async: true }, $ref: '#/x' }, '/x/$async', /not allowed/],
    ['a reference to elsewhere', { $ref: 'https://example.com/a' }, '/$ref', /elsewhere/],
    ['a relative reference', { properties: { a: { $ref: 'other.json' } } }, '/properties/a/$ref', /elsewhere/],
    ['a reference to nothing', { $ref: '#/$defs/a' }, '/$ref', /nothing/],
    ['a reference into data', { $ref: '#/default', default: { $async: true } }, '/$ref', /nothing/],
    ['a dynamic reference to elsewhere', { $dynamicRef: 'x#a' }, '/$dynamicRef', /elsewhere/],
    ['an $id below the root', { $defs: { a: { $id: 'b' } } }, '/$defs/a/$id', /not allowed/],
    [
      'a name that is not checked',
      { properties: { a: { properties: { ['__proto__']: true } } } },
      '/properties/a/properties/__proto__',
      /not allowed/,
    ],
    ['29 doublings', doublings(29), '/$defs/d', /written out/],
    ['60 doublings', doublings(60), '/$defs/d', /written out/],
    ['itself', { $ref: '#' }, '/$ref', /without going deeper/],
    [
      'itself by a detour, found from a part first',
      {
        properties: { a: { $ref: '#/$defs/b' } },
        allOf: [{ $ref: '#/$defs/b' }],
        $defs: { b: { not: { $ref: '#' } } },
      },
      '',
      /without going deeper/,
    ],
    ['a repetition', { pattern: 'a{1000}'.repeat(11) }, '/pattern', /10000 steps/],
    ['repetitions inside repetitions', { pattern: '(((a{30}){30}){30})' }, '/pattern', /10000 steps/],
    ['a repeated alternative', { pattern: '(a{0,1000}|b){11}' }, '/pattern', /10000 steps/],
    [
      'many patterns',
      { properties: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`p${at}`, { pattern: 'a{1000}' }])) },
      '/properties/',
      /all patterns/,
    ],
    ['a name that is a pattern', { patternProperties: { '(b{100}){101}': {} } }, '/patternProperties/', /10000 steps/],
    [
      'many references',
      { $defs: { a: {} }, allOf: Array.from({ length: 1001 }, () => ({ $ref: '#/$defs/a' })) },
      '/allOf/',
      /references/,
    ],
    ['many subschemas', { anyOf: Array.from({ length: 10_001 }, () => ({})) }, '', /subschemas/],
  ];
  test.each(refused)('%s', (_, schema, pointer, problem) => {
    const found = boundSchema(schema);
    expect(found?.problem).toMatch(problem);
    expect(found?.pointer.startsWith(pointer), found?.pointer).toBe(true);
  });
});

describe('a schema is accepted', () => {
  const accepted: [string, Schema][] = [
    [
      'a list that refers to itself',
      { $ref: '#/$defs/n', $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } } },
    ],
    ['properties with the names of keywords', { properties: { $async: {}, $id: {}, $ref: {}, pattern: {} } }],
    ['data that looks like keywords', { enum: [{ $async: true, $id: 'a', $ref: 'b', pattern: '(' }] }],
    ['anchors', { $ref: '#a', $defs: { x: { $anchor: 'a', type: 'string' } } }],
    ['pointers with escapes', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': true } }],
    ['twelve doublings', doublings(12)],
    ['an $id of its own', { $id: 'https://example.com/a', type: 'object' }],
    ['usual patterns', { pattern: '^[A-Z]{2}[0-9]{2}[A-Za-z0-9 ]{11,40}$' }],
  ];
  test.each(accepted)('%s', (_, schema) => {
    expect(boundSchema(schema)).toBeUndefined();
  });
});

test.each([
  ['abc', 3],
  ['a{1000}', 1000],
  ['a{2,}', 3],
  ['(a{30}){30}', 930],
  ['a{,5}', 5],
  ['\\{1000}', 6],
  ['a{500}?', 500],
  ['[a-z{9}]{10}', 30],
])('a pattern weighs what its repetitions come to: %s', (pattern, weight) => {
  expect(patternWeight(pattern)).toBe(weight);
});

test('a schema is handed on as text only when it is small and flat', () => {
  let deep: Schema = {};
  for (let level = 0; level < 20_000; level++) deep = { not: deep };
  expect(schemaText(deep)).toMatchObject({ ok: false, problem: expect.stringMatching(/deeper than 64/) });
  expect(schemaText({ description: 'a'.repeat(262_144) })).toMatchObject({ ok: false });
  expect(schemaText({ enum: Array.from({ length: 70_000 }, () => 1) })).toMatchObject({ ok: false });
  expect(schemaText({ type: 'object' })).toEqual({ ok: true, text: '{"type":"object"}' });
});
