import { expect, test } from 'vitest';
import { balanceText, costText, exactText, readUsd, sumUsd } from '../../../console/src/money.ts';

test.each([
  ['31.589999999', '$31.58'],
  ['0.009999999', '$0.00'],
  ['1234567.89', '$1,234,567.89'],
  ['-0.001', '−$0.01'],
  ['-5.00', '−$5.00'],
])('a balance of %s is never shown as more than it is: %s', (usd, text) => {
  expect(balanceText(readUsd(usd) ?? 0n)).toBe(text);
});

test.each([
  ['0.00', '$0.00'],
  ['0.000000001', '$0.000000001'],
  ['0.00000072', '$0.00000072'],
  ['0.002140123', '$0.00214'],
  ['0.00999996', '$0.01'],
  ['0.91042201', '$0.9104'],
  ['9.10422015', '$9.10'],
  ['18.4259', '$18.43'],
  ['1204.999', '$1,205.00'],
  ['-0.0021409', '−$0.002141'],
])('a cost of %s has four digits, and cents at least: %s', (usd, text) => {
  expect(costText(readUsd(usd) ?? 0n)).toBe(text);
});

test('an exact text has every digit, and a sum none too many', () => {
  expect(exactText(18_421_900_431n)).toBe('$18.421900431');
  expect(sumUsd(['0.1', '0.2', '0.000000001'])).toBe(300_000_001n);
  expect(sumUsd(['999999999.999999999', '999999999.999999999'])).toBe(1_999_999_999_999_999_998n);
});

test('what is unknown is not zero', () => {
  expect(readUsd(undefined)).toBeUndefined();
  expect(readUsd('1e3')).toBeUndefined();
  expect(sumUsd(['1.00', undefined])).toBeUndefined();
  expect(sumUsd([])).toBe(0n);
});
