import { type Bucket, type Rate, resetMs, unitsOf } from './bucket.ts';
import type { Owner, ResolvedLimits } from './owners.ts';
import type { LimitInForce } from './types.ts';

/** What one owner is using now: how full its buckets are, in drops, and what is in flight. */
export interface OwnerUsage {
  requests: number;
  tokens: number;
  concurrent: number;
  streams: number;
}

/** An owner's limits, each with its usage. */
export function limitsInForce(level: Owner['level'], limits: ResolvedLimits, usage: OwnerUsage): LimitInForce[] {
  const rated = (name: 'requests' | 'tokens'): LimitInForce => ({
    level,
    name,
    ...rateInForce(limits[name], usage[name]),
  });
  const counted = (name: LimitInForce['name'], most: number, used: number): LimitInForce => ({
    ...{ level, name, most, used },
    burst: most,
  });
  return [
    rated('requests'),
    rated('tokens'),
    counted('concurrent-requests', limits.concurrent, usage.concurrent),
    counted('concurrent-streams', limits.streams, usage.streams),
  ];
}

function rateInForce(rate: Rate, drops: number) {
  const bucket: Bucket = { drops, at: 0 };
  return { most: rate.perMinute, burst: rate.burst, used: unitsOf(bucket), resetMs: resetMs(bucket, rate) };
}
