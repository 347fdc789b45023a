import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { succeed } from '../../src/base/failure.ts';
import { createSeal } from '../../src/base/seal.ts';
import { createCatalog, memoryPriceStore } from '../../src/catalog/index.ts';
import {
  type CacheEvent,
  type Chat,
  type ChatEvent,
  type ChatReply,
  type ChatRequest,
  createChat,
  createReplyCache,
  type ReplyCache,
} from '../../src/chat/index.ts';
import { openConnection } from '../../src/db/index.ts';
import { createProviders } from '../../src/providers/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { eachServer, silent, type TestServer, useDatabase } from '../support/database.ts';
import {
  completion,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';
import { addCustomer, balanceOf, type Node, run as runSql, startNode } from '../wallet/support.ts';
import { say, testModel } from './harness.ts';

const open: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const hour = { maxAgeSeconds: 3_600 };
const seal = createSeal({ current: 1, byVersion: new Map([[1, Buffer.alloc(32, 7)]]) });
let request = 0;

interface Service {
  chat: Chat;
  cache: ReplyCache;
  node: Node;
  events: CacheEvent[];
}

interface ServiceOptions {
  models?: readonly string[];
  enabled?: boolean;
  maxAgeSeconds?: number;
  entriesPerAccountMax?: number;
  /** Takes down what is reserved of the model tokens a minute. */
  reserved?: number[];
}

/** A node of the service with the models of one provider. */
async function startService(url: string, upstream: Upstream, options: ServiceOptions = {}): Promise<Service> {
  const node = startNode(url);
  const providers = createProviders({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    log: silent,
  });
  const catalog = await createCatalog({
    store: memoryPriceStore(),
    settings: { models: (options.models ?? ['m']).map((id) => testModel('p', id)) },
    enabledProviders: providers.enabled,
    log: silent,
  });
  await catalog.importPrices();
  const events: CacheEvent[] = [];
  const cache = createReplyCache({
    db: node.db,
    wallets: node.wallets,
    seal,
    secret: Buffer.from('secret'),
    log: silent,
    settings: { enabled: true, maxAgeSeconds: 86_400, entriesPerAccountMax: 1_000, ...options },
    observe: (event) => events.push(event),
  });
  const chat = createChat({
    ledger: node.ledger,
    catalog,
    providers,
    log: silent,
    deadlineMs: 5_000,
    cache,
    reserveTokens: (_, tokens) => {
      options.reserved?.push(tokens);
      return succeed({ settle: () => {} });
    },
  });
  open.push(
    () => node.close(),
    () => providers.close(),
    async () => catalog.close(),
    () => cache.close(),
    () => chat.drained(),
  );
  return { chat, cache, node, events };
}

function callOf(key?: string) {
  const signal = new AbortController().signal;
  return key === undefined ? { signal } : { signal, idempotency: { key, fingerprint: Buffer.from('same') } };
}

async function reply({ chat }: Service, caller: Caller, asked: ChatRequest, key?: string): Promise<ChatReply> {
  const result = await chat.run(caller, asked, callOf(key));
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  await chat.drained();
  return result.value;
}

async function events({ chat }: Service, caller: Caller, asked: ChatRequest): Promise<ChatEvent[]> {
  const opened = await chat.stream(caller, asked, callOf());
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
  const seen = await collect(opened.value);
  await chat.drained();
  return seen;
}

eachServer((server: TestServer) => {
  const database = useDatabase(server);
  let upstream: Upstream;
  let service: Service;
  let customer: Caller;
  /** What nobody has asked before. */
  let question: ChatRequest;

  async function newCaller(usd = 5n): Promise<Caller> {
    const { accountId, keyId } = await addCustomer(service.node, database().url, usd);
    const scopes = new Set(['chat']);
    return { credential: 'api_key', name: keyId, accountId, key: { id: keyId, version: 1 }, scopes };
  }

  async function balance({ accountId = '', name }: Caller): Promise<bigint> {
    return (await balanceOf(service.node, { accountId, keyId: name })).balance;
  }

  const sql = (statement: string) => runSql(database().url, statement);

  async function stored({ accountId = '' }: Caller): Promise<{ sealed: Buffer; request_digest: Buffer }[]> {
    return service.node.db
      .for<{ chat_cached_reply: { account_id: string; sealed: Buffer; request_digest: Buffer } }>()
      .selectFrom('chat_cached_reply')
      .select(['sealed', 'request_digest'])
      .where('account_id', '=', accountId)
      .execute();
  }

  /** Lets stored replies grow older. */
  const age = ({ accountId }: Caller, seconds: number) =>
    sql(
      `UPDATE chat_cached_reply SET stored_at_us = stored_at_us - ${seconds}000000, expires_at_us = expires_at_us - ${seconds}000000 WHERE account_id = '${accountId}'`,
    );

  beforeEach(async () => {
    if (!upstream) {
      upstream = await startUpstream();
      open.push(upstream.close);
      service = await startService(database().url, upstream);
    }
    customer = await newCaller();
    service.events.length = 0;
    upstream.seen.length = 0;
    let turn = 0;
    upstream.answer(({ body }): UpstreamReply => {
      const usage = { prompt_tokens: 10, completion_tokens: 5 };
      turn++;
      return body.stream === true
        ? { pieces: streamedCompletion(['Answer ', `${turn}.`], usage) }
        : { body: completion(`Answer ${turn}.`, usage) };
    });
    question = say(`Question ${request++}`, { cache: hour });
  });

  describe('a repeated chat request', () => {
    test('is answered from the cache, free of charge, and says so', async () => {
      const first = await reply(service, customer, question);
      expect(first).toMatchObject({ cache: { hit: false }, usage: { cost: 20_000n } });
      const paid = await balance(customer);
      const again = await reply(service, customer, question);
      expect(again).toEqual({
        ...first,
        usage: { ...first.usage, cost: 0n },
        balance: paid,
        routing: { mode: 'balanced', reason: 'An earlier reply to the same request, from the cache.', attempts: [] },
        cache: { hit: true, ageSeconds: 0 },
      });
      expect(upstream.seen).toHaveLength(1);
      expect(await balanceOf(service.node, { accountId: customer.accountId ?? '', keyId: '' })).toMatchObject({
        balance: paid,
        held: 0n,
      });
      const charges = await service.node.db
        .for<{ charge: { key_id: string; id: string } }>()
        .selectFrom('charge')
        .select('id')
        .where('key_id', '=', customer.name)
        .execute();
      expect(charges).toEqual([{ id: first.id }]);
      expect(service.events).toEqual(['miss', 'stored', 'hit']);
    });

    test('that does not ask for the cache is neither answered from it nor kept', async () => {
      const plain = { ...question, cache: undefined };
      const first = await reply(service, customer, plain);
      expect(first).not.toHaveProperty('cache');
      expect(await stored(customer)).toEqual([]);
      await reply(service, customer, question);
      expect(await reply(service, customer, plain)).toMatchObject({ usage: { cost: 20_000n } });
      expect(upstream.seen).toHaveLength(3);
    });

    test('is answered by another node, and after a restart', async () => {
      const first = await reply(service, customer, question);
      const other = await startService(database().url, upstream);
      expect(await reply(other, customer, question)).toMatchObject({ id: first.id, cache: { hit: true } });
      expect(upstream.seen).toHaveLength(1);
    });

    test('says how old the reply is', async () => {
      await reply(service, customer, question);
      await age(customer, 90);
      const { cache } = await reply(service, customer, question);
      expect(cache?.hit).toBe(true);
      expect(cache?.ageSeconds).toBeGreaterThanOrEqual(90);
      expect(cache?.ageSeconds).toBeLessThan(120);
    });

    test('that differs in anything is answered by a model', async () => {
      await reply(service, customer, question);
      const others = [
        { ...question, temperature: 0.5 },
        { ...question, user: 'anna' },
        { ...question, routing: { mode: 'economy' as const } },
        { ...question, messages: [...question.messages, { role: 'user' as const, content: 'And?' }] },
      ];
      for (const other of others) expect((await reply(service, customer, other)).cache).toEqual({ hit: false });
      expect(upstream.seen).toHaveLength(1 + others.length);
    });

    test('streamed comes as one piece and its end; stream and unary share their replies', async () => {
      const first = await reply(service, customer, question);
      const paid = await balance(customer);
      expect(await events(service, customer, question)).toEqual([
        { kind: 'delta', content: 'Answer 1.' },
        {
          kind: 'end',
          reply: expect.objectContaining({
            id: first.id,
            balance: paid,
            cache: { hit: true, ageSeconds: 0 },
            usage: { ...first.usage, cost: 0n },
          }),
        },
      ]);
      const other = { ...question, seed: 1 };
      const streamed = await events(service, customer, other);
      expect(streamed.at(-1)).toMatchObject({ reply: { cache: { hit: false } } });
      expect(await reply(service, customer, other)).toMatchObject({
        message: { content: 'Answer 2.' },
        cache: { hit: true },
      });
      expect(upstream.seen).toHaveLength(2);
    });

    test('has its tool calls again, streamed as they are', async () => {
      const toolCall = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };
      const message = { role: 'assistant', content: null, tool_calls: [toolCall] };
      upstream.answer(() => ({
        body: { ...completion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
      }));
      const withTool = { ...question, tools: [{ name: 'look' }] };
      const first = await reply(service, customer, withTool);
      expect(first).toMatchObject({ finishReason: 'tool_calls', cache: { hit: false } });
      const called = { id: 'call_1', name: 'look', arguments: '{"at":1}' };
      expect(await events(service, customer, withTool)).toMatchObject([
        { kind: 'delta', toolCall: { index: 0, ...called } },
        { kind: 'end', reply: { message: { toolCalls: [called] }, cache: { hit: true } } },
      ]);
    });

    test('at the same time as the first pays, too, and both are answered', async () => {
      const both = await Promise.all([reply(service, customer, question), reply(service, customer, question)]);
      expect(both.map(({ usage }) => usage.cost)).toEqual([20_000n, 20_000n]);
      expect(service.events).not.toContain('failed');
      expect(await reply(service, customer, question)).toMatchObject({ cache: { hit: true } });
      expect(await stored(customer)).toHaveLength(1);
    });

    test('many times at once, with many at once kept, breaks nothing', async () => {
      const asked = Array.from({ length: 40 }, (_, index) => ({ ...question, seed: index % 10 }));
      const replies = await Promise.all(asked.map((each) => reply(service, customer, each)));
      expect(replies).toHaveLength(40);
      expect(service.events).not.toContain('failed');
      expect(await stored(customer)).toHaveLength(10);
    });

    test('is kept although its caller left, for the reply is paid for', async () => {
      upstream.answer(() => ({ body: completion('Late.'), delayMs: 100 }));
      const gone = new AbortController();
      const running = service.chat.run(customer, question, { signal: gone.signal });
      setTimeout(() => gone.abort(), 20);
      expect(await running).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
      await service.chat.drained();
      expect(await reply(service, customer, question)).toMatchObject({ cache: { hit: true } });
    });
  });

  describe('a kept reply', () => {
    test('is never read by another account', async () => {
      await reply(service, customer, question);
      expect((await reply(service, await newCaller(), question)).cache).toEqual({ hit: false });
    });

    test('to an end user is never read by another, nor by the account; to the account not by an end user', async () => {
      const token = (subject: string, id = `tok_${subject}`): Caller => ({
        ...customer,
        credential: 'access_token',
        token: { id, subject },
      });
      await sql(
        ['anna', 'anna2', 'ben']
          .map((id) => `('tok_${id}', '${customer.accountId}', 'active', 1)`)
          .reduce(
            (all, row, index) => all + (index === 0 ? ' ' : ', ') + row,
            'REPLACE INTO credential_state (id, account_id, state, least_version) VALUES',
          ),
      );
      expect((await reply(service, token('anna'), question)).cache?.hit).toBe(false);
      expect((await reply(service, token('ben'), question)).cache?.hit).toBe(false);
      expect((await reply(service, customer, question)).cache?.hit).toBe(false);
      // The same end user with a new token is the same end user.
      expect((await reply(service, token('anna', 'tok_anna2'), question)).message.content).toBe('Answer 1.');
      expect((await reply(service, token('ben'), question)).message.content).toBe('Answer 2.');
      expect((await reply(service, customer, question)).message.content).toBe('Answer 3.');
    });

    test('is encrypted, and opens in its own row only', async () => {
      await reply(service, customer, question);
      const [row] = await stored(customer);
      expect(row?.sealed.toString('latin1')).not.toContain('Answer');
      const other = await newCaller();
      await reply(service, other, question);
      const [target] = await stored(other);
      await sql(
        `UPDATE chat_cached_reply SET sealed = 0x${row?.sealed.toString('hex')} WHERE account_id = '${other.accountId}'`,
      );
      expect(target).toBeDefined();
      expect((await reply(service, other, question)).cache).toEqual({ hit: false });
    });

    test('answers for as long as the request that it answered said', async () => {
      await reply(service, customer, { ...question, cache: { maxAgeSeconds: 60 } });
      await age(customer, 61);
      expect((await reply(service, customer, question)).cache).toEqual({ hit: false });
    });

    test('that is older than a request takes does not answer it', async () => {
      await reply(service, customer, question);
      await age(customer, 61);
      expect((await reply(service, customer, { ...question, cache: { maxAgeSeconds: 90 } })).cache?.hit).toBe(true);
      expect((await reply(service, customer, { ...question, cache: { maxAgeSeconds: 60 } })).cache?.hit).toBe(false);
    });

    test('is kept no longer than the operator says', async () => {
      const strict = await startService(database().url, upstream, { maxAgeSeconds: 30 });
      await reply(strict, customer, question);
      await age(customer, 31);
      expect((await reply(service, customer, question)).cache?.hit).toBe(false);
    });

    test('leaves when it has expired, and not before', async () => {
      await reply(service, customer, { ...question, cache: { maxAgeSeconds: 10 } });
      await reply(service, customer, { ...question, seed: 1 });
      await age(customer, 11);
      await service.cache.sweep();
      expect(await stored(customer)).toHaveLength(1);
    });

    test('is passed over and replaced when the request says noCache', async () => {
      await reply(service, customer, question);
      const refresh = { ...question, cache: { ...hour, noCache: true } };
      expect(await reply(service, customer, refresh)).toMatchObject({
        message: { content: 'Answer 2.' },
        cache: { hit: false },
        usage: { cost: 20_000n },
      });
      expect(await reply(service, customer, question)).toMatchObject({
        message: { content: 'Answer 2.' },
        cache: { hit: true },
      });
      expect(service.events).toEqual(['miss', 'stored', 'refresh', 'stored', 'hit']);
    });

    test('is one of at most so many of an account: the oldest leave', async () => {
      const small = await startService(database().url, upstream, { entriesPerAccountMax: 3 });
      const other = await newCaller();
      await reply(small, other, question);
      for (let seed = 0; seed < 5; seed++) await reply(small, customer, { ...question, seed });
      expect(await stored(customer)).toHaveLength(3);
      expect(await stored(other)).toHaveLength(1);
      const hits = [];
      for (let seed = 2; seed < 5; seed++) hits.push((await reply(small, customer, { ...question, seed })).cache?.hit);
      expect(hits).toEqual([true, true, true]);
    });

    test.each<[string, UpstreamReply]>([
      [
        'cut off',
        {
          body: {
            ...completion('Cut'),
            choices: [{ index: 0, message: { role: 'assistant', content: 'Cut' }, finish_reason: 'length' }],
          },
        },
      ],
      [
        'refused',
        {
          body: {
            ...completion(''),
            choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' }],
          },
        },
      ],
      ['larger than a mebibyte', { body: completion('x'.repeat(1_100_000)) }],
    ])('is whole: one that is %s is not kept', async (_, answer) => {
      upstream.answer(() => answer);
      await reply(service, customer, question);
      expect(await stored(customer)).toEqual([]);
    });

    test('is whole: a stream that was left, or broke, is not kept', async () => {
      upstream.answer(() => ({ pieces: streamedCompletion(['One ', 'two ', 'three']), pauseMs: 20 }));
      const left = await service.chat.stream(customer, question, callOf());
      if (left.ok) for await (const _ of left.value) break;
      await service.chat.drained();
      upstream.answer(() => ({ pieces: streamedCompletion(['Half']).slice(0, 2), pauseMs: 10, ending: 'reset' }));
      const broken = await service.chat.stream(customer, question, callOf());
      await expect(broken.ok && collect(broken.value)).rejects.toThrow();
      await service.chat.drained();
      expect(await stored(customer)).toEqual([]);
    });

    test('was paid for: one that could not be collected is not kept', async () => {
      const free = { ...(await reply(service, customer, { ...question, cache: undefined })), usage: usageOf(0n) };
      const place = await service.cache.placeOf(customer, question, callOf());
      if (place) await service.cache.keep(place, free);
      expect(await stored(customer)).toEqual([]);
      if (place) await service.cache.keep(place, { ...free, usage: usageOf(1n) });
      expect(await stored(customer)).toHaveLength(1);
    });

    test('waits for the database in a line that is bounded', async () => {
      const answer = await reply(service, customer, { ...question, cache: undefined });
      const place = await service.cache.placeOf(customer, question, callOf());
      if (!place) throw new Error('no place');
      const [locked, unlock] = await lockTable(database().url);
      await locked;
      const keeping = Array.from({ length: 40 }, () => service.cache.keep(place, answer));
      await unlock();
      await Promise.all(keeping);
      expect(service.events.filter((event) => event === 'dropped')).toHaveLength(8);
      expect(service.events.filter((event) => event === 'stored')).toHaveLength(32);
    });

    test('uses none of the model tokens a minute', async () => {
      const reserved: number[] = [];
      const limited = await startService(database().url, upstream, { reserved });
      await reply(limited, customer, question);
      await reply(limited, customer, question);
      expect(reserved).toHaveLength(1);
    });

    test('never answers at a balance of exactly 0: use is paused, and says so', async () => {
      await reply(service, customer, question);
      const left = await balance(customer);
      await service.node.wallets.adjust({
        accountId: customer.accountId ?? '',
        kind: 'api',
        amount: -left,
        reason: 'a test',
        actor: 'test',
        idempotencyKey: 'all',
      });
      const refused = await service.chat.run(customer, question, callOf());
      expect(refused).toMatchObject({ ok: false, failure: { kind: 'insufficient_credit', balance: 0n } });
      expect(upstream.seen).toHaveLength(1);
    });

    test('never answers while something is owed, when no other request is answered either', async () => {
      await reply(service, customer, question);
      await sql(`UPDATE wallet SET owed = 1 WHERE account_id = '${customer.accountId}' AND kind = 'api'`);
      expect(await service.chat.run(customer, question, callOf())).toMatchObject({ ok: false });
      await sql(`UPDATE wallet SET owed = 0 WHERE account_id = '${customer.accountId}' AND kind = 'api'`);
    });

    test('never answers when its model is not offered any more', async () => {
      const before = await startService(database().url, upstream, { models: ['old'] });
      await reply(before, customer, question);
      const after = await startService(database().url, upstream, { models: ['new'] });
      expect(await reply(after, customer, question)).toMatchObject({ model: 'new', cache: { hit: false } });
    });

    test('never answers a token that may not use its model', async () => {
      await sql(
        `REPLACE INTO credential_state (id, account_id, state, least_version) VALUES ('tok_m', '${customer.accountId}', 'active', 1)`,
      );
      const token = (models: string[]): Caller => ({
        ...customer,
        credential: 'access_token',
        token: { id: 'tok_m', subject: 'anna', models },
      });
      await reply(service, token(['m']), question);
      expect((await reply(service, token(['m']), question)).cache?.hit).toBe(true);
      expect(await service.chat.run(token(['other']), question, callOf())).toMatchObject({
        ok: false,
        failure: { kind: 'invalid_argument' },
      });
    });

    test('is not there, and none is kept, where the operator switched the cache off', async () => {
      await reply(service, customer, question);
      const off = await startService(database().url, upstream, { enabled: false });
      expect(await reply(off, customer, question)).toMatchObject({ cache: { hit: false }, usage: { cost: 20_000n } });
      await reply(off, customer, { ...question, seed: 1 });
      expect(await stored(customer)).toHaveLength(1);
    });
  });

  describe('with an idempotency key', () => {
    test('the stored outcome of the key wins over the cache', async () => {
      const first = await reply(service, customer, question, 'k1');
      await reply(service, customer, { ...question, cache: { ...hour, noCache: true } });
      expect(await reply(service, customer, question)).toMatchObject({ message: { content: 'Answer 2.' } });
      expect(await reply(service, customer, question, 'k1')).toEqual({ ...first, balance: await balance(customer) });
      expect(upstream.seen).toHaveLength(2);
    });

    test('a replay does not make an old reply young again', async () => {
      await reply(service, customer, question, 'k2');
      await age(customer, 100);
      await reply(service, customer, question, 'k2');
      expect((await reply(service, customer, question)).cache?.ageSeconds).toBeGreaterThanOrEqual(100);
    });

    test('a hit leaves the key unused: nothing is stored under it, and a later request with it may pay', async () => {
      const first = await reply(service, customer, question);
      expect(await reply(service, customer, question, 'k3')).toMatchObject({ id: first.id, cache: { hit: true } });
      const accountId = customer.accountId ?? '';
      expect(await service.node.wallets.findCharge(accountId, accountId, 'k3')).toBeUndefined();
      await age(customer, 3_601);
      const later = await reply(service, customer, question, 'k3');
      expect(later).toMatchObject({ usage: { cost: 20_000n }, cache: { hit: false } });
      expect(await reply(service, customer, question, 'k3')).toMatchObject({ id: later.id, usage: { cost: 20_000n } });
    });
  });

  describe('a fault of the database', () => {
    test('is a miss: the request is answered, and nothing is kept', async () => {
      await reply(service, customer, question);
      await sql('RENAME TABLE chat_cached_reply TO chat_cached_reply_away');
      try {
        expect(await reply(service, customer, question)).toMatchObject({
          message: { content: 'Answer 2.' },
          cache: { hit: false },
        });
        expect((await events(service, customer, { ...question, seed: 1 })).at(-1)).toMatchObject({ kind: 'end' });
        expect(service.events.filter((event) => event === 'failed')).toHaveLength(4);
      } finally {
        await sql('RENAME TABLE chat_cached_reply_away TO chat_cached_reply');
      }
      expect((await reply(service, customer, question)).cache?.hit).toBe(true);
    });

    test('that makes it slow is a miss after a second', async () => {
      await reply(service, customer, question);
      const [blocked, unblock] = await lockTable(database().url);
      await blocked;
      const begun = performance.now();
      const result = await service.chat.run(customer, question, callOf());
      const tookMs = performance.now() - begun;
      await unblock();
      await service.chat.drained();
      expect(result).toMatchObject({ ok: true, value: { cache: { hit: false } } });
      expect(tookMs).toBeLessThan(1_900);
    });
  });

  test('leaves the ledger without a flaw', async () => {
    for (let index = 0; index < 20; index++) await reply(service, customer, { ...question, seed: index % 3 });
    expect(await auditLedger(service.node.db)).toEqual([]);
  });
});

function usageOf(cost: bigint) {
  return { inputTokens: 10, outputTokens: 5, estimated: false, cost };
}

async function lockTable(url: string): Promise<[Promise<unknown>, () => Promise<void>]> {
  const connection = await openConnection(url);
  return [
    connection.query('LOCK TABLES chat_cached_reply WRITE'),
    async () => {
      await connection.query('UNLOCK TABLES');
      connection.destroy();
    },
  ];
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const seen: ChatEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}
