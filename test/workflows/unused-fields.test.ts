// What nobody looks at is told with the name that was meant, at a price that does not grow with everything that was sent.
import { expect, test } from 'vitest';
import { createFindUnused, unusedFieldsOf } from '../../src/workflows/unused-fields.ts';
import { seededRandom } from '../faults/protocol.ts';

/** Sixty letters that have little in common with those of another seed. */
function nameOf(seed: number): string {
  const random = seededRandom(seed);
  return Array.from({ length: 60 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
}

test('a slip, a label and a synonym lead to the name that is meant', () => {
  const known = new Set(['mileageKm', 'warehouseRent']);
  const labels = [['Miete der Halle', 'warehouseRent']] as const;
  const told = unusedFieldsOf('values', { milageKm: 1, 'miete der halle': 2, xylophone: 3 }, known, labels);
  expect(told.map(({ nearest }) => nearest)).toEqual(['mileageKm', 'warehouseRent', '']);
});

test('an exact label is found for any of a hundred names', () => {
  const known = new Set(['rent']);
  const given = Object.fromEntries([...Array.from({ length: 50 }, (_, at) => [nameOf(at), 1]), ['Monatsmiete', 1]]);
  expect(unusedFieldsOf('values', given, known, [['Monatsmiete', 'rent']]).at(-1)?.nearest).toBe('rent');
});

test('of many options with many names, as many names are searched as 3,000 comparisons allow, and a name once', () => {
  const known = Array.from({ length: 50 }, (_, at) => nameOf(at));
  // A letter more, and another one for each option.
  const option = (put: string) => Object.fromEntries(known.slice(0, 20).map((name) => [`${put}${name}`, 1]));
  const find = createFindUnused(new Set(known));
  const found = (put: string) => find('options[0]', option(put)).filter(({ nearest }) => nearest !== '').length;
  expect([...'qwxyzvkjgh'].map(found)).toEqual([20, 20, 20, 0, 0, 0, 0, 0, 0, 0]);
  expect(found('w')).toBe(20);
});
