import { expect, test } from 'vitest';
import { type Costs, leastDays, runwayOf } from '../../../console/src/pages/overview/sums.ts';

const today = '2026-11-22';
const costs = (byDay: Record<string, bigint>): Costs =>
  new Map(Object.entries(byDay).map(([day, cost]) => [day, new Map([['model', cost]])]));

test('a pace is over the days since the first use, and none before three of them', () => {
  const one = runwayOf(1_000n, costs({ [today]: 10n }), today);
  expect(one).toEqual({ pace: 10n, over: 1, days: undefined });
  const two = runwayOf(1_000n, costs({ '2026-11-21': 10n, [today]: 10n }), today);
  expect(two.days).toBeUndefined();
  expect(leastDays).toBe(3);
  const three = runwayOf(1_000n, costs({ '2026-11-20': 30n, [today]: 30n }), today);
  expect(three).toEqual({ pace: 20n, over: 3, days: 50 });
});

test('a pace is over seven days at most, and days without use count', () => {
  const used = costs({ '2026-11-01': 7_000n, '2026-11-16': 70n, [today]: 70n });
  expect(runwayOf(1_000n, used, today)).toEqual({ pace: 20n, over: 7, days: 50 });
});

test('without use there is no pace', () => {
  expect(runwayOf(1_000n, costs({}), today)).toEqual({ pace: 0n, over: 1, days: undefined });
  expect(runwayOf(1_000n, costs({ '2026-11-01': 70n }), today)).toEqual({ pace: 0n, over: 7, days: undefined });
});
