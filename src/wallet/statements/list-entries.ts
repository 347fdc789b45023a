import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { minOf } from '../../base/money.ts';
import { makePage, type Page, readPageRequest } from '../../base/page.ts';
import type { Queryable } from '../../db/index.ts';
import type { FoundWallet } from '../tables.ts';
import type { Entry, EntryList } from '../wallets/wallets.ts';
import { newestPostings } from './entries-store.ts';
import { entriesOf } from './entry.ts';
import { listName } from './list-name.ts';
import { findSeqAt } from './statements-store.ts';

/** One page of a wallet's entries, newest first. */
export async function listEntries(
  db: Queryable,
  { id: walletId, kind, seq }: FoundWallet,
  { kinds = [], start, end, ...page }: Readonly<EntryList>,
): Promise<Result<Page<Entry>>> {
  if (start !== undefined && end !== undefined && start >= end)
    return fail(invalid('startTime', 'must be before endTime'));
  const filtered = kinds.length > 0 || start !== undefined || end !== undefined;
  const list = listName(
    `entries:${kind}`,
    filtered ? [...kinds].sort().join() : undefined,
    start?.toString(),
    end?.toString(),
  );
  const from = readPageRequest(list, page);
  if (!from.ok) return from;
  const { after, size } = from.value;
  const next = seq + 1n;
  // A wallet's postings are numbered in time order, so a time range is a range of numbers.
  const seqAt = (ms: number) => findSeqAt(db, { walletId, high: next, timeUs: BigInt(Math.trunc(ms)) * 1_000n });
  const least = start === undefined ? undefined : await seqAt(start);
  const before = lower(end === undefined ? undefined : await seqAt(end), positionOf(after));
  const rows = await newestPostings(db, { walletId, kinds, least, before, limit: size + 1 });
  const entries = await entriesOf(db, walletId, rows);
  return succeed(makePage(list, from.value, entries, ({ entryId }) => entryId));
}

function positionOf(after: string | undefined): bigint | undefined {
  return after !== undefined && /^[0-9]{1,18}$/.test(after) ? BigInt(after) : undefined;
}

/** The lower of two optional bounds. */
function lower(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  return one === undefined || other === undefined ? (one ?? other) : minOf(one, other);
}
