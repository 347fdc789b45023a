import { expect, test } from 'vitest';
import { atOnce, inTurns, type Slices } from '../../src/base/slices.ts';

function* sumOf(units: readonly number[]): Slices<number> {
  let sum = 0;
  for (const each of units) {
    yield each;
    sum += each;
  }
  return sum;
}

test('a computation is the same at once and in turns, and its pace is told what it does', async () => {
  const units = [100_000, 1, 4_000, 2_000, 20_000, 7];
  const told: number[] = [];
  const pace = async (more: number) => void told.push(more);
  expect(atOnce(sumOf(units))).toBe(126_008);
  expect(await inTurns(sumOf(units), pace)).toBe(126_008);
  // What is little is told together.
  expect(told).toEqual([100_000, 6_001, 20_000]);
});

test('what is no computation in slices is its own outcome', async () => {
  const values = [[1, 2], { ok: true }, null, undefined, 'text', new Map([[1, 2]])];
  for (const value of values) {
    expect(atOnce(value)).toBe(value);
    expect(await inTurns(value, async () => undefined)).toBe(value);
  }
});
