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
  let beat = () => {};
  const timer = setInterval(() => beat(), everyMs);
  let next: Promise<IteratorResult<T>> | undefined;
  try {
    for (;;) {
      next ??= items.next();
      const pending = next;
      // A promise each time: one that outlives the items would retain them all.
      const result = await new Promise<IteratorResult<T> | 'silent'>((resolve, reject) => {
        beat = () => resolve('silent');
        pending.then(resolve, reject);
      });
      timer.refresh();
      if (result === 'silent') {
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
