import type { Pace } from '../base/turn.ts';
import type { Queryable } from '../db/index.ts';
import { bytesOf, inListMax, insert, query, slices, sumsOf } from './bulk-store.ts';
import { type StepSums, wholeJourney } from './cell.ts';
import { getOrMake } from './get-or-make.ts';
import { type CellRange, grains, type SegmentKey } from './rollup.ts';
import { type EncodedSums, mergeSums, noSums } from './segment-sums.ts';

/** Adds changes to the stored sums of segments. The account must be locked: they are read, merged and written back. */
export async function addToSegments(
  tx: Queryable,
  accountNo: number,
  changes: readonly { key: SegmentKey; sums: StepSums }[],
): Promise<void> {
  const groups = new Map<string, { key: SegmentKey; sums: StepSums }[]>();
  for (const change of changes) {
    const { journey, property, grain } = change.key;
    getOrMake(groups, `${journey} ${property} ${grain}`, () => [] as (typeof change)[]).push(change);
  }
  const rows: string[] = [];
  for (const group of groups.values()) {
    const stored = await readStored(
      tx,
      accountNo,
      group.map(({ key }) => key),
    );
    for (const { key, sums } of group)
      rows.push(rowOf(accountNo, key, sums, stored.get(`${key.start} ${key.value}`) ?? noSums));
  }
  await insert(
    tx,
    'INSERT INTO pulse_segment (account_no, journey_no, property_no, grain, start_hour, value_no, sessions, completed, reached, abandoned, ended, errored, counts, times) VALUES',
    rows,
    `ON DUPLICATE KEY UPDATE ${sumsOf(['sessions', 'completed', 'reached', 'abandoned', 'ended', 'errored'])}, counts = VALUES(counts), times = VALUES(times)`,
  );
}

function rowOf(accountNo: number, key: SegmentKey, changes: StepSums, stored: EncodedSums): string {
  const { counts, times } = mergeSums(stored, changes);
  const all = [...changes.steps.values()];
  const whole = changes.steps.get(wholeJourney)?.sessions ?? 0;
  const summed = (['completed', 'reached', 'abandoned', 'ended', 'errored'] as const).map((count) =>
    all.reduce((sum, cell) => sum + cell[count], 0),
  );
  const place = `${key.journey},${key.property},${grains[key.grain]},${key.start},${key.value}`;
  return `(${accountNo},${place},${whole},${summed.join(',')},${bytesOf(counts)},${bytesOf(times)})`;
}

/** The rows stored under some keys of one journey, property and grain. */
async function readStored(
  tx: Queryable,
  accountNo: number,
  keys: readonly SegmentKey[],
): Promise<Map<string, EncodedSums>> {
  const stored = new Map<string, EncodedSums>();
  const [first] = keys;
  if (!first) return stored;
  const values = [...new Set(keys.map(({ value }) => value))].join(',');
  const where = `account_no = ${accountNo} AND journey_no = ${first.journey} AND property_no = ${first.property} AND grain = ${grains[first.grain]}`;
  for (const starts of slices([...new Set(keys.map(({ start }) => start))], inListMax)) {
    const rows = await query<{ start_hour: number; value_no: number; counts: Buffer; times: Buffer }>(
      tx,
      `SELECT start_hour, value_no, counts, times FROM pulse_segment WHERE ${where} AND start_hour IN (${starts.join(',')}) AND value_no IN (${values})`,
    );
    for (const { start_hour, value_no, counts, times } of rows)
      stored.set(`${start_hour} ${value_no}`, { counts, times });
  }
  return stored;
}

/** The sums of the sessions with one value of one property in one hour or day. */
export interface StoredSegment {
  start: number;
  value: number;
  sums: EncodedSums;
}

export interface SegmentsOf {
  accountNo: number;
  journeyNo: number;
  property: number;
  /** Unset: every value. */
  value?: number;
}

/** Rows read at once: a value's sums for one hour or day take at most a few hundred kilobytes. */
const rowsAtOnce = 200;

/** The stored sums in a range, ordered by start and value; without times, only their counts. */
export async function* readSegments(
  db: Queryable,
  { accountNo, journeyNo, property, value }: SegmentsOf,
  { grain, from, to }: CellRange,
  { withTimes, pace }: { withTimes: boolean; pace: Pace },
): AsyncIterable<StoredSegment> {
  const own = value === undefined ? '' : `AND value_no = ${value}`;
  const where = `account_no = ${accountNo} AND journey_no = ${journeyNo} AND property_no = ${property} ${own} AND grain = ${grains[grain]} AND start_hour < ${to}`;
  let after = `AND start_hour >= ${from}`;
  for (;;) {
    const rows = await query<{ start_hour: number; value_no: number; counts: Buffer; times?: Buffer }>(
      db,
      `SELECT start_hour, value_no, counts${withTimes ? ', times' : ''} FROM pulse_segment WHERE ${where} ${after} ORDER BY start_hour, value_no LIMIT ${rowsAtOnce}`,
    );
    for (const { start_hour, value_no, counts, times } of rows) {
      await pace(counts.length + (times?.length ?? 0));
      yield { start: start_hour, value: value_no, sums: times ? { counts, times } : { ...noSums, counts } };
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    after = `AND start_hour >= ${last.start_hour} AND (start_hour > ${last.start_hour} OR value_no > ${last.value_no})`;
  }
}
