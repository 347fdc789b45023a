import { expect, test } from 'vitest';
import { createSharedTurns } from '../../src/base/shared-turns.ts';

/** Work that ends when it is told to, and what has begun of it, in order. */
function stage(options: Parameters<typeof createSharedTurns>[0]) {
  const turns = createSharedTurns(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (owner: string, name: string) =>
    turns(owner, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ask, begun, end };
}

test('owners take turns: who asks a lot waits for itself', async () => {
  const { ask, begun, end } = stage({ all: 2, each: 1, waitingMax: 10 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void ask(name.slice(0, 1), name);
  await end('nothing');
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await end('c1');
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  for (const name of ['b1', 'a2', 'b2', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('what is beyond what may wait of one owner is refused, and takes nothing from others', async () => {
  const { ask, begun, end } = stage({ all: 1, each: 1, waitingMax: 2 });
  const kept = ['a1', 'a2', 'a3'].map((name) => ask('a', name));
  await expect(ask('a', 'a4')).rejects.toMatchObject({ failure: { kind: 'overloaded', retryAfterMs: 1_000 } });
  const other = ask('b', 'b1');
  for (const name of ['a1', 'b1', 'a2', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  expect(await Promise.all([...kept, other])).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('work that throws gives its place on', async () => {
  const turns = createSharedTurns({ all: 1, each: 1, waitingMax: 1 });
  const failing = turns('a', () => Promise.reject(new Error('no')));
  const next = turns('b', async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
