import { LRUCache } from 'lru-cache';
import { type Failure, fail, type Result } from '../base/failure.ts';
import type { Answers, Job, JobKind } from './job.ts';

/** A job and who is waiting for it. */
export interface Waiting {
  owner: string;
  user?: string | undefined;
  job: Job;
  field: string;
  key: string | undefined;
  done(result: Result<Answers[JobKind]>): void;
}

/**
 * Waiting jobs. Owners take turns, and so do one owner's users, the owner itself being one; the jobs of each are done in order, except that
 * code that has run before may pass code that has not.
 */
export interface Queue {
  readonly size: number;
  /** Ends the job as `overloaded` if there is no room for its owner or it waits too long, and as `cancelled` if its signal is aborted. */
  add(job: Waiting, terms: Terms): void;
  /** Of the jobs that may be done now, the first one of the owner, and of its user, whose last turn was longest ago. */
  take(isAllowed: (job: Waiting) => boolean): Waiting | undefined;
  /** Lets a job that was taken, and has not been done, wait again on its terms. */
  putBack(job: Waiting): void;
  /** Ends those jobs of an owner for which there is a reason. */
  refuse(owner: string, reasonOf: (job: Waiting) => Failure | undefined): void;
  /** Ends all as `overloaded`. */
  close(): void;
}

interface Terms {
  waitMs: number;
  signal: AbortSignal | undefined;
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
  const turnsOfSenders = new LRUCache<string, number>({ max: 4_096 });
  const termsOf = new WeakMap<Waiting, Terms>();
  let turn = 0;

  /**
   * Whether there is room for one more; a user may take half of its owner's. If all is full, the owner with the most jobs gives one to an
   * owner with fewer.
   */
  function hasRoom({ owner, user }: Waiting): boolean {
    const counts = new Map<string, number>();
    let ofUser = 0;
    for (const entry of entries) {
      counts.set(entry.owner, (counts.get(entry.owner) ?? 0) + 1);
      if (entry.owner === owner && entry.user === user) ofUser += 1;
    }
    const own = counts.get(owner) ?? 0;
    if (own >= bounds.queuePerOwnerMax) return false;
    if (user !== undefined && ofUser >= bounds.queuePerOwnerMax / 2) return false;
    if (entries.size < bounds.queueMax) return true;
    const [most = owner, count = 0] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    const last = count > own + 1 ? [...entries].findLast((entry) => entry.owner === most) : undefined;
    last?.leave();
    last?.done(fail(busy));
    return last !== undefined;
  }

  function isEarlier(one: Entry, other: Entry): boolean {
    if (one.owner !== other.owner) return (turns.get(one.owner) ?? 0) < (turns.get(other.owner) ?? 0);
    return (turnsOfSenders.get(senderOf(one)) ?? 0) < (turnsOfSenders.get(senderOf(other)) ?? 0);
  }

  function add(job: Waiting, terms: Terms): void {
    const { waitMs, signal } = terms;
    if (signal?.aborted || !hasRoom(job)) {
      job.done(fail(signal?.aborted ? { kind: 'cancelled' } : busy));
      return;
    }
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
    termsOf.set(entry, terms);
    entries.add(entry);
  }

  return {
    get size() {
      return entries.size;
    },
    add,
    putBack: (job) => add(job, termsOf.get(job) ?? { waitMs: 0, signal: undefined }),
    take(isAllowed) {
      let next: Entry | undefined;
      for (const entry of entries) if ((!next || isEarlier(entry, next)) && isAllowed(entry)) next = entry;
      if (!next) return undefined;
      next.leave();
      turns.set(next.owner, ++turn);
      turnsOfSenders.set(senderOf(next), turn);
      return next;
    },
    refuse(owner, reasonOf) {
      for (const entry of [...entries]) {
        const reason = entry.owner === owner ? reasonOf(entry) : undefined;
        if (!reason) continue;
        entry.leave();
        entry.done(fail(reason));
      }
    },
    close() {
      for (const entry of [...entries]) {
        entry.leave();
        entry.done(fail(busy));
      }
    },
  };
}

/** The owner's user, or the owner itself; no owner's id has a line break. */
export function senderOf({ owner, user }: Waiting): string {
  return user === undefined ? owner : `${owner}\n${user}`;
}
