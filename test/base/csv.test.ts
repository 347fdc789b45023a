import { expect, test } from 'vitest';
import { csvLine } from '../../src/base/csv.ts';

test('a cell that a spreadsheet would run is text, a number stays a number', () => {
  expect(csvLine(['=1+1', '+x', '@SUM(A1)', '-cmd', '-0.5', '5.00', '\tx'])).toBe(
    "'=1+1,'+x,'@SUM(A1),'-cmd,-0.5,5.00,'\tx\r\n",
  );
});

test('commas, quotes and line breaks stay inside their cell', () => {
  expect(csvLine(['a,b', 'say "x"', 'one\ntwo', ''])).toBe('"a,b","say ""x""","one\ntwo",\r\n');
});
