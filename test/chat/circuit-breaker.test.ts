import { describe, expect, test } from 'vitest';
import { createCircuitBreaker } from '../../src/chat/index.ts';

type Outcome = 'server_error' | 'rate_limited' | 'caller_mistake' | 'misconfigured';
const measure = { firstTokenMs: 100, totalMs: 200, outputTokens: 10 };

function breakerAt() {
  const time = { ms: 0 };
  const clock = { now: () => time.ms, monotonic: () => time.ms };
  const breaker = createCircuitBreaker({ clock, random: () => 0 });
  const failOf = (account: string, outcome: Outcome, retryAfterMs?: number) =>
    breaker.begin('r', account).failed({ outcome, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  const succeedOf = (account: string) => breaker.begin('r', account).succeeded(measure);
  return {
    time,
    breaker,
    failOf,
    succeedOf,
    fail: (outcome: Outcome, retryAfterMs?: number) => failOf('a', outcome, retryAfterMs),
    succeed: () => succeedOf('a'),
    isOpenFor: (...accounts: string[]) => accounts.map((account) => !breaker.status('r', account).available),
  };
}

describe('the circuit breaker of a route, for one account', () => {
  test('closes it off after five failures in a row, and only then', () => {
    const { breaker, fail, succeed } = breakerAt();
    for (let index = 0; index < 4; index++) fail('server_error');
    succeed();
    for (let index = 0; index < 4; index++) fail('server_error');
    expect(breaker.status('r', 'a').available).toBe(true);
    fail('server_error');
    expect(breaker.status('r', 'a').available).toBe(false);
  });

  test('closes it off when more than half of the recent calls fail', () => {
    const { breaker, fail, succeed } = breakerAt();
    for (let index = 0; index < 20 && breaker.status('r', 'a').available; index++) {
      fail('server_error');
      fail('server_error');
      fail('server_error');
      succeed();
    }
    expect(breaker.status('r', 'a').available).toBe(false);
  });

  test('counts a call once, by the first that is said of its end', () => {
    const { breaker } = breakerAt();
    for (let index = 0; index < 4; index++) {
      const call = breaker.begin('r', 'a');
      call.failed({ outcome: 'server_error' });
      call.succeeded({ firstTokenMs: 1, totalMs: 1, outputTokens: 1 });
      call.failed({ outcome: 'server_error' });
      call.ended();
    }
    expect(breaker.status('r', 'a')).toMatchObject({ available: true, inFlight: 0 });
    expect(breaker.status('r', 'a').firstTokenMs).toBeUndefined();
    breaker.begin('r', 'a').failed({ outcome: 'server_error' });
    expect(breaker.status('r', 'a').available).toBe(false);
  });

  test('does not count what the caller did wrong', () => {
    const { breaker, fail } = breakerAt();
    for (let index = 0; index < 50; index++) fail('caller_mistake');
    expect(breaker.status('r', 'a').available).toBe(true);
  });

  test('waits as long as Retry-After says', () => {
    const { breaker, fail, time } = breakerAt();
    fail('rate_limited', 7_000);
    time.ms = 6_999;
    expect(breaker.status('r', 'a').available).toBe(false);
    time.ms = 7_000;
    expect(breaker.status('r', 'a').available).toBe(true);
  });

  test('lets one call probe, then two, then four, so that a route that recovers is not run over', () => {
    const { breaker, fail, time, succeed } = breakerAt();
    for (let index = 0; index < 5; index++) fail('server_error');
    time.ms = 2_000;
    const probe = breaker.begin('r', 'a');
    expect(breaker.status('r', 'a').available).toBe(false);
    probe.succeeded({ firstTokenMs: 1, totalMs: 1, outputTokens: 1 });
    const two = [breaker.begin('r', 'a'), breaker.begin('r', 'a')];
    expect(breaker.status('r', 'a').available).toBe(false);
    for (const call of two) call.ended();
    for (let index = 0; index < 6; index++) succeed();
    expect(breaker.circuits()).toEqual([]);
  });

  test('waits no longer because of calls that failed with the others', () => {
    const { breaker, time, fail } = breakerAt();
    const before = Array.from({ length: 16 }, () => breaker.begin('r', 'a'));
    for (let index = 0; index < 5; index++) fail('server_error');
    for (const call of before) call.failed({ outcome: 'server_error' });
    time.ms = 1_999;
    expect(breaker.status('r', 'a').available).toBe(false);
    time.ms = 2_000;
    expect(breaker.status('r', 'a').available).toBe(true);
  });

  test('waits twice as long each time that a probe fails, and a minute at most', () => {
    const { breaker, fail, time } = breakerAt();
    for (let index = 0; index < 5; index++) fail('server_error');
    const waits: number[] = [];
    for (let index = 0; index < 7; index++) {
      const from = time.ms;
      while (!breaker.status('r', 'a').available) time.ms += 100;
      waits.push(time.ms - from);
      fail('server_error');
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });
});

describe('the circuit breaker of a route, for many accounts', () => {
  test('opens for all after five failures in a row of several accounts', () => {
    const { breaker, failOf, isOpenFor } = breakerAt();
    for (const account of ['a', 'b', 'c', 'd']) failOf(account, 'server_error');
    expect(isOpenFor('a', 'e')).toEqual([false, false]);
    failOf('e', 'server_error');
    expect(isOpenFor('a', 'e', 'never seen')).toEqual([true, true, true]);
    expect(breaker.circuits()).toEqual([{ route: 'r', state: 'open', accounts: 0 }]);
  });

  test('goes by no call that began before it opened', () => {
    const { breaker, time, failOf } = breakerAt();
    const before = Array.from({ length: 20 }, (_, index) => breaker.begin('r', `acc_${index}`));
    for (const account of ['a', 'b', 'c', 'd', 'e']) failOf(account, 'server_error');
    // Sixteen that fail with the others make the wait no longer.
    for (const call of before.slice(0, 16)) call.failed({ outcome: 'server_error' });
    time.ms = 2_000;
    expect(breaker.status('r', 'a').available).toBe(false);
    for (const call of before.slice(16)) call.succeeded({ firstTokenMs: 1, totalMs: 1, outputTokens: 1 });
    expect(breaker.status('r', 'a')).toMatchObject({ available: true, inFlight: 0, firstTokenMs: 1 });
    breaker.begin('r', 'f');
    expect(breaker.status('r', 'a').available).toBe(false);
  });

  test.each(['server_error', 'rate_limited', 'misconfigured'] as const)(
    'opens for nobody else, however often one account fails with %s',
    (outcome) => {
      const { breaker, time, failOf, isOpenFor } = breakerAt();
      for (let index = 0; index < 100; index++) {
        failOf('a', outcome, 3_600_000);
        // Its own probes fail, too.
        if (index % 5 === 4) time.ms += 60_000;
      }
      failOf('a', outcome, 3_600_000);
      expect(isOpenFor('a', 'b')).toEqual([true, false]);
      expect(breaker.circuits()).toEqual([{ route: 'r', state: 'open_for_accounts', accounts: 1 }]);
    },
  );

  test('opens for nobody else if one account mixes failures with successes among those of others', () => {
    const { failOf, succeedOf, isOpenFor } = breakerAt();
    for (let index = 0; index < 500; index++) {
      for (let times = 0; times < 4; times++) failOf('a', 'server_error');
      succeedOf(index % 2 === 0 ? 'a' : 'b');
    }
    expect(isOpenFor('b')).toEqual([false]);
  });

  test('opens for all when a second account is told the same: that it is limited, or our key is wrong', () => {
    for (const outcome of ['rate_limited', 'misconfigured'] as const) {
      const { time, failOf, succeedOf, isOpenFor } = breakerAt();
      failOf('a', outcome, 7_000);
      // It answers others, so it is no fault of the route.
      succeedOf('b');
      failOf('b', outcome, 7_000);
      expect(isOpenFor('a', 'b', 'c')).toEqual([true, true, false]);
      failOf('c', outcome, 7_000);
      expect(isOpenFor('d')).toEqual([true]);
      time.ms += outcome === 'rate_limited' ? 6_999 : 59_999;
      expect(isOpenFor('d')).toEqual([true]);
      time.ms += 1;
      expect(isOpenFor('d')).toEqual([false]);
    }
  });

  test('an account whose probe fails keeps the route closed off for itself, and another may probe at once', () => {
    const { breaker, time, failOf, succeedOf, isOpenFor } = breakerAt();
    for (const account of ['a', 'b', 'c', 'd', 'e']) failOf(account, 'server_error');
    time.ms += 2_000;
    for (let index = 0; index < 5; index++) failOf('a', 'server_error');
    expect(isOpenFor('a', 'b')).toEqual([true, false]);
    succeedOf('b');
    for (let index = 0; index < 10; index++) succeedOf('c');
    expect(breaker.circuits()).toMatchObject([{ state: 'open_for_accounts' }]);
    // A route that is still down fails for a second one, and waits twice as long.
    const down = breakerAt();
    for (const account of ['a', 'b', 'c', 'd', 'e']) down.failOf(account, 'server_error');
    down.time.ms += 2_000;
    down.failOf('a', 'server_error');
    down.failOf('b', 'server_error');
    down.time.ms += 3_999;
    expect(down.isOpenFor('c')).toEqual([true]);
    down.time.ms += 1;
    expect(down.isOpenFor('c')).toEqual([false]);
  });

  test('follows a bounded number of accounts, and forgets the one that failed the longest ago', () => {
    const { breaker, time, failOf, succeedOf, isOpenFor } = breakerAt();
    const accounts = Array.from({ length: 1_001 }, (_, index) => `acc_${index}`);
    for (const account of accounts) {
      failOf(account, 'rate_limited', 3_600_000);
      succeedOf('steady');
    }
    expect(isOpenFor('acc_0', 'acc_1', 'acc_1000', 'steady')).toEqual([false, true, true, false]);
    expect(breaker.circuits()).toMatchObject([{ accounts: 1_000 }]);
    time.ms += 3_600_000;
    expect(breaker.circuits()).toEqual([]);
  });
});
