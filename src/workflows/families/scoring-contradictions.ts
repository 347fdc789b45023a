import type { Message } from '../words/index.ts';

type Why = (label: string) => Message;

// A share of 33 % of three customers is one that was rounded.
const roundedBy = 1;

/** The numbers that cannot all be right, by indicator, and why; none of them counts, since nobody knows which is wrong. */
export function contradictionsIn(numbers: ReadonlyMap<string, number>): ReadonlyMap<string, Why> {
  const [count, share] = [numbers.get('customerCount'), numbers.get('largestCustomerPercent')];
  if (count === undefined || share === undefined || count < 0 || share < 0 || share > 100) return new Map();
  // It may be a fraction.
  if (share > 0 && share < 1) return new Map();
  // The largest of some customers has at least the average of all.
  const isPossible = count === 0 ? share === 0 : share > 100 / Math.max(1, count) - roundedBy;
  if (isPossible) return new Map();
  const why: Why = () => ({ name: 'scorecard.contradicts', values: { count, share } });
  return new Map([
    ['customerCount', why],
    ['largestCustomerPercent', why],
  ]);
}
