import type { Queryable } from '../db/index.ts';
import { inListMax, insert, query, slices } from './bulk-store.ts';
import { decodeLatest, type LatestChanges, type LatestCount } from './latest.ts';

/** Adds changes to the stored counts. The account must be locked: they are read, summed and written. */
export async function addToLatest(tx: Queryable, accountNo: number, changes: LatestChanges): Promise<void> {
  for (const [journey, minutes] of changes.changed()) {
    for (const part of slices([...minutes.keys()], inListMax)) {
      const rows = await query<{ minute: number; counts: Buffer }>(
        tx,
        `SELECT minute, counts FROM pulse_latest WHERE account_no = ${accountNo} AND journey_no = ${journey} AND minute IN (${part.join(',')})`,
      );
      for (const row of rows) minutes.get(row.minute)?.addEncoded(row.counts.toString('latin1'));
    }
    await insert(
      tx,
      'INSERT INTO pulse_latest (account_no, journey_no, minute, counts) VALUES',
      // JSON of numbers: nothing in it can end a literal.
      [...minutes].map(([minute, counts]) => `(${accountNo},${journey},${minute},'${counts.encode()}')`),
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
  return rows.flatMap((row) => [...decodeLatest(row.counts.toString('latin1'))]);
}
