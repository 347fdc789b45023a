import type { Queryable } from '../db/index.ts';
import { bytesOf, inListMax, insert, query, slices } from './bulk-store.ts';
import { decodeLatest, type LatestChanges, type LatestCount, mergeCounts } from './latest.ts';

/** Adds changes to the stored counts. The account must be locked: they are read, summed and written. */
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

/** The counts of sessions whose latest event is in a minute or later. */
export async function readLatest(
  db: Queryable,
  accountNo: number,
  journeyNo: number,
  fromMinute: number,
): Promise<LatestCount[]> {
  const rows = await query<{ counts: Buffer }>(
    db,
    `SELECT counts FROM pulse_latest WHERE account_no = ${accountNo} AND journey_no = ${journeyNo} AND minute >= ${fromMinute}`,
  );
  return rows.flatMap((row) => [...decodeLatest(row.counts)]);
}
