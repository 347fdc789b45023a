import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keptAlive } from '../../src/base/keep-alive.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A source whose items are given one by one, and whether it was ended. */
function pushed() {
  const items: PromiseWithResolvers<string>[] = [Promise.withResolvers()];
  const seen = { ended: false };
  async function* source() {
    try {
      for (let index = 0; ; index++) yield (await items[index]?.promise) ?? '';
    } finally {
      seen.ended = true;
    }
  }
  return {
    source: source(),
    seen,
    push(item: string) {
      items.push(Promise.withResolvers());
      items.at(-2)?.resolve(item);
    },
    fail: (error: Error) => items.at(-1)?.reject(error),
  };
}

test('brings the items as they are, and silence after each time without one', async () => {
  const { source, push } = pushed();
  const kept = keptAlive(source, 1_000, () => '-');
  const next = () => kept.next().then(({ value }) => value);

  const first = next();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await first).toBe('-');
  const second = next();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await second).toBe('-');
  push('a');
  expect(await next()).toBe('a');
  // The time counts from the last item.
  await vi.advanceTimersByTimeAsync(900);
  const third = next();
  push('b');
  expect(await third).toBe('b');
  const fourth = next();
  await vi.advanceTimersByTimeAsync(999);
  push('c');
  expect(await fourth).toBe('c');
});

test('fails as the source does, and leaves no timer behind', async () => {
  const { source, fail } = pushed();
  const kept = keptAlive(source, 1_000, () => '-');
  const next = kept.next();
  fail(new Error('broken'));
  await expect(next).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

test('ends the source when it is ended', async () => {
  const { source, push, seen } = pushed();
  const kept = keptAlive(source, 1_000, () => '-');
  push('a');
  await kept.next();
  await kept.return();
  expect(seen.ended).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('items that were passed on are not retained while the stream goes on', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  async function* source() {
    for (;;) yield { text: 'x'.repeat(1_000) };
  }
  const kept = keptAlive(source(), 1_000_000, () => ({ text: '-' }));
  const items: WeakRef<object>[] = [];
  for (let time = 0; time < 1_000; time++) {
    const { value } = await kept.next();
    items.push(new WeakRef(value ?? {}));
  }
  // A weak reference holds what it refers to until the end of its turn.
  vi.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(items.filter((item) => item.deref()).length).toBeLessThan(10);
  await kept.return();
});
