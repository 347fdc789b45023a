/**
 * The same items; where none comes for so long, what `silence` makes comes, and again after each such time. Ends the source as soon
 * as it is itself ended.
 */
export async function* keptAlive<T>(
  source: AsyncIterable<T>,
  everyMs: number,
  silence: () => T,
): AsyncGenerator<T, void> {
  const items = source[Symbol.asyncIterator]();
  let beat = Promise.withResolvers<'silent'>();
  const timer = setInterval(() => beat.resolve('silent'), everyMs);
  let next: Promise<IteratorResult<T>> | undefined;
  try {
    for (;;) {
      next ??= items.next();
      const result = await Promise.race([next, beat.promise]);
      timer.refresh();
      if (result === 'silent') {
        beat = Promise.withResolvers();
        yield silence();
        continue;
      }
      next = undefined;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    clearInterval(timer);
    // What is still asked for has no one to hear it.
    next?.catch(() => {});
    await items.return?.();
  }
}
