import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { succeed } from '../../src/base/failure.ts';
import { createCatalog, createPriceStore } from '../../src/catalog/index.ts';
import { type Chat, type ChatEvent, type ChatRequest, chatInvariants, createChat } from '../../src/chat/index.ts';
import { openConnection } from '../../src/db/index.ts';
import { createProviders } from '../../src/providers/index.ts';
import { auditLedger, type HoldRequest, type Ledger } from '../../src/wallet/index.ts';
import { seededRandom } from '../faults/protocol.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { readySandbox } from '../support/sandbox.ts';
import {
  completion,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';
import {
  addCredit,
  addCustomer,
  balanceOf,
  type Customer,
  drain,
  holdOf,
  type Node,
  pay,
  query,
  revoke,
  startNode,
} from '../wallet/support.ts';
import { say, testModel } from './harness.ts';

const open: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const whole: UpstreamReply = { body: completion('Hello there.') };
const streamed: UpstreamReply = { pieces: streamedCompletion(['Hel', 'lo']) };
const schema = { responseFormat: { kind: 'json' as const, schema: { type: 'object', required: ['a'] } } };
const json: UpstreamReply = { body: completion('{"a": 1}') };
/** A first piece, and then nothing more. */
const begun: UpstreamReply = { pieces: streamedCompletion(['a']).slice(0, 2), ending: 'silence' };
const later: UpstreamReply = { status: 503, headers: { 'retry-after': '5' } };
const silence: UpstreamReply = { ending: 'silence' };

const retried: ChatRequest = say('Hi', { routing: { maxRetries: 3 } });

interface Service {
  chat: Chat;
  node: Node;
  customer: Customer;
  caller: Caller;
  upstream: Upstream;
  /** Reservations of tokens that were not given back or used yet. */
  reserved(): number;
  deferred(): number;
}

/** A node whose customer has just been answered: the next hold is expected. */
async function startService(
  url: string,
  options: {
    deferHoldMs?: number;
    customer?: Customer;
    ledger?: (ledger: Ledger) => Ledger;
    capabilities?: readonly 'reasoning'[];
  } = {},
): Promise<Service> {
  const node = startNode(url);
  const upstream = await startUpstream();
  const providers = createProviders({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    log: silent,
  });
  const catalog = await createCatalog({
    store: createPriceStore(node.db),
    settings: { models: [testModel('p', 'm', options.capabilities ? { capabilities: options.capabilities } : {})] },
    enabledProviders: providers.enabled,
    log: silent,
  });
  await catalog.importPrices();
  let [reserved, deferred] = [0, 0];
  const watched: Ledger = Object.create(node.ledger, {
    hold: {
      value: async (request: HoldRequest) => {
        const held = await node.ledger.hold(request);
        if (!held.ok || held.value.kind !== 'held' || !held.value.hold.pending) return held;
        deferred += 1;
        return held;
      },
    },
  });
  const chat = createChat({
    ledger: options.ledger ? options.ledger(watched) : watched,
    catalog,
    providers,
    sandbox: await readySandbox(),
    log: silent,
    deadlineMs: 60_000,
    ...(options.deferHoldMs === undefined ? {} : { deferHoldMs: options.deferHoldMs }),
    reserveTokens: () => {
      reserved += 1;
      return succeed({
        settle: () => {
          reserved -= 1;
        },
      });
    },
  });
  open.push(
    () => node.close(),
    () => providers.close(),
    upstream.close,
    async () => catalog.close(),
    () => chat.drained(),
  );
  const customer = options.customer ?? (await addCustomer(node, url, 5n));
  const caller: Caller = {
    credential: 'api_key',
    name: customer.keyId,
    accountId: customer.accountId,
    key: { id: customer.keyId, version: 1 },
    scopes: new Set(['chat']),
  };
  await pay(node, holdOf(customer, { operation: 'other' }), { cost: 1n, usage: {} });
  return { chat, node, customer, caller, upstream, reserved: () => reserved, deferred: () => deferred };
}

const call = (signal = new AbortController().signal) => ({ signal });

eachServer((server) => {
  const database = useDatabase(server);
  let another: Node | undefined;
  const other = () => {
    another ??= startNode(database().url);
    return another;
  };
  afterAll(() => another?.close());

  test('the upstream is called before the hold is committed, and its reply is heard after hold and settlement', async () => {
    const { url } = database();
    const service = await startService(url);
    const { chat, node, customer, caller, upstream } = service;
    upstream.answer(() => whole);
    const wallet = await lockWallet(url, customer);
    let answered = false;
    const work = chat.run(caller, say('Hi'), call()).finally(() => {
      answered = true;
    });
    await expect.poll(() => upstream.seen.length).toBe(1);
    await sleep(150);
    expect(answered).toBe(false);
    expect(await chargesOf(url, customer)).toBe(1);
    await wallet.unlock();
    const reply = await work;
    if (!reply.ok) throw new Error('not answered');
    expect(service.deferred()).toBe(1);
    expect(await balanceOf(node, customer)).toMatchObject({ balance: reply.value.balance, held: 0n });
    expect(await chargesOf(url, customer)).toBe(2);
    expect(service.reserved()).toBe(0);
  });

  test('a quick reply costs one commit, a slow one two, and none begins early where that is switched off', async () => {
    const { url } = database();
    for (const [deferHoldMs, delayMs, commits] of [
      [30_000, 0, 1],
      [5, 300, 2],
      [0, 0, 2],
    ] as const) {
      const { chat, customer, caller, upstream, deferred } = await startService(url, { deferHoldMs });
      upstream.answer(() => ({ ...whole, delayMs }));
      const before = await commitsOf(url, customer);
      expect(await chat.run(caller, say('Hi'), call())).toMatchObject({ ok: true });
      expect((await commitsOf(url, customer)) - before, `deferred by ${deferHoldMs}`).toBe(commits);
      expect(deferred()).toBe(deferHoldMs === 0 ? 0 : 1);
    }
    const { chat, customer, caller, upstream } = await startService(url, { deferHoldMs: 0 });
    upstream.answer(() => whole);
    const wallet = await lockWallet(url, customer);
    const work = chat.run(caller, say('Hi'), call());
    await sleep(150);
    expect(upstream.seen).toEqual([]);
    await wallet.unlock();
    expect(await work).toMatchObject({ ok: true });
  });

  const slow: [string, ChatRequest, UpstreamReply, boolean][] = [
    ['unary', say('Hi'), silence, false],
    ['structured', say('Hi', schema), silence, false],
    ['retried', retried, later, false],
    ['streamed', say('Hi'), silence, true],
    ['streamed, retried', retried, later, true],
    ['streamed, half begun', say('Hi'), begun, true],
    ['structured and streamed', say('Hi', schema), silence, true],
  ];
  test.for(slow)(
    'a refusal stops a call that began deferred and is the answer: %s',
    async ([, request, reply, stream]) => {
      const { url } = database();
      const { chat, node, customer, caller, upstream, reserved } = await startService(url);
      const { balance } = await balanceOf(node, customer);
      upstream.answer(() => reply);
      const wallet = await lockWallet(url, customer);
      const work = stream ? chat.stream(caller, request, call()) : chat.run(caller, request, call());
      await expect.poll(() => upstream.seen.length).toBe(1);
      await revoke(url, customer);
      // Until the call is under way for a while, or waits for its next try.
      await sleep(100);
      await wallet.unlock();
      expect(await work).toMatchObject({ ok: false, failure: { kind: 'key_revoked' } });
      if (reply.status === undefined) await upstream.seen[0]?.aborted;
      expect(upstream.seen).toHaveLength(1);
      expect(await chargesOf(url, customer)).toBe(1);
      expect(await balanceOf(node, customer)).toMatchObject({ balance, held: 0n });
      expect(reserved()).toBe(0);
      expect(node.ledger.openHolds).toBe(0);
      // Now it is known, and no upstream is called for it.
      expect(await chat.run(caller, request, call())).toMatchObject({ failure: { kind: 'key_revoked' } });
      expect(upstream.seen).toHaveLength(1);
      expect(await auditLedger(node.db, { more: chatInvariants })).toEqual([]);
    },
  );

  test('a reply that is there when its hold is refused is not delivered, and nothing is charged', async () => {
    const { url } = database();
    for (const request of [say('Hi'), say('Hi', schema)]) {
      const { chat, node, customer, caller, upstream, reserved } = await startService(url, { deferHoldMs: 1_000 });
      upstream.answer(() => (request.responseFormat ? { body: completion('no json') } : whole));
      await revoke(url, customer);
      expect(await chat.run(caller, request, call())).toEqual({ ok: false, failure: { kind: 'key_revoked' } });
      expect(upstream.seen.length).toBe(1);
      expect(await chargesOf(url, customer)).toBe(1);
      expect(reserved()).toBe(0);
      expect(node.ledger.openHolds).toBe(0);
    }
  });

  test('the first piece of a stream is never seen before its hold is durable', async () => {
    const { url } = database();
    const { chat, node, customer, caller, upstream } = await startService(url);
    upstream.answer(() => streamed);
    const wallet = await lockWallet(url, customer);
    let opened = false;
    const work = chat.stream(caller, say('Hi'), call()).finally(() => {
      opened = true;
    });
    await expect.poll(() => upstream.seen.length).toBe(1);
    await sleep(150);
    expect(opened).toBe(false);
    await wallet.unlock();
    const stream = await work;
    if (!stream.ok) throw new Error('not opened');
    expect(
      await query(url, `SELECT state FROM charge WHERE key_id = '${customer.keyId}' AND state = 'held'`),
    ).toHaveLength(1);
    expect(kinds(await all(stream.value))).toEqual(['delta', 'delta', 'end']);
    expect(await balanceOf(node, customer)).toMatchObject({ held: 0n });
    expect(await auditLedger(node.db, { more: chatInvariants })).toEqual([]);
  });

  test('a caller who leaves a stream before its hold is committed pays for what was received, and stops the upstream', async () => {
    const { url } = database();
    const { chat, node, customer, caller, upstream, reserved } = await startService(url);
    upstream.answer(() => begun);
    const wallet = await lockWallet(url, customer);
    const gone = new AbortController();
    const work = chat.stream(caller, say('Hi'), call(gone.signal));
    await expect.poll(() => upstream.seen.length).toBe(1);
    await sleep(50);
    gone.abort();
    await upstream.seen[0]?.aborted;
    await wallet.unlock();
    const stream = await work;
    if (stream.ok) await expect(all(stream.value)).rejects.toThrow('cancelled');
    else expect(stream.failure.kind).toBe('cancelled');
    await chat.drained();
    expect(await balanceOf(node, customer)).toMatchObject({ held: 0n });
    const [charge] = await query(
      url,
      `SELECT state, settled FROM charge WHERE key_id = '${customer.keyId}' ORDER BY id DESC`,
    );
    expect(charge).toMatchObject({ state: 'settled' });
    expect(charge?.settled).toBeGreaterThan(0n);
    expect(reserved()).toBe(0);
  });

  // The upstream states 10 tokens of input and 5 of output: 20,000 nano-USD.
  test.for([
    ['pays for the reply', 20_000n, 'answered'],
    ['does not pay for it', 19_999n, 'insufficient_credit'],
  ] as const)('credit that another node has left and that %s', async ([, left, outcome]) => {
    const { url } = database();
    const { chat, node, customer, caller, upstream, reserved } = await startService(url, { deferHoldMs: 1_000 });
    upstream.answer(() => whole);
    await drain(other(), customer, left);
    const reply = await chat.run(caller, say('Hi'), call());
    expect(reply.ok ? 'answered' : reply.failure.kind).toBe(outcome);
    if (reply.ok) expect(reply.value).toMatchObject({ balance: 0n, usage: { cost: left } });
    expect(await balanceOf(node, customer)).toMatchObject({ balance: reply.ok ? 0n : left, held: 0n });
    expect(upstream.seen).toHaveLength(1);
    expect(reserved()).toBe(0);
  });

  test.for([
    ['from free credit', 5_000_000_000n, 20_000n, 0n],
    ['as far as there is credit, and the rest is owed', 0n, 12_000n, 8_000n],
  ] as const)(
    'a reply whose hold is given in part while its model works is delivered, and paid %s',
    async ([, more, charged, owed]) => {
      const { url } = database();
      const { chat, node, customer, caller, upstream, reserved } = await startService(url);
      const ready = Promise.withResolvers<void>();
      upstream.answer(() => ready.promise.then(() => whole));
      await drain(other(), customer, 12_000n);
      const work = chat.run(caller, say('Hi'), call());
      await expect.poll(async () => (await balanceOf(node, customer)).held).toBe(12_000n);
      if (more > 0n) await addCredit(other(), customer, more);
      ready.resolve();
      expect(await work).toMatchObject({ ok: true, value: { usage: { cost: charged + owed } } });
      expect(await balanceOf(node, customer)).toMatchObject({ balance: 12_000n + more - charged, held: 0n, owed });
      expect(upstream.seen).toHaveLength(1);
      expect(reserved()).toBe(0);
      expect(await auditLedger(node.db, { more: chatInvariants })).toEqual([]);
    },
  );

  test.for([
    ['is cut where that ends', 60_000n, [], 'credit'],
    ['does not begin where the model thinks unseen', 60_000n, ['reasoning'], 'insufficient_credit'],
    ['does not begin where that does not pay for its input', 2n, [], 'insufficient_credit'],
  ] as const)('a stream whose hold is given in part %s', async ([, left, capabilities, outcome]) => {
    const { url } = database();
    const { chat, node, customer, caller, upstream, reserved } = await startService(url, { capabilities });
    upstream.answer(() => ({ pieces: streamedCompletion(Array.from({ length: 200 }, () => ' word')) }));
    await drain(other(), customer, left);
    const stream = await chat.stream(caller, say('Hi'), call());
    const last = stream.ok ? (await all(stream.value)).at(-1) : undefined;
    expect(stream.ok ? last?.kind === 'end' && last.reply.finishReason : stream.failure.kind).toBe(outcome);
    await chat.drained();
    const { balance, held } = await balanceOf(node, customer);
    expect(held).toBe(0n);
    if (stream.ok) expect(balance).toBeLessThan(left);
    else expect(balance).toBe(left);
    expect(reserved()).toBe(0);
    expect(await auditLedger(node.db, { more: chatInvariants })).toEqual([]);
  });

  const faults: [string, ChatRequest, UpstreamReply, boolean][] = [
    ['unary', say('Hi'), silence, false],
    ['retried', retried, later, false],
    ['streamed', say('Hi'), begun, true],
    ['streamed, retried', retried, later, true],
  ];
  test.for(faults)(
    'a fault of the ledger itself stops the call that began meanwhile: %s',
    async ([, request, reply, stream]) => {
      const { url } = database();
      let fail: (error: Error) => void = () => undefined;
      const faulty = (ledger: Ledger): Ledger =>
        Object.create(ledger, {
          hold: {
            value: async (request: HoldRequest) => {
              const held = await ledger.hold(request);
              if (!held.ok || held.value.kind !== 'held') return held;
              const pending = new Promise<never>((_, reject) => {
                fail = reject;
              });
              pending.catch(() => undefined);
              return succeed({ kind: 'held', hold: { ...held.value.hold, pending } });
            },
          },
        });
      const { chat, caller, upstream, reserved } = await startService(url, { ledger: faulty });
      upstream.answer(() => reply);
      const work = stream ? chat.stream(caller, request, call()) : chat.run(caller, request, call());
      const outcome = work.catch(String);
      await expect.poll(() => upstream.seen.length).toBe(1);
      await sleep(100);
      fail(new Error('a fault'));
      expect(await outcome).toBe('Error: a fault');
      if (reply.status === undefined) await upstream.seen[0]?.aborted;
      expect(reserved()).toBe(0);
    },
  );

  test('a thousand mixed requests on two nodes, with keys revoked and wallets drained meanwhile, leave no flaw', {
    timeout: 120_000,
  }, async () => {
    const { url } = database();
    const seed = Number(process.env.AHEAD_SEED ?? Date.now() % 1_000_000);
    const random = seededRandom(seed);
    const first = await startService(url);
    const customers = [
      first.customer,
      ...(await Promise.all([5n, 5n, 40n].map((usd) => addCustomer(first.node, url, usd)))),
    ];
    const services = [first, await startService(url)];
    for (const { upstream } of services) upstream.answer(({ body }) => replyFor(body.stream === true, random));
    let sent = 0;
    const tally: Record<string, number> = {};
    const ask = async (index: number, { accountId, keyId }: Customer) => {
      const { chat, caller } = services[index % 2] as Service;
      const outcome = await send(chat, { ...caller, accountId, key: { id: keyId, version: 1 } }, random);
      tally[outcome] = (tally[outcome] ?? 0) + 1;
    };
    const client = async () => {
      while (sent < 1_000) {
        const index = sent++;
        const customer = customers[Math.floor(random() * customers.length)] as Customer;
        if (index === 300) await revoke(url, customers[1] as Customer);
        if (index === 500) await drain(other(), customers[2] as Customer, 200_000_000n);
        if (index === 700) await drain(other(), customers[2] as Customer, 15_000n);
        await ask(index, customer);
      }
    };
    await Promise.all(Array.from({ length: 24 }, client));
    // However quick the others were: the wallets that were emptied, and the circuits that may be open.
    for (let index = 0; index < 50 && !tally.insufficient_credit; index++) {
      await drain(other(), customers[2] as Customer, 0n);
      await ask(index, customers[2] as Customer);
      await sleep(100);
    }
    for (const { chat, node, reserved } of services) {
      await chat.drained();
      expect(reserved(), `seed ${seed}`).toBe(0);
      expect(node.ledger.openHolds, `seed ${seed}`).toBe(0);
    }
    expect(tally, `seed ${seed}`).toMatchObject({
      answered: expect.any(Number),
      key_revoked: expect.any(Number),
      insufficient_credit: expect.any(Number),
    });
    expect(
      services.reduce((sum, { deferred }) => sum + deferred(), 0),
      `seed ${seed}`,
    ).toBeGreaterThan(100);
    for (const customer of customers)
      expect(await balanceOf(first.node, customer), `seed ${seed}`).toMatchObject({ held: 0n });
    expect(await auditLedger(first.node.db, { more: chatInvariants }), `seed ${seed}`).toEqual([]);
  });
});

async function send(chat: Chat, caller: Caller, random: () => number): Promise<string> {
  const abort = new AbortController();
  if (random() < 0.1) setTimeout(() => abort.abort(), random() * 30);
  const request = say('Hi', {
    ...(random() < 0.2 ? schema : {}),
    ...(random() < 0.2 ? { routing: { maxRetries: 1 } } : {}),
  });
  const idempotency = random() < 0.1 ? { key: `k${random()}`, fingerprint: Buffer.from('x') } : undefined;
  const terms = { signal: abort.signal, idempotency };
  if (random() < 0.6) {
    const reply = await chat.run(caller, request, terms);
    return reply.ok ? 'answered' : reply.failure.kind;
  }
  const stream = await chat.stream(caller, request, terms);
  if (!stream.ok) return stream.failure.kind;
  try {
    await all(stream.value);
    return 'answered';
  } catch {
    return 'broken off';
  }
}

function replyFor(isStream: boolean, random: () => number): UpstreamReply {
  const dice = random();
  // Few that would open the circuit, and more that would not.
  if (dice < 0.005) return { status: 500, body: 'no' };
  if (dice < 0.01) return { ending: 'reset' };
  if (dice < 0.1) return { status: 409, body: 'no' };
  if (isStream) return { ...streamed, pauseMs: random() < 0.3 ? 5 : 0 };
  return { ...(random() < 0.5 ? whole : json), delayMs: random() < 0.3 ? random() * 60 : 0 };
}

async function all(events: AsyncGenerator<ChatEvent, void>): Promise<ChatEvent[]> {
  const seen: ChatEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

function kinds(events: ChatEvent[]): string[] {
  return events.map(({ kind }) => kind);
}

/** Keeps every commit that touches the customer's wallet waiting. */
async function lockWallet(url: string, { accountId }: Customer): Promise<{ unlock(): Promise<void> }> {
  const connection = await openConnection(url);
  await connection.query('START TRANSACTION');
  await connection.query(`SELECT id FROM wallet WHERE account_id = '${accountId}' FOR UPDATE`);
  return {
    unlock: async () => {
      await connection.query('COMMIT');
      await connection.end();
    },
  };
}

async function chargesOf(url: string, { keyId }: Customer): Promise<number> {
  return (await query(url, `SELECT id FROM charge WHERE key_id = '${keyId}'`)).length;
}

/** A wallet's version grows by one with each commit that changes it. */
async function commitsOf(url: string, { accountId }: Customer): Promise<number> {
  const [wallet] = await query(url, `SELECT version FROM wallet WHERE account_id = '${accountId}'`);
  return Number(wallet?.version);
}
