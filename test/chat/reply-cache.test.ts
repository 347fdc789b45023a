import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { auditLedger } from '../../src/wallet/index.ts';
import { eachServer, type TestServer } from '../support/database.ts';
import { completion } from '../support/upstream.ts';
import { balanceOf } from '../wallet/support.ts';
import { callOf, events, hour, lockTable, reply, startService, useCacheService } from './cache-support.ts';

eachServer((server: TestServer) => {
  const context = useCacheService(server);
  let { url, service, upstream, customer, question, balance, sql, stored, age } = {} as ReturnType<typeof context>;
  beforeEach(() => {
    ({ url, service, upstream, customer, question, balance, sql, stored, age } = context());
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
        cache: { hit: true, ageSeconds: expect.any(Number) },
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
      const other = await startService(url, upstream);
      expect(await reply(other, customer, question)).toMatchObject({ id: first.id, cache: { hit: true } });
      expect(upstream.seen).toHaveLength(1);
    });

    test('says how old the reply is', async () => {
      await reply(service, customer, question);
      await age(customer, 90);
      const { cache } = await reply(service, customer, question);
      expect(cache?.hit).toBe(true);
      expect(cache?.ageSeconds).toBeGreaterThanOrEqual(90);
      expect(cache?.ageSeconds).toBeLessThan(400);
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
            cache: { hit: true, ageSeconds: expect.any(Number) },
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
      // Neither is answered before both are asked, however slow the machine.
      const asked = Promise.withResolvers<void>();
      upstream.answer(async () => {
        if (upstream.seen.length === 2) asked.resolve();
        await asked.promise;
        return { body: completion('Answer.', { prompt_tokens: 10, completion_tokens: 5 }) };
      });
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
      const gone = new AbortController();
      const left = Promise.withResolvers<void>();
      upstream.answer(async () => {
        gone.abort();
        await left.promise;
        return { body: completion('Late.') };
      });
      const running = service.chat.run(customer, question, { signal: gone.signal });
      expect(await running).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
      left.resolve();
      await service.chat.drained();
      expect(await reply(service, customer, question)).toMatchObject({ cache: { hit: true } });
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
      const warnings: { err?: { message: string } }[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line)) });
      const hasty = await startService(url, upstream, { lookUpMs: 1_000, log });
      const [blocked, unblock] = await lockTable(url);
      await blocked;
      const result = await hasty.chat.run(customer, question, callOf());
      // It was answered while the table was locked, and for that reason.
      expect(warnings.map(({ err }) => err?.message)).toEqual(['no answer within 1000 ms']);
      await unblock();
      await hasty.chat.drained();
      expect(result).toMatchObject({ ok: true, value: { cache: { hit: false } } });
    });
  });

  test('leaves the ledger without a flaw', async () => {
    for (let index = 0; index < 20; index++) await reply(service, customer, { ...question, seed: index % 3 });
    expect(await auditLedger(service.node.db)).toEqual([]);
  });
});
