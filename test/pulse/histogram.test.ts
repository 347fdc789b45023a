import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addTo,
  bucketOf,
  countOf,
  decodeInto,
  durationOf,
  encodeHistogram,
  type Histogram,
  longestMs,
  mergeInto,
  quantilesOf,
  relativeError,
} from '../../src/pulse/histogram.ts';
import { exactQuantile } from './model.ts';

const durations = fc.array(fc.oneof(fc.integer({ min: 0, max: longestMs }), fc.integer({ min: 0, max: 5_000 })), {
  minLength: 1,
  maxLength: 300,
});

function histogramOf(values: readonly number[]): Histogram {
  const histogram: Histogram = new Map();
  for (const value of values) addTo(histogram, bucketOf(value), 1);
  return histogram;
}

test('every duration up to 31 days is told within the stated error', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: longestMs }), (duration) => {
      expect(Math.abs(durationOf(bucketOf(duration)) - duration)).toBeLessThanOrEqual(
        duration * (relativeError + 1e-6),
      );
    }),
    { numRuns: 5_000 },
  );
  expect(durationOf(bucketOf(0))).toBe(0);
  expect(bucketOf(longestMs * 100)).toBe(bucketOf(longestMs));
  expect(bucketOf(longestMs)).toBeLessThan(550);
});

test('percentiles are within the stated error of the exact ones by nearest rank', () => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0, 0.5, 0.9, 0.99, 1), (values, quantile) => {
      const exact = exactQuantile(values, quantile);
      const told = quantilesOf(histogramOf(values), [quantile])?.[0] ?? Number.NaN;
      expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * (relativeError + 1e-6));
    }),
  );
});

test('histograms merge to the histogram of all values, whatever is merged first', () => {
  fc.assert(
    fc.property(durations, durations, (a, b) => {
      const merged = histogramOf(b);
      mergeInto(merged, histogramOf(a));
      expect(merged).toEqual(histogramOf([...a, ...b]));
      expect(countOf(merged)).toBe(a.length + b.length);
    }),
  );
});

test('a histogram survives its encoding, also with counts over 32 bits', () => {
  fc.assert(
    fc.property(durations, fc.integer({ min: 1, max: 2 ** 45 }), (values, many) => {
      const histogram = histogramOf(values);
      addTo(histogram, 77, many);
      const decoded: Histogram = new Map();
      decodeInto(decoded, encodeHistogram(histogram));
      expect(decoded).toEqual(histogram);
    }),
  );
});

test('an empty histogram has no percentiles', () => {
  expect(quantilesOf(new Map(), [0.5])).toBeUndefined();
});
