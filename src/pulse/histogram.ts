import { NumberReader, NumberWriter } from './varint.ts';

/**
 * Durations in logarithmic buckets, so that percentiles can be computed from summed rollups: the histograms of any two periods
 * merge by adding their counts, in any order (the idea of DDSketch: Masson, Rim and Lee, 2019).
 *
 * Values between 1 ms and `longestMs` have a relative error of at most `relativeError`; shorter ones become 0, longer ones
 * `longestMs`. At most 545 buckets are ever in use.
 */
export type Histogram = Map<number, number>;

/** How far a percentile may be from the true value at that rank, relative to that value. */
export const relativeError = 0.02;

/** 31 days. */
export const longestMs = 31 * 24 * 3_600_000;

const base = (1 + relativeError) / (1 - relativeError);
const logBase = Math.log(base);

/** The bucket of a duration in milliseconds. */
export function bucketOf(durationMs: number): number {
  if (durationMs < 1) return 0;
  return 1 + Math.ceil(Math.log(Math.min(durationMs, longestMs)) / logBase - 1e-9);
}

/** The duration in milliseconds that stands for a bucket. */
export function durationOf(bucket: number): number {
  return bucket === 0 ? 0 : (2 * base ** (bucket - 1)) / (base + 1);
}

/** Adds `count`, which may be negative, to a bucket. Buckets that reach zero are dropped. */
export function addTo(histogram: Histogram, bucket: number, count: number): void {
  const sum = (histogram.get(bucket) ?? 0) + count;
  if (sum === 0) histogram.delete(bucket);
  else histogram.set(bucket, sum);
}

/** Adds all of `other` to `histogram`. */
export function mergeInto(histogram: Histogram, other: Histogram): void {
  for (const [bucket, count] of other) addTo(histogram, bucket, count);
}

/** How many durations a histogram holds. */
export function countOf(histogram: Histogram): number {
  let count = 0;
  for (const part of histogram.values()) count += part;
  return count;
}

/**
 * The durations in milliseconds at the given quantiles (0 to 1), by nearest rank: the value that at least that share of all
 * values does not exceed. Undefined for an empty histogram.
 */
export function quantilesOf(histogram: Histogram, quantiles: readonly number[]): number[] | undefined {
  const total = countOf(histogram);
  if (total <= 0) return undefined;
  const sorted = [...histogram].sort(([a], [b]) => a - b);
  return quantiles.map((quantile) => {
    let left = Math.max(1, Math.ceil(quantile * total));
    for (const [bucket, count] of sorted) {
      left -= count;
      if (left <= 0) return durationOf(bucket);
    }
    return durationOf(sorted.at(-1)?.[0] ?? 0);
  });
}

/** The total time in milliseconds by which durations exceed a norm. */
export function timeBeyond(histogram: Histogram, normMs: number): number {
  let sum = 0;
  for (const [bucket, count] of histogram) sum += count * Math.max(0, durationOf(bucket) - normMs);
  return sum;
}

/** As bytes: for each bucket in order, its distance from the previous one and its count, as LEB128 numbers. */
export function encodeHistogram(histogram: Histogram): Buffer {
  const writer = new NumberWriter();
  mergeEncoded(noBytes, histogram, writer);
  return writer.take();
}

const noBytes = new Uint8Array();

/** Writes the sum of an encoded histogram and changes to it, without decoding it first. */
export function mergeEncoded(stored: Uint8Array, changes: Histogram, writer: NumberWriter): void {
  const reader = new NumberReader(stored);
  const changed = [...changes];
  if (changed.length > 1) changed.sort(([a], [b]) => a - b);
  let written = 0;
  const write = (bucket: number, count: number) => {
    if (count < 0) throw new Error('a histogram of stored sessions has a negative count');
    if (count === 0) return;
    writer.write(bucket - written);
    writer.write(count);
    written = bucket;
  };
  let read = 0;
  let next = 0;
  while (!reader.done) {
    read += reader.read();
    const count = reader.read();
    let sum = count;
    for (; next < changed.length; next++) {
      const [bucket, change] = changed[next] as [number, number];
      if (bucket > read) break;
      if (bucket < read) write(bucket, change);
      else sum += change;
    }
    write(read, sum);
  }
  for (; next < changed.length; next++) write(...(changed[next] as [number, number]));
}

/** Adds an encoded histogram to `histogram`. */
export function decodeInto(histogram: Histogram, bytes: Uint8Array): void {
  const reader = new NumberReader(bytes);
  let bucket = 0;
  while (!reader.done) {
    bucket += reader.read();
    const count = reader.read();
    histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
  }
}
