import type { Queryable } from '../db/index.ts';
import { findMetadata } from './metadata-store.ts';
import { dateOf, type PostingTable } from './tables.ts';
import type { Entry } from './wallets.ts';

/** Postings of one wallet as its owner sees them, with the labels of their charges. */
export async function entriesOf(db: Queryable, walletId: string, rows: readonly PostingTable[]): Promise<Entry[]> {
  const chargeIds = rows.filter(({ source_type: type }) => type === 'charge').map(({ source_id: id }) => id);
  const metadata = await findMetadata(db, walletId, chargeIds);
  return rows.map((row) => toEntry(row, metadata.get(row.source_id)));
}

function toEntry(row: PostingTable, metadata: Record<string, string> | undefined): Entry {
  const { seq, kind, amount, balance_after: balanceAfter, source_type: type, source_id: id } = row;
  return {
    entryId: seq.toString(),
    kind,
    amount: row.credit_account === 'wallet' ? amount : -amount,
    balanceAfter,
    ...(type === 'charge' && { chargeId: id }),
    ...(metadata && { metadata }),
    ...((type === 'top_up' || type === 'refund' || type === 'dispute') && { topUpId: id }),
    ...(type === 'adjustment' && { adjustmentId: id }),
    time: dateOf(row.created_at_us),
  };
}
