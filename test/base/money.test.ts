import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatUsd, maxAmountNanoUsd, parseUsd } from '../../src/base/money.ts';

describe('USD amounts', () => {
  test('every amount survives printing and reading', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, maxAmountNanoUsd), (amount) => {
        expect(parseUsd(formatUsd(amount))).toBe(amount);
      }),
    );
  });

  test.each([
    ['5', 5_000_000_000n],
    ['5.00', 5_000_000_000n],
    ['0.000000001', 1n],
    ['999999999.999999999', maxAmountNanoUsd],
  ])('%s is read exactly', (text, amount) => {
    expect(parseUsd(text)).toBe(amount);
  });

  test.each([
    '',
    '4.9999999999',
    '5e0',
    ' 5',
    '5 ',
    '-0',
    '+5',
    '05',
    '.5',
    '5.',
    '５',
    '1000000000',
    'NaN',
    '5,00',
    '5\n',
  ])('%j is refused', (text) => {
    expect(parseUsd(text)).toBeUndefined();
  });

  test.each([
    [0n, '0.00'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [5_000_000_000n, '5.00'],
    [1_234_500_000n, '1.2345'],
  ])('%s prints as %s', (amount, text) => {
    expect(formatUsd(amount)).toBe(text);
  });
});
