import { expect, test } from 'vitest';
import { isId, leastId, newId, timeOfId } from '../../src/base/ids.ts';

test('ids have their prefix and form, are unique and sort by time', () => {
  const ids = Array.from({ length: 2000 }, () => newId('chg'));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => isId('chg', id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
});

test('an id says when it was made', () => {
  for (const ms of [0, 1, 31, 32, 1_763_848_000_123, 2 ** 48 - 1]) expect(timeOfId('req', leastId('req', ms))).toBe(ms);
  const before = Date.now();
  const made = timeOfId('req', newId('req')) ?? 0;
  // Ids of one process never go back, so their time may be a little ahead of a clock that was set back.
  expect(made).toBeGreaterThanOrEqual(before);
  expect(timeOfId('chg', newId('req'))).toBeUndefined();
  expect(timeOfId('req', 'req-1')).toBeUndefined();
});

test('another prefix or a mangled text is not an id', () => {
  expect(isId('key', newId('chg'))).toBe(false);
  expect(isId('chg', newId('chg').toUpperCase())).toBe(false);
  expect(isId('chg', `${newId('chg')}x`)).toBe(false);
});
