import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { makePage, readPageRequest } from '../../base/page.ts';
import { pick } from '../../base/present.ts';
import type { Database, Queryable } from '../../db/index.ts';
import { type PlannedPostings, planUsage } from '../usage/plan.ts';
import { readSums } from '../usage/sums-store.ts';
import type { Entry } from '../wallets/wallets.ts';
import { requireWallet } from '../wallets/wallets-store.ts';
import { entriesOf } from './entry.ts';
import { listName } from './list-name.ts';
import type { MetadataFilter, Statements, TimeRange, UsageRequest, UsageRow } from './statements.ts';
import { findSeqAt, postingsFrom, type SumRequest, sumUsage, timeOf } from './statements-store.ts';

const dayMs = 86_400_000;
const defaultRangeMs = 30 * dayMs;
const rangeMaxMs = 400 * dayMs;
/** Entries that are read one by one take about 7 us each: more than this would keep a connection for too long. */
const readMax = 1_000_000n;
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
  let sums = 0;

  /** Sums in one snapshot, so that sums, wallet and entries are of one moment. */
  async function sum(
    request: Readonly<UsageRequest>,
    { pinned, ...page }: { pinned?: Pinned | undefined; offset: number; limit: number },
  ): Promise<Result<{ rows: UsageRow[]; pinned: Pinned }>> {
    if (sums >= sumsAtOnceMax) return fail({ kind: 'overloaded', retryAfterMs: 1_000 });
    sums += 1;
    try {
      return await db.snapshot(async (tx) => {
        const found = await postingsOf(tx, request.accountId, request);
        if (!found.ok) return found;
        const postings = { ...found.value, ...pinned };
        const rows = await sumIn(tx, { ...request, ...postings, ...page });
        return rows.ok ? succeed({ rows: rows.value, pinned: pick(postings, 'from', 'to') }) : rows;
      });
    } finally {
      sums -= 1;
    }
  }

  return {
    async usage(request, page) {
      const { groupBy, groupByMetadata, metadata } = request;
      const list = listName(`usage:${groupBy.join()}`, groupByMetadata, metadata);
      const start = readPageRequest(list, page, { defaultSize: 100, maxSize: 1_000 });
      if (!start.ok) return start;
      const { after, size } = start.value;
      const position = after === undefined ? { offset: 0 } : parsePosition(after);
      if (!position) return fail(invalid('pageToken', 'must be the nextPageToken of the page before'));
      const summed = await sum(request, { ...position, limit: size + 1 });
      if (!summed.ok) return summed;
      const { from, to } = summed.value.pinned;
      const next = (_: UsageRow, count: number) => `${from}:${to}:${position.offset + count}`;
      return succeed(makePage(list, start.value, summed.value.rows, next));
    },
    async allUsage(request) {
      const summed = await sum(request, { offset: 0, limit: exportRowsMax + 1 });
      if (!summed.ok) return summed;
      if (summed.value.rows.length <= exportRowsMax) return succeed(summed.value.rows);
      return fail({
        kind: 'precondition_failed',
        description: 'There are more than 50,000 rows. Ask for a shorter time, or group by less.',
      });
    },
    async entries(accountId, request) {
      const found = await postingsOf(db, accountId, request);
      return found.ok ? succeed(entryBatches(db, found.value, request.metadata)) : found;
    },
  };
}

/** Which postings the pages of a list are about. */
type Pinned = Pick<Postings, 'from' | 'to'>;

/** The postings of a time. Found by halving, for a wallet's postings are numbered in the order of their times. */
async function postingsOf(
  db: Queryable,
  accountId: string,
  range: Readonly<TimeRange>,
): Promise<Result<Postings & Pick<PlannedPostings, 'next' | 'summed'>>> {
  const { end = Date.now(), start = end - defaultRangeMs } = range;
  if (start >= end) return fail(invalid('startTime', 'must be before endTime'));
  if (end - start > rangeMaxMs) return fail(invalid('startTime', 'must be at most 400 days before endTime'));
  const wallet = await requireWallet(db, accountId, 'api');
  if (!wallet.ok) return wallet;
  const { id: walletId, seq, summed } = wallet.value;
  const next = seq + 1n;
  const seqAt = (ms: number) => findSeqAt(db, { walletId, high: next, timeUs: BigInt(Math.trunc(ms)) * 1_000n });
  // Without an end, everything there is: the database's clock may be ahead of this one.
  const to = range.end === undefined ? next : await seqAt(end);
  return succeed({ walletId, from: await seqAt(start), to, next, summed });
}

type SumIn = SumRequest & Pick<PlannedPostings, 'next' | 'summed'>;

/** Sums by labels are read from the entries alone, others from the sums of hours where there are some. */
async function sumIn(tx: Queryable, request: SumIn): Promise<Result<UsageRow[]>> {
  const { walletId, from, to } = request;
  if (request.groupByMetadata !== undefined || request.metadata !== undefined)
    return to - from > readMax ? tooMany : succeed(await sumUsage(tx, request));
  const plan = await planUsage(request, {
    hourOf: async (seq) => (await timeOf(tx, walletId, seq)) / hourUs,
    firstOf: (hour, low, high) => findSeqAt(tx, { walletId, low, high, timeUs: hour * hourUs }),
  });
  const read = plan.segments.reduce((total, segment) => total + segment.to - segment.from, 0n);
  return read > readMax ? tooMany : succeed(await readSums(tx, { ...request, plan }));
}

const hourUs = 3_600_000_000n;
const tooMany = fail({
  kind: 'precondition_failed',
  description: 'There are more than 1,000,000 entries in this time. Ask for a shorter one.',
});

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
function parsePosition(text: string): { pinned: Pinned; offset: number } | undefined {
  const match = /^([0-9]{1,18}):([0-9]{1,18}):([0-9]{1,9})$/.exec(text);
  if (!match) return undefined;
  const [, from = '', to = '', offset = ''] = match;
  return { pinned: { from: BigInt(from), to: BigInt(to) }, offset: Number(offset) };
}
