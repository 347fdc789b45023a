import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';

interface CacheTables {
  chat_cached_reply: {
    account_id: string;
    request_digest: Buffer;
    sealed: Buffer;
    stored_at_us: bigint;
    expires_at_us: bigint;
  };
}

/** Which reply: the account's, to this request. */
export interface CacheEntry {
  accountId: string;
  digest: Buffer;
}

const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

/** The reply, when it is at most so old and has not expired, and its age, by the database's clock. */
export async function findCachedReply(
  db: Queryable,
  { accountId, digest, maxAgeSeconds }: CacheEntry & { maxAgeSeconds: number },
): Promise<{ sealed: Buffer; ageUs: bigint } | undefined> {
  const row = await db
    .for<CacheTables>()
    .selectFrom('chat_cached_reply')
    .select(['sealed', sql<bigint>`${nowUs} - stored_at_us`.as('age_us')])
    .where('account_id', '=', accountId)
    .where('request_digest', '=', digest)
    .where('stored_at_us', '>', sql<bigint>`${nowUs} - ${BigInt(maxAgeSeconds) * 1_000_000n}`)
    .where('expires_at_us', '>', nowUs)
    .executeTakeFirst();
  return row && { sealed: row.sealed, ageUs: row.age_us };
}

/** Adds the reply, or takes the place of an older one. */
export async function putCachedReply(
  db: Queryable,
  { accountId, digest, sealed, maxAgeSeconds }: CacheEntry & { sealed: Uint8Array; maxAgeSeconds: number },
): Promise<void> {
  const row = {
    sealed: Buffer.from(sealed),
    stored_at_us: nowUs,
    expires_at_us: sql<bigint>`${nowUs} + ${BigInt(maxAgeSeconds) * 1_000_000n}`,
  };
  await db
    .for<CacheTables>()
    .insertInto('chat_cached_reply')
    .values({ account_id: accountId, request_digest: digest, ...row })
    .onDuplicateKeyUpdate(row)
    .execute();
}

/** Deletes the account's oldest replies, so that `keep` stay; a few at a time. */
export async function trimCachedReplies(
  db: Queryable,
  { accountId, keep, limit }: { accountId: string; keep: number; limit: number },
): Promise<void> {
  const tables = db.for<CacheTables>();
  const oldest = await tables
    .selectFrom('chat_cached_reply')
    .select('stored_at_us')
    .where('account_id', '=', accountId)
    .orderBy('stored_at_us', 'desc')
    .limit(1)
    .offset(keep)
    .executeTakeFirst();
  if (!oldest) return;
  await sql`DELETE FROM chat_cached_reply WHERE account_id = ${accountId} AND stored_at_us <= ${oldest.stored_at_us}
    ORDER BY stored_at_us LIMIT ${limit}`.execute(tables);
}

/** Deletes replies whose time is over; how many. */
export async function sweepCachedReplies(db: Queryable, limit: number): Promise<number> {
  const { numAffectedRows } =
    await sql`DELETE FROM chat_cached_reply WHERE expires_at_us < ${nowUs} ORDER BY expires_at_us LIMIT ${limit}`.execute(
      db.for<CacheTables>(),
    );
  return Number(numAffectedRows ?? 0n);
}
