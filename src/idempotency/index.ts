/** Writes that charge nothing, done once for each `Idempotency-Key`. What is charged, the ledger does once. */
import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import { createRounds } from '../base/rounds.ts';
import type { Seal } from '../base/seal.ts';
import { createWriteTurns } from '../base/write-turns.ts';
import type { Database, Transaction } from '../db/index.ts';
import { claimWrite, findWrite, keepReply, keptOf, sweepWrites } from './writes-store.ts';

/** One request, as its caller names it. */
export interface WriteIdentity {
  /** The account, or the operator, whose keys are counted together. */
  owner: string;
  /** Who may be answered with the reply: the owner, or of an account one end user. */
  scope: string;
  /** The full name of the method. One key names one request of each. */
  method: string;
  /** 1 to 255 characters. */
  key: string;
  /** Of the method and the whole message; 32 bytes. */
  fingerprint: Uint8Array;
}

/** A write in two parts; a retry that finds the reply does neither. */
export interface Write<Prepared> {
  /** What takes long and writes nothing: no transaction is open for it. */
  prepare(): Promise<Prepared>;
  /** Writes all of it in the transaction, and gives the reply's bytes. Whatever it throws, nothing is written. */
  write(tx: Transaction, prepared: Prepared): Promise<Uint8Array>;
}

export interface IdempotentWrites {
  /**
   * The reply to a write, done now or earlier: it is stored, sealed, in the transaction of the write, and for 24 hours answers
   * the same request under the same key. Fails with `idempotency_mismatch` for another request under the key, with
   * `idempotency_in_flight` while the first is at work, with `rate_limited` when the owner has 100,000 replies kept, or
   * 256 MiB of them, and with `overloaded`.
   */
  once<Prepared>(identity: WriteIdentity, write: Write<Prepared>): Promise<Result<Uint8Array>>;
  /** Deletes, now and then, what has expired. */
  start(): void;
  /** Deletes what has expired, now. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface IdempotentWritesOptions {
  db: Database;
  /** Encrypts replies, each bound to its row: some hold the only copy of a secret. */
  seal: Seal;
  /** For the HMAC that a key is stored as. */
  secret: Uint8Array;
  log: Logger;
  /** How long a reply is kept. Default: 24 hours. */
  keptMs?: number;
  /** Replies that are kept of one owner. Default: 100,000. */
  keptMax?: number;
  /** What they take. Some replies have what was written, up to 1 MiB. Default: 256 MiB. */
  keptBytesMax?: number;
}

const dayMs = 24 * 3_600_000;
const mebibyte = 1_024 * 1_024;
const retryAfterMs = 1_000;
const sweepEveryMs = 60_000;
const sweepBatch = 1_000;
const sweepBatchesMax = 20;

export function createIdempotentWrites(options: IdempotentWritesOptions): IdempotentWrites {
  const { db, seal, secret, log, keptMs = dayMs, keptMax = 100_000, keptBytesMax = 256 * mebibyte } = options;
  const turn = createWriteTurns();

  /** What answers a request whose key was used before; undefined when it was not. */
  async function earlier(digest: Buffer, { fingerprint }: WriteIdentity): Promise<Result<Uint8Array> | undefined> {
    const stored = await findWrite(db, digest);
    if (!stored) return undefined;
    if (!stored.fingerprint.equals(fingerprint)) return fail({ kind: 'idempotency_mismatch' });
    const reply = seal.open(stored.sealed, contextOf(digest));
    if (reply) return succeed(reply);
    log.error('a stored reply does not open: its encryption key is gone, or it was changed');
    return fail(unreadable);
  }

  async function writeOnce<Prepared>(
    digest: Buffer,
    { owner, fingerprint }: WriteIdentity,
    { prepare, write }: Write<Prepared>,
  ): Promise<Result<Uint8Array>> {
    const kept = await keptOf(db, owner);
    if (kept.replies >= keptMax) return fail(tooMany(`${keptMax} writes`));
    if (kept.bytes >= keptBytesMax) return fail(tooMany(`${keptBytesMax / mebibyte} MiB of replies to writes`));
    const prepared = await prepare();
    return turn(() =>
      db.transaction(async (tx): Promise<Result<Uint8Array>> => {
        if (!(await claimWrite(tx, { digest, owner, fingerprint, keptMs }))) return fail(inFlight);
        const reply = await write(tx, prepared);
        await keepReply(tx, { digest, sealed: Buffer.from(seal.seal(reply, contextOf(digest))) });
        return succeed(reply);
      }),
    );
  }

  async function sweep(): Promise<void> {
    for (let batch = 0; batch < sweepBatchesMax; batch++) if ((await sweepWrites(db, sweepBatch)) < sweepBatch) return;
  }

  const rounds = createRounds({
    everyMs: sweepEveryMs,
    run: sweep,
    onError: (error) => log.warn({ err: error }, 'expired replies of writes could not be deleted'),
  });

  return {
    async once(identity, write) {
      const digest = digestOf(secret, identity);
      const known = await earlier(digest, identity);
      if (known) return known;
      const written = await writeOnce(digest, identity, write);
      if (written.ok || written.failure.kind !== 'idempotency_in_flight') return written;
      // Whoever had the key may be done by now.
      return (await earlier(digest, identity)) ?? written;
    },
    start: rounds.start,
    sweep,
    close: rounds.close,
  };
}

const inFlight: Failure = { kind: 'idempotency_in_flight', retryAfterMs };

const unreadable: Failure = {
  kind: 'precondition_failed',
  description:
    'This request was done, and its stored reply can not be read any more. Look what it made, and use a new Idempotency-Key to ask again.',
};

function tooMany(most: string): Failure {
  return { kind: 'rate_limited', limit: `${most} with an Idempotency-Key in 24 hours`, retryAfterMs: 60_000 };
}

function digestOf(secret: Uint8Array, { scope, method, key }: WriteIdentity): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['idempotent write', scope, method, key]))
    .digest();
}

function contextOf(digest: Buffer): string {
  return `idempotent write ${digest.toString('base64url')}`;
}
