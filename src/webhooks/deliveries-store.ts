import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import type { DeliveryFilter } from './types.ts';

interface Tables {
  webhook_delivery: DeliveryRow;
}

export interface DeliveryRow {
  id: string;
  account_id: string;
  endpoint_id: string;
  message_id: string;
  type: string;
  payload: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  last_status: number | null;
  last_problem: string | null;
  created_at_us: bigint;
  last_attempt_at_us: bigint | null;
  next_attempt_at_us: bigint | null;
  /** When its owner last requested that it be posted again. */
  retried_at_us: bigint | null;
}

/** The type of a test delivery, which waits for everything else and is posted once. */
export const testType = 'webhook.test';

/** By the database's clock. */
export const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;
export const afterMs = (ms: number) => sql<bigint>`${nowUs} + ${ms * 1_000}`;

/** Abandons everything pending for an endpoint. */
export async function giveUp(tx: Queryable, endpointId: string, problem: string): Promise<void> {
  await tx
    .for<Tables>()
    .updateTable('webhook_delivery')
    .set({ state: 'failed', last_problem: problem, next_attempt_at_us: null })
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'pending')
    .execute();
}

export interface NewDelivery {
  id: string;
  accountId: string;
  endpointId: string;
  messageId: string;
  type: string;
  payload: string;
}

export async function insertDeliveries(tx: Queryable, rows: readonly NewDelivery[]): Promise<void> {
  await tx
    .for<Tables>()
    .insertInto('webhook_delivery')
    .values(
      rows.map(({ id, accountId, endpointId, messageId, type, payload }) => ({
        id,
        account_id: accountId,
        endpoint_id: endpointId,
        message_id: messageId,
        type,
        payload,
        state: 'pending' as const,
        attempts: 0,
        last_status: null,
        last_problem: null,
        created_at_us: nowUs,
        last_attempt_at_us: null,
        next_attempt_at_us: nowUs,
        retried_at_us: null,
      })),
    )
    .execute();
}

export function findDelivery(db: Queryable, id: string): Promise<DeliveryRow | undefined> {
  return db.for<Tables>().selectFrom('webhook_delivery').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Matching deliveries with an id below `before`, newest first. */
export function listDeliveryRows(
  db: Queryable,
  query: DeliveryFilter & { accountId: string; before: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const { accountId, before, limit, endpointId, state } = query;
  let select = db
    .for<Tables>()
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (endpointId !== undefined) select = select.where('endpoint_id', '=', endpointId);
  if (state !== undefined) select = select.where('state', '=', state);
  if (before !== undefined) select = select.where('id', '<', before);
  return select.execute();
}

/** An account's deliveries for which a retry was requested within the last `withinMs`: how many, and how long ago the first was. */
export async function recentRetries(
  db: Queryable,
  { accountId, withinMs }: { accountId: string; withinMs: number },
): Promise<{ count: number; firstAgoMs: number }> {
  const { rows } = await sql<{ count: bigint; ago: bigint | null }>`
    SELECT COUNT(*) AS count, ${nowUs} - MIN(retried_at_us) AS ago FROM webhook_delivery
    WHERE account_id = ${accountId} AND retried_at_us > ${nowUs} - ${withinMs * 1_000}`.execute(db.for<never>());
  const [row] = rows;
  return { count: Number(row?.count ?? 0), firstAgoMs: Number(row?.ago ?? 0) / 1_000 };
}

/** How long ago a retry of a delivery was last requested; undefined if never. */
export async function retriedAgoMs(db: Queryable, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ ago: bigint | null }>`
    SELECT ${nowUs} - retried_at_us AS ago FROM webhook_delivery WHERE id = ${id}`.execute(db.for<never>());
  const ago = rows[0]?.ago;
  return ago === null || ago === undefined ? undefined : Number(ago) / 1_000;
}

/** Makes a delivery due at once. One being posted right now, whose next time is the end of its lease, keeps that time. */
export async function makeDue(tx: Queryable, id: string, leaseMs: number): Promise<void> {
  const leased = sql`state = 'pending' AND next_attempt_at_us = last_attempt_at_us + ${leaseMs * 1_000}`;
  await sql`UPDATE webhook_delivery
    SET next_attempt_at_us = IF(${leased}, next_attempt_at_us, ${nowUs}), state = 'pending', retried_at_us = ${nowUs}
    WHERE id = ${id}`.execute(tx.for<never>());
}

/** What may not be started now, because it already has its maximum number of attempts in flight. */
export interface Occupied {
  accountIds: readonly string[];
  endpointIds: readonly string[];
  tests: boolean;
}

/**
 * Due deliveries in the order in which to start them: tests last, and accounts in turn. No endpoint or account has more than it
 * may have in flight.
 */
export async function findDueDeliveries(
  db: Queryable,
  request: { occupied: Occupied; perAccount: number; perEndpoint: number; limit: number },
): Promise<DeliveryRow[]> {
  const { occupied, perAccount, perEndpoint, limit } = request;
  const isTest = sql`(type = ${testType})`;
  const without = (column: string, ids: readonly string[]) =>
    ids.length === 0 ? sql`` : sql`AND ${sql.ref(column)} NOT IN (${sql.join(ids)})`;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT id, type, next_attempt_at_us,
        ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY ${isTest}, next_attempt_at_us, id) AS turn
      FROM (
        SELECT id, account_id, type, next_attempt_at_us,
          ROW_NUMBER() OVER (PARTITION BY endpoint_id ORDER BY ${isTest}, next_attempt_at_us, id) AS place
        FROM webhook_delivery
        WHERE next_attempt_at_us <= ${nowUs}
          ${without('account_id', occupied.accountIds)} ${without('endpoint_id', occupied.endpointIds)}
          ${occupied.tests ? sql`AND type <> ${testType}` : sql``}
      ) AS of_endpoints
      WHERE place <= ${perEndpoint}
    ) AS of_accounts
    WHERE turn <= ${perAccount}
    ORDER BY ${isTest}, turn, next_attempt_at_us, id
    LIMIT ${limit}`.execute(db.for<never>());
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = await db.for<Tables>().selectFrom('webhook_delivery').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(found.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** An account's tests created within the last `withinMs`: how many, and how long ago the first was. */
export async function recentTests(
  db: Queryable,
  { accountId, withinMs }: { accountId: string; withinMs: number },
): Promise<{ count: number; firstAgoMs: number }> {
  const { rows } = await sql<{ count: bigint; ago: bigint | null }>`
    SELECT COUNT(*) AS count, ${nowUs} - MIN(created_at_us) AS ago FROM webhook_delivery
    WHERE account_id = ${accountId} AND type = ${testType} AND created_at_us > ${nowUs} - ${withinMs * 1_000}`.execute(
    db.for<never>(),
  );
  const [row] = rows;
  return { count: Number(row?.count ?? 0), firstAgoMs: Number(row?.ago ?? 0) / 1_000 };
}

/** Claims a due delivery for one attempt; false if another node has it. Nobody else can claim it within `leaseMs`. */
export async function claimDelivery(db: Queryable, row: DeliveryRow, leaseMs: number): Promise<boolean> {
  const claimed = await db
    .for<Tables>()
    .updateTable('webhook_delivery')
    .set({ attempts: row.attempts + 1, last_attempt_at_us: nowUs, next_attempt_at_us: afterMs(leaseMs) })
    .where('id', '=', row.id)
    .where('state', '=', 'pending')
    .where('attempts', '=', row.attempts)
    .executeTakeFirst();
  return claimed.numUpdatedRows === 1n;
}

/** Records the outcome of an attempt. A delivery abandoned in the meantime stays abandoned. */
export async function noteAttempt(
  db: Queryable,
  attempt: {
    id: string;
    state: DeliveryRow['state'];
    status: number | undefined;
    problem: string | undefined;
    retryMs: number;
  },
): Promise<void> {
  await db
    .for<Tables>()
    .updateTable('webhook_delivery')
    .set({
      state: attempt.state,
      last_status: attempt.status ?? null,
      last_problem: attempt.problem ?? null,
      next_attempt_at_us: attempt.state === 'pending' ? afterMs(attempt.retryMs) : null,
    })
    .where('id', '=', attempt.id)
    .where('state', '=', 'pending')
    .execute();
}

/** Deletes finished deliveries older than `keptMs`. */
export async function sweepDeliveries(db: Queryable, { keptMs, limit }: { keptMs: number; limit: number }) {
  await sql`DELETE FROM webhook_delivery WHERE created_at_us < ${nowUs} - ${keptMs * 1_000} AND state <> 'pending'
    ORDER BY created_at_us LIMIT ${limit}`.execute(db.for<Tables>());
}
