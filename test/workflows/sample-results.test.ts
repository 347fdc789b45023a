// Samples of a definition are free: what a failed one tells of the workflow is bounded.
import { describe, expect, it } from 'vitest';
import { createToldResults, differenceIn, toldMost, wordsOf } from '../../src/workflows/custom/sample-results.ts';

describe('a sample that fails', () => {
  const output = { total: 12, lines: [{ net: 5, secret: 'x'.repeat(900) }], note: 'done' };

  it('tells the value at the place that it asserts, and no other', () => {
    const difference = differenceIn(output, { ...output, lines: [{ ...output.lines[0], net: 4 }] } as never, 'expect');
    expect(difference).toEqual({ path: 'expect.lines[0].net', expected: 4, actual: 5 });
    expect(difference && wordsOf(difference, true)).toBe('should be 4, but the workflow yields 5');
  });

  it('tells that a property is not expected, but not what it holds', () => {
    const difference = differenceIn(output.lines, [{ net: 5 }], 'expect.lines');
    expect(difference?.path).toBe('expect.lines[0]');
    expect(difference && wordsOf(difference, true)).toBe('is not expected to have "secret"');
  });

  it('tells a name that was computed no more often than a value', () => {
    const difference = differenceIn({ r: { '987': true } }, { r: {} }, 'expect');
    expect(difference?.path).toBe('expect.r');
    expect(difference && wordsOf(difference, true)).toContain('987');
    expect(difference && wordsOf(difference, false)).not.toContain('987');
    const longer = differenceIn({ r: [1, 2, 3] }, { r: [1] }, 'expect');
    expect(longer?.path).toBe('expect.r');
    expect(longer && wordsOf(longer, true)).toBe('is not expected to have [1]');
  });

  it('cuts what is long, and names what is missing', () => {
    const long = differenceIn(output.lines[0]?.secret, 'y', 'expect.x');
    expect(long && wordsOf(long, true).length).toBeLessThan(260);
    const missing = differenceIn({}, { a: null }, 'expect');
    expect(missing && wordsOf(missing, true)).toBe('should be null, but the workflow yields nothing');
  });

  it('is no difference for equal trees, and sums of binary fractions', () => {
    expect(differenceIn(output, structuredClone(output), 'expect')).toBeUndefined();
    expect(differenceIn(0.1 + 0.2, 0.3, 'expect')).toBeUndefined();
  });

  it('tells an account so many results an hour, then only where it fails', () => {
    let now = 0;
    const told = createToldResults({ monotonic: () => now });
    for (let count = 0; count < toldMost; count++) expect(told.mayTell('acc_1')).toBe(true);
    expect(told.mayTell('acc_1')).toBe(false);
    expect(told.mayTell('acc_2')).toBe(true);
    now += 3_600_000 / toldMost;
    expect(told.mayTell('acc_1')).toBe(true);
    expect(told.mayTell('acc_1')).toBe(false);
    const words = wordsOf({ path: 'expect.a', expected: 1, actual: 987 }, false);
    expect(words).not.toContain('987');
  });
});
