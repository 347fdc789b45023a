import { fail, type RateQuota, type Result, succeed } from '../base/failure.ts';
import { type Bucket, pour, type Rate, remaining, resetMs, waitFor, windowMs } from './bucket.ts';
import { limitsInForce } from './in-force.ts';
import type { Owner, ResolvedLimits } from './owners.ts';
import { createUsageTable, type Usage } from './table.ts';
import type { Admission, LimitInForce, LimitState, TokenReservation } from './types.ts';

/** Limits in one node's memory. Always synchronous. */
export interface LocalLimits {
  admit(owners: readonly Owner[], kind: 'unary' | 'stream', share: number): Result<Admission>;
  /** A slot among the streams, for a request already admitted. */
  admitStream(owners: readonly Owner[], share: number): Result<() => void>;
  admitItem(owners: readonly Owner[], share: number): Result<void>;
  reserveTokens(owners: readonly Owner[], tokens: number, share: number): Result<TokenReservation>;
  /** What this node allows, and how much of it is used. Counts nothing. */
  inForce(owners: readonly Owner[], share: number): LimitInForce[];
  /** Counts without checking: what a shared limit admitted. Keeps this node's own count accurate for when it is alone. */
  note(owners: readonly Owner[], kind: 'unary' | 'stream'): Admission;
  noteStream(owners: readonly Owner[]): () => void;
  noteItem(owners: readonly Owner[]): void;
  noteTokens(owners: readonly Owner[], tokens: number, share: number): void;
}

/** When to retry if a slot is missing, since nobody knows when one will be free. */
const placeRetryMs = 1_000;

/** `share` is how many nodes split the limits: each allows 1/share, and at least one per minute. */
export function createLocalLimits(now: () => number, ownersMax: number): LocalLimits {
  const table = createUsageTable(ownersMax);

  function admit(owners: readonly Owner[], kind: 'unary' | 'stream', share: number): Result<Admission> {
    const time = now();
    const usages: Usage[] = [];
    for (const owner of owners) {
      const limits = sharedOut(owner.limits, share);
      const usage = table.of(owner.id, limits, time);
      const wait = waitFor(usage.requests, limits.requests, 1);
      if (wait > 0) return limited('requests', owner, limits, { retryAfterMs: wait, bucket: usage.requests });
      if (waitFor(usage.tokens, limits.tokens, 0) > 0)
        return limited('tokens', owner, limits, {
          retryAfterMs: waitFor(usage.tokens, limits.tokens, 0),
          bucket: usage.tokens,
        });
      if (usage.concurrent >= limits.concurrent)
        return limited('concurrent-requests', owner, limits, { retryAfterMs: placeRetryMs });
      if (kind === 'stream' && usage.streams >= limits.streams)
        return limited('concurrent-streams', owner, limits, { retryAfterMs: placeRetryMs });
      usages.push(usage);
    }
    return succeed(enter(usages, kind));
  }

  function admitStream(owners: readonly Owner[], share: number): Result<() => void> {
    const time = now();
    for (const owner of owners) {
      const limits = sharedOut(owner.limits, share);
      if (table.of(owner.id, limits, time).streams >= limits.streams)
        return limited('concurrent-streams', owner, limits, { retryAfterMs: placeRetryMs });
    }
    return succeed(noteStream(owners));
  }

  function noteStream(owners: readonly Owner[]): () => void {
    const time = now();
    const usages = owners.map((owner) => table.of(owner.id, owner.limits, time));
    for (const usage of usages) usage.streams += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      for (const usage of usages) usage.streams -= 1;
    };
  }

  function note(owners: readonly Owner[], kind: 'unary' | 'stream'): Admission {
    const time = now();
    return enter(
      owners.map((owner) => table.of(owner.id, owner.limits, time)),
      kind,
    );
  }

  function admitItem(owners: readonly Owner[], share: number): Result<void> {
    const time = now();
    for (const owner of owners) {
      const limits = sharedOut(owner.limits, share);
      const bucket = table.of(owner.id, limits, time).requests;
      const wait = waitFor(bucket, { ...limits.requests, burst: itemBurst(limits.requests.burst) }, 1);
      if (wait > 0) return limited('requests', owner, limits, { retryAfterMs: wait, bucket });
    }
    noteItem(owners);
    return succeed(undefined);
  }

  function noteItem(owners: readonly Owner[]): void {
    const time = now();
    for (const owner of owners) pour(table.of(owner.id, owner.limits, time).requests, 1);
  }

  function reserveTokens(owners: readonly Owner[], tokens: number, share: number): Result<TokenReservation> {
    const time = now();
    for (const owner of owners) {
      const limits = sharedOut(owner.limits, share);
      const bucket = table.of(owner.id, limits, time).tokens;
      const wait = waitFor(bucket, limits.tokens, tokens);
      if (wait > 0) return limited('tokens', owner, limits, { retryAfterMs: wait, bucket });
    }
    noteTokens(owners, tokens, share);
    let settled = false;
    return succeed({
      settle(used) {
        if (settled) return;
        settled = true;
        noteTokens(owners, used - tokens, share);
      },
    });
  }

  function noteTokens(owners: readonly Owner[], tokens: number, share: number): void {
    const time = now();
    for (const owner of owners) pour(table.of(owner.id, sharedOut(owner.limits, share), time).tokens, tokens);
  }

  function inForce(owners: readonly Owner[], share: number): LimitInForce[] {
    const time = now();
    return owners.flatMap(({ id, level, limits }) => {
      const here = sharedOut(limits, share);
      const { requests, tokens, concurrent, streams } = table.of(id, here, time);
      return limitsInForce(level, here, { requests: requests.drops, tokens: tokens.drops, concurrent, streams });
    });
  }

  return { inForce, admit, admitStream, admitItem, note, noteStream, noteItem, reserveTokens, noteTokens };
}

/** Counts one request at every level. Checked beforehand, so that a refusal at one level counts at none. */
function enter(usages: readonly Usage[], kind: 'unary' | 'stream'): Admission {
  const streams = kind === 'stream' ? 1 : 0;
  for (const usage of usages) {
    pour(usage.requests, 1);
    usage.concurrent += 1;
    usage.streams += streams;
  }
  return new Entered(usages, streams);
}

class Entered implements Admission {
  readonly requests: LimitState | undefined;
  readonly tokens: LimitState | undefined;
  readonly #usages: readonly Usage[];
  readonly #streams: number;
  #released = false;

  constructor(usages: readonly Usage[], streams: number) {
    this.#usages = usages;
    this.#streams = streams;
    for (const usage of usages) {
      const left = remaining(usage.requests, usage.limits.requests);
      if (this.requests === undefined || left < this.requests.remaining)
        this.requests = stateOf(usage.requests, usage.limits.requests, left);
      const tokensLeft = remaining(usage.tokens, usage.limits.tokens);
      if (this.tokens === undefined || tokensLeft < this.tokens.remaining)
        this.tokens = stateOf(usage.tokens, usage.limits.tokens, tokensLeft);
    }
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const usage of this.#usages) {
      usage.concurrent -= 1;
      usage.streams -= this.#streams;
    }
  }
}

function stateOf(bucket: Usage['requests'], rate: Rate, left: number): LimitState {
  return { limit: rate.burst, windowMs: windowMs(rate), remaining: left, resetMs: resetMs(bucket, rate) };
}

const words: Record<RateQuota['name'], string> = {
  requests: 'requests per minute',
  tokens: 'tokens per minute',
  'concurrent-requests': 'concurrent requests',
  'concurrent-streams': 'concurrent streams',
};

/** The refusal for one of an owner's limits; `bucket` is how full it is, unless the limit is on slots. */
export function limited(
  name: RateQuota['name'],
  { level }: Pick<Owner, 'level'>,
  limits: ResolvedLimits,
  { retryAfterMs, bucket }: { retryAfterMs: number; bucket?: Bucket },
) {
  const limit = `${words[name]} of the ${level}`;
  return fail({ kind: 'rate_limited', limit, retryAfterMs, quota: quotaOf(name, limits, bucket) });
}

function quotaOf(name: RateQuota['name'], limits: ResolvedLimits, bucket: Bucket | undefined): RateQuota {
  if (name === 'concurrent-requests') return { name, most: limits.concurrent, remaining: 0 };
  if (name === 'concurrent-streams') return { name, most: limits.streams, remaining: 0 };
  const rate = limits[name];
  return { name, most: rate.burst, remaining: bucket ? remaining(bucket, rate) : 0, windowMs: windowMs(rate) };
}

/** How much of the request burst batch items may use. */
export function itemBurst(burst: number): number {
  return Math.ceil(burst / 2);
}

/** One node's share of the limits. Rounded down, so that all nodes together stay within them; at least 1, so that each one works. */
function sharedOut(limits: ResolvedLimits, share: number): ResolvedLimits {
  if (share <= 1) return limits;
  const part = (value: number) => Math.max(1, Math.floor(value / share));
  return {
    requests: { perMinute: part(limits.requests.perMinute), burst: part(limits.requests.burst) },
    tokens: { perMinute: part(limits.tokens.perMinute), burst: part(limits.tokens.burst) },
    concurrent: part(limits.concurrent),
    streams: part(limits.streams),
  };
}
