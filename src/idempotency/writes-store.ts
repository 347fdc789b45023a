import { sql } from 'kysely';
import { isDuplicateKey, isLockedElsewhere, type Queryable } from '../db/index.ts';

/** A write's reply, as stored. */
export interface StoredWrite {
  fingerprint: Buffer;
  sealed: Buffer;
}

interface WriteTables {
  idempotent_write: StoredWrite & { digest: Buffer; owner: string; expires_at_us: bigint };
}

/** Database time in microseconds. */
const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

/** What is stored under a digest; undefined if nothing is, or it has expired. */
export function findWrite(db: Queryable, digest: Buffer): Promise<StoredWrite | undefined> {
  return selectWrite(db, digest).executeTakeFirst();
}

/**
 * Claims a digest until the transaction ends, or permanently if it also stores a reply. False if another transaction has it or a
 * reply is already stored; then nothing is stored.
 */
export async function claimWrite(
  tx: Queryable,
  claim: { digest: Buffer; owner: string; fingerprint: Uint8Array; keptMs: number },
): Promise<boolean> {
  const { digest, owner, keptMs } = claim;
  try {
    // Does not wait for another request with this digest.
    if (await selectWrite(tx, digest).forUpdate().noWait().executeTakeFirst()) return false;
    await tx
      .for<WriteTables>()
      .deleteFrom('idempotent_write')
      .where('digest', '=', digest)
      .where('expires_at_us', '<=', nowUs)
      .execute();
    await tx
      .for<WriteTables>()
      .insertInto('idempotent_write')
      .values({
        digest,
        owner,
        fingerprint: Buffer.from(claim.fingerprint),
        sealed: Buffer.alloc(0),
        expires_at_us: sql<bigint>`${nowUs} + ${keptMs * 1_000}`,
      })
      .execute();
    return true;
  } catch (error) {
    if (isLockedElsewhere(error) || isDuplicateKey(error)) return false;
    throw error;
  }
}

export async function keepReply(tx: Queryable, { digest, sealed }: { digest: Buffer; sealed: Buffer }): Promise<void> {
  await tx.for<WriteTables>().updateTable('idempotent_write').set({ sealed }).where('digest', '=', digest).execute();
}

/** How many of an owner's replies are kept, and their total size. */
export async function keptOf(db: Queryable, owner: string): Promise<{ replies: number; bytes: number }> {
  const { rows } = await sql<{ replies: bigint | number | string; bytes: bigint | number | string | null }>`
    SELECT COUNT(*) AS replies, SUM(bytes) AS bytes FROM idempotent_write FORCE INDEX (idempotent_write_owner_bytes)
    WHERE owner = ${owner} AND expires_at_us > ${nowUs}`.execute(db.for<never>());
  return { replies: Number(rows[0]?.replies ?? 0), bytes: Number(rows[0]?.bytes ?? 0) };
}

/** Deletes expired rows, at most `limit`; returns how many. */
export async function sweepWrites(db: Queryable, limit: number): Promise<number> {
  const { numAffectedRows } =
    await sql`DELETE FROM idempotent_write WHERE expires_at_us <= ${nowUs} ORDER BY expires_at_us LIMIT ${sql.lit(limit)}`.execute(
      db.for<never>(),
    );
  return Number(numAffectedRows ?? 0);
}

function selectWrite(db: Queryable, digest: Buffer) {
  return db
    .for<WriteTables>()
    .selectFrom('idempotent_write')
    .select(['fingerprint', 'sealed'])
    .where('digest', '=', digest)
    .where('expires_at_us', '>', nowUs);
}
