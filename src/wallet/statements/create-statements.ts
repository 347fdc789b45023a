import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { makePage, readPageRequest } from '../../base/page.ts';
import type { Database } from '../../db/index.ts';
import type { Entry } from '../wallets/wallets.ts';
import { requireWallet } from '../wallets/wallets-store.ts';
import { entriesOf } from './entry.ts';
import { listName } from './list-name.ts';
import type { MetadataFilter, Statements, TimeRange, UsageRow } from './statements.ts';
import { findSeqAt, postingsFrom, type SumRequest, sumUsage } from './statements-store.ts';

const dayMs = 86_400_000;
const defaultRangeMs = 30 * dayMs;
const rangeMaxMs = 400 * dayMs;
/** Sums read every charge of their time, about 7 us each: more than this would keep a connection for too long. */
const summedMax = 1_000_000;
/** Of a node; the ledger needs the other connections. */
const sumsAtOnceMax = 3;
const exportRowsMax = 50_000;
const entriesPerBatch = 500;

/** The postings of one wallet from `from` up to, not including, `to`. */
interface Postings {
  walletId: string;
  from: bigint;
  to: bigint;
}

export function createStatements({ db }: { db: Database }): Statements {
  /** The postings of a time. Found by halving, for a wallet's postings are numbered in the order of their times. */
  async function postingsOf(accountId: string, range: Readonly<TimeRange>): Promise<Result<Postings>> {
    const { end = Date.now(), start = end - defaultRangeMs } = range;
    if (start >= end) return fail(invalid('startTime', 'must be before endTime'));
    if (end - start > rangeMaxMs) return fail(invalid('startTime', 'must be at most 400 days before endTime'));
    const wallet = await requireWallet(db, accountId, 'api');
    if (!wallet.ok) return wallet;
    const { id: walletId, seq } = wallet.value;
    const next = seq + 1n;
    const seqAt = (ms: number) => findSeqAt(db, { walletId, next, timeUs: BigInt(Math.trunc(ms)) * 1_000n });
    // Without an end, everything there is: the database's clock may be ahead of this one.
    return succeed({
      walletId,
      from: await seqAt(start),
      to: range.end === undefined ? next : await seqAt(end),
    });
  }

  let sums = 0;

  async function sum(request: SumRequest): Promise<Result<UsageRow[]>> {
    if (request.to - request.from > BigInt(summedMax))
      return fail({
        kind: 'precondition_failed',
        description: 'There are more than 1,000,000 entries in this time. Ask for a shorter one.',
      });
    if (sums >= sumsAtOnceMax) return fail({ kind: 'overloaded', retryAfterMs: 1_000 });
    sums += 1;
    try {
      return succeed(await sumUsage(db, request));
    } finally {
      sums -= 1;
    }
  }

  return {
    async usage(request, page) {
      const { accountId, groupBy, groupByMetadata, metadata } = request;
      const list = listName(`usage:${groupBy.join()}`, groupByMetadata, metadata);
      const start = readPageRequest(list, page, { defaultSize: 100, maxSize: 1_000 });
      if (!start.ok) return start;
      const { after, size } = start.value;
      const pinned = after === undefined ? undefined : parsePosition(after);
      if (after !== undefined && !pinned)
        return fail(invalid('pageToken', 'must be the nextPageToken of the page before'));
      const found = await postingsOf(accountId, request);
      if (!found.ok) return found;
      const { offset, ...postings } = { offset: 0, ...found.value, ...pinned };
      const rows = await sum({ ...request, ...postings, offset, limit: size + 1 });
      if (!rows.ok) return rows;
      const { from, to } = postings;
      return succeed(makePage(list, start.value, rows.value, (_, count) => `${from}:${to}:${offset + count}`));
    },
    async allUsage(request) {
      const found = await postingsOf(request.accountId, request);
      if (!found.ok) return found;
      const rows = await sum({ ...request, ...found.value, offset: 0, limit: exportRowsMax + 1 });
      if (rows.ok && rows.value.length > exportRowsMax)
        return fail({
          kind: 'precondition_failed',
          description: 'There are more than 50,000 rows. Ask for a shorter time, or group by less.',
        });
      return rows;
    },
    async entries(accountId, request) {
      const found = await postingsOf(accountId, request);
      return found.ok ? succeed(entryBatches(db, found.value, request.metadata)) : found;
    },
  };
}

async function* entryBatches(
  db: Database,
  { walletId, from, to }: Postings,
  wanted: MetadataFilter | undefined,
): AsyncIterable<Entry[]> {
  for (let next = from; next < to; ) {
    const rows = await postingsFrom(db, { walletId, from: next, to, limit: entriesPerBatch });
    const last = rows.at(-1);
    if (!last) return;
    const entries = await entriesOf(db, walletId, rows);
    yield wanted ? entries.filter(({ metadata }) => metadata?.[wanted.key] === wanted.value) : entries;
    next = last.seq + 1n;
  }
}

/** Where the next page starts: the postings that the first page was about, and how many rows were given. */
function parsePosition(text: string): { from: bigint; to: bigint; offset: number } | undefined {
  const match = /^([0-9]{1,18}):([0-9]{1,18}):([0-9]{1,9})$/.exec(text);
  if (!match) return undefined;
  const [, from = '', to = '', offset = ''] = match;
  return { from: BigInt(from), to: BigInt(to), offset: Number(offset) };
}
