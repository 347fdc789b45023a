import type { Caller } from '../base/caller.ts';
import { type Failure, FailureError, type Result } from '../base/failure.ts';
import { isId } from '../base/ids.ts';

/** Ends work in flight when its credential is revoked, its console session is over, or its account is suspended. */
export interface Revocations {
  /**
   * Aborts `controller` when the caller's key, token or device is revoked, when its account is suspended, or when its own session
   * or the one that its token was created in ends. The reason is the failure that the caller receives. Returns a function that
   * stops watching.
   */
  watch(caller: Caller, controller: AbortController): () => void;
}

/** Reports once when a console session is over. Returns a function that stops watching. */
export type WatchSession = (sessionId: string, onEnd: () => void) => () => void;

export interface RevocationSources {
  /** Reports the ids of keys, tokens and devices revoked on any node; undefined: any may have been. */
  onRevoked(listener: (credentialId: string | undefined) => void): void;
  /** Which of these keys, tokens and devices are revoked. */
  revokedAmong(ids: readonly string[]): Promise<readonly string[]>;
  /** Reports the ids of suspended or resumed accounts; undefined: any account may have been. */
  onAccountChange(listener: (accountId: string | undefined) => void): void;
  /** Whether an account may be served. */
  standing(accountId: string): Result<void> | Promise<Result<void>>;
  watchSession: WatchSession;
}

/** How long to wait before retrying a failed lookup. */
const lookAgainMs = 1_000;

export function createRevocations({
  onRevoked,
  revokedAmong,
  onAccountChange,
  standing,
  watchSession,
}: RevocationSources): Revocations {
  // In boxes that are emptied: the sets' outgrown tables would otherwise retain streams that have ended
  // (docs/decisions/2026-11-21-what-a-call-leaves.md).
  const watched = new Map<string, Set<Watched>>();
  const lookedUp = new Set<string>();
  const end = (id: string, failure: Failure) => {
    for (const { controller } of [...(watched.get(id) ?? [])]) controller?.abort(new FailureError(failure));
  };
  onRevoked((credentialId) => {
    if (credentialId === undefined) void endRevoked();
    else end(credentialId, { kind: 'key_revoked' });
  });
  onAccountChange((accountId) => {
    const accounts = accountId === undefined ? [...watched.keys()].filter((id) => isId('acc', id)) : [accountId];
    for (const each of accounts) void endSuspended(each);
  });

  let lookUps = 0;

  /** Looks up everything watched, until that succeeds. Concurrent requests share one loop. */
  async function endRevoked(): Promise<void> {
    lookUps += 1;
    if (lookUps > 1) return;
    for (let looked = 0; looked < lookUps; ) {
      const wanted = lookUps;
      const ids = [...watched.keys()].filter((id) => !isId('acc', id));
      try {
        for (const id of ids.length > 0 ? await revokedAmong(ids) : []) end(id, { kind: 'key_revoked' });
        looked = wanted;
      } catch {
        // The database is down, which is reported elsewhere. The streams watched by then are looked up when it is back.
        await lookAgain();
      }
    }
    lookUps = 0;
  }

  async function endSuspended(accountId: string): Promise<void> {
    if (lookedUp.has(accountId)) return;
    lookedUp.add(accountId);
    try {
      while (watched.has(accountId)) {
        const state = await standing(accountId);
        if (!state.ok && state.failure.kind === 'account_suspended') end(accountId, state.failure);
        if (state.ok || state.failure.kind === 'account_suspended') return;
        await lookAgain();
      }
    } finally {
      lookedUp.delete(accountId);
    }
  }

  return {
    watch({ accountId, key, token, session }, controller) {
      const ids = [accountId, key?.id, token?.id, token?.deviceId].filter((id) => id !== undefined);
      const stream: Watched = { controller };
      for (const id of ids) {
        const streams = watched.get(id);
        if (streams) streams.add(stream);
        else watched.set(id, new Set([stream]));
      }
      // The account may have been suspended since the call was admitted.
      if (accountId !== undefined) void endSuspended(accountId);
      const sessionId = session?.id ?? token?.sessionId;
      const stopSession =
        sessionId === undefined
          ? undefined
          : watchSession(sessionId, () => stream.controller?.abort(new FailureError({ kind: 'session_ended' })));
      return () => {
        stream.controller = undefined;
        for (const id of ids) {
          const streams = watched.get(id);
          streams?.delete(stream);
          if (streams?.size === 0) watched.delete(id);
        }
        stopSession?.();
      };
    },
  };
}

function lookAgain(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, lookAgainMs).unref());
}

interface Watched {
  controller: AbortController | undefined;
}
