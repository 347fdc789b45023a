import type { Caller } from '../base/caller.ts';

/** Ends what is in flight when the credential behind it is revoked. */
export interface Revocations {
  /** Aborts `controller` when the caller's key, token or device is revoked. Returns what stops the watching. */
  watch(caller: Caller, controller: AbortController): () => void;
}

/** `onRevoked` tells the ids of revoked keys, tokens and devices, on this node and on others. */
export function createRevocations(onRevoked: (listener: (credentialId: string) => void) => void): Revocations {
  const watched = new Map<string, Set<AbortController>>();
  onRevoked((credentialId) => {
    for (const controller of [...(watched.get(credentialId) ?? [])]) controller.abort();
  });

  return {
    watch({ key, token }, controller) {
      const ids = [key?.id, token?.id, token?.deviceId].filter((id) => id !== undefined);
      for (const id of ids) {
        const controllers = watched.get(id);
        if (controllers) controllers.add(controller);
        else watched.set(id, new Set([controller]));
      }
      return () => {
        for (const id of ids) {
          const controllers = watched.get(id);
          controllers?.delete(controller);
          if (controllers?.size === 0) watched.delete(id);
        }
      };
    },
  };
}
