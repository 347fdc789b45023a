/** A wallet's postings from `from` (inclusive) to `to` (exclusive), which are added to a sum or subtracted from it. */
export interface Segment {
  from: bigint;
  to: bigint;
  sign: '' | '-';
}

/** Where to read usage from: whole hours from their sums, plus or minus the postings by which the range differs from these hours. */
export interface UsagePlan {
  hours: { first: bigint; end: bigint } | undefined;
  segments: Segment[];
}

export interface PlannedPostings {
  from: bigint;
  to: bigint;
  /** The number after the wallet's last posting. */
  next: bigint;
  /** The sums go up to this posting. */
  summed: bigint;
}

/** What a plan needs to know about a wallet's postings. */
export interface PostingTimes {
  /** The hour in which a posting was made. */
  hourOf(seq: bigint): Promise<bigint>;
  /** The first posting from `low` and before `high` made in an hour or later; otherwise `high`. */
  firstOf(hour: bigint, low: bigint, high: bigint): Promise<bigint>;
}

/** Reading this many is as fast as looking for hours. */
const fewPostings = 500n;

/**
 * Plans how to sum some postings by reading as few rows as possible. A wallet's postings are numbered in time order, so whole
 * hours are ranges of them, and a partial hour is read from its shorter side.
 */
export async function planUsage(postings: PlannedPostings, times: PostingTimes): Promise<UsagePlan> {
  const { from, to, summed } = postings;
  const plain: UsagePlan = { hours: undefined, segments: from < to ? [{ from, to, sign: '' }] : [] };
  if (to - from <= fewPostings || from > summed) return plain;
  const start = await hourNear(from, { ...postings, low: 1n, high: to }, times);
  const end = await hourNear(to, { ...postings, low: from, high: postings.next }, times);
  if (start.hour >= end.hour || start.seq > summed || start.seq >= to) return plain;
  const summedEnd = end.seq <= summed ? end.seq : summed + 1n;
  const segments = [...between(from, start.seq), ...between(summedEnd, to)];
  return { hours: { first: start.hour, end: end.hour }, segments };
}

/** The hour whose start is nearest to a posting, with its first posting. */
async function hourNear(
  seq: bigint,
  { low, high, next }: { low: bigint; high: bigint; next: bigint },
  { hourOf, firstOf }: PostingTimes,
): Promise<{ hour: bigint; seq: bigint }> {
  const before = seq > 1n ? await hourOf(seq - 1n) : -1n;
  if (seq === next) return { hour: before + 1n, seq };
  const hour = await hourOf(seq);
  if (hour > before) return { hour, seq };
  const [own, following] = [await firstOf(hour, low, seq), await firstOf(hour + 1n, seq, high)];
  return seq - own <= following - seq ? { hour, seq: own } : { hour: hour + 1n, seq: following };
}

/** The postings missing between two numbers, or in excess if they are in reverse order. */
function between(from: bigint, to: bigint): Segment[] {
  if (from === to) return [];
  return from < to ? [{ from, to, sign: '' }] : [{ from: to, to: from, sign: '-' }];
}
