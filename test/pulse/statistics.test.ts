import { expect, test } from 'vitest';
import { newcombe, normalQuantile, wilson } from '../../src/pulse/statistics.ts';

// The examples of Newcombe (1998), table II, method 10.
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [10, 10, 0, 10, 0.6075, 1],
])('the interval of %d/%d less %d/%d is the published one', (a, m, b, n, low, high) => {
  const found = newcombe({ part: a, whole: m }, { part: b, whole: n });
  expect(found.low).toBeCloseTo(low, 4);
  expect(found.high).toBeCloseTo(high, 4);
});

test('the interval of a share stays within 0 and 1 and holds the share', () => {
  for (const whole of [1, 2, 10, 1_000, 1_000_000])
    for (const part of [0, 1, Math.floor(whole / 2), whole]) {
      const { low, high } = wilson(part, whole);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(part / whole);
      expect(high).toBeGreaterThanOrEqual(part / whole);
    }
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});

test.each([
  [0.5, 0],
  [0.975, 1.959963985],
  [0.025, -1.959963985],
  [0.0001, -3.719016485],
  [0.99999, 4.264890794],
])('the normal quantile of %d is that of the tables', (probability, z) => {
  expect(normalQuantile(probability)).toBeCloseTo(z, 7);
});
