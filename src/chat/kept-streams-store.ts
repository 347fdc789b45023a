import { sql } from 'kysely';
import type { Database, Queryable } from '../db/index.ts';

/** Identifies a reply: its owner and its charge. */
export interface StreamPlace {
  chargeId: string;
  accountId: string;
  /** Of whoever may read it; 32 bytes. */
  scopeDigest: Buffer;
}

/** What is known about a reply without its events. */
export interface StreamRow {
  state: 'open' | 'ended' | 'dropped';
  lastSequence: number;
  /** Microseconds since the last heartbeat of the node that generates it. */
  silentUs: bigint;
}

export interface StreamPart {
  firstSequence: number;
  lastSequence: number;
  sealed: Buffer;
}

/** Approximate size of a reply's rows, not counting its events. */
const rowBytes = 1_024;
const partBytes = 128;
const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

export async function insertStream(db: Queryable, place: StreamPlace, keptUs: bigint): Promise<void> {
  await sql`INSERT INTO chat_stream
      (charge_id, account_id, scope_digest, state, last_sequence, bytes, beat_at_us, expires_at_us)
    VALUES (${place.chargeId}, ${place.accountId}, ${place.scopeDigest}, 'open', 0, ${rowBytes}, ${nowUs},
      ${nowUs} + ${keptUs})`.execute(db.for<never>());
}

/** The reply, if it belongs to the reader and is still kept. */
export async function findStream(
  db: Queryable,
  { chargeId, accountId, scopeDigest }: StreamPlace,
): Promise<StreamRow | undefined> {
  const { rows } = await sql<{ state: Buffer | string; lastSequence: bigint | number; silentUs: bigint }>`
    SELECT state, last_sequence AS lastSequence, ${nowUs} - beat_at_us AS silentUs FROM chat_stream
    WHERE charge_id = ${chargeId} AND account_id = ${accountId} AND scope_digest = ${scopeDigest}
      AND expires_at_us > ${nowUs}`.execute(db.for<never>());
  const row = rows[0];
  return (
    row && {
      state: String(row.state) as StreamRow['state'],
      lastSequence: Number(row.lastSequence),
      silentUs: BigInt(row.silentUs),
    }
  );
}

/** The parts that hold events after a sequence, in order, at most `limit`. */
export async function readParts(
  db: Queryable,
  { chargeId }: Pick<StreamPlace, 'chargeId'>,
  after: number,
  limit: number,
): Promise<StreamPart[]> {
  const { rows } = await sql<{ firstSequence: bigint | number; lastSequence: bigint | number; sealed: Buffer }>`
    SELECT first_sequence AS firstSequence, last_sequence AS lastSequence, sealed FROM chat_stream_part
    WHERE charge_id = ${chargeId} AND last_sequence > ${after}
    ORDER BY first_sequence LIMIT ${sql.lit(limit)}`.execute(db.for<never>());
  return rows.map(({ firstSequence, lastSequence, sealed }) => ({
    firstSequence: Number(firstSequence),
    lastSequence: Number(lastSequence),
    sealed,
  }));
}

/** Adds a part and returns the bytes it takes; undefined, with nothing added, if the reply is no longer kept. */
export function addPart(
  db: Database,
  place: StreamPlace,
  { part, ended, keptUs }: { part: StreamPart; ended: boolean; keptUs: bigint },
): Promise<number | undefined> {
  const bytes = part.sealed.length + partBytes;
  return db.transaction(async (tx) => {
    const { numAffectedRows } = await sql`UPDATE chat_stream
      SET bytes = bytes + ${bytes}, last_sequence = ${part.lastSequence}, state = ${ended ? 'ended' : 'open'},
        beat_at_us = ${nowUs}, expires_at_us = ${nowUs} + ${keptUs}
      WHERE charge_id = ${place.chargeId} AND state = 'open'`.execute(tx.for<never>());
    if (Number(numAffectedRows ?? 0n) === 0) return undefined;
    await sql`INSERT INTO chat_stream_part (charge_id, first_sequence, last_sequence, sealed)
      VALUES (${place.chargeId}, ${part.firstSequence}, ${part.lastSequence}, ${part.sealed})`.execute(tx.for<never>());
    return bytes;
  });
}

/** Records that the reply is still being generated. */
export async function beatStream(db: Queryable, { chargeId }: StreamPlace, keptUs: bigint): Promise<void> {
  await sql`UPDATE chat_stream SET beat_at_us = ${nowUs}, expires_at_us = ${nowUs} + ${keptUs}
    WHERE charge_id = ${chargeId} AND state = 'open'`.execute(db.for<never>());
}

/** Deletes what is kept of a reply, and records that it was deleted. */
export function dropStream(db: Database, { chargeId }: StreamPlace): Promise<void> {
  return db.transaction(async (tx) => {
    await sql`UPDATE chat_stream SET state = 'dropped', bytes = ${rowBytes} WHERE charge_id = ${chargeId}`.execute(
      tx.for<never>(),
    );
    await sql`DELETE FROM chat_stream_part WHERE charge_id = ${chargeId}`.execute(tx.for<never>());
  });
}

/** The bytes that an account's replies take; without an account, those of all. */
export async function keptBytes(db: Queryable, accountId?: string): Promise<number> {
  const whose = accountId === undefined ? sql`` : sql`WHERE account_id = ${accountId}`;
  const { rows } = await sql<{ bytes: bigint | number | string | null }>`
    SELECT SUM(bytes) AS bytes FROM chat_stream ${whose}`.execute(db.for<never>());
  return Number(rows[0]?.bytes ?? 0);
}

/** Deletes expired replies, at most `limit`; returns how many. */
export function sweepStreams(db: Database, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await sql<{ chargeId: Buffer | string }>`SELECT charge_id AS chargeId FROM chat_stream
      WHERE expires_at_us < ${nowUs} ORDER BY expires_at_us LIMIT ${sql.lit(limit)} FOR UPDATE`.execute(
      tx.for<never>(),
    );
    if (rows.length === 0) return 0;
    const ids = sql.join(rows.map(({ chargeId }) => String(chargeId)));
    await sql`DELETE FROM chat_stream_part WHERE charge_id IN (${ids})`.execute(tx.for<never>());
    await sql`DELETE FROM chat_stream WHERE charge_id IN (${ids})`.execute(tx.for<never>());
    return rows.length;
  });
}
