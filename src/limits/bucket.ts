/**
 * One limit's state: how full its bucket is. The generic cell rate algorithm (ITU-T I.371) in its leaky-bucket form, in
 * whole numbers: each unit of use adds `minute` drops, and each millisecond drains as many drops as the limit a minute.
 * So no rounding can ever let more than limit + burst through in any minute.
 */
export interface Bucket {
  drops: number;
  /** When `drops` was true, in whole milliseconds of the clock that the caller uses. */
  at: number;
}

/** How much a minute, and how much at once. Whole numbers. */
export interface Rate {
  perMinute: number;
  burst: number;
}

/** Drops of one unit of use; also the milliseconds of a minute, which is what makes it exact. */
const minute = 60_000;

/** The state before the first use. */
export function emptyBucket(now: number): Bucket {
  return { drops: 0, at: now };
}

/** Lets pass the time since the bucket was last looked at. */
export function drain(bucket: Bucket, rate: Rate, now: number): void {
  const elapsed = now - bucket.at;
  if (elapsed <= 0) return;
  bucket.drops = Math.max(0, bucket.drops - elapsed * rate.perMinute);
  bucket.at = now;
}

/** How long until `units` fit; 0 when they fit now. Call `drain` first. More than the burst fits an empty bucket. */
export function waitFor(bucket: Bucket, rate: Rate, units: number): number {
  const over = bucket.drops + (Math.min(units, rate.burst) - rate.burst) * minute;
  return over <= 0 ? 0 : Math.ceil(over / rate.perMinute);
}

/** Counts `units`, negative to give back. Whether they fit was asked before. */
export function pour(bucket: Bucket, units: number): void {
  bucket.drops = Math.max(0, bucket.drops + units * minute);
}

/** How much fits now. */
export function remaining(bucket: Bucket, rate: Rate): number {
  return Math.max(0, Math.floor((rate.burst * minute - bucket.drops) / minute));
}

/** How many units are in the bucket, a part of one as a whole. */
export function unitsOf(bucket: Bucket): number {
  return Math.ceil(bucket.drops / minute);
}

/** In what time a full bucket empties, in whole milliseconds. */
export function windowMs({ perMinute, burst }: Rate): number {
  return Math.ceil((burst * minute) / perMinute);
}

/** Milliseconds until the bucket is empty. */
export function resetMs(bucket: Bucket, rate: Rate): number {
  return Math.ceil(bucket.drops / rate.perMinute);
}
