import { isIPv6 } from 'node:net';
import { fail, type Result, succeed } from '../base/failure.ts';
import { type Bucket, drain, emptyBucket, pour, type Rate, waitFor } from './bucket.ts';
import type { AddressLimits, LookUpLimit } from './types.ts';

/** Limits of addresses that show no credential that holds: in the memory of one node, for floods hit one node. */
export interface Addresses {
  admit(address: string): Result<void>;
  countRefused(address: string): Result<void>;
  mayTry(address: string): Result<void>;
  lookUps: LookUpLimit;
}

const allowed = succeed(undefined);
const looksPerInsert = 4;

export function createAddresses(limits: AddressLimits, now: () => number, addressesMax: number): Addresses {
  const anonymous = createBuckets(rateOf(limits.anonymousPerMinute), now, addressesMax);
  const refused = createBuckets(rateOf(limits.refusedPerMinute), now, addressesMax);
  const guesses = createBuckets(rateOf(limits.refusedPerMinute), now, addressesMax);

  return {
    admit: (address) => {
      const bucket = anonymous.of(networkOf(address));
      const wait = waitFor(bucket, anonymous.rate, 1);
      if (wait > 0) return limited('requests per minute of the address', wait);
      pour(bucket, 1);
      return allowed;
    },
    countRefused: (address) => {
      const bucket = refused.of(networkOf(address));
      const wait = waitFor(bucket, refused.rate, 1);
      if (wait > 0) return limited('refused credentials per minute of the address', wait);
      pour(bucket, 1);
      return allowed;
    },
    mayTry: (address) => roomIn(refused, address),
    lookUps: {
      may: (address) => roomIn(guesses, address),
      // Those that were under way when the limit was reached count as well.
      failed: (address) => pour(guesses.of(networkOf(address)), 1),
    },
  };
}

function roomIn(buckets: ReturnType<typeof createBuckets>, address: string): Result<void> {
  const bucket = buckets.known(networkOf(address));
  const wait = bucket ? waitFor(bucket, buckets.rate, 1) : 0;
  return wait > 0 ? limited('refused credentials per minute of the address', wait) : allowed;
}

/** An IPv6 subscriber has a /64 at least, so a whole /64 counts as one address; a mapped IPv4 address as itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const tailLength = tail === undefined || tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - tailLength);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function createBuckets(rate: Rate, now: () => number, max: number) {
  const buckets = new Map<string, Bucket>();
  let crowd: Bucket | undefined;

  function of(address: string): Bucket {
    const time = now();
    let bucket = buckets.get(address);
    if (!bucket) {
      dropIdle(time);
      if (buckets.size >= max) {
        crowd ??= emptyBucket(time);
        bucket = crowd;
      } else {
        bucket = emptyBucket(time);
        buckets.set(address, bucket);
      }
    }
    drain(bucket, rate, time);
    return bucket;
  }

  /** The address' bucket when it has one: who was never counted takes no room. */
  function known(address: string): Bucket | undefined {
    const bucket = buckets.get(address) ?? (buckets.size >= max ? crowd : undefined);
    if (bucket) drain(bucket, rate, now());
    return bucket;
  }

  function dropIdle(time: number): void {
    let looks = looksPerInsert;
    for (const [address, bucket] of buckets) {
      if (looks === 0) return;
      looks -= 1;
      buckets.delete(address);
      drain(bucket, rate, time);
      if (bucket.drops > 0) buckets.set(address, bucket);
    }
  }

  return { of, known, rate };
}

function rateOf(perMinute: number): Rate {
  return { perMinute, burst: Math.max(5, Math.ceil(perMinute / 6)) };
}

function limited(limit: string, retryAfterMs: number) {
  return fail({ kind: 'rate_limited', limit, retryAfterMs });
}
