import type { Database } from '../db/index.ts';
import { hexOf, inListMax, query, run, slices } from './bulk-store.ts';
import { propertiesEverMax } from './settings.ts';

/** SQL of retention and erasure. Every statement touches a bounded number of rows and runs on its own. */

/** Runs one statement in its own transaction, retrying after a deadlock with a group of events. */
function runAlone(db: Database, text: string, values: unknown[] = []): Promise<bigint> {
  return db.transaction((tx) => run(tx, text, values));
}

/** Marks an end user for erasure, and the account for an early walk. */
export async function addErasure(db: Database, accountNo: number, userKey: string): Promise<void> {
  await runAlone(
    db,
    `INSERT INTO pulse_erasure (account_no, user_key, requested_at) VALUES (${accountNo}, 0x${userKey}, UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE requested_at = UTC_TIMESTAMP(6)`,
  );
  await runAlone(
    db,
    `UPDATE pulse_account SET sweep_at = LEAST(sweep_at, UTC_TIMESTAMP(6)) WHERE account_no = ${accountNo}`,
  );
}

/** Takes the lease on one account that is due; undefined if none is. */
export async function claimDueAccount(db: Database, leaseSeconds: number): Promise<number | undefined> {
  const due = await query<{ account_no: number }>(
    db,
    'SELECT account_no FROM pulse_account WHERE sweep_at <= UTC_TIMESTAMP(6) ORDER BY sweep_at LIMIT 5',
  );
  for (const { account_no: no } of due) {
    // If several nodes see it as due, the first one takes it away from the others.
    const claimed = await runAlone(
      db,
      `UPDATE pulse_account SET sweep_at = UTC_TIMESTAMP(6) + INTERVAL ${leaseSeconds} SECOND WHERE account_no = ${no} AND sweep_at <= UTC_TIMESTAMP(6)`,
    );
    if (claimed === 1n) return no;
  }
  return undefined;
}

export async function renewLease(db: Database, accountNo: number, seconds: number): Promise<void> {
  await runAlone(
    db,
    `UPDATE pulse_account SET sweep_at = UTC_TIMESTAMP(6) + INTERVAL ${seconds} SECOND WHERE account_no = ${accountNo}`,
  );
}

export interface Erasures {
  userKeys: ReadonlySet<string>;
  /** By database time: later requests wait for the next walk. */
  asOf: string;
}

export async function readErasures(db: Database, accountNo: number): Promise<Erasures> {
  const [now] = await query<{ now: string }>(db, "SELECT DATE_FORMAT(UTC_TIMESTAMP(6), '%Y-%m-%d %H:%i:%s.%f') AS now");
  const rows = await query<{ user_key: Buffer }>(
    db,
    `SELECT user_key FROM pulse_erasure WHERE account_no = ${accountNo}`,
  );
  return { userKeys: new Set(rows.map((row) => row.user_key.toString('hex'))), asOf: now?.now ?? '' };
}

/** Removes the erasures that a full walk has carried out, and returns whether more were requested meanwhile. */
export async function finishErasures(db: Database, accountNo: number, asOf: string): Promise<boolean> {
  await runAlone(db, 'DELETE FROM pulse_erasure WHERE account_no = ? AND requested_at <= ?', [accountNo, asOf]);
  const rest = await query<object>(db, `SELECT 1 FROM pulse_erasure WHERE account_no = ${accountNo} LIMIT 1`);
  return rest.length > 0;
}

export interface WalkedEvent {
  id: string;
  occurredMs: number;
  userKey: string | undefined;
}

export async function readEventsAfter(
  db: Database,
  accountNo: number,
  after: string,
  limit: number,
): Promise<WalkedEvent[]> {
  const rows = await query<{ event_id: string; occurred_ms: bigint; user_key: Buffer | null }>(
    db,
    `SELECT event_id, occurred_ms, user_key FROM pulse_event WHERE account_no = ${accountNo} AND event_id > ${hexOf(after)} ORDER BY event_id LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    id: row.event_id,
    occurredMs: Number(row.occurred_ms),
    userKey: row.user_key?.toString('hex'),
  }));
}

export async function deleteEvents(db: Database, accountNo: number, ids: readonly string[]): Promise<void> {
  for (const part of slices(ids, inListMax)) {
    await runAlone(
      db,
      `DELETE FROM pulse_event WHERE account_no = ${accountNo} AND event_id IN (${part.map(hexOf).join(',')})`,
    );
  }
}

/** Removes the person from events; the ids stay, so that they still count only once. */
export async function erasePersonFrom(db: Database, accountNo: number, ids: readonly string[]): Promise<void> {
  for (const part of slices(ids, inListMax)) {
    await runAlone(
      db,
      `UPDATE pulse_event SET user_key = NULL, detail = NULL WHERE account_no = ${accountNo} AND event_id IN (${part.map(hexOf).join(',')})`,
    );
  }
}

export async function journeyNumbers(db: Database, accountNo: number): Promise<number[]> {
  const rows = await query<{ name_no: number }>(
    db,
    `SELECT name_no FROM pulse_name WHERE account_no = ${accountNo} AND kind = 1`,
  );
  return rows.map((row) => row.name_no);
}

/** Walks one part of a journey's sessions, deletes those without an event since, and returns where to continue. */
export async function sweepSessions(
  db: Database,
  at: { accountNo: number; journeyNo: number; after: string },
  beforeMs: number,
  limit: number,
): Promise<string | undefined> {
  const rows = await query<{ session_key: Buffer; last_ms: bigint }>(
    db,
    `SELECT session_key, last_ms FROM pulse_session WHERE account_no = ${at.accountNo} AND journey_no = ${at.journeyNo} AND session_key > x'${at.after}' ORDER BY session_key LIMIT ${limit}`,
  );
  const old = rows.filter((row) => Number(row.last_ms) < beforeMs).map((row) => row.session_key.toString('hex'));
  for (const part of slices(old, inListMax)) {
    // Checked again, since a session may have had an event in between.
    await runAlone(
      db,
      `DELETE FROM pulse_session WHERE account_no = ${at.accountNo} AND journey_no = ${at.journeyNo} AND session_key IN (${part.map((key) => `0x${key}`).join(',')}) AND last_ms < ${beforeMs}`,
    );
  }
  return rows.length < limit ? undefined : rows.at(-1)?.session_key.toString('hex');
}

/** Deletes some of a journey's cells that began before an hour; false if none are left. */
export async function sweepCells(
  db: Database,
  at: { accountNo: number; journeyNo: number; grain: number },
  beforeHour: number,
  limit: number,
): Promise<boolean> {
  const where = `account_no = ${at.accountNo} AND journey_no = ${at.journeyNo} AND grain = ${at.grain} AND start_hour < ${beforeHour}`;
  // The property comes before the grain in the segments' keys: listing the properties keeps each statement to one range.
  const properties = Array.from({ length: propertiesEverMax }, (_, i) => i + 1).join(',');
  const segments = `${where} AND property_no IN (${properties})`;
  let more = false;
  for (const [table, rows] of [
    ['pulse_cell', where],
    ['pulse_error_cell', where],
    ['pulse_segment', segments],
  ])
    more = (await runAlone(db, `DELETE FROM ${table} WHERE ${rows} LIMIT ${limit}`)) >= BigInt(limit) || more;
  return more;
}

/** Deletes some counts by latest event that are too old for any time-out; false if none are left. */
export async function sweepLatest(
  db: Database,
  at: { accountNo: number; journeyNo: number },
  beforeMinute: number,
  limit: number,
): Promise<boolean> {
  const gone = await runAlone(
    db,
    `DELETE FROM pulse_latest WHERE account_no = ${at.accountNo} AND journey_no = ${at.journeyNo} AND minute < ${beforeMinute} LIMIT ${limit}`,
  );
  return gone >= BigInt(limit);
}
