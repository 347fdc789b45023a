import { type Bucket, drain, emptyBucket, type Rate } from './bucket.ts';
import type { ResolvedLimits } from './owners.ts';

/** What one owner is using now. */
export interface Usage {
  requests: Bucket;
  tokens: Bucket;
  concurrent: number;
  streams: number;
  /** The limits that applied when it was last looked up, of a crowd the strictest; they determine whether it is idle. */
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
      if (table.size >= ownersMax) return ofCrowd(limits, now);
      usage = newUsage(limits, now);
      table.set(id, usage);
    }
    usage.limits = limits;
    drainBoth(usage, now);
    return usage;
  }

  /** It drains as slowly as the strictest of those who share it, or one with high limits would give way to the others. */
  function ofCrowd(limits: ResolvedLimits, now: number): Usage {
    crowd ??= newUsage(limits, now);
    crowd.limits = isIdle(crowd, now) ? limits : strictest(crowd.limits, limits);
    return crowd;
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
  drainBoth(usage, now);
  return usage.requests.drops === 0 && usage.tokens.drops === 0 && usage.concurrent === 0 && usage.streams === 0;
}

function drainBoth({ requests, tokens, limits }: Usage, now: number): void {
  drain(requests, limits.requests, now);
  drain(tokens, limits.tokens, now);
}

function strictest(a: ResolvedLimits, b: ResolvedLimits): ResolvedLimits {
  return {
    requests: slowest(a.requests, b.requests),
    tokens: slowest(a.tokens, b.tokens),
    concurrent: Math.min(a.concurrent, b.concurrent),
    streams: Math.min(a.streams, b.streams),
  };
}

function slowest(a: Rate, b: Rate): Rate {
  return { perMinute: Math.min(a.perMinute, b.perMinute), burst: Math.min(a.burst, b.burst) };
}
