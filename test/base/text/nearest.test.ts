import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNearest, nearestName } from '../../../src/base/text/nearest.ts';

/** The distance as its definition has it, without any bound. */
function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number) => table[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1);
      (table[i] as number[])[j] = least;
    }
  return at(a.length, b.length);
}

function nearestByDefinition(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const one of known) {
    const isPart = Math.min(name.length, one.length) >= 4 && (name.includes(one) || one.includes(name));
    const far = name === one ? 0 : isPart ? 1 : distance(name, one);
    if (far < least) [best, least] = [one, far];
  }
  return least <= Math.max(1, Math.floor(name.length / 3)) ? best : undefined;
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 30 });

const longWord = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 60 });

test('the nearest name is the one that the definition gives', () => {
  fc.assert(
    fc.property(word, fc.array(word, { minLength: 1, maxLength: 8 }), (name, known) => {
      expect(nearestName(name, known)).toBe(nearestByDefinition(name, known));
    }),
    { numRuns: 5_000 },
  );
});

test('a slip of a name is found, at any place of it', () => {
  fc.assert(
    fc.property(longWord, fc.nat(), fc.constantFrom('', 'z', 'zz'), (name, place, put) => {
      const at = place % name.length;
      const slip = name.slice(0, at) + put + name.slice(at + 1);
      const known = ['unrelated', name];
      expect(nearestName(slip, known)).toBe(nearestByDefinition(slip, known));
    }),
    { numRuns: 2_000 },
  );
});

test('case and separators do not count, and names that are too long match nothing', () => {
  expect(nearestName('fuel-Type', ['colour', 'fuelType'])).toBe('fuelType');
  expect(nearestName('x'.repeat(65), ['x'.repeat(65)])).toBeUndefined();
  expect(nearestName('x'.repeat(64), ['y', 'x'.repeat(64)])).toBe('x'.repeat(64));
  expect(createNearest(['mileage', 'mile'])('mileag', (bare) => bare.length < 5)).toBe('mile');
});
