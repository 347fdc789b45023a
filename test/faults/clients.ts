import { setTimeout as sleep } from 'node:timers/promises';
import type { Customer } from '../wallet/support.ts';
import type { FaultyNode } from './faulty-node.ts';
import type { Answer, Task } from './protocol.ts';
import { add, record, refuse, type Tally } from './tally.ts';

/** Where a client may send requests. */
type Door = Pick<FaultyNode, 'ask'>;

const attemptsMax = 400;

/** Every attempt has its own id: the answer to an abandoned one may still come. */
let attempts = 0;

export function newTask(number: number, customers: Customer[], random: () => number): Task {
  // Squaring makes some wallets hot.
  const customer = customers[Math.floor(random() ** 2 * customers.length)];
  if (!customer) throw new Error('No customer.');
  const dice = random();
  const kind = dice < 0.01 ? 'top_up' : dice < 0.06 ? 'release' : dice < 0.12 ? 'extend' : 'pay';
  const cost = kind === 'top_up' ? 5_000_000_000 + Math.floor(random() * 1_000) : Math.floor(random() * 60_000_000);
  return {
    id: 0,
    kind,
    customer,
    key: `k${number}`,
    ceiling: String(1 + Math.floor(random() * 50_000_000)),
    cost: String(cost),
    workMs: workMs(random()),
    deferred: (kind === 'pay' || kind === 'release') && random() < 0.4,
  };
}

// Most work is quick. Some takes long, so that a freeze finds work between its hold and its settlement.
function workMs(dice: number): number {
  if (dice < 0.8) return 0;
  return dice < 0.95 ? Math.floor((dice - 0.8) * 200) : Math.floor((dice - 0.95) * 6_000);
}

/** Where clients send requests, and what they record. */
export interface ClientWorld {
  nodes: Door[];
  random: () => number;
  tally: Tally;
  /** When clients finally stop asking, on the clock of `performance.now()`; a request without an outcome is then a problem. */
  until?: number;
}

/** Behaves like a careful client: after silence, or any answer that is not final, it retries with the same key on another node. */
export async function sendUntilEnd(task: Task, world: ClientWorld): Promise<void> {
  if (task.deferred) return sendOnce(task, world);
  const { nodes, random, tally, until = Number.POSITIVE_INFINITY } = world;
  let slot = Math.floor(random() * nodes.length);
  let why = '';
  for (let attempt = 1; attempt <= attemptsMax && performance.now() < until; attempt++) {
    const answer = await ask(task, nodes[slot]);
    if (answer && record(task, answer, tally)) return;
    why = reasonOf(answer);
    add(tally.counts.retries, why);
    slot = (slot + 1) % nodes.length;
    await sleep(20 + random() * 100);
  }
  tally.problems.add(`request ${task.key} had no end; at last: ${why}`);
}

/** Without an idempotency key, a second attempt would be a second request. A refusal is final: it must not be charged. */
async function sendOnce(task: Task, { nodes, random, tally }: ClientWorld): Promise<void> {
  const answer = await ask(task, nodes[Math.floor(random() * nodes.length)]);
  if (!answer || (answer.kind === 'failed' && answer.failure.startsWith('error'))) tally.unknownKeys.add(task.key);
  if (!answer || record(task, answer, tally) || answer.kind !== 'failed') return;
  refuse(task, answer.failure, tally);
}

async function ask(task: Task, node: Door | undefined): Promise<Answer | undefined> {
  attempts += 1;
  return node?.ask({ ...task, id: attempts });
}

function reasonOf(answer: Answer | undefined): string {
  if (!answer) return 'silence';
  if (answer.kind === 'failed') return answer.failure.startsWith('error') ? 'error' : answer.failure;
  return answer.kind === 'undelivered' ? answer.state : answer.kind;
}
