import type { Queryable } from '../../db/index.ts';
import { dateOf, type FoundPosting } from '../tables.ts';
import type { Entry } from '../wallets/wallets.ts';
import { findMetadata } from './metadata-store.ts';

/** One wallet's postings as its owner sees them, with their charges' labels. */
export async function entriesOf(db: Queryable, walletId: string, rows: readonly FoundPosting[]): Promise<Entry[]> {
  const chargeIds = rows.filter(({ sourceType }) => sourceType === 'charge').map(({ sourceId }) => sourceId);
  const metadata = await findMetadata(db, walletId, chargeIds);
  return rows.map((row) => toEntry(row, metadata.get(row.sourceId)));
}

function toEntry(row: FoundPosting, metadata: Record<string, string> | undefined): Entry {
  const { seq, kind, amount, balanceAfter, sourceType: type, sourceId: id } = row;
  return {
    entryId: seq.toString(),
    kind,
    amount: row.creditAccount === 'wallet' ? amount : -amount,
    balanceAfter,
    ...(type === 'charge' && { chargeId: id }),
    ...(metadata && { metadata }),
    ...((type === 'top_up' || type === 'refund' || type === 'dispute') && { topUpId: id }),
    ...(type === 'adjustment' && { adjustmentId: id }),
    time: dateOf(row.createdAtUs),
  };
}
