import { sql } from 'kysely';
import type { AuditAction, AuditEvent } from '../base/audit-event.ts';
import { leastId } from '../base/ids.ts';
import { present } from '../base/present.ts';
import type { Queryable, Transaction } from '../db/index.ts';

interface Tables {
  audit_event: {
    id: string;
    actor: string;
    action: string;
    target: string;
    account_id: string | null;
    reason: string;
    /** JSON of an object with string values. */
    details: string;
    request_id: string;
    address: string;
    created_at_us: bigint;
  };
}

/** Which events to list; absent fields do not filter. Times are milliseconds since the epoch; the end is exclusive. */
export interface EventFilter {
  accountId?: string;
  actor?: string;
  action?: AuditAction;
  startMs?: number;
  endMs?: number;
}

/** An event as written. */
export interface StoredEvent extends AuditEvent {
  /** By the database's clock. */
  time: Date;
}

/** An id uses its node's clock, an event's time the database's: how much they may differ. */
const clocksDifferMs = 300_000;

const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

export async function addEvent(tx: Transaction, event: AuditEvent): Promise<void> {
  await tx
    .for<Tables>()
    .insertInto('audit_event')
    .values({
      id: event.eventId,
      actor: event.actor,
      action: event.action,
      target: event.target,
      account_id: event.accountId ?? null,
      reason: event.reason,
      details: JSON.stringify(event.details),
      request_id: event.requestId,
      address: event.address,
      created_at_us: nowUs,
    })
    .execute();
}

const dayMs = 86_400_000;

/**
 * How many events an account had in the last 24 hours, by the clocks that made their ids, except those whose action starts with
 * the given text. Counts at most `most`.
 */
export async function countOfDay(
  tx: Transaction,
  { accountId, but, most }: { accountId: string; but: string; most: number },
): Promise<number> {
  const { count } = await tx
    .for<Tables>()
    .selectFrom((from) =>
      from
        .selectFrom('audit_event')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '>', leastId('aud', Date.now() - dayMs))
        .where('action', 'not like', `${but}%`)
        .limit(most)
        .as('events'),
    )
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Events with an id below `before`, newest first. */
export async function listEvents(
  db: Queryable,
  { accountId, actor, action, startMs, endMs }: Readonly<EventFilter>,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<StoredEvent[]> {
  let query = db.for<Tables>().selectFrom('audit_event').selectAll().orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action !== undefined) query = query.where('action', '=', action);
  // The times decide; the ids spare the server from reading events far outside the range.
  if (startMs !== undefined)
    query = query
      .where('id', '>=', leastId('aud', startMs - clocksDifferMs))
      .where('created_at_us', '>=', BigInt(startMs) * 1_000n);
  if (endMs !== undefined)
    query = query
      .where('id', '<', leastId('aud', endMs + clocksDifferMs))
      .where('created_at_us', '<', BigInt(endMs) * 1_000n);
  const rows = await query.execute();
  return rows.map((row) =>
    present({
      eventId: String(row.id),
      actor: String(row.actor),
      action: row.action as AuditAction,
      target: String(row.target),
      accountId: row.account_id === null ? undefined : String(row.account_id),
      reason: row.reason,
      details: JSON.parse(row.details) as Record<string, string>,
      requestId: String(row.request_id),
      address: String(row.address),
      time: new Date(Number(BigInt(row.created_at_us) / 1_000n)),
    }),
  );
}
