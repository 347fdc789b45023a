import { expect, test } from 'vitest';
import type { Call } from '../../src/api/call.ts';
import { printFile } from '../../src/api/export.ts';

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
