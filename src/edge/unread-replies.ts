import { fail, type Result, succeed } from '../base/failure.ts';
import { type Carrier, cutOff, isOver } from './carrier.ts';
import { OwnedBytes, type Owner } from './owned-bytes.ts';

/** Replies that were written but not yet read: their unread part is in memory. */
export interface UnreadReplies {
  /** Fails while an owner has so much unread that it must read before making more calls. */
  mayAsk(owner: Owner): Result<void>;
  /**
   * Watches a reply once its call is over. `taken`: called once, when all but a small rest of it has been sent, or its connection
   * is gone.
   */
  watch(owner: Owner, carrier: Carrier, taken: () => void): void;
}

export interface UnreadRepliesLimits {
  /** Above this, an account must read first, and each of its end users above a share of it. */
  eachBytes: number;
  /** Above this, the account with the most unread loses the reply that has waited longest. */
  allBytes: number;
}

const mebibyte = 1_024 * 1_024;
export const unreadRepliesDefault: UnreadRepliesLimits = { eachBytes: 32 * mebibyte, allBytes: 256 * mebibyte };

/** This much of a reply may wait without a place, for example the end of a stream whose time is up. */
const littleBytes = 262_144;
const lookEveryMs = 100;
const retryAfterMs = 1_000;

interface Reply {
  owner: Owner;
  /** Undefined once it is over: the set's outgrown tables would otherwise retain it (docs/decisions/2026-11-21-what-a-call-leaves.md). */
  carrier: Carrier | undefined;
  taken: (() => void) | undefined;
}

/**
 * A call keeps its place until its reply is read, so an account never has more long replies than places; and it gets no place
 * while too many bytes wait. What a caller reads at once is never counted.
 */
export function createUnreadReplies(limits: UnreadRepliesLimits = unreadRepliesDefault): UnreadReplies {
  /** In the order of their creation. */
  const replies = new Set<Reply>();
  const owed = new OwnedBytes();
  let looking: NodeJS.Timeout | undefined;
  const tooMuch = fail({
    kind: 'rate_limited',
    limit: `${limits.eachBytes / mebibyte} MiB of replies that are not read`,
    retryAfterMs,
  });

  function look(): void {
    owed.clear();
    let all = 0;
    for (const reply of replies) {
      const { owner, carrier } = reply;
      if (!carrier) continue;
      const bytes = carrier.writableLength;
      owed.add(owner, bytes);
      all += bytes;
      if (carrier.writableEnded && bytes <= littleBytes) leave(reply);
    }
    while (all > limits.allBytes) {
      const bytes = cutOldest();
      if (bytes === 0) break;
      all -= bytes;
    }
    if (replies.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  function leave(reply: Reply): void {
    const { taken } = reply;
    reply.taken = undefined;
    taken?.();
  }

  /** Ends the oldest reply of the account with the most unread; returns how much of it was waiting. */
  function cutOldest(): number {
    const most = owed.most();
    for (const { owner, carrier } of replies) {
      const bytes = carrier?.writableLength ?? 0;
      if (owner.account !== most || bytes === 0 || !carrier || carrier.destroyed) continue;
      owed.add(owner, -bytes);
      cutOff(carrier);
      return bytes;
    }
    return 0;
  }

  return {
    mayAsk: (owner) => (owed.hasRoom(owner, 0, limits.eachBytes) ? enough : tooMuch),
    watch(owner, carrier, taken) {
      if (isOver(carrier)) return taken();
      const reply: Reply = { owner, carrier, taken };
      replies.add(reply);
      looking ??= setInterval(look, lookEveryMs).unref();
      const over = () => {
        replies.delete(reply);
        reply.carrier = undefined;
        leave(reply);
      };
      // The caller may keep its side of the stream open.
      carrier.once('finish', over);
      carrier.once('close', over);
    },
  };
}

const enough = succeed(undefined);
