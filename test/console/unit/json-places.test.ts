import { expect, test } from 'vitest';
import { lineOf, placesOf } from '../../../console/src/pages/workflows/json-places.ts';

const text = `{
  "listing": { "title": "a \\"b\\" {",
    "price": 1.5e3 },
  "checks": [
    {"id": "x"},
    {"id": [], "pass": null}
  ]
}`;

test('every value has the line that it begins on', () => {
  const { lines, problem } = placesOf(text);
  expect(problem).toBeUndefined();
  expect(Object.fromEntries(lines)).toEqual({
    ...{ '': 1, listing: 2, 'listing.title': 2, 'listing.price': 3, checks: 4 },
    ...{ 'checks[0]': 5, 'checks[0].id': 5, 'checks[1]': 6, 'checks[1].id': 6, 'checks[1].pass': 6 },
  });
});

test('a field that is missing stands where the nearest above it does', () => {
  const { lines } = placesOf(text);
  expect(lineOf(lines, 'listing.price')).toBe(3);
  expect(lineOf(lines, 'listing.location')).toBe(2);
  expect(lineOf(lines, 'checks[1].weight')).toBe(6);
  expect(lineOf(lines, 'checks[7].weight')).toBe(4);
  expect(lineOf(lines, 'nothing')).toBe(1);
});

test.each([
  ['', 1, 'a value'],
  ['{\n"a": 1,\n}', 3, 'a name in quotes'],
  ['{\n"a" 1}', 2, '`:`'],
  ['[1,\n2', 2, '`,` or `]`'],
  ['{}\n\nx', 3, 'the end'],
  ['"never\nends"', 1, 'a value'],
])('what is no JSON says where: %j', (broken, line, expected) => {
  expect(placesOf(broken).problem).toEqual({ line, expected });
  expect(() => JSON.parse(broken)).toThrow();
});
