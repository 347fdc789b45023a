/** Writes that charge nothing, done once per `Idempotency-Key`. For charged writes, the ledger ensures this. */
import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import { createRounds } from '../base/rounds.ts';
import type { Seal } from '../base/seal.ts';
import { createWriteTurns } from '../base/write-turns.ts';
import type { Database, Transaction } from '../db/index.ts';
import { claimWrite, findWrite, keepReply, keptOf, sweepWrites } from './writes-store.ts';

/** One request, as its caller identifies it. */
export interface WriteIdentity {
  /** The account or operator whose keys are counted together. */
  owner: string;
  /** Who may receive the reply: the owner, or one end user of an account. */
  scope: string;
  /** The full name of the method. A key identifies one request per method. */
  method: string;
  /** 1 to 255 characters. */
  key: string;
  /** A digest of the method and the whole message; 32 bytes. */
  fingerprint: Uint8Array;
}

/** A write in two parts; a retry that finds the reply runs neither. */
export interface Write<Prepared> {
  /** The slow part, which writes nothing: it runs without an open transaction. */
  prepare(): Promise<Prepared>;
  /** Writes everything in the transaction and returns the reply's bytes. If it throws, nothing is written. */
  write(tx: Transaction, prepared: Prepared): Promise<Uint8Array>;
}

export interface IdempotentWrites {
  /**
   * Returns the reply to a write, done now or earlier: it is stored, sealed, in the write's transaction, and for 24 hours answers
   * the same request under the same key. Fails with `idempotency_mismatch` for a different request under the key, with
   * `idempotency_in_flight` while the first is running, with `rate_limited` if the owner has 100,000 replies or 256 MiB of them
   * stored, and with `overloaded`.
   */
  once<Prepared>(identity: WriteIdentity, write: Write<Prepared>): Promise<Result<Uint8Array>>;
  /** Periodically deletes what has expired. */
  start(): void;
  /** Deletes what has expired, now. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface IdempotentWritesOptions {
  db: Database;
  /** Encrypts replies, binding each to its row: some contain the only copy of a secret. */
  seal: Seal;
  /** The key of the HMAC under which idempotency keys are stored. */
  secret: Uint8Array;
  log: Logger;
  /** How long a reply is kept. Default: 24 hours. */
  keptMs?: number;
  /** How many replies to keep per owner. Default: 100,000. */
  keptMax?: number;
  /** Their total size. Some replies include what was written, up to 1 MiB. Default: 256 MiB. */
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

  /** The answer to a request whose key was used before; undefined if it was not. */
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
      // The request that held the key may be done by now.
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
