import { expect, test } from 'vitest';
import { createLargeBodies, type LargeBody } from '../../src/edge/large-bodies.ts';

const mebibyte = 1_024 * 1_024;

function stage(eachMiB: number, allMiB: number) {
  let time = 0;
  const cut: string[] = [];
  const bodies = createLargeBodies({ eachBytes: eachMiB * mebibyte, allBytes: allMiB * mebibyte, now: () => time });
  return {
    cut,
    pass: (ms: number) => {
      time += ms;
    },
    begin: (name: string, account: string, user?: string): LargeBody =>
      bodies.begin({ account, user }, () => cut.push(name)),
  };
}

test('long messages of one account, and of all, have so much room and no more', () => {
  const { begin, cut } = stage(2, 3);
  const first = begin('first', 'a');
  expect(first.take(2 * mebibyte).ok).toBe(true);
  expect(first.take(1)).toMatchObject({
    failure: { kind: 'rate_limited', limit: '2 MiB in long messages at one time' },
  });
  first.arrived();
  expect(begin('second', 'b').take(mebibyte).ok).toBe(true);
  const third = begin('third', 'c');
  expect(third.take(mebibyte)).toMatchObject({ failure: { kind: 'overloaded' } });
  third.leave();
  first.leave();
  expect(begin('fourth', 'c').take(2 * mebibyte).ok).toBe(true);
  expect(begin('fifth', 'a').take(2 * mebibyte)).toMatchObject({ failure: { kind: 'overloaded' } });
  expect(cut).toEqual([]);
});

test('an account that has more room gives way to one that has less, and not the other way round', () => {
  const { begin, cut, pass } = stage(4, 4);
  begin('a1', 'a').take(mebibyte);
  begin('a2', 'a').take(2 * mebibyte);
  pass(100);
  begin('b1', 'b').take(mebibyte);
  expect(begin('c1', 'c').take(mebibyte).ok).toBe(true);
  // The slowest of those that have more.
  expect(cut).toEqual(['a1']);
  expect(begin('a3', 'a').take(mebibyte)).toMatchObject({ failure: { kind: 'overloaded' } });
  expect(cut).toEqual(['a1']);
});

test('four accounts that send slowly keep nobody out', () => {
  const { begin, cut, pass } = stage(1, 4);
  for (const owner of ['a', 'b', 'c', 'd']) begin(owner, owner).take(mebibyte);
  const fifth = begin('e', 'e');
  expect(fifth.take(mebibyte)).toMatchObject({ failure: { kind: 'overloaded' } });
  fifth.leave();
  pass(5_001);
  expect(begin('e', 'e').take(mebibyte).ok).toBe(true);
  expect(cut).toHaveLength(1);
});

test('nobody is cut off for a message that would have no room even then, nor once its message is there', () => {
  const { begin, cut, pass } = stage(4, 4);
  const first = begin('a1', 'a');
  first.take(3 * mebibyte);
  first.arrived();
  begin('b1', 'b').take(mebibyte);
  pass(60_000);
  expect(begin('c1', 'c').take(2 * mebibyte)).toMatchObject({ failure: { kind: 'overloaded' } });
  expect(cut).toEqual([]);
  expect(begin('c2', 'c').take(mebibyte).ok).toBe(true);
  expect(cut).toEqual(['b1']);
});

test('an end user has half of the room of its account, all of them three quarters, and the rest is left to its keys', () => {
  const { begin } = stage(4, 100);
  const tooMuch = { failure: { kind: 'rate_limited' } };
  expect(begin('m1', 'a', 'mallory').take(2 * mebibyte).ok).toBe(true);
  expect(begin('m2', 'a', 'mallory').take(1)).toMatchObject(tooMuch);
  const nina = begin('n1', 'a', 'nina');
  expect(nina.take(mebibyte).ok).toBe(true);
  expect(nina.take(1)).toMatchObject(tooMuch);
  expect(begin('o1', 'a', 'olaf').take(1)).toMatchObject(tooMuch);
  expect(begin('key', 'a').take(mebibyte).ok).toBe(true);
  expect(begin('key', 'a').take(1)).toMatchObject(tooMuch);
  // The same name is somebody else in another account.
  expect(begin('m3', 'b', 'mallory').take(2 * mebibyte).ok).toBe(true);
  nina.leave();
  expect(begin('o2', 'a', 'olaf').take(mebibyte).ok).toBe(true);
});

test('a message that has left, or was cut off, takes no more room', () => {
  const { begin, cut, pass } = stage(4, 4);
  const gone = begin('a1', 'a');
  gone.leave();
  expect(gone.take(mebibyte)).toMatchObject({ failure: { kind: 'cancelled' } });
  const slow = begin('a2', 'a');
  slow.take(3 * mebibyte);
  pass(60_000);
  expect(begin('b1', 'b').take(4 * mebibyte).ok).toBe(true);
  expect(cut).toEqual(['a2']);
  expect(slow.take(1)).toMatchObject({ failure: { kind: 'cancelled' } });
  slow.leave();
});
