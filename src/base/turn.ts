let end: Promise<void> | undefined;

/**
 * Resolves when everything that has arrived by now has been looked at: at the end of the event loop's turn.
 *
 * What waits for it goes on together, step by step: each of many requests does one step, then each the next. That is
 * cheaper in two ways. Replies are written one right after the other, so their receiver wakes up once and not for each
 * of them. And a step's code is still in the processor's caches for all requests but the first, where a request that
 * runs through all of its steps alone finds them cold.
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}
