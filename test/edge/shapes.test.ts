import { expect, test } from 'vitest';
import { z } from 'zod';
import type { FailureError } from '../../src/base/failure.ts';
import { listOf, readShape } from '../../src/edge/shapes.ts';

let looked = 0;
const item = z.preprocess(
  (value) => {
    looked += 1;
    return value;
  },
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image') }),
  ]),
);
const shape = z.object({
  content: z.union([z.string(), listOf(item, 1_000)]),
  depth: z.object({ list: listOf(item, 2) }).nullish(),
});

function violations(body: unknown) {
  looked = 0;
  try {
    readShape(shape, body);
    return [];
  } catch (error) {
    const { failure } = error as FailureError;
    return failure.kind === 'invalid_argument' ? failure.violations : [];
  }
}

test('a list is read up to its first wrong value, which is named with its place', () => {
  const found = violations({ content: [{ type: 'text', text: 'a' }, { type: 'text' }, ...Array(900).fill(1)] });
  expect(found).toMatchObject([{ field: 'content[1].text' }]);
  expect(looked).toBe(2);
});

test('what is too long is refused without a look at any of it', () => {
  expect(violations({ content: Array(1_001).fill({ type: 'image' }) })).toMatchObject([{ field: 'content' }]);
  expect(looked).toBe(0);
  expect(violations({ content: '', depth: { list: [{}, {}, {}] } })).toMatchObject([{ field: 'depth.list' }]);
});

test('members that are left out are named once, without places', () => {
  const body = {
    content: [
      { type: 'image', a: 1 },
      { type: 'image', a: 2, b: { c: 1 } },
    ],
    top: true,
    none: null,
  };
  expect(readShape(shape, body).ignored).toEqual(['content.a', 'content.b', 'top']);
});

test('what is wrong is said in plain words', () => {
  const words = z.object({
    name: z.string(),
    count: z.int().min(1).max(3).nullish(),
    kind: z.enum(['a', 'b']).nullish(),
    item: item.nullish(),
    note: z.literal('x', { error: 'must be x: why' }).nullish(),
  });
  const say = (body: object) => {
    try {
      readShape(words, { name: 'n', ...body });
      return undefined;
    } catch (error) {
      const { failure } = error as FailureError;
      return failure.kind === 'invalid_argument' ? failure.violations[0] : undefined;
    }
  };
  expect(say({ name: undefined })).toEqual({ field: 'name', description: 'is required' });
  expect(say({ name: 1 })?.description).toBe('must be a string');
  expect(say({ count: 4 })?.description).toBe('must be at most 3');
  expect(say({ count: 0 })?.description).toBe('must be at least 1');
  expect(say({ count: 1.5 })?.description).toBe('must be a whole number');
  expect(say({ kind: 'c' })?.description).toBe('must be one of a, b');
  expect(say({ item: { type: 'video' } })).toEqual({ field: 'item.type', description: 'must be one of text, image' });
  expect(say({ note: 'y' })?.description).toBe('must be x: why');
  expect(violations({ content: Array(1_001).fill({}) })[0]?.description).toBe('must have at most 1000 elements');
});
