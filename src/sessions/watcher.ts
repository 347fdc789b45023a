import { createRounds } from '../base/rounds.ts';
import type { StoredSession } from './sessions-store.ts';

export interface WatcherOptions {
  /** The sessions that are there, by their ids. */
  load(ids: readonly string[]): Promise<Map<string, StoredSession>>;
  /** Whether one that was read just now goes on. */
  isStanding(stored: StoredSession): Promise<boolean>;
  onError(error: unknown): void;
}

/** Tells when sessions are over, whatever ended them. */
export interface Watcher {
  /** Calls `onEnd` once. Returns what stops the watching. */
  watch(sessionId: string, onEnd: () => void): () => void;
  /** Looks now, as after a sign-out, rather than at the next round. */
  look(): void;
  start(): void;
  close(): Promise<void>;
}

const lookEveryMs = 1_000;
/** Sessions of one question to the database. */
const batch = 500;

/** Only sessions that something waits for are looked at: without streams there is no question to the database. */
export function createWatcher({ load, isStanding, onError }: WatcherOptions): Watcher {
  const watched = new Map<string, Set<() => void>>();

  async function lookAll(): Promise<void> {
    const ids = [...watched.keys()];
    for (let from = 0; from < ids.length; from += batch) {
      const some = ids.slice(from, from + batch);
      const there = await load(some);
      for (const id of some) {
        const stored = there.get(id);
        if (!stored || !(await isStanding(stored))) end(id);
      }
    }
  }

  function end(id: string): void {
    const told = watched.get(id);
    watched.delete(id);
    for (const onEnd of told ?? []) onEnd();
  }

  const rounds = createRounds({ everyMs: lookEveryMs, run: lookAll, onError });

  return {
    watch(sessionId, onEnd) {
      // A function of its own, so that the same one can wait twice.
      const tell = () => onEnd();
      const known = watched.get(sessionId);
      if (known) known.add(tell);
      else watched.set(sessionId, new Set([tell]));
      return () => {
        const left = watched.get(sessionId);
        left?.delete(tell);
        if (left?.size === 0) watched.delete(sessionId);
      };
    },
    look() {
      lookAll().catch(onError);
    },
    start: rounds.start,
    close: rounds.close,
  };
}
