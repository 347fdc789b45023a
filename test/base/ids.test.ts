import { afterEach, expect, test, vi } from 'vitest';
import { isId, leastId, newId, timeOfId } from '../../src/base/ids.ts';

afterEach(() => vi.useRealTimers());

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
  // Their time may be a minute ahead of a clock that was put back.
  expect(made).toBeGreaterThanOrEqual(before);
  expect(timeOfId('chg', newId('req'))).toBeUndefined();
  expect(timeOfId('req', 'req-1')).toBeUndefined();
});

test('ids sort as they were made while the clock steps back a little, and follow one that was put right', () => {
  vi.useFakeTimers();
  const now = Date.now();
  const made = (ms: number) => {
    vi.setSystemTime(ms);
    return newId('req');
  };
  const ahead = 25 * 3_600_000;
  const ids = [ahead, ahead - 60_000, ahead - 30_000].map((ms) => made(now + ms));
  expect([...ids].sort()).toEqual(ids);
  const right = [now, now - 1, now + 1].map(made);
  expect(right.map((id) => timeOfId('req', id))).toEqual([now, now, now + 1]);
  expect([...right].sort()).toEqual(right);
});

test('another prefix or a mangled text is not an id', () => {
  expect(isId('key', newId('chg'))).toBe(false);
  expect(isId('chg', newId('chg').toUpperCase())).toBe(false);
  expect(isId('chg', `${newId('chg')}x`)).toBe(false);
});
