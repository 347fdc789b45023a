import { createRounds } from '../base/rounds.ts';
import type { StoredSession } from './sessions-store.ts';

export interface WatcherOptions {
  /** The existing sessions, by id. */
  load(ids: readonly string[]): Promise<Map<string, StoredSession>>;
  /** Whether a session that was just read is still valid. */
  isStanding(stored: StoredSession): Promise<boolean>;
  onError(error: unknown): void;
}

/** Notifies when sessions are over, whatever ended them. */
export interface Watcher {
  /** Calls `onEnd` once. Returns a function that stops watching. */
  watch(sessionId: string, onEnd: () => void): () => void;
  /** Checks now, for example after a sign-out, rather than in the next round. */
  look(): void;
  start(): void;
  close(): Promise<void>;
}

const lookEveryMs = 1_000;
/** Sessions per database query. */
const batch = 500;

/** Only checks sessions that something watches: without streams there are no database queries. */
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
      // A separate function, so that the same callback can be registered twice.
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
