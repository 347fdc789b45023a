import { type Bucket, drain, emptyBucket, type Rate } from './bucket.ts';

/** What is counted by the minute. */
export type Counted = 'connections' | 'requests' | 'kibibytes' | 'refused' | 'guesses';

/** What an address, or a network, may do. */
export interface AnonymousRates {
  rates: Record<Counted, Rate>;
  /** Open at one time. */
  connections: number;
  streams: number;
}

/** A connection that is open, without a credential. */
export interface Place {
  openedAt: number;
  close(): void;
}

/** What an address, or a network, uses at this moment. */
export interface AnonymousUsage {
  /** As a refusal names it. */
  readonly level: 'address' | 'network';
  readonly limits: AnonymousRates;
  /** Open connections over which no credential was shown, the oldest first. */
  readonly connections: Set<Place>;
  streams: number;
  bucket(counted: Counted): Bucket;
  /** The bucket when there is one: what was never counted takes no room. */
  known(counted: Counted): Bucket | undefined;
}

/** Usage by address or network, bounded. */
export interface AnonymousTable {
  of(key: string): AnonymousUsage;
  /** As `of`, without making room for one that is not known. */
  find(key: string): AnonymousUsage | undefined;
}

const looksPerInsert = 4;

/**
 * Who is idle (empty buckets, nothing open) is as good as unknown, so the idle make room and nobody gets more for it.
 * When `max` are busy at one time, the rest share one usage: stricter for them, never laxer.
 */
export function createAnonymousTable(
  level: 'address' | 'network',
  limits: AnonymousRates,
  now: () => number,
  max: number,
): AnonymousTable {
  const table = new Map<string, Used>();
  let crowd: Used | undefined;

  function dropIdle(): void {
    let looks = looksPerInsert;
    for (const [key, usage] of table) {
      if (looks === 0) return;
      looks -= 1;
      table.delete(key);
      if (!usage.isIdle()) table.set(key, usage);
    }
  }

  const find = (key: string) => table.get(key) ?? (table.size >= max ? crowd : undefined);
  return {
    find,
    of(key) {
      const known = table.get(key);
      if (known) return known;
      dropIdle();
      if (table.size >= max) {
        crowd ??= new Used(level, limits, now);
        return crowd;
      }
      const usage = new Used(level, limits, now);
      table.set(key, usage);
      return usage;
    },
  };
}

class Used implements AnonymousUsage {
  readonly level: 'address' | 'network';
  readonly limits: AnonymousRates;
  readonly connections = new Set<Place>();
  streams = 0;
  readonly #buckets: Partial<Record<Counted, Bucket>> = {};
  readonly #now: () => number;

  constructor(level: 'address' | 'network', limits: AnonymousRates, now: () => number) {
    this.level = level;
    this.limits = limits;
    this.#now = now;
  }

  bucket(counted: Counted): Bucket {
    this.#buckets[counted] ??= emptyBucket(this.#now());
    return this.known(counted) as Bucket;
  }

  known(counted: Counted): Bucket | undefined {
    const bucket = this.#buckets[counted];
    if (bucket) drain(bucket, this.limits.rates[counted], this.#now());
    return bucket;
  }

  isIdle(): boolean {
    if (this.connections.size > 0 || this.streams > 0) return false;
    return Object.keys(this.#buckets).every((counted) => this.known(counted as Counted)?.drops === 0);
  }
}
