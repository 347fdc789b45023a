import { expect, test } from 'vitest';
import { makePage, readPageRequest } from '../../src/base/page.ts';

test('a list is walked to its end by following the tokens, each item once', () => {
  const all = Array.from({ length: 7 }, (_, index) => `item-${index}`);
  const seen: string[] = [];
  let pageToken = '';
  do {
    const start = readPageRequest('things', { pageSize: 3, pageToken });
    if (!start.ok) throw new Error('refused');
    const { size, after } = start.value;
    const rows = all.filter((item) => after === undefined || item > after).slice(0, size + 1);
    const page = makePage('things', start.value, rows, (item) => item);
    seen.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(seen).toEqual(all);
});

test('a size over the maximum is taken as the maximum; a negative one and a foreign token are refused', () => {
  expect(readPageRequest('things', { pageSize: 5000 })).toMatchObject({ ok: true, value: { size: 100 } });
  expect(readPageRequest('things', {})).toMatchObject({ ok: true, value: { size: 50 } });
  expect(readPageRequest('things', { pageSize: -1 })).toMatchObject({ ok: false });
  expect(readPageRequest('things', { pageToken: 'zzz' })).toMatchObject({ ok: false });
  const other = makePage('others', { size: 1 }, ['a', 'b'], (item) => item).nextPageToken;
  expect(readPageRequest('things', { pageToken: other })).toMatchObject({ ok: false });
});
