import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { divideRoundingUp, formatUsd, maxOf, type NanoUsd } from '../base/money.ts';

/**
 * Limits what models cost for failed requests, which nobody pays for: otherwise requests that cost something and then fail could be
 * repeated without end. Each account has an allowance that recovers over time. Requests already in progress when it runs out may
 * overrun it.
 */
export interface UnpaidWork {
  /** Fails with `rate_limited` while the account's allowance is used up. */
  may(accountId: string): Result<void>;
  /** Records what a model has cost for a failed request. */
  note(accountId: string, cost: NanoUsd): void;
}

/** How much one account may leave unpaid at once, and per hour after that, on each node. */
export const unpaidMost: NanoUsd = 1_000_000_000n;
const hourMs = 3_600_000n;
/** About 2 MB. Holds only accounts that have left something unpaid within the hour. */
const accountsMax = 10_000;

/** What an account has left unpaid, minus what has recovered since. */
interface Unpaid {
  amount: NanoUsd;
  atMs: number;
}

/** `what`: what is left unpaid, for those who are refused. */
export function createUnpaidWork(clock: Pick<Clock, 'monotonic'>, what: string): UnpaidWork {
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
        limit: `${formatUsd(unpaidMost)} USD an hour for ${what}, which nobody paid for`,
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
