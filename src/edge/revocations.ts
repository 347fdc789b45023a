import type { Caller } from '../base/caller.ts';

/** Ends what is in flight when the credential behind it is revoked. */
export interface Revocations {
  /** Aborts `controller` when the caller's key, token or device is revoked. Returns what stops the watching. */
  watch(caller: Caller, controller: AbortController): () => void;
}

/** `onRevoked` tells the ids of revoked keys, tokens and devices, on this node and on others. */
export function createRevocations(onRevoked: (listener: (credentialId: string) => void) => void): Revocations {
  // In boxes that are emptied, or the sets' outgrown tables would keep streams that have ended (docs/decisions/2026-11-21-what-a-call-leaves.md).
  const watched = new Map<string, Set<Watched>>();
  onRevoked((credentialId) => {
    for (const { controller } of [...(watched.get(credentialId) ?? [])]) controller?.abort();
  });

  return {
    watch({ key, token }, controller) {
      const ids = [key?.id, token?.id, token?.deviceId].filter((id) => id !== undefined);
      const stream: Watched = { controller };
      for (const id of ids) {
        const streams = watched.get(id);
        if (streams) streams.add(stream);
        else watched.set(id, new Set([stream]));
      }
      return () => {
        stream.controller = undefined;
        for (const id of ids) {
          const streams = watched.get(id);
          streams?.delete(stream);
          if (streams?.size === 0) watched.delete(id);
        }
      };
    },
  };
}

interface Watched {
  controller: AbortController | undefined;
}
