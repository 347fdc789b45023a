/** Postings of a wallet from `from` up to, not including, `to`, which are added to a sum or taken from it. */
export interface Segment {
  from: bigint;
  to: bigint;
  sign: '' | '-';
}

/** From where usage is read: whole hours from their sums, and postings that are more or fewer than these hours have. */
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

/** What a plan has to know of a wallet's postings. */
export interface PostingTimes {
  /** In which hour a posting was made. */
  hourOf(seq: bigint): Promise<bigint>;
  /** The first posting from `low` on, and before `high`, that was made in an hour or later; else `high`. */
  firstOf(hour: bigint, low: bigint, high: bigint): Promise<bigint>;
}

/** As many are read as soon as hours are looked for. */
const fewPostings = 500n;

/**
 * How to sum some postings by reading as few rows as possible. A wallet's postings are numbered in the order of their times,
 * so whole hours are a range of them, and what is not whole is read at its shorter side.
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

/** The hour that begins nearest to a posting, with its first posting. */
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

/** What is missing between two postings, or too many where they are the other way round. */
function between(from: bigint, to: bigint): Segment[] {
  if (from === to) return [];
  return from < to ? [{ from, to, sign: '' }] : [{ from: to, to: from, sign: '-' }];
}
