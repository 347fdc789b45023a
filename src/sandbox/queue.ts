import { type Failure, fail, type Result } from '../base/failure.ts';
import type { Answers, Job, JobKind } from './job.ts';

/** A job and who waits for it. */
export interface Waiting {
  owner: string;
  job: Job;
  field: string;
  key: string | undefined;
  done(result: Result<Answers[JobKind]>): void;
}

/** Jobs that wait, in order. */
export interface Queue {
  readonly size: number;
  /** Ends the job as `overloaded` when there is no room, or it waits too long, and as `cancelled` when its signal is aborted. */
  add(job: Waiting, terms: { waitMs: number; signal: AbortSignal | undefined }): void;
  /** The first job whose owner may have one more. */
  take(mayHaveMore: (owner: string) => boolean): Waiting | undefined;
  /** Ends all as `overloaded`. */
  close(): void;
}

interface Entry extends Waiting {
  /** Ends the waiting, for whatever comes next. */
  leave(): void;
}

const busy: Failure = { kind: 'overloaded', retryAfterMs: 1000 };

export function createQueue(bounds: { queueMax: number; queuePerOwnerMax: number }): Queue {
  const entries = new Set<Entry>();

  function hasRoom(owner: string): boolean {
    if (entries.size >= bounds.queueMax) return false;
    let own = 0;
    for (const entry of entries) if (entry.owner === owner) own++;
    return own < bounds.queuePerOwnerMax;
  }

  return {
    get size() {
      return entries.size;
    },
    add(job, { waitMs, signal }) {
      if (signal?.aborted) return job.done(fail({ kind: 'cancelled' }));
      if (!hasRoom(job.owner)) return job.done(fail(busy));
      const giveUp = (failure: Failure) => {
        entry.leave();
        job.done(fail(failure));
      };
      const abort = () => giveUp({ kind: 'cancelled' });
      const timer = setTimeout(() => giveUp(busy), waitMs);
      signal?.addEventListener('abort', abort, { once: true });
      const entry: Entry = {
        ...job,
        leave() {
          entries.delete(entry);
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
        },
      };
      entries.add(entry);
    },
    take(mayHaveMore) {
      // One answer an owner is enough, however many of its jobs wait.
      const refused = new Set<string>();
      for (const entry of entries) {
        if (refused.has(entry.owner)) continue;
        if (mayHaveMore(entry.owner)) {
          entry.leave();
          return entry;
        }
        refused.add(entry.owner);
      }
      return undefined;
    },
    close() {
      for (const entry of [...entries]) {
        entry.leave();
        entry.done(fail(busy));
      }
    },
  };
}
