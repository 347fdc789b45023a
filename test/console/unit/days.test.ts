import { expect, test } from 'vitest';
import { addDays, dayOf, daysBetween, dayText, lastDays, timesOf } from '../../../console/src/days.ts';

test('days are UTC days, also where it is another day already', () => {
  expect(dayOf(new Date('2026-11-22T23:30:00-05:00'))).toBe('2026-11-23');
  expect(dayOf(new Date('2026-11-22T00:30:00+02:00'))).toBe('2026-11-21');
});

test('days go over months, leap days and clock changes', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
  expect(daysBetween('2026-03-28', '2026-03-31')).toEqual(['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31']);
  expect(daysBetween('2026-03-31', '2026-03-30')).toEqual([]);
});

test('the last thirty days are asked for from midnight to midnight', () => {
  expect(lastDays(30, new Date('2026-11-22T17:00:00Z'))).toEqual({
    first: '2026-10-24',
    last: '2026-11-22',
    startTime: '2026-10-24T00:00:00.000Z',
    endTime: '2026-11-23T00:00:00.000Z',
  });
  expect(timesOf('2026-11-01', '2026-11-01').endTime).toBe('2026-11-02T00:00:00.000Z');
  expect(dayText('2026-11-02')).toBe('2 Nov');
});
