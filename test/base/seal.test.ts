import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeal } from '../../src/base/seal.ts';

const first = randomBytes(32);
const seal = createSeal({ current: 1, byVersion: new Map([[1, first]]) });

test('what is sealed opens under the same context alone', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), fc.string(), (plain, context, other) => {
      const sealed = seal.seal(plain, context);
      expect(seal.open(sealed, context)).toEqual(Buffer.from(plain));
      if (other !== context) expect(seal.open(sealed, other)).toBeUndefined();
    }),
  );
});

test('a changed byte anywhere does not open', () => {
  const sealed = seal.seal(Buffer.from('hello'), 'x');
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(seal.open(changed, 'x')).toBeUndefined();
  }
  expect(seal.open(sealed.subarray(0, 20), 'x')).toBeUndefined();
});

test('an older key still opens after a newer one took its place; without it nothing opens', () => {
  const sealed = seal.seal(Buffer.from('hello'), 'x');
  const second = randomBytes(32);
  const both = createSeal({
    current: 2,
    byVersion: new Map([
      [1, first],
      [2, second],
    ]),
  });
  expect(both.open(sealed, 'x')?.toString()).toBe('hello');
  expect(createSeal({ current: 2, byVersion: new Map([[2, second]]) }).open(sealed, 'x')).toBeUndefined();
});
