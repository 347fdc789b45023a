import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRounds } from '../../src/base/rounds.ts';

test('rounds never overlap, and one that fails is reported and followed by the next', async () => {
  const errors: unknown[] = [];
  let running = 0;
  let most = 0;
  let begun = 0;
  const enough = Promise.withResolvers<void>();
  const rounds = createRounds({
    everyMs: 1,
    run: async () => {
      most = Math.max(most, ++running);
      if (++begun === 4) enough.resolve();
      await sleep(5);
      running--;
      if (begun === 2) throw new Error('the second');
    },
    onError: (error) => errors.push(error),
  });
  rounds.start();
  rounds.start();
  await enough.promise;
  await rounds.close();
  expect(most).toBe(1);
  expect(errors).toEqual([new Error('the second')]);
});

test('closing waits for the round under way, and none begins after it', async () => {
  let begun = 0;
  let ended = 0;
  const first = Promise.withResolvers<void>();
  const rounds = createRounds({
    everyMs: 1,
    run: async () => {
      begun++;
      first.resolve();
      await sleep(20);
      ended++;
    },
    onError: expect.unreachable,
  });
  rounds.start();
  await first.promise;
  await rounds.close();
  expect([begun, ended]).toEqual([1, 1]);
  rounds.start();
  await sleep(20);
  expect(begun).toBe(1);
});

test('what was never started closes at once', async () => {
  await createRounds({ everyMs: 1, run: expect.unreachable, onError: expect.unreachable }).close();
});
