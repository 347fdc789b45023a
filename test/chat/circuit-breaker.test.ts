import { describe, expect, test } from 'vitest';
import { createCircuitBreaker } from '../../src/chat/index.ts';

function breakerAt() {
  const time = { ms: 0 };
  const clock = { now: () => time.ms, monotonic: () => time.ms };
  const breaker = createCircuitBreaker({ clock, random: () => 0 });
  return {
    time,
    breaker,
    fail: (outcome: 'server_error' | 'rate_limited' | 'caller_mistake' | 'misconfigured', retryAfterMs?: number) =>
      breaker.begin('r').failed({ outcome, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }),
    succeed: () => breaker.begin('r').succeeded({ firstTokenMs: 100, totalMs: 200, outputTokens: 10 }),
  };
}

describe('the circuit breaker of a route', () => {
  test('closes it off after five failures in a row, and only then', () => {
    const { breaker, fail, succeed } = breakerAt();
    for (let index = 0; index < 4; index++) fail('server_error');
    succeed();
    for (let index = 0; index < 4; index++) fail('server_error');
    expect(breaker.status('r').available).toBe(true);
    fail('server_error');
    expect(breaker.status('r').available).toBe(false);
  });

  test('closes it off when more than half of the recent calls fail', () => {
    const { breaker, fail, succeed } = breakerAt();
    for (let index = 0; index < 20 && breaker.status('r').available; index++) {
      fail('server_error');
      fail('server_error');
      fail('server_error');
      succeed();
    }
    expect(breaker.status('r').available).toBe(false);
  });

  test('counts a call once, by the first that is said of its end', () => {
    const { breaker } = breakerAt();
    for (let index = 0; index < 4; index++) {
      const call = breaker.begin('r');
      call.failed({ outcome: 'server_error' });
      call.succeeded({ firstTokenMs: 1, totalMs: 1, outputTokens: 1 });
      call.failed({ outcome: 'server_error' });
      call.ended();
    }
    expect(breaker.status('r')).toMatchObject({ available: true, inFlight: 0 });
    expect(breaker.status('r').firstTokenMs).toBeUndefined();
    breaker.begin('r').failed({ outcome: 'server_error' });
    expect(breaker.status('r').available).toBe(false);
  });

  test('does not count what the caller did wrong', () => {
    const { breaker, fail } = breakerAt();
    for (let index = 0; index < 50; index++) fail('caller_mistake');
    expect(breaker.status('r').available).toBe(true);
  });

  test('waits as long as Retry-After says', () => {
    const { breaker, fail, time } = breakerAt();
    fail('rate_limited', 7_000);
    time.ms = 6_999;
    expect(breaker.status('r').available).toBe(false);
    time.ms = 7_000;
    expect(breaker.status('r').available).toBe(true);
  });

  test('lets one call probe, then two, then four, so that a route that recovers is not run over', () => {
    const { breaker, fail, time, succeed } = breakerAt();
    for (let index = 0; index < 5; index++) fail('server_error');
    time.ms = 2_000;
    const probe = breaker.begin('r');
    expect(breaker.status('r').available).toBe(false);
    probe.succeeded({ firstTokenMs: 1, totalMs: 1, outputTokens: 1 });
    const two = [breaker.begin('r'), breaker.begin('r')];
    expect(breaker.status('r').available).toBe(false);
    for (const call of two) call.ended();
    for (let index = 0; index < 6; index++) succeed();
    expect(breaker.circuits()).toEqual([]);
  });

  test('goes by no call that began before it opened', () => {
    const { breaker, time, fail } = breakerAt();
    const before = Array.from({ length: 20 }, () => breaker.begin('r'));
    for (let index = 0; index < 5; index++) fail('server_error');
    // Sixteen that fail with the others make the wait no longer.
    for (const call of before.slice(0, 16)) call.failed({ outcome: 'server_error' });
    time.ms = 2_000;
    expect(breaker.status('r').available).toBe(false);
    for (const call of before.slice(16)) call.succeeded({ firstTokenMs: 1, totalMs: 1, outputTokens: 1 });
    expect(breaker.status('r')).toMatchObject({ available: true, inFlight: 0, firstTokenMs: 1 });
    breaker.begin('r');
    expect(breaker.status('r').available).toBe(false);
  });

  test('waits twice as long each time that a probe fails, and a minute at most', () => {
    const { breaker, fail, time } = breakerAt();
    for (let index = 0; index < 5; index++) fail('server_error');
    const waits: number[] = [];
    for (let index = 0; index < 7; index++) {
      const from = time.ms;
      while (!breaker.status('r').available) time.ms += 100;
      waits.push(time.ms - from);
      fail('server_error');
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });
});
