import { expect, test } from 'vitest';
import type { Call } from '../../src/api/call.ts';
import { printedInParts, printFile } from '../../src/api/export.ts';

test.each([
  ['has rows', [{ name: 'x' }]],
  ['is empty, as of a label that nothing has', []],
])('a file of which every batch %s is read no further when its caller left', async (_name, rows) => {
  const leaving = new AbortController();
  const call = { signal: leaving.signal, setReplyHeader: () => {} } as unknown as Call;
  let read = 0;
  async function* batches() {
    for (; read < 1_000; read++) {
      if (read === 3) leaving.abort();
      yield rows;
    }
  }
  const reading = async () => {
    for await (const _part of printFile({ call, name: 'entries', format: 'csv', columns: ['name'] }, batches()));
  };
  await expect(reading()).rejects.toMatchObject({ name: 'AbortError' });
  expect(read).toBe(3);
});

test('rows are printed part by part, as the parts are read, with other work between them', async () => {
  let printed = 0;
  let others = 0;
  const rows = Array.from({ length: 2_500 }, (_, index) => index);
  const parts = printedInParts(rows, (row) => {
    printed += 1;
    return { row: String(row) };
  });
  const names: string[] = [];
  const seen: number[] = [];
  setImmediate(function other() {
    others += 1;
    if (names.length < rows.length) setImmediate(other);
  });
  for await (const part of parts) {
    seen.push(printed);
    names.push(...part.map(({ row }) => String(row)));
  }
  expect(seen).toEqual([1_000, 2_000, 2_500]);
  expect(names).toEqual(rows.map(String));
  expect(others).toBeGreaterThanOrEqual(2);
});
