/**
 * The state of one limit: how full its bucket is. The generic cell rate algorithm (ITU-T I.371) in its leaky-bucket form, in
 * integers: each unit of use adds `minute` drops, and each millisecond drains as many drops as the limit per minute. So
 * rounding can never let more than limit + burst through in any minute.
 */
export interface Bucket {
  drops: number;
  /** When `drops` was last up to date, in whole milliseconds of the caller's clock. */
  at: number;
}

/** How much per minute, and how much at once. Whole numbers. */
export interface Rate {
  perMinute: number;
  burst: number;
}

/** Drops per unit of use; equal to the milliseconds in a minute, which makes the arithmetic exact. */
const minute = 60_000;

/** The state before first use. */
export function emptyBucket(now: number): Bucket {
  return { drops: 0, at: now };
}

/** Drains the bucket for the time since it was last updated. */
export function drain(bucket: Bucket, rate: Rate, now: number): void {
  const elapsed = now - bucket.at;
  if (elapsed <= 0) return;
  bucket.drops = Math.max(0, bucket.drops - elapsed * rate.perMinute);
  bucket.at = now;
}

/** How long until `units` fit; 0 if they fit now. Call `drain` first. A request for more than the burst fits an empty bucket. */
export function waitFor(bucket: Bucket, rate: Rate, units: number): number {
  const over = bucket.drops + (Math.min(units, rate.burst) - rate.burst) * minute;
  return over <= 0 ? 0 : Math.ceil(over / rate.perMinute);
}

/** Counts `units`, negative to give back. The caller has already checked whether they fit. */
export function pour(bucket: Bucket, units: number): void {
  bucket.drops = Math.max(0, bucket.drops + units * minute);
}

/** How much fits now. */
export function remaining(bucket: Bucket, rate: Rate): number {
  return Math.max(0, Math.floor((rate.burst * minute - bucket.drops) / minute));
}

/** How many units are in the bucket, rounded up. */
export function unitsOf(bucket: Bucket): number {
  return Math.ceil(bucket.drops / minute);
}

/** How long a full bucket takes to empty, in whole milliseconds. */
export function windowMs({ perMinute, burst }: Rate): number {
  return Math.ceil((burst * minute) / perMinute);
}

/** Milliseconds until the bucket is empty. */
export function resetMs(bucket: Bucket, rate: Rate): number {
  return Math.ceil(bucket.drops / rate.perMinute);
}
