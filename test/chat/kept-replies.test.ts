import { beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { eachServer, type TestServer } from '../support/database.ts';
import { completion, streamedCompletion, type UpstreamReply } from '../support/upstream.ts';
import { callOf, collect, hour, lockTable, reply, startService, usageOf, useCacheService } from './cache-support.ts';

eachServer((server: TestServer) => {
  const context = useCacheService(server);
  let { url, service, upstream, customer, question, newCaller, balance, sql, stored, age } = {} as ReturnType<
    typeof context
  >;
  beforeEach(() => {
    ({ url, service, upstream, customer, question, newCaller, balance, sql, stored, age } = context());
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
      const strict = await startService(url, upstream, { maxAgeSeconds: 30 });
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
      const small = await startService(url, upstream, { entriesPerAccountMax: 3 });
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
      const [locked, unlock] = await lockTable(url);
      await locked;
      const keeping = Array.from({ length: 40 }, () => service.cache.keep(place, answer));
      await unlock();
      await Promise.all(keeping);
      expect(service.events.filter((event) => event === 'dropped')).toHaveLength(8);
      expect(service.events.filter((event) => event === 'stored')).toHaveLength(32);
    });

    test('uses none of the model tokens a minute', async () => {
      const reserved: number[] = [];
      const limited = await startService(url, upstream, { reserved });
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
      const before = await startService(url, upstream, { models: ['old'] });
      await reply(before, customer, question);
      const after = await startService(url, upstream, { models: ['new'] });
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
      const off = await startService(url, upstream, { enabled: false });
      expect(await reply(off, customer, question)).toMatchObject({ cache: { hit: false }, usage: { cost: 20_000n } });
      await reply(off, customer, { ...question, seed: 1 });
      expect(await stored(customer)).toHaveLength(1);
    });
  });
});
