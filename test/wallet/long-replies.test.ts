import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eachBooks, type LedgerNode } from './books.ts';
import { holdOf, keyOf, mustHold } from './support.ts';

const mebibyte = 1_024 * 1_024;

eachBooks((books) => {
  let node: LedgerNode;
  beforeAll(() => {
    node = books().startNode();
  });
  afterAll(() => node.close());

  async function settled(reply: Buffer) {
    const account = await books().addCustomer(5n);
    const request = holdOf(account, { idempotency: keyOf(account) });
    const receipt = await node.ledger.settle(await mustHold(node, request), { cost: 400n, usage: {}, reply });
    expect(receipt).toMatchObject({ state: 'settled', charged: 400n });
    return { receipt, repeated: await node.ledger.hold(request) };
  }

  test.each([
    ['a short one', Buffer.from('reply')],
    ['one as long as is kept as it is', Buffer.alloc(mebibyte, 'reply ')],
    ['a longer one, compressed', Buffer.alloc(6 * mebibyte, 'reply ')],
  ])('a repeat returns the reply: %s', async (_, reply) => {
    const { receipt, repeated } = await settled(reply);
    expect(repeated).toMatchObject({ ok: true, value: { kind: 'replayed', receipt } });
    const kept = repeated.ok && repeated.value.kind === 'replayed' ? repeated.value.reply : undefined;
    // Not by `toEqual`, which would look at each byte.
    expect(Buffer.compare(Buffer.from(kept ?? []), reply)).toBe(0);
  });

  test.each([
    ['nothing compresses', randomBytes(2 * mebibyte)],
    ['reading would hold up others', Buffer.alloc(9 * mebibyte, 'reply ')],
  ])('one that %s is charged all the same, and a repeat says that it is gone', async (_, reply) => {
    const { receipt, repeated } = await settled(reply);
    expect(repeated).toMatchObject({ failure: { kind: 'reply_purged', chargeId: receipt.chargeId } });
    expect(await books().audit()).toEqual([]);
  });
});
