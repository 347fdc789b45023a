import { describe, expect, test } from 'vitest';
import { createHealth } from '../../src/chat/index.ts';

function healthAt() {
  const time = { ms: 0 };
  const clock = { now: () => time.ms, monotonic: () => time.ms };
  const health = createHealth({ clock, random: () => 0 });
  return {
    time,
    health,
    fail: (outcome: 'server_error' | 'rate_limited' | 'caller_mistake' | 'misconfigured', retryAfterMs?: number) =>
      health.begin('r').failed({ outcome, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }),
    succeed: () => health.begin('r').succeeded({ firstTokenMs: 100, totalMs: 200, outputTokens: 10 }),
  };
}

describe('the health of a route', () => {
  test('closes it off after five failures in a row, and only then', () => {
    const { health, fail, succeed } = healthAt();
    for (let index = 0; index < 4; index++) fail('server_error');
    succeed();
    for (let index = 0; index < 4; index++) fail('server_error');
    expect(health.of('r').available).toBe(true);
    fail('server_error');
    expect(health.of('r').available).toBe(false);
  });

  test('closes it off when more than half of the recent calls fail', () => {
    const { health, fail, succeed } = healthAt();
    for (let index = 0; index < 20 && health.of('r').available; index++) {
      fail('server_error');
      fail('server_error');
      fail('server_error');
      succeed();
    }
    expect(health.of('r').available).toBe(false);
  });

  test('does not count what the caller did wrong', () => {
    const { health, fail } = healthAt();
    for (let index = 0; index < 50; index++) fail('caller_mistake');
    expect(health.of('r').available).toBe(true);
  });

  test('waits as long as Retry-After says', () => {
    const { health, fail, time } = healthAt();
    fail('rate_limited', 7_000);
    time.ms = 6_999;
    expect(health.of('r').available).toBe(false);
    time.ms = 7_000;
    expect(health.of('r').available).toBe(true);
  });

  test('lets one call probe, then two, then four, so that a route that recovers is not run over', () => {
    const { health, fail, time, succeed } = healthAt();
    for (let index = 0; index < 5; index++) fail('server_error');
    time.ms = 2_000;
    const probe = health.begin('r');
    expect(health.of('r').available).toBe(false);
    probe.succeeded({ firstTokenMs: 1, totalMs: 1, outputTokens: 1 });
    const two = [health.begin('r'), health.begin('r')];
    expect(health.of('r').available).toBe(false);
    for (const call of two) call.ended();
    for (let index = 0; index < 6; index++) succeed();
    expect(health.circuits()).toEqual([]);
  });

  test('waits twice as long each time that a probe fails, and a minute at most', () => {
    const { health, fail, time } = healthAt();
    for (let index = 0; index < 5; index++) fail('server_error');
    const waits: number[] = [];
    for (let index = 0; index < 7; index++) {
      const from = time.ms;
      while (!health.of('r').available) time.ms += 100;
      waits.push(time.ms - from);
      fail('server_error');
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });
});
