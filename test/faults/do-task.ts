import { setTimeout as sleep } from 'node:timers/promises';
import { FailureError } from '../../src/base/failure.ts';
import { minOf } from '../../src/base/money.ts';
import type { HoldOutcome } from '../../src/wallet/index.ts';
import { holdOf, keyOf, type Node } from '../wallet/support.ts';
import type { Answer, Task } from './protocol.ts';

/** What a node does for one request as far as money is concerned: a reply leaves only when it is paid. */
export async function doTask(node: Node, task: Task): Promise<Answer> {
  try {
    return task.kind === 'top_up' ? await topUp(node, task) : await charge(node, task);
  } catch (error) {
    if (error instanceof FailureError) return { id: task.id, kind: 'failed', failure: error.failure.kind };
    return { id: task.id, kind: 'failed', failure: `error ${String(error)}` };
  }
}

async function topUp(node: Node, { id, customer, cost, key }: Task): Promise<Answer> {
  const request = { accountId: customer.accountId, kind: 'api', amount: BigInt(cost), idempotencyKey: key } as const;
  const made = await node.wallets.topUps.create(request);
  if (!made.ok) return { id, kind: 'failed', failure: made.failure.kind };
  const { topUpId, state } = made.value;
  // If a node died between the payment and its credit, act like the provider's next event about it.
  const paid = state === 'paid' ? made : await node.wallets.topUps.credit(topUpId);
  if (!paid.ok) return { id, kind: 'failed', failure: paid.failure.kind };
  return { id, kind: 'topped_up', topUpId };
}

async function charge({ ledger }: Node, task: Task): Promise<Answer> {
  const { id, kind, customer, key, ceiling, cost, workMs, deferred } = task;
  const caps = [{ owner: `key:${customer.keyId}`, limit: 10n ** 15n }];
  const terms = deferred ? { deferMs: 20, metadata: { task: key } } : { caps, idempotency: keyOf(customer, key) };
  const held = await ledger.hold(holdOf(customer, { ceiling: BigInt(ceiling), ...terms }));
  if (!held.ok) return { id, kind: 'failed', failure: held.failure.kind };
  if (held.value.kind === 'replayed') return replay(task, held.value);
  let { hold } = held.value;
  if (workMs > 0) await sleep(workMs);
  if (kind === 'release') {
    await ledger.release(hold, 'upstream failed');
    return { id, kind: 'released' };
  }
  if (kind === 'extend') {
    const more = await ledger.extend(hold, 1_000n);
    if (more.ok) hold = more.value;
    await ledger.recordProgress(hold, { cost: 1n, usage: { outputTokens: 1 } });
  }
  const due = minOf(BigInt(cost), hold.amount);
  const receipt = await ledger.settle(hold, {
    cost: due,
    usage: { inputTokens: 1, outputTokens: 2 },
    reply: Buffer.from(`${key} ${due}`),
  });
  const { chargeId, state } = receipt;
  const told = { id, chargeId, charged: String(receipt.charged), due: String(due) };
  if (state !== 'settled' || receipt.charged !== due) return { ...told, kind: 'undelivered', state };
  return { ...told, kind: 'delivered', replayed: false, deferred: hold.pending !== undefined };
}

function replay({ id, key }: Task, { receipt, reply }: Extract<HoldOutcome, { kind: 'replayed' }>): Answer {
  const [repliedKey, due] = Buffer.from(reply ?? [])
    .toString()
    .split(' ');
  if (repliedKey !== key || due === undefined) return { id, kind: 'failed', failure: 'error: a wrong reply' };
  const { chargeId, charged } = receipt;
  return { id, kind: 'delivered', chargeId, charged: String(charged), due, replayed: true, deferred: false };
}
