import { expect, test } from 'vitest';
import { createLargeBodies } from '../../src/edge/large-bodies.ts';

const mebibyte = 1_024 * 1_024;

test('long messages of one account, and of all, have so much room and no more', () => {
  const bodies = createLargeBodies({ eachBytes: 2 * mebibyte, allBytes: 3 * mebibyte });
  expect(bodies.take('a', 2 * mebibyte).ok).toBe(true);
  expect(bodies.take('a', 1)).toMatchObject({
    failure: { kind: 'rate_limited', limit: '2 MiB in long messages at one time' },
  });
  expect(bodies.take('b', mebibyte).ok).toBe(true);
  expect(bodies.take('c', 1)).toMatchObject({ failure: { kind: 'overloaded' } });
  bodies.leave('a', 2 * mebibyte);
  expect(bodies.take('c', 2 * mebibyte).ok).toBe(true);
  expect(bodies.take('a', 1)).toMatchObject({ failure: { kind: 'overloaded' } });
});
