import { LRUCache } from 'lru-cache';
import { type Failure, fail, type Result } from '../base/failure.ts';
import type { Answers, Job, JobKind } from './job.ts';

/** A job and who is waiting for it. */
export interface Waiting {
  owner: string;
  job: Job;
  field: string;
  key: string | undefined;
  done(result: Result<Answers[JobKind]>): void;
}

/** Waiting jobs. Owners take turns; one owner's jobs are done in order. */
export interface Queue {
  readonly size: number;
  /** Ends the job as `overloaded` if there is no room or it waits too long, and as `cancelled` if its signal is aborted. */
  add(job: Waiting, terms: { waitMs: number; signal: AbortSignal | undefined }): void;
  /** The first job of the owner whose last turn was longest ago, among owners that may have one more. */
  take(mayHaveMore: (owner: string) => boolean): Waiting | undefined;
  /** Ends all as `overloaded`. */
  close(): void;
}

interface Entry extends Waiting {
  /** Ends the waiting, whatever comes next. */
  leave(): void;
}

const busy: Failure = { kind: 'overloaded', retryAfterMs: 1000 };

export function createQueue(bounds: { queueMax: number; queuePerOwnerMax: number }): Queue {
  const entries = new Set<Entry>();
  /** When owners last had a turn. A forgotten owner is treated as if it had none. */
  const turns = new LRUCache<string, number>({ max: 1_024 });
  let turn = 0;

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
      // Checking an owner once is enough, however many of its jobs are waiting.
      const seen = new Set<string>();
      let next: Entry | undefined;
      for (const entry of entries) {
        if (seen.has(entry.owner)) continue;
        seen.add(entry.owner);
        const isEarlier = !next || (turns.get(entry.owner) ?? 0) < (turns.get(next.owner) ?? 0);
        if (isEarlier && mayHaveMore(entry.owner)) next = entry;
      }
      if (!next) return undefined;
      next.leave();
      turns.set(next.owner, ++turn);
      return next;
    },
    close() {
      for (const entry of [...entries]) {
        entry.leave();
        entry.done(fail(busy));
      }
    },
  };
}
