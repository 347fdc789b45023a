import type { Caller } from '../base/caller.ts';
import type { Rate } from './bucket.ts';
import type { LevelLimits } from './types.ts';

/** An owner that a request counts against, with the limits that apply to it. */
export interface Owner {
  /** Distinguishes owners. */
  id: string;
  /** The name that a refusal gives it. */
  level: 'account' | 'key' | 'token';
  limits: ResolvedLimits;
}

export interface ResolvedLimits {
  requests: Rate;
  tokens: Rate;
  concurrent: number;
  streams: number;
}

/** The limits of each level, from the configuration. */
export interface Levels {
  account: LevelLimits;
  key: LevelLimits;
  /** For one end user behind an account's access tokens. */
  token: LevelLimits;
}

/** Whom a caller's requests count against: account, key, and the token's end user. Operators count against nobody. */
export function createOwners(levels: Levels): (caller: Caller) => readonly Owner[] {
  const account = resolve(levels.account);
  const key = resolve(levels.key);
  const token = resolve(levels.token);
  // A key's own limits are one shared object while its verification is cached, so resolve them once.
  const ofKey = new WeakMap<object, ResolvedLimits>();

  function keyLimits(own: NonNullable<Caller['key']>['limits']): ResolvedLimits {
    if (!own) return key;
    let resolved = ofKey.get(own);
    if (!resolved) {
      resolved = resolve({ ...levels.key, ...own });
      ofKey.set(own, resolved);
    }
    return resolved;
  }

  return (caller) => {
    if (caller.accountId === undefined) return nobody;
    const owners: Owner[] = [{ id: caller.accountId, level: 'account', limits: account }];
    if (caller.key) owners.push({ id: caller.key.id, level: 'key', limits: keyLimits(caller.key.limits) });
    if (caller.token) owners.push({ id: `${caller.accountId}/${caller.token.subject}`, level: 'token', limits: token });
    return owners;
  };
}

/** Paying takes a few requests: allow more than a person sends by hand, less than a flood. */
const paymentLimits = resolve({
  ...{ requestsPerMinute: 60, requestBurst: 10, concurrent: 4, streams: 1 },
  tokensPerMinute: 1_000_000_000,
});

/** The account's reserve for paying, counted separately. */
export function paymentOwners({ accountId }: Caller): readonly Owner[] {
  if (accountId === undefined) return nobody;
  return [{ id: `payment/${accountId}`, level: 'account', limits: paymentLimits }];
}

const nobody: readonly Owner[] = [];

function resolve(limits: LevelLimits): ResolvedLimits {
  const { requestsPerMinute, tokensPerMinute, concurrent, streams } = limits;
  for (const [name, value] of Object.entries({ requestsPerMinute, tokensPerMinute, concurrent, streams }))
    if (!Number.isSafeInteger(value) || value < 1 || value > 1_000_000_000)
      throw new Error(`limit ${name} must be a whole number from 1 to 1000000000, not ${value}`);
  return {
    requests: { perMinute: requestsPerMinute, burst: limits.requestBurst ?? Math.ceil(requestsPerMinute / 6) },
    tokens: { perMinute: tokensPerMinute, burst: tokensPerMinute },
    concurrent,
    streams,
  };
}
