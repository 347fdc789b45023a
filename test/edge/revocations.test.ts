import { expect, test } from 'vitest';
import { type Caller, nobody } from '../../src/base/caller.ts';
import { createRevocations } from '../../src/edge/revocations.ts';

function watching() {
  const ends = new Map<string, Set<() => void>>();
  let revoke: (id: string) => void = () => {};
  const revocations = createRevocations(
    (listener) => {
      revoke = listener;
    },
    (id, onEnd) => {
      const told = ends.get(id) ?? new Set();
      ends.set(id, told.add(onEnd));
      return () => void told.delete(onEnd);
    },
  );
  const end = (id: string) => {
    for (const onEnd of ends.get(id) ?? []) onEnd();
  };
  return { revocations, revoke: (id: string) => revoke(id), end, waiting: (id: string) => ends.get(id)?.size ?? 0 };
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
