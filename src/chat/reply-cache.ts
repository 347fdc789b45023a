import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import type { NanoUsd } from '../base/money.ts';
import { createRounds } from '../base/rounds.ts';
import type { Seal } from '../base/seal.ts';
import type { Database } from '../db/index.ts';
import { payerOf, replyScope, type Wallets } from '../wallet/index.ts';
import { cacheKeyOf } from './cache-key.ts';
import type { ChatCall } from './deps.ts';
import { digestOf } from './guard/index.ts';
import {
  type CacheEntry,
  findCachedReply,
  putCachedReply,
  sweepCachedReplies,
  trimCachedReplies,
} from './reply-cache-store.ts';
import { restoreReply, storeReply } from './stored-reply.ts';
import type { ChatReply, ChatRequest } from './types.ts';

export interface ReplyCacheSettings {
  /** If false, nothing is read or stored. */
  enabled: boolean;
  /** An upper limit: a request that asks for longer gets this. */
  maxAgeSeconds: number;
  /** Beyond this, an account's oldest replies are evicted. */
  entriesPerAccountMax: number;
}

/** The outcome of a lookup, or of a reply that might have been stored. */
export type CacheEvent = 'hit' | 'miss' | 'refresh' | 'stored' | 'too_large' | 'dropped' | 'failed';

export interface ReplyCacheDependencies {
  db: Database;
  wallets: Pick<Wallets, 'get' | 'findCharge'>;
  /** Encrypts replies; each is bound to its row. */
  seal: Seal;
  /** For the HMAC that identifies a request. */
  secret: Uint8Array;
  log: Logger;
  settings: ReplyCacheSettings;
  /** A cache lookup slower than this is of no help to anyone. */
  lookUpMs?: number;
  /** For metrics. */
  observe?: (event: CacheEvent) => void;
}

/** Replies to earlier requests, shared by all nodes. A fault in the cache never fails a request: it counts as a miss. */
export interface ReplyCache {
  /** Where the reply to a request is cached; undefined if it is not: caching was not requested, or the request is an idempotent repeat. */
  placeOf(caller: Caller, request: ChatRequest, call: ChatCall): Promise<CachePlace | undefined>;
  /**
   * The reply cached there, free of charge, with the current balance: if it is recent enough, `mayUse` accepts its model, and
   * the wallet is not paused.
   */
  find(place: CachePlace, mayUse: (reply: ChatReply) => boolean): Promise<ChatReply | undefined>;
  /** Caches a reply that was charged, if it is complete. Never rejects. */
  keep(place: CachePlace, reply: ChatReply): Promise<void>;
  /** Starts deleting expired replies periodically. */
  start(): void;
  close(): Promise<void>;
  /** Deletes expired replies now. */
  sweep(): Promise<void>;
}

export interface CachePlace extends CacheEntry {
  maxAgeSeconds: number;
  /** Whether to skip the existing entry and replace it. */
  noCache: boolean;
}

const replyBytesMax = 1_024 * 1_024;
/** Replies that may wait for the database at once; any more are not cached, so that a slow database does not fill memory. */
const storesInFlightMax = 32;
const trimMax = 200;
const sweepEveryMs = 60_000;
const sweepBatch = 1_000;
const sweepBatchesMax = 20;

export function createReplyCache(dependencies: ReplyCacheDependencies): ReplyCache {
  const { db, wallets, seal, secret, log, settings, lookUpMs = 1_000, observe = () => {} } = dependencies;
  let storesInFlight = 0;

  /** Undefined if the database fails or takes too long. */
  async function orMiss<T>(work: Promise<T>): Promise<T | undefined> {
    let late: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error(`no answer within ${lookUpMs} ms`)), lookUpMs);
    });
    try {
      return await Promise.race([work, tooLate]);
    } catch (error) {
      observe('failed');
      log.warn({ err: error }, 'the reply cache could not be read');
      return undefined;
    } finally {
      clearTimeout(late);
    }
  }

  async function lookUp(place: CachePlace, mayUse: (reply: ChatReply) => boolean): Promise<ChatReply | undefined> {
    const found = await findCachedReply(db, place);
    if (!found) return undefined;
    const opened = seal.open(found.sealed, contextOf(place));
    if (!opened) {
      log.error('a cached reply does not open: its encryption key is gone, or it was changed');
      return undefined;
    }
    // Where use is stopped, free use stops too; the hold that follows a miss gives the reason.
    const wallet = await wallets.get(place.accountId, 'api');
    if (!wallet.ok) return undefined;
    const { balance, paused, owed, disputed } = wallet.value;
    if (paused || owed > 0n || disputed) return undefined;
    const reply = asHit(opened, balance, Number(found.ageUs / 1_000_000n));
    return mayUse(reply) ? reply : undefined;
  }

  async function store(
    place: CachePlace,
    { balance: _balance, capLeft: _capLeft, ...reply }: ChatReply,
  ): Promise<CacheEvent> {
    const { accountId } = place;
    const bytes = storeReply(reply);
    if (bytes.length > replyBytesMax) return 'too_large';
    const sealed = seal.seal(bytes, contextOf(place));
    await db.transaction((tx) => putCachedReply(tx, { ...place, sealed }));
    await trimCachedReplies(db, { accountId, keep: settings.entriesPerAccountMax, limit: trimMax });
    return 'stored';
  }

  async function sweep(): Promise<void> {
    for (let batch = 0; batch < sweepBatchesMax; batch++)
      if ((await sweepCachedReplies(db, sweepBatch)) < sweepBatch) return;
  }

  const rounds = createRounds({
    everyMs: sweepEveryMs,
    run: sweep,
    onError: (error) => log.warn({ err: error }, 'expired replies could not be deleted'),
  });

  return {
    async placeOf(caller, { cache: wanted, ...request }, call) {
      const payer = payerOf(caller, 'chat');
      if (!settings.enabled || !wanted || !payer.ok) return undefined;
      const { accountId } = payer.value;
      const scope = replyScope(payer.value);
      const { guardrails } = caller.key ?? {};
      // A key with guardrails only gets replies that the same guardrails let through.
      const kept = guardrails ? `${scope}\n${digestOf(guardrails)}` : scope;
      if (call.idempotency) {
        // The request's own outcome takes precedence, and the ledger reports it. If we cannot tell whether there is one, assume
        // there is.
        const { key } = call.idempotency;
        const charge = await orMiss(wallets.findCharge(accountId, scope, key).then((found) => ({ found })));
        if (!charge || charge.found) return undefined;
      }
      return {
        accountId,
        digest: cacheKeyOf(secret, kept, request),
        maxAgeSeconds: Math.min(wanted.maxAgeSeconds, settings.maxAgeSeconds),
        noCache: wanted.noCache ?? false,
      };
    },
    async find(place, mayUse) {
      if (place.noCache) {
        observe('refresh');
        return undefined;
      }
      const looked = await orMiss(lookUp(place, mayUse).then((reply) => ({ reply })));
      if (looked) observe(looked.reply ? 'hit' : 'miss');
      return looked?.reply;
    },
    async keep(place, reply) {
      if (!isWhole(reply)) return;
      if (storesInFlight >= storesInFlightMax) return observe('dropped');
      storesInFlight++;
      try {
        observe(await store(place, reply));
      } catch (error) {
        observe('failed');
        log.warn({ err: error }, 'a reply could not be kept in the cache');
      } finally {
        storesInFlight--;
      }
    },
    ...rounds,
    sweep,
  };
}

// Cut-off, filtered and paused replies must not be reused; a reply that could not be charged must not be had for free.
function isWhole({ finishReason, usage }: ChatReply): boolean {
  return (finishReason === 'stop' || finishReason === 'tool_calls') && usage.cost > 0n;
}

/** The stored reply as a new answer: nothing was called and nothing is charged. */
function asHit(bytes: Uint8Array, balance: NanoUsd, ageSeconds: number): ChatReply {
  const stored = restoreReply(bytes, { balance });
  return {
    ...stored,
    usage: { ...stored.usage, cost: 0n },
    routing: { ...stored.routing, reason: 'An earlier reply to the same request, from the cache.', attempts: [] },
    cache: { hit: true, ageSeconds },
  };
}

function contextOf({ accountId, digest }: CacheEntry): string {
  return `cached-reply:${accountId}:${digest.toString('hex')}`;
}
