import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { findJsonFault } from '../src/json-bounds.ts';
import { longBytes } from '../src/own-turn.ts';

test('of long texts that are there at one moment, one goes on in a turn of the event loop', async () => {
  const text = Buffer.from(JSON.stringify('a'.repeat(longBytes)));
  let turn = 0;
  let isOver = false;
  const turns = (async () => {
    while (!isOver) {
      await nextTurn();
      turn += 1;
    }
  })();
  const decided = await Promise.all(Array.from({ length: 8 }, () => findJsonFault(text).then(() => turn)));
  isOver = true;
  await turns;
  expect(new Set(decided).size).toBe(8);
});

test('short texts are not kept waiting', async () => {
  let isNextTurn = false;
  setImmediate(() => {
    isNextTurn = true;
  });
  await findJsonFault(Buffer.from(JSON.stringify('a'.repeat(longBytes - 2))));
  expect(isNextTurn).toBe(false);
});
