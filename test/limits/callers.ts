import type { Caller } from '../../src/base/caller.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { LevelLimits, Levels } from '../../src/limits/index.ts';

export function keyCaller(key = 'key_1', account = 'acc_1', limits?: NonNullable<Caller['key']>['limits']): Caller {
  return {
    credential: 'api_key',
    name: key,
    accountId: account,
    key: { id: key, version: 1, ...(limits && { limits }) },
    scopes: new Set(),
  };
}

export function tokenCaller(subject: string, key = 'key_1', account = 'acc_1'): Caller {
  return { ...keyCaller(key, account), credential: 'access_token', token: { id: 'tok_1', subject } };
}

export const generous: LevelLimits = {
  requestsPerMinute: 1_000_000,
  tokensPerMinute: 1_000_000_000,
  concurrent: 1_000_000,
  streams: 1_000_000,
};

/** Limits of keys; accounts and tokens as good as without any. */
export function keyLevels(limits: Partial<LevelLimits>): Levels {
  return { account: generous, key: { ...generous, ...limits }, token: generous };
}

export interface HandClock extends Clock {
  at: number;
}

/** A clock that stands still until it is set. */
export function handClock(at = 1_000_000): HandClock {
  return {
    at,
    now() {
      return this.at;
    },
    monotonic() {
      return this.at;
    },
  };
}
