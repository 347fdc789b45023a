import { expect, test } from 'vitest';
import { createQueue } from '../../src/sandbox/queue.ts';

const bounds = { queueMax: 100, queuePerOwnerMax: 50 };

function fill(queue: ReturnType<typeof createQueue>, owner: string, count: number, user?: string): void {
  for (let index = 0; index < count; index++)
    queue.add(
      {
        owner,
        user,
        job: { kind: 'tokens', pieces: [] },
        field: `${user ?? owner}${index}`,
        key: undefined,
        done: () => {},
      },
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

test('users of one owner take turns, too, and do not delay other owners', () => {
  const queue = createQueue(bounds);
  fill(queue, 'a', 4, 'mallory');
  fill(queue, 'a', 2);
  fill(queue, 'a', 1, 'nina');
  fill(queue, 'b', 1);
  const order = Array.from({ length: 8 }, () => queue.take(() => true)?.field);
  expect(order).toEqual(['mallory0', 'b0', 'a0', 'nina0', 'mallory1', 'a1', 'mallory2', 'mallory3']);
});

test('a user has half of the room of its owner', () => {
  const queue = createQueue(bounds);
  fill(queue, 'a', 30, 'mallory');
  expect(queue.size).toBe(25);
  fill(queue, 'a', 30);
  expect(queue.size).toBe(50);
});

test('an owner that may have no more is passed over, and keeps its turn', () => {
  const queue = createQueue(bounds);
  fill(queue, 'a', 2);
  fill(queue, 'b', 2);
  expect(queue.take(({ owner }) => owner !== 'a')?.field).toBe('b0');
  expect(queue.take(() => true)?.field).toBe('a0');
  expect(queue.take(() => true)?.field).toBe('b1');
  expect(queue.take(() => false)).toBeUndefined();
  expect(queue.size).toBe(1);
  queue.close();
});

test('an owner with few jobs finds room where others have filled the queue', () => {
  const queue = createQueue({ queueMax: 4, queuePerOwnerMax: 3 });
  const ended: string[] = [];
  const add = (owner: string, field: string) =>
    queue.add(
      { owner, job: { kind: 'tokens', pieces: [] }, field, key: undefined, done: () => ended.push(field) },
      { waitMs: 60_000, signal: undefined },
    );
  for (const [owner, field] of ['aa0', 'aa1', 'aa2', 'bb0', 'aa3', 'cc0', 'dd0', 'ee0'].map((name) => [name[0], name]))
    add(owner as string, field as string);
  // The fourth of a, then the last ones of a for c and d; when nobody has more than one, there is no room.
  expect(ended).toEqual(['aa3', 'aa2', 'aa1', 'ee0']);
  expect(Array.from({ length: 4 }, () => queue.take(() => true)?.field)).toEqual(['aa0', 'bb0', 'cc0', 'dd0']);
  queue.close();
});

test('jobs of one owner are ended for a reason', () => {
  const queue = createQueue(bounds);
  fill(queue, 'a', 2);
  fill(queue, 'b', 1);
  queue.refuse('a', ({ field }) => (field === 'a0' ? { kind: 'cancelled' } : undefined));
  expect([queue.take(() => true)?.field, queue.take(() => true)?.field, queue.size]).toEqual(['a1', 'b0', 0]);
});
