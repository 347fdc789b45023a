import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Failure, FailureError, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { createRounds } from '../base/rounds.ts';
import type { Seal } from '../base/seal.ts';
import { unitsOfATurn } from '../base/slices.ts';
import { createPace } from '../base/turn.ts';
import type { Database } from '../db/index.ts';
import {
  findStream,
  keptBytes,
  readParts,
  type StreamPlace,
  type StreamRow,
  sweepStreams,
} from './kept-streams-store.ts';
import { restoreEvents } from './stored-events.ts';
import { createStreamLog, type StreamLog } from './stream-log.ts';
import { contextOf, createStreamWriter } from './stream-writer.ts';
import type { StreamedEvent } from './types.ts';

export interface KeptStreamsSettings {
  /** How long a reply is kept after its last piece, and how long it is generated with nobody reading it. */
  keptMs: number;
  /** Limits per account and for all, in bytes: sealed events and their rows. One reply may overrun by less than 128 KiB before that is noticed. */
  accountBytesMax: number;
  bytesMax: number;
  /** A node silent about a reply for this long is considered gone. Default: 30 s. */
  goneMs?: number;
}

export interface KeptStreamsDependencies {
  db: Database;
  /** Encrypts events; each batch is bound to its place. */
  seal: Seal;
  log: Logger;
  settings: KeptStreamsSettings;
}

/** The reader: an account, or one of its end users. */
export interface StreamReader {
  accountId: string;
  scope: string;
}

/** A reply that is kept from now on. */
export interface BegunStream {
  events: StreamLog;
  /** Resolves once every node can find the reply, or once the database was unavailable and it can only be found later. */
  findable: Promise<void>;
}

/** Streamed replies that outlive their connection, shared by all nodes. */
export interface KeptStreams {
  /** Whether one more reply of the account can be kept; otherwise `rate_limited`. */
  admit(accountId: string): Promise<Result<void>>;
  /** Starts keeping a reply that this node generates. `onUnattended`: nobody has read it for as long as it is kept. */
  begin(chargeId: string, owner: StreamReader, onUnattended: () => void): BegunStream;
  /**
   * A reply after a given sequence, to its end. Fails with `not_found`, with `precondition_failed` if it is no longer kept or
   * the node generating it is gone, and with `invalid_argument` for a sequence it does not have.
   */
  resume(
    chargeId: string,
    reader: StreamReader,
    from: { after: number; signal: AbortSignal },
  ): Promise<Result<AsyncGenerator<StreamedEvent, void>>>;
  /** Starts deleting expired replies periodically. */
  start(): void;
  /** Deletes expired replies now. */
  sweep(): Promise<void>;
  /** Stores what exists of replies still being generated, and nothing after that. */
  close(): Promise<void>;
}

const sweepEveryMs = 30_000;
const sweepBatch = 200;
const sweepBatchesMax = 20;
const retryAfterMs = 60_000;
/** How often to poll a reply that another node is generating. */
const pollMs = 250;
const partsPerRead = 16;
/** Opening a byte, and parsing it with all others. */
const unitsOfAByte = 2;

export function createKeptStreams({ db, seal, log, settings }: KeptStreamsDependencies): KeptStreams {
  const { keptMs, accountBytesMax, bytesMax, goneMs = 30_000 } = settings;
  /** Replies generated here, until they are stored. */
  const live = new Map<string, { place: StreamPlace; events: StreamLog }>();
  const writing = new Set<Promise<void>>();
  const closing = new AbortController();
  /** Total bytes kept, as far as this node knows. */
  let total = 0;

  const fits = async (accountId: string) => total < bytesMax && (await keptBytes(db, accountId)) < accountBytesMax;

  const write = createStreamWriter({
    ...{ db, seal, log, keptMs, closing: closing.signal, beatMs: goneMs / 4, fits },
    grown: (bytes) => {
      total += bytes;
    },
  });

  /** What the database has of a reply, for as long as a node keeps adding to it. */
  async function* follow(
    place: StreamPlace,
    { after, signal }: { after: number; signal: AbortSignal },
  ): AsyncGenerator<StreamedEvent, void> {
    const pace = createPace(unitsOfATurn);
    for (let last = after; ; ) {
      // Read the state first: if it says ended, the parts read after it are complete.
      const row = await findStream(db, place);
      const parts = await readParts(db, place, last, partsPerRead);
      for (const part of parts) {
        await pace(unitsOfAByte * part.sealed.length);
        const opened = seal.open(part.sealed, contextOf(place, part.firstSequence));
        if (!opened) throw new FailureError(unreadable);
        for (const [index, entry] of restoreEvents(opened).entries()) {
          const sequence = part.firstSequence + index;
          if (sequence <= last) continue;
          if (entry.kind === 'failed') throw new FailureError(entry.failure);
          yield { ...entry, sequence };
          last = sequence;
        }
      }
      if (parts.length > 0) continue;
      if (row?.state === 'ended') return;
      const problem = problemOf(row);
      if (problem) throw new FailureError(problem);
      await pause(pollMs, signal);
    }
  }

  function problemOf(row: StreamRow | undefined): Failure | undefined {
    if (!row) return notKept(keptMs);
    if (row.state === 'dropped') return dropped;
    return row.silentUs > BigInt(goneMs) * 1_000n ? nodeGone : undefined;
  }

  async function sweep(): Promise<void> {
    for (let batch = 0; batch < sweepBatchesMax; batch++) if ((await sweepStreams(db, sweepBatch)) < sweepBatch) break;
    total = await keptBytes(db);
  }

  const rounds = createRounds({
    everyMs: sweepEveryMs,
    run: sweep,
    onError: (error) => log.warn({ err: error }, 'expired streams could not be deleted'),
  });

  return {
    async admit(accountId) {
      if (await fits(accountId)) return succeed(undefined);
      const limit = `${accountBytesMax} bytes of resumable replies an account, kept for ${keptMs / 1_000} s`;
      return fail({ kind: 'rate_limited', limit, retryAfterMs });
    },
    begin(chargeId, owner, onUnattended) {
      const place = placeOf(chargeId, owner);
      const events = createStreamLog({ unattendedMs: keptMs, onUnattended });
      live.set(chargeId, { place, events });
      const { promise: findable, resolve: tried } = Promise.withResolvers<void>();
      const work = write(place, events, tried).finally(() => {
        live.delete(chargeId);
        writing.delete(work);
      });
      writing.add(work);
      return { events, findable };
    },
    async resume(chargeId, reader, from) {
      const place = placeOf(chargeId, reader);
      const here = live.get(chargeId);
      if (here) {
        if (!here.place.scopeDigest.equals(place.scopeDigest)) return fail(notKept(keptMs));
        if (from.after > here.events.length) return fail(tooFar(here.events.length));
        return succeed(here.events.read(from.after, from.signal));
      }
      const row = await findStream(db, place);
      if (!row) return fail(notKept(keptMs));
      if (row.state === 'dropped') return fail(dropped);
      if (row.state === 'ended' && from.after > row.lastSequence) return fail(tooFar(row.lastSequence));
      return succeed(follow(place, from));
    },
    start: rounds.start,
    sweep,
    async close() {
      await rounds.close();
      closing.abort();
      await Promise.all(writing);
    },
  };
}

function placeOf(chargeId: string, { accountId, scope }: StreamReader): StreamPlace {
  return { chargeId, accountId, scopeDigest: createHash('sha256').update(scope).digest() };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    throw new FailureError({ kind: 'cancelled' }, { cause: error });
  }
}

const wholeReply =
  'Send the request again with the same Idempotency-Key: if it was charged, you get its whole reply and nothing is charged again.';

/** One failure for everything a reader cannot have, so as not to reveal what others have. */
export function notKept(keptMs: number): Failure {
  const kept = `Only replies of requests with "resumable" are kept, for ${keptMs / 1_000} s after their last piece.`;
  return { kind: 'not_found', resource: 'resumable reply', advice: `${kept} ${wholeReply}` };
}

const dropped: Failure = {
  kind: 'precondition_failed',
  description: `This reply became too long to be kept for resuming. ${wholeReply}`,
};

const nodeGone: Failure = {
  kind: 'precondition_failed',
  description: `The node that generated this reply is gone, so there is no more of it; the part that arrived may be charged. ${wholeReply} Otherwise the answer says what to do.`,
};

const unreadable: Failure = {
  kind: 'precondition_failed',
  description: `The stored part of this reply can no longer be read. ${wholeReply}`,
};

function tooFar(length: number): Failure {
  return invalid(
    'after',
    `The reply has ${length} messages so far: give the sequence, or the event id, of one that it sent.`,
  );
}
