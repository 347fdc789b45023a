import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';

/** Identifies a reply: the account, and a digest of the request. */
export interface CacheEntry {
  accountId: string;
  digest: Buffer;
}

const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

/** The reply and its age, if it is no older than `maxAgeSeconds` and has not expired, by the database's clock. */
export async function findCachedReply(
  db: Queryable,
  { accountId, digest, maxAgeSeconds }: CacheEntry & { maxAgeSeconds: number },
): Promise<{ sealed: Buffer; ageUs: bigint } | undefined> {
  const { rows } = await sql<{ sealed: Buffer; ageUs: bigint }>`
    SELECT sealed, ${nowUs} - stored_at_us AS ageUs FROM chat_cached_reply
    WHERE account_id = ${accountId} AND request_digest = ${digest}
      AND stored_at_us > ${nowUs} - ${BigInt(maxAgeSeconds) * 1_000_000n} AND expires_at_us > ${nowUs}`.execute(
    db.for<never>(),
  );
  return rows[0];
}

/** Adds the reply, replacing an older one. */
export async function putCachedReply(
  db: Queryable,
  { accountId, digest, sealed, maxAgeSeconds }: CacheEntry & { sealed: Uint8Array; maxAgeSeconds: number },
): Promise<void> {
  await sql`INSERT INTO chat_cached_reply (account_id, request_digest, sealed, stored_at_us, expires_at_us)
    VALUES (${accountId}, ${digest}, ${Buffer.from(sealed)}, ${nowUs}, ${nowUs} + ${BigInt(maxAgeSeconds) * 1_000_000n})
    ON DUPLICATE KEY UPDATE sealed = VALUES(sealed), stored_at_us = VALUES(stored_at_us),
      expires_at_us = VALUES(expires_at_us)`.execute(db.for<never>());
}

/** Deletes the account's oldest replies until `keep` are left, a few at a time. */
export async function trimCachedReplies(
  db: Queryable,
  { accountId, keep, limit }: { accountId: string; keep: number; limit: number },
): Promise<void> {
  const { rows } = await sql<{ stored_at_us: bigint }>`
    SELECT stored_at_us FROM chat_cached_reply WHERE account_id = ${accountId}
    ORDER BY stored_at_us DESC LIMIT 1 OFFSET ${keep}`.execute(db.for<never>());
  if (!rows[0]) return;
  await sql`DELETE FROM chat_cached_reply WHERE account_id = ${accountId} AND stored_at_us <= ${rows[0].stored_at_us}
    ORDER BY stored_at_us LIMIT ${limit}`.execute(db.for<never>());
}

/** Deletes expired replies; returns how many. */
export async function sweepCachedReplies(db: Queryable, limit: number): Promise<number> {
  const { numAffectedRows } =
    await sql`DELETE FROM chat_cached_reply WHERE expires_at_us < ${nowUs} ORDER BY expires_at_us LIMIT ${limit}`.execute(
      db.for<never>(),
    );
  return Number(numAffectedRows ?? 0n);
}
