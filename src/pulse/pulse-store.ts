import { isDuplicateKey, type Queryable } from '../db/index.ts';
import { hexOf, inListMax, insert, insertOnce, query, run, slices, statementsOf } from './bulk-store.ts';
import type { DailyBytes } from './daily-bytes.ts';
import { type NameKind, type NameRow, nameKinds } from './names.ts';

export interface EventRow {
  id: string;
  journeyNo: number;
  stepNo: number;
  /** Its number; see `kindNumbers`. */
  kind: number;
  occurredMs: number;
  /** 16 bytes in hexadecimal. */
  sessionKey: string;
  userKey?: string;
  detail?: string;
}

export interface SessionRow {
  journeyNo: number;
  sessionKey: string;
  lastMs: number;
  state: string;
}

export interface UnsettledRow {
  chargeId: string;
  hold: string;
  cost: bigint;
  events: number;
  reply: string;
}

/** The account's number, assigned if it has none. Runs on its own, before the transaction that locks the account. */
export async function ensureAccount(db: Queryable, accountId: string): Promise<number> {
  const known = await findAccount(db, accountId);
  if (known !== undefined) return known;
  try {
    await run(db, 'INSERT INTO pulse_account (account_id, sweep_at) VALUES (?, UTC_TIMESTAMP(6) + INTERVAL 1 DAY)', [
      accountId,
    ]);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const made = await findAccount(db, accountId);
  if (made === undefined) throw new Error('an account row that was just made is gone');
  return made;
}

export async function findAccount(db: Queryable, accountId: string): Promise<number | undefined> {
  const rows = await query<{ account_no: number }>(db, 'SELECT account_no FROM pulse_account WHERE account_id = ?', [
    accountId,
  ]);
  return rows[0]?.account_no;
}

export interface LockedRow {
  /** Of its declarations. */
  settingsVersion: number;
  carried: DailyBytes;
}

/** Makes this transaction the account's only writer until it ends. */
export async function lockAccount(tx: Queryable, accountNo: number): Promise<LockedRow> {
  const [row] = await query<{ settings_version: number; bytes_day: number; bytes: bigint }>(
    tx,
    `SELECT settings_version, bytes_day, bytes FROM pulse_account WHERE account_no = ${accountNo} FOR UPDATE`,
  );
  return {
    settingsVersion: row?.settings_version ?? 0,
    carried: { day: row?.bytes_day ?? 0, bytes: Number(row?.bytes ?? 0) },
  };
}

export async function keepCarried(tx: Queryable, accountNo: number, { day, bytes }: DailyBytes): Promise<void> {
  await run(tx, `UPDATE pulse_account SET bytes_day = ${day}, bytes = ${bytes} WHERE account_no = ${accountNo}`);
}

export async function readNames(db: Queryable, accountNo: number): Promise<NameRow[]> {
  const rows = await query<{ kind: number; journey_no: number; name_no: number; name: string }>(
    db,
    `SELECT kind, journey_no, name_no, name FROM pulse_name WHERE account_no = ${accountNo}`,
  );
  return rows.map((row) => ({
    kind: nameKindOf(row.kind),
    journeyNo: row.journey_no,
    no: row.name_no,
    name: row.name,
  }));
}

/** A journey's own name, the names of its steps and error codes, and all values; empty if the journey does not exist. */
export async function readJourneyNames(db: Queryable, accountNo: number, journey: string): Promise<NameRow[]> {
  const found = await query<{ name_no: number }>(
    db,
    `SELECT name_no FROM pulse_name WHERE account_no = ${accountNo} AND kind = ${nameKinds.journey} AND journey_no = 0 AND name = ${hexOf(journey)}`,
  );
  const no = found[0]?.name_no;
  if (no === undefined) return [];
  const rows = await query<{ kind: number; name_no: number; name: string }>(
    db,
    `SELECT kind, name_no, name FROM pulse_name WHERE account_no = ${accountNo} AND kind IN (${nameKinds.step},${nameKinds.code}) AND journey_no = ${no}`,
  );
  const names = rows.map((row) => ({ kind: nameKindOf(row.kind), journeyNo: no, no: row.name_no, name: row.name }));
  names.push(...(await readValues(db, accountNo)));
  return [{ kind: 'journey', journeyNo: 0, no, name: journey }, ...names];
}

/** The values of the account's properties. */
export async function readValues(db: Queryable, accountNo: number): Promise<NameRow[]> {
  const rows = await query<{ journey_no: number; name_no: number; name: string }>(
    db,
    `SELECT journey_no, name_no, name FROM pulse_name WHERE account_no = ${accountNo} AND kind = ${nameKinds.value}`,
  );
  return rows.map((row) => ({ kind: 'value', journeyNo: row.journey_no, no: row.name_no, name: row.name }));
}

/** Journeys whose names come after `after`, in byte order of their names. */
export async function readJourneys(
  db: Queryable,
  accountNo: number,
  after: string,
  limit: number,
): Promise<{ name: string; no: number }[]> {
  const rows = await query<{ name_no: number; name: string }>(
    db,
    `SELECT name_no, name FROM pulse_name WHERE account_no = ${accountNo} AND kind = ${nameKinds.journey} AND journey_no = 0 AND name > ${hexOf(after)} ORDER BY name LIMIT ${limit}`,
  );
  return rows.map((row) => ({ name: row.name, no: row.name_no }));
}

export async function addNames(tx: Queryable, accountNo: number, names: readonly NameRow[]): Promise<void> {
  await insert(
    tx,
    'INSERT INTO pulse_name (account_no, kind, journey_no, name_no, name) VALUES',
    names.map(({ kind, journeyNo, no, name }) => {
      return `(${accountNo},${nameKinds[kind]},${journeyNo},${no},${hexOf(name)})`;
    }),
  );
}

/**
 * Stores the events whose ids are new and returns the ids that already existed. The account must be locked, so that nobody
 * stores the same id in between. Almost always all are new: then this is one statement and no read.
 */
export async function addNewEvents(
  tx: Queryable,
  accountNo: number,
  events: readonly EventRow[],
): Promise<ReadonlySet<string>> {
  const existing = new Set<string>();
  const rows = events.map((event) => eventRow(accountNo, event));
  for (const [from, to] of statementsOf(rows)) {
    try {
      await insertOnce(tx, insertEvents, rows.slice(from, to));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // Only the statement was rolled back; the transaction continues.
      const part = events.slice(from, to);
      const there = await findEventIds(tx, accountNo, part);
      for (const id of there) existing.add(id);
      const fresh = part.filter(({ id }) => !there.has(id));
      await insertOnce(
        tx,
        insertEvents,
        fresh.map((event) => eventRow(accountNo, event)),
      );
    }
  }
  return existing;
}

const insertEvents =
  'INSERT INTO pulse_event (account_no, event_id, journey_no, step_no, kind, occurred_ms, session_key, user_key, detail) VALUES';

function eventRow(accountNo: number, event: EventRow): string {
  const user = event.userKey === undefined ? 'NULL' : `0x${event.userKey}`;
  const detail = event.detail === undefined ? 'NULL' : hexOf(event.detail);
  return `(${accountNo},${hexOf(event.id)},${event.journeyNo},${event.stepNo},${event.kind},${event.occurredMs},0x${event.sessionKey},${user},${detail})`;
}

async function findEventIds(tx: Queryable, accountNo: number, events: readonly EventRow[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const part of slices(events, inListMax)) {
    const list = part.map(({ id }) => hexOf(id)).join(',');
    const rows = await query<{ event_id: string }>(
      tx,
      `SELECT event_id FROM pulse_event WHERE account_no = ${accountNo} AND event_id IN (${list})`,
    );
    for (const row of rows) found.add(row.event_id);
  }
  return found;
}

/** The stored states of these sessions of one journey, by session key. */
export async function readSessions(
  tx: Queryable,
  accountNo: number,
  journeyNo: number,
  sessionKeys: readonly string[],
): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  for (const part of slices(sessionKeys, inListMax)) {
    const rows = await query<{ session_key: Buffer; state: Buffer }>(
      tx,
      `SELECT session_key, state FROM pulse_session WHERE account_no = ${accountNo} AND journey_no = ${journeyNo} AND session_key IN (${part.map((key) => `0x${key}`).join(',')})`,
    );
    for (const row of rows) states.set(row.session_key.toString('hex'), row.state.toString('latin1'));
  }
  return states;
}

export async function writeSessions(tx: Queryable, accountNo: number, sessions: readonly SessionRow[]): Promise<void> {
  await insert(
    tx,
    'INSERT INTO pulse_session (account_no, journey_no, session_key, last_ms, state) VALUES',
    sessions.map(({ journeyNo, sessionKey, lastMs, state }) => {
      // JSON of numbers: nothing in it can end a literal.
      return `(${accountNo},${journeyNo},0x${sessionKey},${lastMs},'${state}')`;
    }),
    'ON DUPLICATE KEY UPDATE last_ms = VALUES(last_ms), state = VALUES(state)',
  );
}

export async function addUnsettled(tx: Queryable, rows: readonly UnsettledRow[]): Promise<void> {
  await insert(
    tx,
    'INSERT INTO pulse_unsettled (charge_id, hold, cost, events, reply, created_at) VALUES',
    rows.map(({ chargeId, hold, cost, events, reply }) => {
      return `(${hexOf(chargeId)},${hexOf(hold)},${cost},${events},${hexOf(reply)},UTC_TIMESTAMP(6))`;
    }),
  );
}

/** Charges whose events were stored over `ageSeconds` ago and that have not been settled or postponed since. */
export async function readUnsettled(db: Queryable, ageSeconds: number, limit: number): Promise<UnsettledRow[]> {
  const rows = await query<{ charge_id: string; hold: Buffer; cost: bigint; events: number; reply: Buffer }>(
    db,
    `SELECT charge_id, hold, cost, events, reply FROM pulse_unsettled WHERE created_at < UTC_TIMESTAMP(6) - INTERVAL ${ageSeconds} SECOND ORDER BY created_at LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    chargeId: row.charge_id,
    hold: row.hold.toString(),
    cost: row.cost,
    events: row.events,
    reply: row.reply.toString(),
  }));
}

/** Requeues a charge as if it were new. */
export async function postponeUnsettled(db: Queryable, chargeId: string): Promise<void> {
  await run(db, `UPDATE pulse_unsettled SET created_at = UTC_TIMESTAMP(6) WHERE charge_id = ${hexOf(chargeId)}`);
}

export async function removeUnsettled(db: Queryable, chargeIds: readonly string[]): Promise<void> {
  for (const part of slices(chargeIds, inListMax)) {
    await run(db, `DELETE FROM pulse_unsettled WHERE charge_id IN (${part.map(hexOf).join(',')})`);
  }
}

function nameKindOf(number: number): NameKind {
  for (const [kind, no] of Object.entries(nameKinds)) if (no === number) return kind as NameKind;
  throw new Error(`a stored name has the unknown kind ${number}`);
}
