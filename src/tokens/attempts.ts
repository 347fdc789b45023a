import { LRUCache } from 'lru-cache';
import { fail, type Result, succeed } from '../base/failure.ts';

/** Bounds how often somebody may be wrong: 34 bits of a user code are enough only if nobody can try many. */
export interface Attempts {
  /** Fails with `rate_limited` when there were too many wrong ones within a minute. */
  check(who: string): Result<void>;
  wrong(who: string): void;
}

const windowMs = 60_000;

export function createAttempts({ wrongPerMinute, now }: { wrongPerMinute: number; now: () => number }): Attempts {
  const windows = new LRUCache<string, { wrong: number; startedAt: number }>({ max: 50_000 });

  function windowOf(who: string) {
    const known = windows.get(who);
    return known && now() - known.startedAt < windowMs ? known : undefined;
  }

  return {
    check(who) {
      const window = windowOf(who);
      if (!window || window.wrong < wrongPerMinute) return succeed(undefined);
      const retryAfterMs = Math.max(1, window.startedAt + windowMs - now());
      return fail({ kind: 'rate_limited', limit: 'wrong user codes per minute', retryAfterMs });
    },
    wrong(who) {
      const window = windowOf(who);
      if (window) window.wrong += 1;
      else windows.set(who, { wrong: 1, startedAt: now() });
    },
  };
}
