import { expect, test } from 'vitest';
import { fail, type Result, succeed } from '../../src/base/failure.ts';
import { batchPaceMs, createPace } from '../../src/workflows/batch-pace.ts';

const full = (retryAfterMs: number): Result<void> =>
  fail({ kind: 'rate_limited', limit: 'requests per minute of the key', retryAfterMs });

/** A pace whose limits answer in turn, the last answer again and again; `asked` counts. */
function paceOf(
  answers: readonly Result<void>[],
  { deadline, signal = new AbortController().signal }: { deadline?: number; signal?: AbortSignal } = {},
) {
  const seen = { asked: 0 };
  const admitItem = () => answers[Math.min(seen.asked++, answers.length - 1)] ?? succeed(undefined);
  return { seen, pace: createPace({ now: () => 1_000 }, { admitItem, signal, deadline }) };
}

test('the first item came with the call; each other one is counted, after as many refusals as it takes', async () => {
  const { seen, pace } = paceOf([full(1), full(1), succeed(undefined)]);
  expect((await pace()).ok).toBe(true);
  expect(seen.asked).toBe(0);
  expect((await pace()).ok).toBe(true);
  expect(seen.asked).toBe(3);
  expect((await pace()).ok).toBe(true);
  expect(seen.asked).toBe(4);
});

test('an item for which there is no room before the batch has to end is refused at once, with when to come again', async () => {
  for (const [retry, deadline] of [
    [batchPaceMs, undefined],
    [200, 1_100],
  ] as const) {
    const { seen, pace } = paceOf([full(retry)], deadline === undefined ? {} : { deadline });
    await pace();
    expect(await pace()).toEqual(full(retry));
    expect(seen.asked).toBe(1);
  }
});

test('nobody waits for a caller who went away', async () => {
  const gone = new AbortController();
  const { seen, pace } = paceOf([full(20_000)], { signal: gone.signal });
  await pace();
  const waiting = pace();
  gone.abort();
  expect(await waiting).toEqual(fail({ kind: 'cancelled' }));
  expect(seen.asked).toBe(1);
});
