/** Tracks when keys were last used and writes it in bulk, outside of requests. */
export interface Uses {
  /** Notes that a key was used. Costs one map write. */
  note(keyId: string, now: number): void;
  flush(): Promise<void>;
}

export interface UsesOptions {
  write(uses: readonly { keyId: string; time: number }[]): Promise<void>;
  onError(error: unknown): void;
  keysMax?: number;
  rowsPerWriteMax?: number;
}

export function createUses({ write, onError, keysMax = 100_000, rowsPerWriteMax = 500 }: UsesOptions): Uses {
  let used = new Map<string, number>();

  function note(keyId: string, now: number): void {
    if (used.size < keysMax || used.has(keyId)) used.set(keyId, now);
  }

  async function flush(): Promise<void> {
    const uses = [...used].map(([keyId, time]) => ({ keyId, time })).sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
    used = new Map();
    try {
      for (let start = 0; start < uses.length; start += rowsPerWriteMax)
        await write(uses.slice(start, start + rowsPerWriteMax));
    } catch (error) {
      // An unrecorded last use does no harm; the next one will be recorded.
      onError(error);
    }
  }

  return { note, flush };
}
