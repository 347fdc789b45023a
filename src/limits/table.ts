import { type Bucket, drain, emptyBucket } from './bucket.ts';
import type { ResolvedLimits } from './owners.ts';

/** What one owner is using now. */
export interface Usage {
  requests: Bucket;
  tokens: Bucket;
  concurrent: number;
  streams: number;
  /** The limits that applied when it was last looked up; they determine whether it is idle. */
  limits: ResolvedLimits;
}

/** Usage by owner, with a limited number of entries. */
export interface UsageTable {
  /** The owner's usage as of now. */
  of(id: string, limits: ResolvedLimits, now: number): Usage;
  readonly size: number;
}

const looksPerInsert = 4;

/**
 * An idle owner (empty buckets, nothing in flight) is equivalent to an unknown one, so idle owners can be dropped without
 * loosening any limit. If `ownersMax` are busy at once, the rest share one entry: stricter for them, never looser.
 */
export function createUsageTable(ownersMax: number): UsageTable {
  const table = new Map<string, Usage>();
  let crowd: Usage | undefined;

  function of(id: string, limits: ResolvedLimits, now: number): Usage {
    let usage = table.get(id);
    if (!usage) {
      dropIdle(now);
      if (table.size >= ownersMax) {
        crowd ??= newUsage(limits, now);
        usage = crowd;
      } else {
        usage = newUsage(limits, now);
        table.set(id, usage);
      }
    }
    usage.limits = limits;
    drain(usage.requests, limits.requests, now);
    drain(usage.tokens, limits.tokens, now);
    return usage;
  }

  /** Checks the few owners that were checked longest ago; busy ones go to the end of the line. */
  function dropIdle(now: number): void {
    let looks = looksPerInsert;
    for (const [id, usage] of table) {
      if (looks === 0) return;
      looks -= 1;
      table.delete(id);
      if (!isIdle(usage, now)) table.set(id, usage);
    }
  }

  return {
    of,
    get size() {
      return table.size;
    },
  };
}

function newUsage(limits: ResolvedLimits, now: number): Usage {
  return { requests: emptyBucket(now), tokens: emptyBucket(now), concurrent: 0, streams: 0, limits };
}

function isIdle(usage: Usage, now: number): boolean {
  // Looked up in this very millisecond: that request may be about to count against it.
  if (usage.requests.at >= now) return false;
  drain(usage.requests, usage.limits.requests, now);
  drain(usage.tokens, usage.limits.tokens, now);
  return usage.requests.drops === 0 && usage.tokens.drops === 0 && usage.concurrent === 0 && usage.streams === 0;
}
