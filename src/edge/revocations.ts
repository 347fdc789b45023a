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
  /** Tells the ids of revoked keys, tokens and devices, on this node and on others. */
  onRevoked(listener: (credentialId: string) => void): void;
  /** Tells the ids of accounts that were suspended or resumed; undefined: any account may have been. */
  onAccountChange(listener: (accountId: string | undefined) => void): void;
  /** Whether an account is served. */
  standing(accountId: string): Result<void> | Promise<Result<void>>;
  watchSession: WatchSession;
}

/** An account whose standing can't be read now is looked up again after so long. */
const lookAgainMs = 1_000;

export function createRevocations({
  onRevoked,
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
  onRevoked((credentialId) => end(credentialId, { kind: 'key_revoked' }));
  onAccountChange((accountId) => {
    const accounts = accountId === undefined ? [...watched.keys()].filter((id) => isId('acc', id)) : [accountId];
    for (const each of accounts) void endSuspended(each);
  });

  async function endSuspended(accountId: string): Promise<void> {
    if (lookedUp.has(accountId)) return;
    lookedUp.add(accountId);
    try {
      while (watched.has(accountId)) {
        const state = await standing(accountId);
        if (!state.ok && state.failure.kind === 'account_suspended') end(accountId, state.failure);
        if (state.ok || state.failure.kind === 'account_suspended') return;
        await new Promise((resolve) => setTimeout(resolve, lookAgainMs).unref());
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

interface Watched {
  controller: AbortController | undefined;
}
