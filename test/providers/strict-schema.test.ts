import { expect, test } from 'vitest';
import { canBeStrict } from '../../src/providers/index.ts';

const closed = (properties: object, required = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required },
  additionalProperties: false,
});
const text = { type: 'string' };

test.each([
  ['a closed object', closed({ a: text })],
  ['one without properties', closed({})],
  [
    'closed objects in lists, in choices and in definitions',
    {
      ...closed({
        a: { type: 'array', items: closed({ b: text }) },
        c: { anyOf: [closed({ d: text }), { type: 'null' }] },
      }),
      $defs: { e: closed({ f: text }) },
    },
  ],
  ['a property that may be null', closed({ a: { type: ['string', 'null'] } })],
  ['a property that is named like a keyword', closed({ not: text })],
])('%s can be strict', (_, schema) => {
  expect(canBeStrict(schema)).toBe(true);
});

test.each([
  ['an open object', { ...closed({ a: text }), additionalProperties: true }],
  ['an object that says nothing of others', { type: 'object', properties: { a: text }, required: ['a'] }],
  ['an optional property', closed({ a: text, b: text }, ['a'])],
  ['an open object in a list', closed({ a: { type: 'array', items: { type: 'object' } } })],
  ['an open object in a choice', closed({ a: { anyOf: [{ properties: {} }] } })],
  ['an open object in a definition', { ...closed({ a: text }), $defs: { b: { type: ['object', 'null'] } } }],
  ['a keyword that models are not held to', closed({ a: { ...text, not: { const: 'b' } } })],
  ['a list', { type: 'array', items: text }],
  ['no schema', undefined],
  ['a schema that is none', closed({ a: true })],
])('%s cannot be strict', (_, schema) => {
  expect(canBeStrict(schema)).toBe(false);
});
