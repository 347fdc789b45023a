import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Result } from '../../src/base/failure.ts';
import { type Admission, createLimits, type LevelLimits } from '../../src/limits/index.ts';
import { addressOf } from '../../src/limits/networks.ts';
import { silent } from '../support/database.ts';
import { generous, handClock, keyCaller, keyLevels, tokenCaller } from './callers.ts';

function local(limits: Partial<LevelLimits>, clock = handClock()) {
  return { clock, limits: createLimits({ clock, log: silent, levels: keyLevels(limits) }) };
}

function now<T>(answer: T | Promise<T>): T {
  if (answer instanceof Promise) throw new Error('one node answers without a promise');
  return answer;
}

/** The obvious, slow way: a bucket that loses `perMinute` drops every single millisecond. */
function slowModel(perMinute: number, burst: number) {
  let drops = 0;
  return {
    tick() {
      drops = Math.max(0, drops - perMinute);
    },
    take(): boolean {
      if (drops + 60_000 > burst * 60_000) return false;
      drops += 60_000;
      return true;
    },
  };
}

test('decides as a slow, obvious model does, and no minute ever has more than limit + burst', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 12 })), { maxLength: 120 }),
      (requestsPerMinute, requestBurst, arrivals) => {
        const { limits, clock } = local({ requestsPerMinute, requestBurst });
        const model = slowModel(requestsPerMinute, requestBurst);
        const admitted: number[] = [];
        for (const [pause, requests] of arrivals) {
          for (let ms = 0; ms < pause; ms += 1) model.tick();
          clock.at += pause;
          for (let index = 0; index < requests; index += 1) {
            const answer = now(limits.admit(keyCaller(), 'unary'));
            expect(answer.ok).toBe(model.take());
            if (answer.ok) admitted.push(clock.at);
          }
        }
        for (const [index, start] of admitted.entries()) {
          const inWindow = admitted.slice(index).filter((time) => time < start + 60_000).length;
          expect(inWindow).toBeLessThanOrEqual(requestsPerMinute + requestBurst);
        }
      },
    ),
    { numRuns: 60, verbose: true },
  );
});

test('a refusal says truthfully when to retry: not a millisecond earlier, and then it works', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 20 }),
      (requestsPerMinute, requestBurst) => {
        const { limits, clock } = local({ requestsPerMinute, requestBurst });
        let answer = now(limits.admit(keyCaller(), 'unary'));
        while (answer.ok) answer = now(limits.admit(keyCaller(), 'unary'));
        if (answer.failure.kind !== 'rate_limited') throw new Error(answer.failure.kind);
        clock.at += answer.failure.retryAfterMs - 1;
        if (answer.failure.retryAfterMs > 1) expect(now(limits.admit(keyCaller(), 'unary')).ok).toBe(false);
        clock.at += 1;
        expect(now(limits.admit(keyCaller(), 'unary')).ok).toBe(true);
      },
    ),
  );
});

test('a refusal at one level counts at none', () => {
  const clock = handClock();
  const tight = { ...generous, requestsPerMinute: 60, requestBurst: 3 };
  const limits = createLimits({ clock, log: silent, levels: { account: tight, key: generous, token: generous } });
  const answers = [1, 2, 3, 4, 5].map((index) => now(limits.admit(keyCaller(`key_${index}`), 'unary')).ok);
  expect(answers).toEqual([true, true, true, false, false]);
  // Time for one more of the account: had the refused ones counted, there would be none.
  clock.at += 1_000;
  expect(now(limits.admit(keyCaller('key_4'), 'unary')).ok).toBe(true);
});

test('one end user cannot use up what the key leaves to the others', () => {
  const clock = handClock();
  const tight = { ...generous, requestsPerMinute: 60, requestBurst: 2 };
  const limits = createLimits({ clock, log: silent, levels: { account: generous, key: generous, token: tight } });
  const ask = (subject: string) => now(limits.admit(tokenCaller(subject), 'unary'));
  expect([ask('ann').ok, ask('ann').ok, ask('ann').ok, ask('bob').ok]).toEqual([true, true, false, true]);
  expect(ask('ann')).toMatchObject({ failure: { kind: 'rate_limited', limit: 'requests per minute of the token' } });
});

test('a key with limits of its own has those', () => {
  const { limits } = local({ requestsPerMinute: 60_000 });
  const own = { requestsPerMinute: 6 };
  expect(now(limits.admit(keyCaller('key_own', 'acc_1', own), 'unary')).ok).toBe(true);
  expect(now(limits.admit(keyCaller('key_own', 'acc_1', own), 'unary'))).toMatchObject({
    failure: { retryAfterMs: 10_000 },
  });
  expect(now(limits.admit(keyCaller('key_other'), 'unary')).ok).toBe(true);
});

test('places of requests and of streams are given back once, however often they are released', () => {
  const { limits } = local({ concurrent: 3, streams: 1 });
  const taken = (kind: 'unary' | 'stream') => now(limits.admit(keyCaller(), kind));
  const stream = admitted(taken('stream'));
  expect(taken('stream')).toMatchObject({ failure: { limit: 'concurrent streams of the key' } });
  const first = admitted(taken('unary'));
  admitted(taken('unary'));
  expect(taken('unary')).toMatchObject({ failure: { limit: 'concurrent requests of the key' } });
  first.release();
  first.release();
  admitted(taken('unary'));
  expect(taken('unary').ok).toBe(false);
  stream.release();
  admitted(taken('stream'));
});

test('tokens are set aside before and settled to what was used; more than was set aside is owed', () => {
  const { limits, clock } = local({ tokensPerMinute: 600 });
  const reserve = (tokens: number) => now(limits.reserveTokens(keyCaller(), tokens));
  const first = reserve(500);
  expect(reserve(200)).toMatchObject({ ok: false, failure: { limit: 'tokens per minute of the key' } });
  if (first.ok) first.value.settle(100);
  const second = reserve(400);
  expect(second.ok).toBe(true);
  if (second.ok) {
    second.value.settle(1_100);
    second.value.settle(0);
  }
  // 1,200 of 600 are used: no request enters until half of it has drained.
  expect(now(limits.admit(keyCaller(), 'unary'))).toMatchObject({
    ok: false,
    failure: { limit: 'tokens per minute of the key', retryAfterMs: 60_000 },
  });
  clock.at += 60_000;
  expect(now(limits.admit(keyCaller(), 'unary')).ok).toBe(true);
  clock.at += 60_000;
  // More than a minute's limit at once waits for an unused minute, then enters.
  expect(reserve(5_000).ok).toBe(true);
});

test('replies can state the strictest limit', () => {
  const { limits, clock } = local({ requestsPerMinute: 60, requestBurst: 5, tokensPerMinute: 100 });
  clock.at += 5;
  const { requests, tokens } = admitted(now(limits.admit(keyCaller(), 'unary')));
  expect(requests).toEqual({ limit: 5, windowMs: 5_000, remaining: 4, resetMs: 1_000 });
  expect(tokens).toEqual({ limit: 100, windowMs: 60_000, remaining: 100, resetMs: 0 });
});

test('operators are not limited', () => {
  const { limits } = local({ requestsPerMinute: 1 });
  const operator = { credential: 'operator' as const, name: 'operator:o', scopes: new Set<string>() };
  for (let index = 0; index < 50; index += 1) expect(now(limits.admit(operator, 'unary')).ok).toBe(true);
});

test('memory is bounded, idle owners make room, and a crowd of busy ones is limited more, never less', () => {
  const clock = handClock();
  const levels = keyLevels({ requestsPerMinute: 60, requestBurst: 1 });
  const limits = createLimits({ clock, log: silent, levels: { ...levels, account: generous }, ownersMax: 200 });
  const ask = (index: number) => now(limits.admit(keyCaller(`key_${index}`, `acc_${index}`), 'unary'));
  const entered = Array.from({ length: 5_000 }, (_, index) => ask(index)).filter(({ ok }) => ok).length;
  expect(entered).toBeLessThanOrEqual(201);
  expect(ask(0).ok).toBe(false);
});

test('a crowd drains at the rate of the strictest in it, whoever asks last, and is forgotten once it is empty', () => {
  const clock = handClock();
  const limits = createLimits({ clock, log: silent, levels: keyLevels({}), ownersMax: 2 });
  const ask = (index: number, own: { requestsPerMinute?: number }) =>
    now(limits.admit(keyCaller(`key_${index}`, `acc_${index}`, own), 'unary'));
  // Their account and key fill the table as long as the request is in flight.
  admitted(ask(0, {}));
  const slow = { requestsPerMinute: 6 };
  admitted(ask(1, slow)).release();
  clock.at += 9_999;
  expect(ask(1, slow).ok).toBe(false);
  expect(ask(2, {}).ok).toBe(true);
  clock.at += 60_000;
  expect(ask(1, slow).ok).toBe(true);
});

test('an address may show only so many credentials that do not hold, and an IPv6 network counts as one', () => {
  const clock = handClock();
  const limits = createLimits({
    clock,
    log: silent,
    levels: keyLevels({}),
    anonymous: { requestsPerMinute: 60, refusedPerMinute: 60 },
  });
  let refused = 0;
  while (limits.anonymous.countRefused('2001:db8::1').ok) refused += 1;
  expect(refused).toBe(10);
  expect(limits.anonymous.mayTry('2001:db8::ffff:2')).toMatchObject({ ok: false, failure: { kind: 'rate_limited' } });
  expect(limits.anonymous.mayTry('2001:db8:0:1::1').ok).toBe(true);
  expect(limits.anonymous.mayTry('192.0.2.1').ok).toBe(true);
  clock.at += 1_000;
  expect(limits.anonymous.mayTry('2001:db8::1').ok).toBe(true);
  expect(
    Array.from({ length: 30 }, () => limits.anonymous.enter('192.0.2.1', undefined).ok).filter(Boolean),
  ).toHaveLength(10);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:0DB8::1', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('%s counts as %s', (address, counted) => {
  expect(addressOf(address)).toBe(counted);
});

function admitted(answer: Result<Admission>): Admission {
  if (!answer.ok) throw new Error(answer.failure.kind);
  return answer.value;
}

test('items of batches count as requests, and give way to calls', () => {
  const { limits, clock } = local({ requestsPerMinute: 600, requestBurst: 10 });
  const item = () => now(limits.admitItem(keyCaller()));
  for (let count = 0; count < 5; count++) expect(item().ok).toBe(true);
  expect(item()).toMatchObject({
    ok: false,
    failure: { kind: 'rate_limited', limit: 'requests per minute of the key', retryAfterMs: 100 },
  });
  // However many items ask, five calls may come at once; then those are too many as well.
  for (let count = 0; count < 5; count++) expect(now(limits.admit(keyCaller(), 'unary')).ok).toBe(true);
  expect(now(limits.admit(keyCaller(), 'unary')).ok).toBe(false);
  clock.at += 500;
  expect(item().ok).toBe(false);
  clock.at += 100;
  expect(item().ok).toBe(true);
  expect(item().ok).toBe(false);
  // An account's whole traffic is in one count, whichever of its keys sends.
  expect(now(limits.admitItem(keyCaller('key_2'))).ok).toBe(true);
});

test('what is in force says each limit of each owner, what is used of it, and when it is free again', async () => {
  const { limits, clock } = local({
    requestsPerMinute: 60,
    requestBurst: 4,
    tokensPerMinute: 1_000,
    concurrent: 3,
    streams: 2,
  });
  const caller = keyCaller('key_1', 'acc_1', { concurrent: 2 });
  const ofKey = async () => (await limits.inForce(caller)).limits.filter(({ level }) => level === 'key');
  const unused = await ofKey();
  expect(unused).toEqual([
    { level: 'key', name: 'requests', most: 60, burst: 4, used: 0, resetMs: 0 },
    { level: 'key', name: 'tokens', most: 1_000, burst: 1_000, used: 0, resetMs: 0 },
    { level: 'key', name: 'concurrent-requests', most: 2, burst: 2, used: 0 },
    { level: 'key', name: 'concurrent-streams', most: 2, burst: 2, used: 0 },
  ]);
  const one = now(limits.admit(caller, 'stream'));
  now(limits.admit(caller, 'unary'));
  const reserved = now(limits.reserveTokens(caller, 500));
  if (!one.ok || !reserved.ok) throw new Error('there is room');
  const used = async () => (await ofKey()).map((limit) => limit.used);
  expect(await used()).toEqual([2, 500, 2, 1]);
  expect((await ofKey()).map(({ resetMs }) => resetMs)).toEqual([2_000, 30_000, undefined, undefined]);
  // Asked as often as one likes, it counts nothing.
  expect(await used()).toEqual([2, 500, 2, 1]);
  one.value.release();
  reserved.value.settle(100);
  clock.at += 500;
  expect(await used()).toEqual([2, 92, 1, 0]);
  clock.at += 1_500;
  expect(await used()).toEqual([0, 67, 1, 0]);
  expect((await limits.inForce(tokenCaller('u'))).limits.map(({ level, name }) => `${level} ${name}`)).toEqual(
    ['account', 'key', 'token'].flatMap((level) =>
      ['requests', 'tokens', 'concurrent-requests', 'concurrent-streams'].map((name) => `${level} ${name}`),
    ),
  );
});
