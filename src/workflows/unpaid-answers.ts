import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { divideRoundingUp, formatUsd, maxOf, type NanoUsd } from '../base/money.ts';

/**
 * Bounds what models cost for requests that failed, which nobody pays: a workflow whose schema no answer meets could else be run
 * without end. Each account has an allowance that comes back with time. It is overrun by what is under way when it is used up.
 */
export interface UnpaidAnswers {
  /** Fails with `rate_limited` while the account's allowance is used up. */
  may(accountId: string): Result<void>;
  /** A model has cost so much, and the request failed. */
  note(accountId: string, cost: NanoUsd): void;
}

/** What one account may leave unpaid at once, and within each hour after that, on each node. */
export const unpaidMost: NanoUsd = 1_000_000_000n;
const hourMs = 3_600_000n;
/** About 2 MB. Only whoever has left something unpaid within the hour is in it. */
const accountsMax = 10_000;

/** What an account has left unpaid, less what has come back since. */
interface Unpaid {
  amount: NanoUsd;
  atMs: number;
}

export function createUnpaidAnswers(clock: Pick<Clock, 'monotonic'>): UnpaidAnswers {
  const accounts = new LRUCache<string, Unpaid>({ max: accountsMax });

  function left(accountId: string, nowMs: number): NanoUsd {
    const unpaid = accounts.get(accountId);
    if (!unpaid) return 0n;
    const back = (BigInt(nowMs - unpaid.atMs) * unpaidMost) / hourMs;
    return maxOf(unpaid.amount - back, 0n);
  }

  return {
    may(accountId) {
      const over = left(accountId, now()) - unpaidMost;
      if (over < 0n) return succeed(undefined);
      const retryAfterMs = Number(divideRoundingUp((over + 1n) * hourMs, unpaidMost));
      return fail({
        kind: 'rate_limited',
        limit: `${formatUsd(unpaidMost)} USD an hour for answers of models that did not fit a workflow's output schema, which nobody paid for`,
        retryAfterMs,
      });
    },
    note(accountId, cost) {
      const atMs = now();
      accounts.set(accountId, { amount: left(accountId, atMs) + cost, atMs });
    },
  };

  function now(): number {
    return Math.floor(clock.monotonic());
  }
}
