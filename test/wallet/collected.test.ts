import { expect, test } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { createReaper } from '../../src/wallet/index.ts';
import { firstServer, silent, useDatabase } from '../support/database.ts';
import { addCredit, addCustomer, holdOf, startNode } from './support.ts';

const database = useDatabase(firstServer());

test('what groups collect for use is each charge once: at its end, and what was owed when it is paid', async () => {
  const collected: bigint[] = [];
  const onGroup = (_operations: number, _durationMs: number, amount: bigint) => {
    if (amount !== 0n) collected.push(amount);
  };
  const node = startNode(database().url, {}, { onGroup });
  const customer = await addCustomer(node, database().url);
  await addCredit(node, customer, 6_000_000_000n);
  const held = unwrap(await node.ledger.hold(holdOf(customer, { ceiling: 9_000_000_000n })));
  if (held.kind !== 'held') throw new Error(held.kind);
  const settlement = { cost: 9_000_000_000n, usage: {}, delivered: true };
  const receipt = await node.ledger.settle(held.hold, settlement);
  expect(receipt).toMatchObject({ charged: 6_000_000_000n, owed: 3_000_000_000n });
  expect(await node.ledger.settle(held.hold, settlement)).toEqual(receipt);
  expect(collected).toEqual([6_000_000_000n]);

  await addCredit(node, customer, 5_000_000_000n);
  const reaper = createReaper({ db: node.db, ledger: node.ledger, log: silent, restAfterOutageMs: 0 });
  await reaper.runOnce();
  await reaper.close();
  expect(collected).toEqual([6_000_000_000n, 3_000_000_000n]);
  await node.close();
});
