import type { Caller } from '../base/caller.ts';
import { type Failure, FailureError, type Result } from '../base/failure.ts';
import { isId } from '../base/ids.ts';

/**
 * Ends what is in flight when the credential behind it is revoked, the session of the console behind it is over, or its account is
 * suspended.
 */
export interface Revocations {
  /**
   * Aborts `controller` when the caller's key, token or device is revoked, when its account is suspended, or when its session ends, or that
   * which its token was made by. The reason is the failure that the caller hears. Returns what stops the watching.
   */
  watch(caller: Caller, controller: AbortController): () => void;
}

/** Tells once when a session of the console is over. Returns what stops the telling. */
export type WatchSession = (sessionId: string, onEnd: () => void) => () => void;

export interface RevocationSources {
  /** Tells the ids of revoked keys, tokens and devices, on this node and on others; undefined: any may have been. */
  onRevoked(listener: (credentialId: string | undefined) => void): void;
  /** Which of these keys, tokens and devices are revoked. */
  revokedAmong(ids: readonly string[]): Promise<readonly string[]>;
  /** Tells the ids of accounts that were suspended or resumed; undefined: any account may have been. */
  onAccountChange(listener: (accountId: string | undefined) => void): void;
  /** Whether an account is served. */
  standing(accountId: string): Result<void> | Promise<Result<void>>;
  watchSession: WatchSession;
}

/** What can't be read now is looked up again after so long. */
const lookAgainMs = 1_000;

export function createRevocations({
  onRevoked,
  revokedAmong,
  onAccountChange,
  standing,
  watchSession,
}: RevocationSources): Revocations {
  // In boxes that are emptied, or the sets' outgrown tables would keep streams that have ended (docs/decisions/2026-11-21-what-a-call-leaves.md).
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

  /** Looks up all that is watched, until that succeeds: in one place, however often it is asked for meanwhile. */
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
        // The database is away, which is told elsewhere. The streams that are watched then are looked up when it is back.
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
      // It may have been suspended since the call was let in.
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
