import { expect, test, vi } from 'vitest';
import { type Caller, nobody } from '../../src/base/caller.ts';
import { fail, type Result, succeed } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createRevocations } from '../../src/edge/revocations.ts';

function watching() {
  const ends = new Map<string, Set<() => void>>();
  let revoke: (id: string | undefined) => void = () => {};
  const revoked = new Set<string>();
  const asked: (readonly string[])[] = [];
  let faults = 0;
  let accountChanged: (id: string | undefined) => void = () => {};
  const standings = new Map<string, Result<void>[]>();
  const revocations = createRevocations({
    onRevoked: (listener) => {
      revoke = listener;
    },
    revokedAmong: async (ids) => {
      asked.push(ids);
      if (faults-- > 0) throw new Error('the database is away');
      return ids.filter((id) => revoked.has(id));
    },
    onAccountChange: (listener) => {
      accountChanged = listener;
    },
    standing: async (id) => standings.get(id)?.shift() ?? succeed(undefined),
    watchSession: (id, onEnd) => {
      const told = ends.get(id) ?? new Set();
      ends.set(id, told.add(onEnd));
      return () => void told.delete(onEnd);
    },
  });
  const end = (id: string) => {
    for (const onEnd of ends.get(id) ?? []) onEnd();
  };
  return {
    ...{ revocations, end, standings, revoked, asked, revoke: (id: string | undefined) => revoke(id) },
    fail: (times: number) => {
      faults = times;
    },
    accountChanged: (id: string | undefined) => accountChanged(id),
    waiting: (id: string) => ends.get(id)?.size ?? 0,
  };
}

const token = { id: 'tok_1', subject: 'u' };
const callers: [string, Caller, string][] = [
  ['a cookie', { ...nobody, session: { id: 'ses_1', confirmTime: 0 } }, 'ses_1'],
  ['a token that a session made', { ...nobody, token: { ...token, sessionId: 'ses_2' } }, 'ses_2'],
];

test.each(callers)('a stream by %s ends with its session, and no other does', (_name, caller, session) => {
  const { revocations, end, waiting } = watching();
  const [stream, other] = [new AbortController(), new AbortController()];
  const stop = revocations.watch(caller, stream);
  revocations.watch({ ...nobody, token }, other);
  end('ses_3');
  expect(stream.signal.aborted).toBe(false);
  end(session);
  expect(stream.signal.reason).toMatchObject({ failure: { kind: 'session_ended' } });
  expect(other.signal.aborted).toBe(false);
  stop();
  expect(waiting(session)).toBe(0);
});

test('what is revoked says so, and what has ended is not watched any more', () => {
  const { revocations, revoke } = watching();
  const [stream, over] = [new AbortController(), new AbortController()];
  revocations.watch({ ...nobody, token }, stream);
  revocations.watch({ ...nobody, token }, over)();
  revoke('tok_1');
  expect(stream.signal.reason).toMatchObject({ failure: { kind: 'key_revoked' } });
  expect(over.signal.aborted).toBe(false);
});

test('when anything may have changed, all that is watched is looked up, until the database answers, and what is revoked ends', async () => {
  vi.useFakeTimers();
  try {
    const { revocations, revoke, revoked, asked, fail } = watching();
    revoke(undefined);
    expect(asked).toEqual([]);
    const accountId = newId('acc');
    const watch = (caller: Partial<Caller>) => {
      const stream = new AbortController();
      revocations.watch({ ...nobody, accountId, ...caller }, stream);
      return stream.signal;
    };
    const key = { id: 'key_1', version: 1 };
    const streams = [watch({ key }), watch({ token: { ...token, deviceId: 'dev_1' } }), watch({ token })];
    revoked.add('key_1').add('dev_1');
    fail(2);
    revoke(undefined);
    revoke(undefined);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(streams.map(({ aborted }) => aborted)).toEqual([false, false, false]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(streams.map(({ aborted }) => aborted)).toEqual([true, true, false]);
    expect(streams[0]?.reason).toMatchObject({ failure: { kind: 'key_revoked' } });
    expect(asked).toEqual([1, 2, 3].map(() => ['key_1', 'tok_1', 'dev_1']));
    revoke(undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(4);
  } finally {
    vi.useRealTimers();
  }
});

const served = succeed(undefined);
const suspended = fail({ kind: 'account_suspended' });
const unknown = fail({ kind: 'overloaded', retryAfterMs: 1 });

test.each<[string, Result<void>[], boolean]>([
  ['suspended', [served, suspended], true],
  ['suspended, which can be read only later,', [served, unknown, suspended], true],
  ['suspended while the call was let in', [suspended], true],
  ['resumed', [served, served], false],
])('a stream of an account that is %s ends or goes on', async (_, standings, ends) => {
  vi.useFakeTimers();
  try {
    for (const named of [true, false]) {
      const watch = watching();
      const accountId = newId('acc');
      const [stream, other] = [new AbortController(), new AbortController()];
      watch.standings.set(accountId, [...standings]);
      watch.revocations.watch({ ...nobody, accountId }, stream);
      watch.revocations.watch({ ...nobody, accountId: newId('acc') }, other);
      await vi.advanceTimersByTimeAsync(0);
      watch.accountChanged(named ? accountId : undefined);
      await vi.advanceTimersByTimeAsync(2_000);
      expect([stream.signal.aborted, other.signal.aborted]).toEqual([ends, false]);
      if (ends) expect(stream.signal.reason).toMatchObject({ failure: { kind: 'account_suspended' } });
    }
  } finally {
    vi.useRealTimers();
  }
});
