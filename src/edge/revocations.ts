import type { Caller } from '../base/caller.ts';
import { FailureError } from '../base/failure.ts';

/** Ends what is in flight when the credential behind it is revoked, or the session of the console behind it is over. */
export interface Revocations {
  /**
   * Aborts `controller` when the caller's key, token or device is revoked, or when its session ends, or that which its token was made by. The
   * reason is the failure that the caller hears. Returns what stops the watching.
   */
  watch(caller: Caller, controller: AbortController): () => void;
}

/** Tells once when a session of the console is over. Returns what stops the telling. */
export type WatchSession = (sessionId: string, onEnd: () => void) => () => void;

/** `onRevoked` tells the ids of revoked keys, tokens and devices, on this node and on others. */
export function createRevocations(
  onRevoked: (listener: (credentialId: string) => void) => void,
  watchSession: WatchSession,
): Revocations {
  // In boxes that are emptied, or the sets' outgrown tables would keep streams that have ended (docs/decisions/2026-11-21-what-a-call-leaves.md).
  const watched = new Map<string, Set<Watched>>();
  onRevoked((credentialId) => {
    for (const { controller } of [...(watched.get(credentialId) ?? [])])
      controller?.abort(new FailureError({ kind: 'key_revoked' }));
  });

  return {
    watch({ key, token, session }, controller) {
      const ids = [key?.id, token?.id, token?.deviceId].filter((id) => id !== undefined);
      const stream: Watched = { controller };
      for (const id of ids) {
        const streams = watched.get(id);
        if (streams) streams.add(stream);
        else watched.set(id, new Set([stream]));
      }
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
