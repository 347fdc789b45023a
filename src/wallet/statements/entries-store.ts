import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { findRows } from '../rows-store.ts';
import { type FoundPosting, postingTable, type SourceType } from '../tables.ts';
import type { EntryKind } from '../wallets/wallets.ts';

/** Some of a wallet's postings: from the number `least` on, below `before`, of some kinds or of all when none is named. */
export interface PostingsRequest {
  walletId: string;
  kinds: readonly EntryKind[];
  least: bigint | undefined;
  before: bigint | undefined;
  limit: number;
}

/** The newest of some postings, the newest first. */
export async function newestPostings(db: Queryable, request: PostingsRequest): Promise<FoundPosting[]> {
  const { walletId, kinds, limit } = request;
  if (kinds.length > 0 && !kinds.includes('usage')) {
    const seqs = await findRare(db, request);
    if (seqs.length === 0) return [];
    return findRows(db, postingTable, sql`wallet_id = ${walletId} AND seq IN (${sql.join(seqs)}) ORDER BY seq DESC`);
  }
  const kind = kinds.length === 0 ? sql`` : sql`AND kind IN (${sql.join(kinds)})`;
  return findRows(
    db,
    postingTable,
    sql`wallet_id = ${walletId} ${between(request)} ${kind} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/**
 * The numbers of postings that are not of usage. Such ones are few among a wallet's postings, so they are found by the top-ups and
 * corrections that they are of: in the order of the primary key they would be looked for in the whole wallet.
 */
async function findRare(db: Queryable, request: PostingsRequest): Promise<bigint[]> {
  const { walletId, kinds, limit } = request;
  // A posting that is not of usage has the kind of its source.
  const types = kinds as readonly Exclude<SourceType, 'charge'>[];
  const { rows } = await sql<{ seq: bigint }>`
    SELECT posting.seq FROM ${ofRareSource(walletId, types)}
    WHERE posting.wallet_id = ${walletId} ${between(request)}
    ORDER BY posting.seq DESC LIMIT ${limit}`.execute(db.for<never>());
  return rows.map(({ seq }) => seq);
}

const rareTypes = ['top_up', 'refund', 'dispute', 'adjustment'] as const;

/** Top-ups and corrections of a wallet, joined with the postings of them. */
export function ofRareSource(
  walletId: string,
  types: readonly Exclude<SourceType, 'charge'>[] = rareTypes,
): RawBuilder<unknown> {
  return sql`(
      SELECT id FROM top_up WHERE wallet_id = ${walletId} UNION ALL SELECT id FROM adjustment WHERE wallet_id = ${walletId}
    ) source STRAIGHT_JOIN posting FORCE INDEX (posting_source)
      ON posting.source_type IN (${sql.join(types)}) AND posting.source_id = source.id`;
}

function between({ least, before }: PostingsRequest): RawBuilder<unknown> {
  const from = least === undefined ? sql`` : sql`AND posting.seq >= ${least}`;
  return before === undefined ? from : sql`${from} AND posting.seq < ${before}`;
}
