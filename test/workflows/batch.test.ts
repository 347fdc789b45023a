import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Failure, fail, type Result, succeed } from '../../src/base/failure.ts';
import { batchReplyBytesMax, runBatch } from '../../src/workflows/batch.ts';

const noCredit: Failure = { kind: 'insufficient_credit', balance: 5n, held: 0n, needed: 6n };

/** Runs items whose work is `run`, and tells how many were begun, and how many at once. */
async function batchOf(
  count: number,
  run: (index: number) => Promise<Result<number>> | Result<number>,
  options: {
    repeatable?: (index: number) => boolean;
    signal?: AbortSignal;
    deadline?: number;
    now?: () => number;
    bytesOf?: (reply: number) => number;
  } = {},
) {
  const begun: number[] = [];
  const logged: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const items = Array.from({ length: count }, (_, index) => ({
    repeatable: options.repeatable?.(index) ?? false,
    run: async () => {
      begun.push(index);
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      try {
        await sleep(0);
        return await run(index);
      } finally {
        atOnce--;
      }
    },
  }));
  const log = pino({ base: null }, { write: (line: string) => logged.push(line) });
  const results = await runBatch({ log, clock: { now: options.now ?? Date.now } }, items, {
    signal: options.signal ?? new AbortController().signal,
    deadline: options.deadline,
    bytesOf: options.bytesOf ?? (() => 1),
  });
  return { results, begun, mostAtOnce, logged };
}

const kinds = (results: readonly Result<number>[]) =>
  results.map((result) => (result.ok ? result.value : result.failure.kind));

test('a thousand items are answered in their places, eight at a time', async () => {
  const { results, begun, mostAtOnce } = await batchOf(1_000, async (index) => {
    await sleep(index % 3);
    return index % 10 === 7 ? fail({ kind: 'not_found', resource: 'x' }) : succeed(index);
  });
  expect(kinds(results)).toEqual(Array.from({ length: 1_000 }, (_, index) => (index % 10 === 7 ? 'not_found' : index)));
  expect(begun).toEqual([...Array(1_000).keys()]);
  expect(mostAtOnce).toBe(8);
});

test('where credit ends the rest fails alike, and is not tried but for what may have been paid before', async () => {
  // Credit for 20 items; 30 and 31 were paid by an earlier call.
  let credit = 20;
  const { results, begun } = await batchOf(
    40,
    (index) => {
      if (index === 30 || index === 31) return succeed(index);
      return credit-- > 0 ? succeed(index) : fail(noCredit);
    },
    { repeatable: (index) => index >= 29 && index <= 31 },
  );
  expect(results.filter(({ ok }) => ok)).toHaveLength(22);
  expect(results[29]).toEqual(fail(noCredit));
  expect(results[30]).toEqual(succeed(30));
  expect(results[39]).toEqual(fail(noCredit));
  expect(begun.filter((index) => index >= 32)).toEqual([]);
});

test('what credit does not pay for beside others is tried again alone', async () => {
  let held = 0;
  const { results } = await batchOf(20, async (index) => {
    if (held >= 3) return fail(noCredit);
    held++;
    await sleep(1);
    held--;
    return succeed(index);
  });
  expect(kinds(results)).toEqual([...Array(20).keys()]);
});

test('no item is begun that would be late, and those before it keep their replies', async () => {
  let now = 0;
  const { results, begun } = await batchOf(
    100,
    (index) => {
      now += 10;
      return succeed(index);
    },
    { deadline: 700, now: () => now },
  );
  const done = results.filter(({ ok }) => ok).length;
  expect(done).toBe(begun.length);
  expect(done).toBeGreaterThan(30);
  expect(now).toBeLessThan(700);
  expect(new Set(kinds(results.slice(done)))).toEqual(new Set(['deadline_exceeded']));
});

test('nothing is begun once the caller is gone', async () => {
  const caller = new AbortController();
  const { results, begun } = await batchOf(
    100,
    (index) => {
      if (index === 20) caller.abort();
      return succeed(index);
    },
    { signal: caller.signal },
  );
  expect(begun.length).toBeLessThan(40);
  expect(kinds(results).filter((kind) => kind === 'cancelled')).toHaveLength(100 - begun.length);
});

test('replies end before they are too large to be received', async () => {
  const { results, begun } = await batchOf(100, succeed, { bytesOf: () => batchReplyBytesMax / 16 });
  expect(begun.length).toBeGreaterThanOrEqual(16);
  expect(begun.length).toBeLessThan(16 + 8);
  expect(results[99]).toMatchObject({ ok: false, failure: { kind: 'precondition_failed' } });
});

test('a fault of the service in one item is logged and is that item’s alone', async () => {
  const { results, logged } = await batchOf(10, (index) => {
    if (index === 4) throw new TypeError('a bug');
    return succeed(index);
  });
  expect(kinds(results)).toEqual([0, 1, 2, 3, 'internal', 5, 6, 7, 8, 9]);
  expect(logged.join('')).toContain('a bug');
});
