import { expect, test } from 'vitest';
import { createQueue } from '../../src/sandbox/queue.ts';

const bounds = { queueMax: 100, queuePerOwnerMax: 50 };

function fill(queue: ReturnType<typeof createQueue>, owner: string, count: number): void {
  for (let index = 0; index < count; index++)
    queue.add(
      { owner, job: { kind: 'tokens', pieces: [] }, field: `${owner}${index}`, key: undefined, done: () => {} },
      { waitMs: 60_000, signal: undefined },
    );
}

test('owners take turns, however many of their jobs came first', () => {
  const queue = createQueue(bounds);
  fill(queue, 'a', 4);
  fill(queue, 'b', 3);
  const first = [queue.take(() => true), queue.take(() => true)].map((job) => job?.field);
  fill(queue, 'c', 1);
  const rest = Array.from({ length: 6 }, () => queue.take(() => true)?.field);
  expect([...first, ...rest]).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'b2', 'a3']);
  expect(queue.size).toBe(0);
});

test('an owner that may have no more is passed over, and keeps its turn', () => {
  const queue = createQueue(bounds);
  fill(queue, 'a', 2);
  fill(queue, 'b', 2);
  expect(queue.take((owner) => owner !== 'a')?.field).toBe('b0');
  expect(queue.take(() => true)?.field).toBe('a0');
  expect(queue.take(() => true)?.field).toBe('b1');
  expect(queue.take(() => false)).toBeUndefined();
  expect(queue.size).toBe(1);
  queue.close();
});
