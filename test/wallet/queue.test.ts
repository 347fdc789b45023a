import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { Operation } from '../../src/wallet/ledger/operation.ts';
import { OperationQueue, type Pending } from '../../src/wallet/ledger/queue.ts';
import { holdOf, holdOperation, settleOf } from './support.ts';

const limits = { waitingMax: 100, operationsPerGroupMax: 3, bytesPerGroupMax: 1_000 };
const pending = (operation: Operation): Pending => ({ operation, bytes: 1, resolve: () => {}, reject: () => {} });
const holdOn = (walletId: string) => holdOperation(walletId, holdOf({ accountId: 'acc_1', keyId: 'key_1' }));
const settleOn = (walletId: string) => settleOf({ walletId, chargeId: newId('chg') }, 1n);
const longReplyOn = (walletId: string, bytes = 700_000): Pending => ({ ...pending(settleOn(walletId)), bytes });
const walletsOf = (queue: OperationQueue) =>
  queue
    .take()
    .map(({ operation }) => operation.walletId)
    .join('');

test('wallets take turns, and the next group begins where the last one ended', () => {
  const queue = new OperationQueue(limits);
  for (const walletId of ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'c']) {
    queue.add(pending(holdOn(walletId)));
  }
  const groups: string[] = [];
  while (queue.size > 0) groups.push(walletsOf(queue));
  expect(groups).toEqual(['abc', 'aba', 'bab']);
});

test('a wallet that is set aside waits with all that comes for it, in order, and the others go on', () => {
  const queue = new OperationQueue({ ...limits, operationsPerGroupMax: 100 });
  queue.add(pending(holdOn('a')));
  const [tried] = queue.take();
  if (!tried) throw new Error('nothing was taken');
  queue.add(pending(settleOn('a')));
  queue.add(pending(holdOn('b')));
  queue.setAside('a', [tried]);
  queue.add(pending(holdOn('a')));
  queue.add(pending(settleOn('b')));
  expect([queue.size, queue.ready]).toEqual([5, 2]);
  expect(walletsOf(queue)).toBe('bb');
  expect([queue.size, queue.ready]).toEqual([3, 0]);
  expect(queue.take()).toEqual([]);
  queue.takeUp('a');
  expect(queue.ready).toBe(3);
  const taken = queue.take();
  expect(taken.map(({ operation }) => operation.type)).toEqual(['settle', 'hold', 'hold']);
  expect(taken[1]).toBe(tried);
  expect([queue.size, queue.ready]).toEqual([0, 0]);
});

test('the holds of a wallet that is set aside can be taken out, and what finishes something stays', () => {
  const queue = new OperationQueue({ ...limits, operationsPerGroupMax: 100 });
  queue.setAside('a', [pending(holdOn('a')), pending(settleOn('a'))]);
  queue.add(pending(holdOn('a')));
  queue.add(pending(holdOn('b')));
  expect(queue.takeAdmissions('a')).toHaveLength(2);
  expect([queue.size, queue.ready]).toEqual([2, 1]);
  expect(queue.takeAdmissions()).toHaveLength(1);
  queue.takeUp('a');
  expect(queue.take().map(({ operation }) => operation.type)).toEqual(['settle']);
});

test('those set aside count for the room that there is, and a full queue refuses no charge whose work is done', () => {
  const queue = new OperationQueue({ ...limits, waitingMax: 4 });
  queue.setAside('a', [pending(holdOn('a')), pending(holdOn('a')), pending(holdOn('a'))]);
  let added = 0;
  while (queue.add(pending(holdOn('b')))) added += 1;
  expect(added).toBe(1);
  const done = holdOn('b');
  const { walletId, chargeId } = done;
  const charge = { type: 'charge', walletId, chargeId, hold: done, settlement: settleOf(done, 1n) } as const;
  expect(queue.add(pending(charge))).toBe(true);
  expect(queue.add(pending(settleOn('b')))).toBe(true);
});

test('long replies are in every other group while anything else waits, and otherwise in each', () => {
  const queue = new OperationQueue({ ...limits, bytesPerGroupMax: 4_000_000 });
  for (const walletId of ['x', 'y', 'z']) queue.add(longReplyOn(walletId));
  for (const walletId of ['a', 'b', 'c', 'd']) queue.add(pending(settleOn(walletId)));
  queue.add(pending(holdOn('e')));
  expect([queue.size, queue.ready]).toEqual([8, 8]);
  const groups: string[] = [];
  while (queue.size > 0) groups.push(walletsOf(queue));
  expect(groups).toEqual(['x', 'abc', 'y', 'de', 'z']);
  for (const walletId of ['x', 'y']) queue.add(longReplyOn(walletId));
  expect([walletsOf(queue), walletsOf(queue), queue.take()]).toEqual(['x', 'y', []]);
});

test('several replies that are not quite as long share a group', () => {
  const queue = new OperationQueue(limits);
  for (const walletId of ['u', 'v', 'w', 'x', 'y', 'z']) queue.add(longReplyOn(walletId, 200_000));
  expect([walletsOf(queue), walletsOf(queue)]).toEqual(['uvwxy', 'z']);
});

test('a long reply is set aside with its wallet, and taken with all others when the queue is emptied', () => {
  const queue = new OperationQueue(limits);
  for (const walletId of ['a', 'b']) queue.add(longReplyOn(walletId));
  queue.setAside('a', []);
  expect([queue.size, queue.ready, walletsOf(queue)]).toEqual([2, 1, 'b']);
  queue.add(longReplyOn('b'));
  expect(queue.takeAll().map(({ operation }) => operation.walletId)).toEqual(['b', 'a']);
  expect([queue.size, queue.ready]).toEqual([0, 0]);
});
