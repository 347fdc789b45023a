import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { fail, type Result, succeed } from '../../src/base/failure.ts';
import { createCircuitBreaker, type RouteStatus } from '../../src/chat/circuit-breaker.ts';
import { withRetries } from '../../src/chat/retries.ts';
import type { ChatEvent } from '../../src/chat/types.ts';
import type { UpstreamFailure } from '../../src/providers/index.ts';
import type { Hold } from '../../src/wallet/index.ts';
import {
  completion,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';
import { call, caller, chatHarness, type Harness, say, testModel } from './harness.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

type Outcome = { ok: true } | { ok: false; failure: UpstreamFailure };

/** One route on a clock that only waiting and trying move. */
function routeOf(
  outcomes: readonly (UpstreamFailure | 'ok')[],
  options: {
    retries: number;
    timeoutMs?: number;
    random?: () => number;
    tryMs?: number;
    status?: () => RouteStatus;
    onWait?: () => void;
  },
) {
  let now = 1_000;
  const waits: number[] = [];
  const tries: number[] = [];
  const left = new AbortController();
  const noted: UpstreamFailure[] = [];
  const run = () =>
    withRetries<Outcome>(
      {
        clock: { now: () => now, monotonic: () => now },
        breaker: { status: options.status ?? (() => ({ available: true, inFlight: 0 })) },
        random: options.random ?? (() => 0.5),
        sleep: async (ms) => {
          waits.push(ms);
          now += ms;
          options.onWait?.();
        },
      },
      {
        route: 'p/m',
        account: 'a',
        retries: options.retries,
        timeoutMs: options.timeoutMs ?? 60_000,
        leaving: left,
        onRetry: ({ failure }) => void noted.push(failure),
      },
      async (timeoutMs) => {
        tries.push(timeoutMs);
        now += options.tryMs ?? 0;
        const outcome = outcomes[tries.length - 1] ?? 'ok';
        return outcome === 'ok' ? { ok: true } : { ok: false, failure: outcome };
      },
    );
  return { run, waits, tries, noted, leave: () => left.abort(), advance: (ms: number) => (now += ms) };
}

const broken: UpstreamFailure = { outcome: 'server_error', status: 500 };

describe('a route', () => {
  test('is tried once unless the request asks for more', async () => {
    const route = routeOf([broken, 'ok'], { retries: 0 });
    expect(await route.run()).toMatchObject({ ok: false });
    expect(route.tries).toHaveLength(1);
  });

  test('is tried again as often as asked, and then its last failure is told', async () => {
    const route = routeOf([broken, broken, { outcome: 'connection_failed' }], { retries: 2 });
    expect(await route.run()).toEqual({ ok: false, failure: { outcome: 'connection_failed' } });
    expect(route.tries).toHaveLength(3);
    expect(route.noted).toEqual([broken, broken]);
  });

  test.each<[UpstreamFailure['outcome'], number]>([
    ['rate_limited', 2],
    ['server_error', 2],
    ['connection_failed', 2],
    ['timeout', 2],
    ['caller_mistake', 1],
    ['rejected', 1],
    ['misconfigured', 1],
    ['invalid_reply', 1],
    ['cancelled', 1],
  ])('that failed with %s is tried %i times', async (outcome, tries) => {
    const route = routeOf([{ outcome }, 'ok'], { retries: 3 });
    await route.run();
    expect(route.tries).toHaveLength(tries);
  });

  test('is given twice the wait each time, drawn from the whole of it', async () => {
    const route = routeOf([broken, broken, broken, broken], { retries: 3, random: () => 0.999 });
    await route.run();
    expect(route.waits.map(Math.round)).toEqual([500, 999, 1998]);
    const eager = routeOf([broken, broken], { retries: 1, random: () => 0 });
    await eager.run();
    expect(eager.waits).toEqual([0]);
  });

  test('is given at least the wait that it asks for', async () => {
    const route = routeOf([{ outcome: 'rate_limited', retryAfterMs: 3_000 }, 'ok'], { retries: 1 });
    expect(await route.run()).toEqual({ ok: true });
    expect(route.waits[0]).toBeGreaterThanOrEqual(3_000);
  });

  test('that asks for more time than is left, or than a minute, is left to the next one at once', async () => {
    const late = routeOf([{ outcome: 'rate_limited', retryAfterMs: 9_900 }], { retries: 3, timeoutMs: 10_000 });
    await late.run();
    expect(late.waits).toEqual([]);
    const long = routeOf([{ outcome: 'rate_limited', retryAfterMs: 61_000 }], { retries: 3, timeoutMs: 600_000 });
    await long.run();
    expect(long.waits).toEqual([]);
  });

  test('has one deadline for all tries and waits: each try is given what is left', async () => {
    const route = routeOf([broken, broken, 'ok'], { retries: 3, timeoutMs: 10_000, tryMs: 1_000 });
    await route.run();
    expect(route.tries).toEqual([10_000, 10_000 - 1_000 - 250, 10_000 - 2_000 - 250 - 500]);
    const slow = routeOf([{ outcome: 'timeout' }, 'ok'], { retries: 3, timeoutMs: 10_000, tryMs: 10_000 });
    await slow.run();
    expect(slow.tries).toHaveLength(1);
  });

  test('is not called while its circuit is open, and is waited for until it may be probed', async () => {
    let clock = 0;
    const breaker = createCircuitBreaker({ clock: { now: () => clock, monotonic: () => clock }, random: () => 1 });
    const called: boolean[] = [];
    await withRetries<Outcome>(
      {
        clock: { now: () => clock, monotonic: () => clock },
        breaker,
        random: () => 0,
        sleep: async (ms) => {
          clock += ms;
        },
      },
      { route: 'p/m', account: 'a', retries: 2, timeoutMs: 60_000, leaving: new AbortController(), onRetry: () => {} },
      async () => {
        called.push(breaker.status('p/m', 'a').available);
        const under = breaker.begin('p/m', 'a');
        const failure: UpstreamFailure = { outcome: 'rate_limited', retryAfterMs: 1_000 };
        under.failed(failure);
        return { ok: false, failure };
      },
    );
    expect(called).toEqual([true, true, true]);
    // Retry-After and its fifth: the circuit's own jitter.
    expect(clock).toBeGreaterThanOrEqual(2_400);
  });

  test('that somebody else probes is waited for, not run over', async () => {
    const route = routeOf([broken, 'ok'], { retries: 3, status: () => ({ available: false, inFlight: 1 }) });
    expect(await route.run()).toMatchObject({ ok: false });
    expect(route.tries).toHaveLength(1);
    expect(route.waits).toHaveLength(3);
  });

  test('is not tried again once the caller has left, before or during the wait', async () => {
    const route = routeOf([broken, 'ok'], { retries: 3 });
    route.leave();
    await route.run();
    expect(route.tries).toHaveLength(1);
    expect(route.waits).toHaveLength(0);
    const waiting = routeOf([broken, 'ok'], { retries: 3, onWait: () => waiting.leave() });
    await waiting.run();
    expect(waiting.tries).toHaveLength(1);
    expect(waiting.waits).toHaveLength(1);
  });

  test('whatever fails: never more tries than asked for, and never a wait beyond the deadline', async () => {
    const failures = fc.constantFrom<UpstreamFailure>(
      broken,
      { outcome: 'connection_failed' },
      { outcome: 'rate_limited', retryAfterMs: 700 },
      { outcome: 'timeout' },
      { outcome: 'rejected' },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(failures, { maxLength: 6 }),
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 0, max: 1_500 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        async (outcomes, retries, timeoutMs, tryMs, random) => {
          const route = routeOf(outcomes, { retries, timeoutMs, tryMs, random: () => random });
          await route.run();
          expect(route.tries.length).toBeLessThanOrEqual(retries + 1);
          expect(route.noted).toHaveLength(route.tries.length - 1);
          expect(route.tries.every((ms) => ms > 0)).toBe(true);
        },
      ),
    );
  });
});

async function withUpstreams(
  replies: readonly UpstreamReply[],
  more: Parameters<typeof chatHarness>[0] = {},
): Promise<{ harness: Harness; upstreams: Upstream[] }> {
  const upstreams = await Promise.all(replies.map((reply) => startUpstream(reply)));
  open.push(...upstreams);
  const harness = await chatHarness({
    providers: upstreams.map(({ url }, index) => ({
      id: `p${index}`,
      kind: 'openai-compatible' as const,
      baseUrl: `${url}/v1`,
    })),
    models: upstreams.map((_, index) =>
      testModel(`p${index}`, `m${index}`, {
        price: { inputPerMillionUsd: `${index + 1}`, outputPerMillionUsd: `${2 * (index + 1)}` },
      }),
    ),
    ...more,
  });
  open.push(harness);
  return { harness, upstreams };
}

/** The first replies one after the other, and then the last for ever. */
function inTurn(upstream: Upstream | undefined, replies: readonly UpstreamReply[]): void {
  let turn = 0;
  upstream?.answer(() => replies[Math.min(turn++, replies.length - 1)] ?? {});
}

const twice = { routing: { mode: 'economy' as const, maxRetries: 2 } };
const faults: [string, UpstreamReply, string][] = [
  ['500', { status: 500, body: 'oops' }, 'server_error'],
  ['429 with a short Retry-After', { status: 429, headers: { 'retry-after-ms': '40' }, body: {} }, 'rate_limited'],
  ['a broken connection', { ending: 'reset' }, 'connection_failed'],
];

describe('a chat request with retries', () => {
  test.each(faults)(
    'is answered by the same model after %s, and pays for the answer alone',
    async (_, fault, outcome) => {
      const { harness, upstreams } = await withUpstreams([{}, { body: completion('Other.') }]);
      inTurn(upstreams[0], [fault, fault, { body: completion('Third time.') }]);
      const result = await harness.chat.run(caller, say('Hi', twice), call());
      expect(result).toMatchObject({
        ok: true,
        value: {
          provider: 'p0',
          message: { content: 'Third time.' },
          usage: { cost: 20_000n },
          routing: {
            attempts: [
              { provider: 'p0', outcome },
              { provider: 'p0', outcome },
              { provider: 'p0', outcome: 'ok' },
            ],
          },
        },
      });
      expect(upstreams[1]?.seen).toHaveLength(0);
      expect(harness.ledger.settlements).toHaveLength(1);
      expect(harness.ledger.held).toBe(0n);
    },
  );

  test.each(faults)('streamed: the same after %s', async (_, fault, outcome) => {
    const { harness, upstreams } = await withUpstreams([{}, { pieces: streamedCompletion(['Other.']) }]);
    inTurn(upstreams[0], [fault, fault, { pieces: streamedCompletion(['Third ', 'time.']) }]);
    const opened = await harness.chat.stream(caller, say('Hi', twice), call());
    const events: ChatEvent[] = [];
    if (opened.ok) for await (const event of opened.value) events.push(event);
    expect(events.at(-1)).toMatchObject({
      reply: {
        message: { content: 'Third time.' },
        routing: { attempts: [{ provider: 'p0', outcome }, { provider: 'p0', outcome }, { outcome: 'ok' }] },
      },
    });
    expect(upstreams[1]?.seen).toHaveLength(0);
    expect(harness.ledger.settlements).toHaveLength(1);
  });

  test('goes to the next model when its tries are used up, which is tried as often', async () => {
    const { harness, upstreams } = await withUpstreams([{ status: 500 }, {}]);
    inTurn(upstreams[1], [{ status: 503 }, { body: completion('Second.') }]);
    const result = await harness.chat.run(caller, say('Hi', twice), call());
    expect(result).toMatchObject({
      ok: true,
      value: {
        routing: {
          attempts: [
            { provider: 'p0' },
            { provider: 'p0' },
            { provider: 'p0' },
            { provider: 'p1', outcome: 'server_error' },
            { provider: 'p1', outcome: 'ok' },
          ],
        },
      },
    });
    expect(upstreams[0]?.seen).toHaveLength(3);
  });

  test('that all fails costs nothing, says every try, and counts each against the circuit', async () => {
    const { harness, upstreams } = await withUpstreams([{ status: 500 }]);
    const failing = { routing: { maxRetries: 3 } };
    const result = await harness.chat.run(caller, say('Hi', failing), call());
    expect(result).toMatchObject({ ok: false, failure: { kind: 'upstream_failed', attempts: { length: 4 } } });
    expect(harness.ledger).toMatchObject({ balance: 5_000_000_000n, held: 0n, settlements: [] });
    // The fifth failure in a row opens the circuit, and no sixth call is made before it may be probed.
    await harness.chat.run(caller, say('Hi'), call());
    expect(upstreams[0]?.seen).toHaveLength(5);
    const paused = await harness.chat.run(caller, say('Hi'), call());
    expect(paused).toMatchObject({ failure: { kind: 'upstream_failed', attempts: [{ outcome: 'skipped' }] } });
    const wait = paused.ok || paused.failure.kind !== 'upstream_failed' ? 0 : paused.failure.retryAfterMs;
    expect(wait).toBeGreaterThanOrEqual(1_000);
    expect(wait).toBeLessThanOrEqual(2_400);
    expect(upstreams[0]?.seen).toHaveLength(5);
  });

  test('is not repeated after its first token', async () => {
    const { harness, upstreams } = await withUpstreams([
      { pieces: streamedCompletion(['Half']).slice(0, 2), pauseMs: 10, ending: 'reset' },
    ]);
    const opened = await harness.chat.stream(caller, say('Hi', twice), call());
    expect(opened.ok).toBe(true);
    const drain = async () => {
      if (opened.ok) for await (const _ of opened.value);
    };
    await expect(drain()).rejects.toThrow();
    expect(upstreams[0]?.seen).toHaveLength(1);
  });

  // Two tries and a wait far beyond the time that these tests have.
  const waiting: UpstreamReply = { status: 503, headers: { 'retry-after': '59' }, body: 'later' };
  const waits = { deadlineMs: 300_000 };

  test('streamed, and left during the wait before a retry, ends without it and costs nothing', {
    timeout: 45_000,
  }, async () => {
    const { harness, upstreams } = await withUpstreams([waiting], waits);
    const gone = new AbortController();
    const opening = harness.chat.stream(caller, say('Hi', twice), { signal: gone.signal });
    await expect.poll(() => upstreams[0]?.seen.length).toBe(1);
    setTimeout(() => gone.abort(), 100);
    expect(await opening).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
    await harness.chat.drained();
    expect(upstreams[0]?.seen).toHaveLength(1);
    expect(harness.ledger).toMatchObject({ balance: 5_000_000_000n, held: 0n, settlements: [] });
  });

  test('is told that its hold is refused before its wait is over', { timeout: 45_000 }, async () => {
    const { harness, upstreams } = await withUpstreams([waiting], waits);
    const hold = harness.ledger.hold.bind(harness.ledger);
    harness.ledger.hold = async (asked) => {
      const held = await hold(asked);
      if (!held.ok || held.value.kind !== 'held') return held;
      const pending = expect
        .poll(() => upstreams[0]?.seen.length)
        .toBe(1)
        .then(() => sleep(100))
        .then((): Result<Hold> => fail({ kind: 'key_revoked' }));
      return succeed({ kind: 'held', hold: { ...held.value.hold, pending } });
    };
    expect(await harness.chat.run(caller, say('Hi', twice), call())).toMatchObject({
      failure: { kind: 'key_revoked' },
    });
    expect(upstreams[0]?.seen).toHaveLength(1);
  });

  test('waits as the service is told to wait', async () => {
    const waits: number[] = [];
    const { harness, upstreams } = await withUpstreams([{}], {
      sleep: async (ms) => void waits.push(ms),
      deadlineMs: 30_000,
    });
    inTurn(upstreams[0], [{ status: 503, headers: { 'retry-after': '7' } }, { body: completion('Then.') }]);
    expect(await harness.chat.run(caller, say('Hi', twice), call())).toMatchObject({ ok: true });
    expect(waits).toEqual([7_000]);
  });
});
