/** The `Idempotency-Key` of what a person may send again: whoever presses once more after an answer was lost writes, and pays, once. */
export interface WriteKey {
  /** The key of a request: the same for the same text, until it is done. */
  of(request: string): string;
  /** The outcome is known, and the same request is another one from now on. */
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
