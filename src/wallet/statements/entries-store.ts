import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/index.ts';
import { findRows } from '../rows-store.ts';
import { type FoundPosting, postingTable, type SourceType } from '../tables.ts';
import type { EntryKind } from '../wallets/wallets.ts';

/** A selection of a wallet's postings: numbered from `least` to below `before`, of the given kinds, or of all kinds if none is given. */
export interface PostingsRequest {
  walletId: string;
  kinds: readonly EntryKind[];
  least: bigint | undefined;
  before: bigint | undefined;
  limit: number;
}

/** The newest of the selected postings, newest first. */
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
 * The numbers of non-usage postings. They are rare, so they are found through their top-ups and corrections: in primary key
 * order, the search would scan the whole wallet.
 */
async function findRare(db: Queryable, request: PostingsRequest): Promise<bigint[]> {
  const { walletId, kinds, limit } = request;
  // A non-usage posting has the kind of its source.
  const types = kinds as readonly Exclude<SourceType, 'charge'>[];
  const { rows } = await sql<{ seq: bigint }>`
    SELECT posting.seq FROM ${ofRareSource(walletId, types)}
    WHERE posting.wallet_id = ${walletId} ${between(request)}
    ORDER BY posting.seq DESC LIMIT ${limit}`.execute(db.for<never>());
  return rows.map(({ seq }) => seq);
}

const rareTypes = ['top_up', 'refund', 'dispute', 'adjustment'] as const;

/** A wallet's top-ups and corrections, joined with their postings. */
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
