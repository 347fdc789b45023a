/** The `Idempotency-Key` of a request that a user may send again: pressing once more after a lost answer writes, and charges, only once. */
export interface WriteKey {
  /** The key of a request: the same for the same text, until it is done. */
  of(request: string): string;
  /** The outcome is known: the same request is a new one from now on. */
  done(): void;
}

export function createWriteKey(): WriteKey {
  let sent: { request: string; key: string } | undefined;
  return {
    of(request) {
      if (sent?.request !== request) sent = { request, key: crypto.randomUUID() };
      return sent.key;
    },
    done() {
      sent = undefined;
    },
  };
}
