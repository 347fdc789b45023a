import { LRUCache } from 'lru-cache';
import { fail, type Result, succeed } from '../base/failure.ts';

/** Limits wrong guesses: the 34 bits of a user code are enough only if nobody can try many. */
export interface Attempts {
  /**
   * Counts an attempt as wrong before it is checked, so that concurrent attempts count too; call the returned function to undo
   * that if it was right. Fails with `rate_limited` after too many wrong attempts within a minute.
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
