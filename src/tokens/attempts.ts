import { LRUCache } from 'lru-cache';
import { fail, type Result, succeed } from '../base/failure.ts';

/** Bounds how often somebody may be wrong: 34 bits of a user code are enough only if nobody can try many. */
export interface Attempts {
  /**
   * Counts a try as wrong before anybody looks, so that tries at the same time count, too; what it gives takes that back, for one
   * that was right. Fails with `rate_limited` when there were too many wrong ones within a minute.
   */
  begin(who: string): Result<() => void>;
}

const windowMs = 60_000;

export function createAttempts({ wrongPerMinute, now }: { wrongPerMinute: number; now: () => number }): Attempts {
  const windows = new LRUCache<string, { wrong: number; startedAt: number }>({ max: 50_000 });

  return {
    begin(who) {
      const known = windows.get(who);
      const window = known && now() - known.startedAt < windowMs ? known : { wrong: 0, startedAt: now() };
      if (window.wrong >= wrongPerMinute) {
        const retryAfterMs = Math.max(1, window.startedAt + windowMs - now());
        return fail({ kind: 'rate_limited', limit: 'wrong user codes per minute', retryAfterMs });
      }
      window.wrong += 1;
      windows.set(who, window);
      return succeed(() => {
        window.wrong -= 1;
      });
    },
  };
}
