import { type Bucket, drain, emptyBucket, type Rate } from './bucket.ts';

/** What is counted per minute. */
export type Counted = 'connections' | 'requests' | 'kibibytes' | 'refused' | 'guesses';

/** What an address, or a network, may use. */
export interface AnonymousRates {
  rates: Record<Counted, Rate>;
  /** Open at the same time. */
  connections: number;
  streams: number;
}

/** An open connection without a credential. */
export interface Place {
  openedAt: number;
  close(): void;
}

/** What an address, or a network, is using now. */
export interface AnonymousUsage {
  /** The name that a refusal gives it. */
  readonly level: 'address' | 'network';
  readonly limits: AnonymousRates;
  /** Open connections that have shown no credential, oldest first. */
  readonly connections: Set<Place>;
  streams: number;
  bucket(counted: Counted): Bucket;
  /** The bucket, if there is one: what was never counted takes no memory. */
  known(counted: Counted): Bucket | undefined;
}

/** Usage by address or network, with a limited number of entries. */
export interface AnonymousTable {
  of(key: string): AnonymousUsage;
  /** Like `of`, but does not make room for an unknown one. */
  find(key: string): AnonymousUsage | undefined;
}

const looksPerInsert = 4;

/**
 * An idle entry (empty buckets, nothing open) is equivalent to an unknown one, so idle entries can be dropped without loosening
 * any limit. If `max` are busy at once, the rest share one entry: stricter for them, never looser.
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
