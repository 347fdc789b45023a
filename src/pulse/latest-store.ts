import type { Pace } from '../base/turn.ts';
import type { Queryable } from '../db/index.ts';
import { bytesOf, inListMax, insert, query, slices } from './bulk-store.ts';
import { decodeLatest, type LatestChanges, type LatestCount, mergeCounts } from './latest.ts';

/** Adds changes to the stored counts. The account must be locked: they are read, summed and written back. */
export async function addToLatest(tx: Queryable, accountNo: number, changes: LatestChanges): Promise<void> {
  for (const [journey, minutes] of changes.changed()) {
    const stored = new Map<number, Buffer>();
    for (const part of slices([...minutes.keys()], inListMax)) {
      const rows = await query<{ minute: number; counts: Buffer }>(
        tx,
        `SELECT minute, counts FROM pulse_latest WHERE account_no = ${accountNo} AND journey_no = ${journey} AND minute IN (${part.join(',')})`,
      );
      for (const row of rows) stored.set(row.minute, row.counts);
    }
    await insert(
      tx,
      'INSERT INTO pulse_latest (account_no, journey_no, minute, counts) VALUES',
      [...minutes].map(
        ([minute, changes]) =>
          `(${accountNo},${journey},${minute},${bytesOf(mergeCounts(stored.get(minute), changes))})`,
      ),
      'ON DUPLICATE KEY UPDATE counts = VALUES(counts)',
    );
  }
}

/** Minutes whose counts are read together, both ends included. */
export interface MinuteSpan {
  from: number;
  to: number;
}

/** A single minute may exceed this. */
const bytesAtOnce = 256 * 1_024;

/** The minutes with counts, starting from a given one, in spans of bounded size. */
export async function findLatest(
  db: Queryable,
  accountNo: number,
  journeyNo: number,
  fromMinute: number,
): Promise<MinuteSpan[]> {
  const rows = await query<{ minute: number; bytes: number | bigint }>(
    db,
    `SELECT minute, LENGTH(counts) AS bytes FROM pulse_latest WHERE account_no = ${accountNo} AND journey_no = ${journeyNo} AND minute >= ${fromMinute} ORDER BY minute`,
  );
  const spans: MinuteSpan[] = [];
  let left = 0;
  for (const { minute, bytes } of rows) {
    const last = spans.at(-1);
    left -= Number(bytes);
    if (last && left >= 0) last.to = minute;
    else {
      spans.push({ from: minute, to: minute });
      left = bytesAtOnce - Number(bytes);
    }
  }
  return spans;
}

export interface LatestOf {
  accountNo: number;
  journeyNo: number;
  /** 0: all sessions. */
  property: number;
  /** Unset: every value. */
  value?: number;
  /** The hours in which the sessions began, `to` excluded. */
  from: number;
  to: number;
}

const placesAtOnce = 1_000;
const numbersOfPlace = 3;

/** Reads the counts of some sessions in these minutes, one by one: an account may have accumulated a million of them. */
export async function readLatest(
  db: Queryable,
  { accountNo, journeyNo, property, value, from, to }: LatestOf,
  spans: readonly MinuteSpan[],
  { pace, take }: { pace: Pace; take: (count: LatestCount) => void },
): Promise<void> {
  let places = 0;
  for (const span of spans) {
    const rows = await query<{ counts: Buffer }>(
      db,
      `SELECT counts FROM pulse_latest WHERE account_no = ${accountNo} AND journey_no = ${journeyNo} AND minute >= ${span.from} AND minute <= ${span.to}`,
    );
    for (const row of rows) {
      for (const count of decodeLatest(row.counts)) {
        if (++places % placesAtOnce === 0) await pace(placesAtOnce * numbersOfPlace);
        if (count.property !== property || (value !== undefined && count.value !== value)) continue;
        if (count.start >= from && count.start < to) take(count);
      }
    }
  }
}
