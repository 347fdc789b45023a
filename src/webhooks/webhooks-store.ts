import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';

interface Tables {
  webhook_endpoint: EndpointRow;
  webhook_delivery: DeliveryRow;
}

export interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  secret: Buffer;
  state: 'active' | 'disabled';
  created_at_us: bigint;
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
}

const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;
const afterMs = (ms: number) => sql<bigint>`${nowUs} + ${ms * 1_000}`;

export async function countEndpoints(db: Queryable, accountId: string): Promise<number> {
  const row = await db
    .for<Tables>()
    .selectFrom('webhook_endpoint')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function insertEndpoint(
  db: Queryable,
  { id, accountId, url, secret }: { id: string; accountId: string; url: string; secret: Buffer },
): Promise<void> {
  await db
    .for<Tables>()
    .insertInto('webhook_endpoint')
    .values({ id, account_id: accountId, url, secret, state: 'active', created_at_us: nowUs })
    .execute();
}

export function findEndpoint(db: Queryable, id: string): Promise<EndpointRow | undefined> {
  return db.for<Tables>().selectFrom('webhook_endpoint').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Endpoints with an id below `before`, the newest first. */
export function listEndpointRows(
  db: Queryable,
  { accountId, before, limit }: { accountId: string; before: string | undefined; limit: number },
): Promise<EndpointRow[]> {
  let query = db
    .for<Tables>()
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}

export async function disableEndpoint(db: Queryable, id: string): Promise<void> {
  await db.for<Tables>().updateTable('webhook_endpoint').set({ state: 'disabled' }).where('id', '=', id).execute();
}

/** Removes an endpoint and gives up what is pending for it; false when there is none. */
export async function removeEndpoint(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const removed = await tx
    .for<Tables>()
    .deleteFrom('webhook_endpoint')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (removed.numDeletedRows === 0n) return false;
  await giveUp(tx, id, 'the endpoint was removed');
  return true;
}

/** Gives up everything that is pending for an endpoint. */
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
      })),
    )
    .execute();
}

export function findDelivery(db: Queryable, id: string): Promise<DeliveryRow | undefined> {
  return db.for<Tables>().selectFrom('webhook_delivery').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Deliveries with an id below `before`, the newest first. */
export function listDeliveryRows(
  db: Queryable,
  { accountId, before, limit }: { accountId: string; before: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  let query = db
    .for<Tables>()
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}

export function findDueDeliveries(db: Queryable, limit: number): Promise<DeliveryRow[]> {
  return db
    .for<Tables>()
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('next_attempt_at_us', '<=', nowUs)
    .orderBy('next_attempt_at_us')
    .limit(limit)
    .execute();
}

/** Takes a due delivery for one attempt; false when another node has it. Nobody else takes it within `leaseMs`. */
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

/** Notes what became of an attempt. One that was given up meanwhile stays so. */
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

/** Deletes deliveries that ended and are older than `keptMs`. */
export async function sweepDeliveries(db: Queryable, { keptMs, limit }: { keptMs: number; limit: number }) {
  await sql`DELETE FROM webhook_delivery WHERE created_at_us < ${nowUs} - ${keptMs * 1_000} AND state <> 'pending'
    ORDER BY created_at_us LIMIT ${limit}`.execute(db.for<Tables>());
}
