import { setTimeout as sleep } from 'node:timers/promises';
import { FailureError } from '../../src/base/failure.ts';
import { nanoPerUsd as usd } from '../../src/base/money.ts';
import { createReaper, type Hold, type HoldRequest, type Receipt } from '../../src/wallet/index.ts';
import { silent } from '../support/database.ts';
import { addCustomer, type Customer, holdOf, keyOf, mustHold, type Node, pay, print } from './support.ts';

/** Everything stored about one customer's money, in comparable form. */
export interface Books {
  posted: bigint;
  held: bigint;
  owed: bigint;
  charges: readonly string[];
  postings: readonly string[];
  caps: readonly string[];
  topUps: readonly string[];
  receivables: readonly string[];
  adjustments: readonly string[];
}

/** What a caller was told, and what must be stored after that. */
export interface Told {
  answer: string;
  /** The allowed states, each as changes to the previous one. None: the answer itself is wrong. */
  stored: readonly Partial<Books>[];
  /** Nothing was promised, so what was begun may be taken back a little later. */
  soon?: boolean;
  /** What must be possible afterwards, once the network works again. */
  next?: () => Promise<Told>;
}

/** An operation that is about to be done on one wallet. */
export interface Attempt {
  customer: Customer;
  act: (before: Books) => Promise<Told>;
}

export interface PacketOperation {
  name: string;
  /** Whether it enters the queue in the turn in which it is called, and so can share its group. */
  atOnce: boolean;
  /** `near` has a good network; `far` is the node whose ledger is being tested. */
  prepare: (world: { url: string; near: Node; far: Node }) => Promise<Attempt>;
}

const ceiling = 1_000n;
const cost = 400n;
const usage = { inputTokens: 10, outputTokens: 3 };
const reply = Buffer.from('a reply');
const credit = 20n * usd;

export const operations: readonly PacketOperation[] = [
  {
    name: 'hold',
    atOnce: true,
    prepare: async ({ url, near, far }) => {
      const customer = await addCustomer(near, url, 20n);
      // So that the ledger knows where the wallet is.
      await pay(far, holdOf(customer), { cost: 1n, usage });
      return { customer, act: (before) => hold({ near, far }, requestOf(customer), before) };
    },
  },
  {
    name: 'charge',
    atOnce: true,
    prepare: async ({ url, near, far }) => {
      const customer = await addCustomer(near, url, 20n);
      await pay(far, holdOf(customer), { cost: 1n, usage });
      const deferred = await mustHold(far, holdOf(customer, { ceiling, deferMs: 60_000 }));
      if (!deferred.pending) throw new Error('The hold was not deferred.');
      return { customer, act: (before) => charge(far, deferred, before) };
    },
  },
  {
    name: 'extend',
    atOnce: true,
    prepare: (world) => withHold(world, ({ far }, held, _, before) => extend(far, held, before)),
  },
  {
    name: 'progress',
    atOnce: true,
    prepare: (world) => withHold(world, ({ far }, held, _, before) => progress(far, held, before)),
  },
  {
    name: 'settle',
    atOnce: true,
    prepare: (world) => withHold(world, settle),
  },
  {
    name: 'release',
    atOnce: true,
    prepare: (world) => withHold(world, release),
  },
  {
    name: 'expire',
    atOnce: false,
    prepare: async ({ url, near, far }) => {
      const customer = await addCustomer(near, url, 20n);
      const held = await mustHold(near, holdOf(customer, { ceiling, ttlMs: 1 }));
      await near.ledger.recordProgress(held, { cost: 300n, usage });
      await sleep(20);
      return { customer, act: (before) => expire(near, far, before) };
    },
  },
  {
    name: 'credit',
    atOnce: false,
    prepare: async ({ url, near, far }) => {
      const customer = await addCustomer(near, url, 20n);
      return { customer, act: (before) => record(far, customer, before) };
    },
  },
  {
    name: 'reverse',
    atOnce: false,
    prepare: async (world) => {
      const { customer, topUpId } = await withTopUp(world);
      return { customer, act: (before) => refund(world.far, topUpId, before) };
    },
  },
  {
    name: 'conclude',
    atOnce: false,
    prepare: async (world) => {
      const { customer, topUpId } = await withTopUp(world);
      await reverse(world.near, topUpId, 'dispute', 2n);
      return { customer, act: (before) => winDispute(world.far, topUpId, before) };
    },
  },
  {
    name: 'repay',
    atOnce: false,
    prepare: async (world) => {
      const { near, far } = world;
      const { customer, topUpId } = await withTopUp(world);
      // All but 5 USD are held when 8 USD are taken back, so 3 USD stay owed until the hold is released.
      const held = await mustHold(near, holdOf(customer, { ceiling: 15n * usd }));
      await reverse(near, topUpId, 'refund', 8n);
      await near.ledger.release(held, 'test');
      return { customer, act: (before) => repay(near, far, before) };
    },
  },
  {
    name: 'adjust',
    atOnce: false,
    prepare: async ({ url, near, far }) => {
      const customer = await addCustomer(near, url, 20n);
      return { customer, act: (before) => adjust(far, customer, before) };
    },
  },
];

function requestOf(customer: Customer): HoldRequest {
  const caps = [{ owner: `key:${customer.keyId}`, limit: 5n * usd }];
  return holdOf(customer, { ceiling, caps, idempotency: keyOf(customer) });
}

type World = Parameters<PacketOperation['prepare']>[0];
type Nodes = Pick<World, 'near' | 'far'>;
type OnHold = (nodes: Nodes, held: Hold, request: HoldRequest, before: Books) => Promise<Told>;

async function withHold({ url, near, far }: World, act: OnHold): Promise<Attempt> {
  const customer = await addCustomer(near, url, 20n);
  const request = requestOf(customer);
  const held = await mustHold(near, request);
  return { customer, act: (before) => act({ near, far }, held, request, before) };
}

async function withTopUp({ url, near }: World): Promise<{ customer: Customer; topUpId: string }> {
  const customer = await addCustomer(near, url);
  const made = await near.wallets.topUps.create({ accountId: customer.accountId, kind: 'api', amount: credit });
  if (!made.ok) throw new Error(`No top-up: ${print(made)}`);
  return { customer, topUpId: made.value.topUpId };
}

async function reverse(near: Node, topUpId: string, kind: 'refund' | 'dispute', amount: bigint): Promise<void> {
  const reversed = await near.wallets.topUps.reverse({ topUpId, kind, amount: amount * usd, reference: 'first' });
  if (!reversed.ok) throw new Error(`Not taken back: ${print(reversed)}`);
}

async function hold(nodes: Nodes, request: HoldRequest, before: Books): Promise<Told> {
  const outcome = await nodes.far.ledger.hold(request);
  if (!outcome.ok) {
    const released = { charges: [...before.charges, 'released 0 of 1000'], caps: ['held 0, spent 0'] };
    return refused(outcome.failure.kind, released);
  }
  if (outcome.value.kind !== 'held' || outcome.value.hold.amount !== ceiling) return wrong(outcome);
  const { hold: held } = outcome.value;
  const given = { held: ceiling, charges: [...before.charges, 'held - of 1000'], caps: ['held 1000, spent 0'] };
  return {
    answer: `held ${held.amount}`,
    stored: [given],
    next: () => settle(nodes, held, request, { ...before, ...given }),
  };
}

async function charge(far: Node, deferred: Hold, before: Books): Promise<Told> {
  const receipt = await far.ledger.settle(deferred, { cost, usage }).catch((error: unknown) => {
    if (error instanceof FailureError) return error.failure;
    throw error;
  });
  if ('kind' in receipt) return refused(receipt.kind, { charges: [...before.charges, 'released 0 of 1000'] });
  return settled(receipt, before, {
    charges: [...before.charges, 'settled 400 of 1000'],
  });
}

async function extend(far: Node, held: Hold, before: Books): Promise<Told> {
  const extended = await far.ledger.extend(held, 500n);
  const grown = { held: 1_500n, charges: ['held - of 1500'], caps: ['held 1500, spent 0'] };
  const charges = ['settled 1000 of 1500'];
  if (extended.ok && extended.value.amount === 1_500n)
    return { answer: 'extended to 1500', stored: [grown], next: () => settleAll(far, extended.value, before) };
  if (extended.ok) return wrong(extended);
  // It was not promised, and need not be taken back: the caller settles within the amount that it knows.
  return {
    ...refused(extended.failure.kind, grown),
    next: () => settleAll(far, held, before, ['settled 1000 of 1000', ...charges]),
  };
}

async function settleAll(far: Node, held: Hold, before: Books, charges = ['settled 1500 of 1500']): Promise<Told> {
  const { amount } = held;
  const receipt = await far.ledger.settle(held, { cost: amount, usage, reply });
  const told = charges.map((line) => settled(receipt, before, { charges: [line] }, amount));
  return { answer: `settled ${receipt.charged}`, stored: told.flatMap(({ stored }) => stored) };
}

async function progress(far: Node, held: Hold, before: Books): Promise<Told> {
  await far.ledger.recordProgress(held, { cost: 300n, usage });
  return {
    // It is best effort, and fails silently.
    answer: 'nothing',
    stored: [{ charges: ['held - of 1000, progress 300'] }, {}],
    next: async () => {
      const receipt = await far.ledger.settle(held, { cost, usage, reply });
      const ended = ['settled 400 of 1000, progress 300', 'settled 400 of 1000'];
      const told = ended.map((line) => settled(receipt, before, { charges: [line] }));
      return { answer: `settled ${receipt.charged}`, stored: told.flatMap(({ stored }) => stored) };
    },
  };
}

async function settle({ near, far }: Nodes, held: Hold, request: HoldRequest, before: Books): Promise<Told> {
  const receipt = await far.ledger.settle(held, { cost, usage, reply });
  const told = settled(receipt, before, { charges: [...before.charges.slice(0, -1), 'settled 400 of 1000'] });
  return { ...told, next: () => replay(near, request, receipt, told) };
}

/** A retry with the same key at another node gets the same answer and stores nothing. */
async function replay(near: Node, request: HoldRequest, receipt: Receipt, told: Told): Promise<Told> {
  const outcome = await near.ledger.hold(request);
  if (!outcome.ok || outcome.value.kind !== 'replayed') return wrong(outcome);
  const same = print(outcome.value.receipt) === print(receipt) && reply.equals(outcome.value.reply ?? Buffer.of());
  return same ? { answer: 'replayed', stored: told.stored } : wrong(outcome);
}

function settled({ state, charged, balance }: Receipt, before: Books, change: Partial<Books>, due = cost): Told {
  const posted = before.posted - due;
  const answer = `${state} ${charged}, balance ${balance}`;
  const told = state === 'settled' && charged === due && balance === posted;
  const caps = before.caps.length > 0 ? { caps: [`held 0, spent ${due}`] } : {};
  const postings = [...before.postings, `usage -${due}`];
  return { answer, stored: told ? [{ posted, held: 0n, postings, ...caps, ...change }] : [] };
}

async function release({ near, far }: Nodes, held: Hold, request: HoldRequest): Promise<Told> {
  await far.ledger.release(held, 'test');
  return {
    answer: 'released',
    stored: [{ held: 0n, charges: ['released 0 of 1000'], caps: ['held 0, spent 0'] }],
    next: async () => {
      const again = await mustHold(near, request);
      return { answer: `held ${again.amount}`, stored: [{ charges: ['released 0 of 1000', 'held - of 1000'] }] };
    },
  };
}

async function expire(near: Node, far: Node, before: Books): Promise<Told> {
  await reap(near, far);
  const charges = ['expired 300 of 1000, progress 300'];
  const postings = [...before.postings, 'usage -300'];
  // A round does not wait for long; what it handed in is done nevertheless.
  const stored = [{ posted: before.posted - 300n, held: 0n, charges, postings }];
  return { answer: 'expired', stored, soon: true };
}

async function repay(near: Node, far: Node, before: Books): Promise<Told> {
  await reap(near, far);
  const postings = [...before.postings, `refund -${3n * usd}`];
  const receivables = [`refund first final ${8n * usd}, taken ${8n * usd}, owed 0`];
  const stored = [{ posted: before.posted - 3n * usd, owed: 0n, postings, receivables }];
  return { answer: 'repaid', stored, soon: true };
}

/** One round of the reaper, which finds its work over the good network. */
async function reap(near: Node, far: Node): Promise<void> {
  const { db } = near;
  await createReaper({ db, ledger: far.ledger, log: silent, restAfterOutageMs: 0 }).runOnce();
}

async function record(far: Node, { accountId }: Customer, before: Books): Promise<Told> {
  const amount = 6n * usd;
  const payment = {
    accountId,
    kind: 'api',
    amount,
    reference: 'bank 1',
    actor: 'operator',
    idempotencyKey: 'first',
  } as const;
  const outcome = await far.wallets.topUps.record(payment);
  if (!outcome.ok) return wrong(outcome);
  const topUps = [...before.topUps, `paid ${amount}, reversed 0`];
  const postings = [...before.postings, `top_up ${amount}`];
  return {
    answer: `credited, ${outcome.value.topUp.state}`,
    stored: [{ posted: before.posted + amount, topUps, postings }],
  };
}

async function refund(far: Node, topUpId: string, before: Books): Promise<Told> {
  const amount = 2n * usd;
  const outcome = await far.wallets.topUps.reverse({ topUpId, kind: 'refund', amount, reference: 'first' });
  if (!outcome.ok) return wrong(outcome);
  const topUps = [`paid ${credit}, reversed ${amount}`];
  const receivables = [`refund first final ${amount}, taken ${amount}, owed 0`];
  const postings = [...before.postings, `refund -${amount}`];
  return { answer: 'taken back', stored: [{ posted: before.posted - amount, topUps, receivables, postings }] };
}

async function winDispute(far: Node, topUpId: string, before: Books): Promise<Told> {
  const amount = 2n * usd;
  const outcome = await far.wallets.topUps.conclude(topUpId, 'first', 'won');
  if (!outcome.ok) return wrong(outcome);
  const topUps = [`paid ${credit}, reversed 0`];
  const receivables = [`dispute first restored ${amount}, taken 0, owed 0`];
  const postings = [...before.postings, `dispute ${amount}`];
  return { answer: 'restored', stored: [{ posted: before.posted + amount, topUps, receivables, postings }] };
}

async function adjust(far: Node, { accountId }: Customer, before: Books): Promise<Told> {
  const outcome = await far.wallets.adjust({
    accountId,
    kind: 'api',
    amount: 7n,
    reason: 'goodwill',
    actor: 'operator',
    idempotencyKey: 'first',
  });
  const posted = before.posted + 7n;
  if (!outcome.ok || outcome.value.balance !== posted) return wrong(outcome);
  const postings = [...before.postings, 'adjustment 7'];
  return { answer: `adjusted by ${outcome.value.amount}`, stored: [{ posted, adjustments: ['7'], postings }] };
}

/** Nothing may be stored, except that where nobody could know better at the time, what was begun may be there or taken back. */
function refused(kind: string, begun: Partial<Books>): Told {
  if (kind === 'ledger_unavailable') return { answer: kind, stored: [{}, begun], soon: true };
  return { answer: kind, stored: [] };
}

function wrong(answer: unknown): Told {
  return { answer: print(answer), stored: [] };
}
