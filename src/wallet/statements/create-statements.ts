import { fail, invalid, type Result, resultOf, succeed } from '../../base/failure.ts';
import { makePage, readPageRequest } from '../../base/page.ts';
import { pick } from '../../base/present.ts';
import { createSharedTurns } from '../../base/shared-turns.ts';
import type { Database, Queryable } from '../../db/index.ts';
import { type PlannedPostings, planUsage } from '../usage/plan.ts';
import { readSums } from '../usage/sums-store.ts';
import { usageFilters } from '../usage/usage-filter-store.ts';
import type { Entry } from '../wallets/wallets.ts';
import { requireWallet } from '../wallets/wallets-store.ts';
import { entriesOf } from './entry.ts';
import { listName } from './list-name.ts';
import { monthNamed, statementOf } from './monthly.ts';
import type { MetadataFilter, Statements, TimeRange, UsageRequest, UsageRow } from './statements.ts';
import { findSeqAt, postingsFrom, type SumRequest, sumUsage, timeOf } from './statements-store.ts';

const dayMs = 86_400_000;
const defaultRangeMs = 30 * dayMs;
const rangeMaxMs = 400 * dayMs;
/** Reading entries one by one takes about 7 us each: more than this would occupy a connection for too long. */
const readMax = 1_000_000n;
/** Per node; the ledger needs the other connections. An account runs one at a time. */
const sums = { all: 3, each: 1, waitingMax: 8 };
/** Batches of exported entries; an account may have many exports, each waiting for its next batch. */
const batches = { all: 2, each: 1, waitingMax: 256 };
const exportRowsMax = 50_000;
const entriesPerBatch = 500;

/** The postings of one wallet from `from` (inclusive) to `to` (exclusive). */
interface Postings {
  walletId: string;
  from: bigint;
  to: bigint;
}

export function createStatements({ db, now = Date.now }: { db: Database; now?: () => number }): Statements {
  const sumsTurn = createSharedTurns(sums);
  const batchTurn = createSharedTurns(batches);

  /** Runs `work` in one snapshot when it is the account's turn, so that sums, wallet and entries are from the same moment. */
  function inSnapshot<T>(accountId: string, work: (tx: Queryable) => Promise<Result<T>>): Promise<Result<T>> {
    return resultOf(() => sumsTurn(accountId, () => db.snapshot(work)));
  }

  function sum(
    request: Readonly<UsageRequest>,
    { pinned, ...page }: { pinned?: Pinned | undefined; offset: number; limit: number },
  ): Promise<Result<{ rows: UsageRow[]; pinned: Pinned }>> {
    return inSnapshot(request.accountId, async (tx) => {
      const found = await postingsOf(tx, request.accountId, request);
      if (!found.ok) return found;
      if (pinned && !(await mayBePinned(tx, pinned, found.value))) return wrongToken;
      const postings = { ...found.value, ...pinned };
      const rows = await sumIn(tx, { ...request, ...postings, ...page });
      return rows.ok ? succeed({ rows: rows.value, pinned: pick(postings, 'from', 'to') }) : rows;
    });
  }

  return {
    async usage(request, page) {
      const { groupBy, groupByMetadata, metadata, only = {} } = request;
      const list = listName(
        `usage:${groupBy.join()}`,
        groupByMetadata,
        metadata,
        ...usageFilters.map((name) => only[name]),
      );
      const start = readPageRequest(list, page, { defaultSize: 100, maxSize: 1_000 });
      if (!start.ok) return start;
      const { after, size } = start.value;
      const position = after === undefined ? { offset: 0 } : parsePosition(after);
      if (!position) return wrongToken;
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
      return tooManyRows;
    },
    async monthly(accountId, name) {
      const at = now();
      const month = monthNamed(name, at);
      if (!month.ok) return month;
      return inSnapshot(accountId, async (tx) => {
        const found = await postingsOf(tx, accountId, month.value);
        if (!found.ok) return found;
        const page = { offset: 0, limit: exportRowsMax + 1 };
        const usage = await sumIn(tx, { ...found.value, groupBy: ['operation', 'provider', 'model'], ...page });
        if (!usage.ok) return usage;
        if (usage.value.length > exportRowsMax) return tooManyRows;
        return succeed(await statementOf(tx, { month: month.value, now: at, usage: usage.value, ...found.value }));
      });
    },
    async entries(accountId, request) {
      const found = await postingsOf(db, accountId, request);
      if (!found.ok) return found;
      const read = (postings: Postings) => batchTurn(accountId, () => readBatch(db, postings));
      return succeed(entryBatches(read, found.value, request.metadata));
    },
  };
}

/** The postings that all pages of a list cover. */
type Pinned = Pick<Postings, 'from' | 'to'>;

/** The postings of a time range. Uses binary search, as a wallet's postings are numbered in time order. */
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
  // Without an end, takes everything: the database's clock may be ahead of this one.
  const to = range.end === undefined ? next : await seqAt(end);
  return succeed({ walletId, from: await seqAt(start), to, next, summed });
}

type SumIn = SumRequest & Pick<PlannedPostings, 'next' | 'summed'>;

/** Dimensions that the hourly sums lack are summed from the entries alone; others use the hourly sums where they exist. */
async function sumIn(tx: Queryable, request: SumIn): Promise<Result<UsageRow[]>> {
  const { walletId, from, to } = request;
  const groupBy = request.groupBy.filter((name) => name !== 'provider_key');
  const isSummed = groupBy.length === request.groupBy.length;
  if (request.groupByMetadata !== undefined || request.metadata !== undefined || !isSummed)
    return to - from > readMax ? tooMany : succeed(await sumUsage(tx, request));
  const plan = await planUsage(request, {
    hourOf: async (seq) => (await timeOf(tx, walletId, seq)) / hourUs,
    firstOf: (hour, low, high) => findSeqAt(tx, { walletId, low, high, timeUs: hour * hourUs }),
  });
  const read = plan.segments.reduce((total, segment) => total + segment.to - segment.from, 0n);
  return read > readMax ? tooMany : succeed(await readSums(tx, { ...request, groupBy, plan }));
}

const hourUs = 3_600_000_000n;
const tooMany = fail({
  kind: 'precondition_failed',
  description: 'There are more than 1,000,000 entries in this time range. Ask for a shorter one.',
});

const wrongToken = fail(invalid('pageToken', 'must be the nextPageToken of the page before'));

const tooManyRows = fail({
  kind: 'precondition_failed',
  description: 'There are more than 50,000 rows. Ask for a shorter time range, or group by less.',
});

interface Batch {
  entries: Entry[];
  /** Where the next batch begins. */
  next: bigint;
}

async function readBatch(db: Database, postings: Postings): Promise<Batch | undefined> {
  const rows = await postingsFrom(db, { ...postings, limit: entriesPerBatch });
  const last = rows.at(-1);
  return last && { entries: await entriesOf(db, postings.walletId, rows), next: last.seq + 1n };
}

/** Batches may be empty if no entry has the requested label, so that the reader can stop at any point. */
async function* entryBatches(
  read: (postings: Postings) => Promise<Batch | undefined>,
  postings: Postings,
  wanted: MetadataFilter | undefined,
): AsyncIterable<Entry[]> {
  for (let { from } = postings; from < postings.to; ) {
    const batch = await read({ ...postings, from });
    if (!batch) return;
    const { entries, next } = batch;
    yield wanted ? entries.filter(({ metadata }) => metadata?.[wanted.key] === wanted.value) : entries;
    from = next;
  }
}

/** Page tokens are not signed, so their content is checked as if the caller had made it up. */
async function mayBePinned(
  tx: Queryable,
  { from, to }: Pinned,
  { walletId, next }: Pick<PlannedPostings, 'next'> & Pick<Postings, 'walletId'>,
): Promise<boolean> {
  if (from < 1n || from >= to || to > next) return false;
  const [first, last] = [await timeOf(tx, walletId, from), await timeOf(tx, walletId, to - 1n)];
  // One extra day: the range uses a node's clock, and postings use the database's.
  return last - first <= BigInt(rangeMaxMs + dayMs) * 1_000n;
}

/** Where the next page starts: the postings that the first page covered, and how many rows were returned so far. */
function parsePosition(text: string): { pinned: Pinned; offset: number } | undefined {
  const match = /^([0-9]{1,18}):([0-9]{1,18}):([0-9]{1,9})$/.exec(text);
  if (!match) return undefined;
  const [, from = '', to = '', offset = ''] = match;
  return { pinned: { from: BigInt(from), to: BigInt(to) }, offset: Number(offset) };
}
