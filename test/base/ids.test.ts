import { expect, test } from 'vitest';
import { isId, newId } from '../../src/base/ids.ts';

test('ids have their prefix and form, are unique and sort by time', () => {
  const ids = Array.from({ length: 2000 }, () => newId('chg'));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => isId('chg', id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
});

test('another prefix or a mangled text is not an id', () => {
  expect(isId('key', newId('chg'))).toBe(false);
  expect(isId('chg', newId('chg').toUpperCase())).toBe(false);
  expect(isId('chg', `${newId('chg')}x`)).toBe(false);
});
