/** One node in a process of its own, which the fault run kills. It is told what to do by messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { FailureError } from '../../src/base/failure.ts';
import { createCaretaker } from '../../src/wallet/index.ts';
import { holdOf, keyOf, startNode } from '../wallet/support.ts';
import type { Answer, Task } from './protocol.ts';

const [url = '', ttlMs = '4000', restAfterOutageMs = '2000'] = process.argv.slice(2);
const node = startNode(url, { holdTtlMs: Number(ttlMs), answerTimeoutMs: 3_000 });
const caretaker = createCaretaker({
  db: node.db,
  ledger: node.ledger,
  log: pino({ level: 'silent' }),
  intervalMs: 500,
  restAfterOutageMs: Number(restAfterOutageMs),
});
caretaker.start();

process.on('message', (task: Task | 'close') => {
  if (task === 'close') void close();
  else void work(task).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(1));
process.send?.('ready');

async function work(task: Task): Promise<Answer> {
  try {
    return await attempt(task);
  } catch (error) {
    if (error instanceof FailureError) return { id: task.id, kind: 'failed', failure: error.failure.kind };
    return { id: task.id, kind: 'failed', failure: `error ${String(error)}` };
  }
}

async function attempt({ id, kind, customer, key, ceiling, cost, workMs, ahead }: Task): Promise<Answer> {
  if (kind === 'top_up') {
    const request = { accountId: customer.accountId, kind: 'api', amount: BigInt(cost), idempotencyKey: key } as const;
    const made = await node.wallets.topUps.create(request);
    return made.ok
      ? { id, kind: 'topped_up', topUpId: made.value.topUpId }
      : { id, kind: 'failed', failure: made.failure.kind };
  }
  const { ledger } = node;
  const caps = [{ owner: `key:${customer.keyId}`, limit: 10n ** 15n }];
  const terms = ahead ? { aheadMs: 20, metadata: { task: key } } : { caps, idempotency: keyOf(customer, key) };
  const request = holdOf(customer, { ceiling: BigInt(ceiling), ...terms });
  const held = await ledger.hold(request);
  if (!held.ok) return { id, kind: 'failed', failure: held.failure.kind };
  if (held.value.kind === 'replayed') {
    const { receipt, reply } = held.value;
    const expected = `reply ${key}`;
    if (Buffer.from(reply ?? []).toString() !== expected) return { id, kind: 'failed', failure: 'error wrong reply' };
    const { chargeId, charged, state } = receipt;
    return { id, kind: 'paid', chargeId, charged: charged.toString(), state, replayed: true, ahead: false };
  }
  const { hold } = held.value;
  if (workMs > 0) await sleep(workMs);
  if (kind === 'release') {
    await ledger.release(hold, 'upstream failed');
    return { id, kind: 'released' };
  }
  if (kind === 'extend') {
    await ledger.extend(hold, 1_000n);
    await ledger.recordProgress(hold, { cost: 1n, usage: { outputTokens: 1 } });
  }
  const receipt = await ledger.settle(hold, {
    cost: BigInt(cost),
    usage: { inputTokens: 1, outputTokens: 2 },
    reply: Buffer.from(`reply ${key}`),
  });
  const { chargeId, charged, state } = receipt;
  return {
    id,
    kind: 'paid',
    chargeId,
    charged: charged.toString(),
    state,
    replayed: false,
    ahead: hold.pending !== undefined,
  };
}

async function close(): Promise<void> {
  await caretaker.close();
  await node.close();
  process.exit(0);
}
