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

test('a page ends before it is over 1 MiB, never empty, and the next one goes on where it ended', () => {
  const sizes = [400_000, 400_000, 400_000, 3_000_000, 10, 10];
  const all = sizes.map((size, index) => ({ id: String(index), labels: { text: 'ü'.repeat(size / 2) } }));
  const pages: string[][] = [];
  let pageToken = '';
  do {
    const start = readPageRequest('large', { pageSize: 5, pageToken });
    if (!start.ok) throw new Error('refused');
    const { size, after = '' } = start.value;
    const rows = all.filter(({ id }) => id > after).slice(0, size + 1);
    const page = makePage('large', start.value, rows, ({ id }) => id);
    pages.push(page.items.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(pages).toEqual([['0', '1'], ['2'], ['3'], ['4', '5']]);
});
