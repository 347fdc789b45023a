import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import { afterMs, giveUp, nowUs } from './deliveries-store.ts';

interface Tables {
  webhook_endpoint: EndpointRow;
}

export interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  secret: Buffer;
  state: 'active' | 'disabled';
  created_at_us: bigint;
  /** Also signs until `previous_expires_at_us`; either both are set or neither is. */
  previous_secret: Buffer | null;
  previous_expires_at_us: bigint | null;
}

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
    .values({
      ...{ id, account_id: accountId, url, secret, state: 'active' as const, created_at_us: nowUs },
      ...{ previous_secret: null, previous_expires_at_us: null },
    })
    .execute();
}

export function findEndpoint(db: Queryable, id: string): Promise<EndpointRow | undefined> {
  return db.for<Tables>().selectFrom('webhook_endpoint').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Endpoints with an id below `before`, newest first. */
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

/** Replaces the secret of an account's endpoint and keeps the old one for `overlapMs`; false if there is no such endpoint. */
export async function replaceSecret(
  tx: Queryable,
  { id, accountId, secret, overlapMs }: { id: string; accountId: string; secret: Buffer; overlapMs: number },
): Promise<boolean> {
  const endpoints = tx.for<Tables>();
  const row = await endpoints
    .selectFrom('webhook_endpoint')
    .select('secret')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  const previous =
    overlapMs > 0
      ? { previous_secret: row.secret, previous_expires_at_us: afterMs(overlapMs) }
      : { previous_secret: null, previous_expires_at_us: null };
  await endpoints
    .updateTable('webhook_endpoint')
    .set({ secret, ...previous })
    .where('id', '=', id)
    .execute();
  return true;
}

/** Deletes secrets that no longer sign. */
export async function forgetPreviousSecrets(db: Queryable, limit: number): Promise<void> {
  await sql`UPDATE webhook_endpoint SET previous_secret = NULL, previous_expires_at_us = NULL
    WHERE previous_expires_at_us <= ${nowUs} LIMIT ${limit}`.execute(db.for<never>());
}

export async function disableEndpoint(db: Queryable, id: string): Promise<void> {
  await db.for<Tables>().updateTable('webhook_endpoint').set({ state: 'disabled' }).where('id', '=', id).execute();
}

/** Removes an endpoint and abandons what is pending for it; false if there is none. */
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
