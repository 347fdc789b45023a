/**
 * The same items; if none arrives for `everyMs`, yields the result of `silence`, and again after each further interval. When it
 * is ended, it ends the source at once.
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
    // Nobody will receive the pending item.
    next?.catch(() => {});
    await items.return?.();
  }
}
