import { type RawBuilder, sql } from 'kysely';
import { leastId, timeOfId } from '../../base/ids.ts';
import { present } from '../../base/present.ts';
import type { Queryable } from '../../db/index.ts';
import { columnOf } from '../columns.ts';
import { findRows } from '../rows-store.ts';
import { findLabelled } from '../statements/metadata-store.ts';
import { chargeTable, type FoundCharge } from '../tables.ts';
import { equalities } from './charge-filter.ts';
import type { ChargesFilter } from './wallets.ts';

/** Charges are scanned in windows of this many, so that no statement takes long. */
const windowSize = 25_000;
const labelledAtOnce = 1_000;
/** The most charges scanned for one page. */
const lookedThroughMax = 100_000;
/** An id carries its node's time, a charge the database's; the clocks differ by less than this. */
const clocksDifferMs = 600_000;

/** A request asks for its credit within this long of its arrival. */
const requestLastsMs = 3_600_000;

/** The filters that have their own index, most selective first. */
const indexes = [
  ['subject', 'charge_subject'],
  ['deviceId', 'charge_device'],
  ['keyId', 'charge_key'],
] as const;

export interface FindCharges {
  walletId: string;
  filter: Readonly<ChargesFilter>;
  /** Only ids below this; absent: start from the newest. */
  before: string | undefined;
  limit: number;
}

/**
 * The newest matching charges. `readTo` is set if fewer than `limit` were found among as many as one page may scan: those below
 * it were not scanned.
 */
export async function findCharges(
  db: Queryable,
  request: FindCharges,
): Promise<{ rows: FoundCharge[]; readTo?: string }> {
  const { filter, limit } = request;
  const [least, end] = idsOf(filter);
  const rows: FoundCharge[] = [];
  let before = end !== undefined && !(request.before !== undefined && request.before < end) ? end : request.before;
  for (let seen = 0; seen < lookedThroughMax; ) {
    const window = await nextWindow(db, { ...request, before, least, limit: limit - rows.length });
    rows.push(...window.rows);
    if (rows.length >= limit || window.readTo === undefined) return { rows };
    seen += window.seen;
    before = window.readTo;
  }
  return before === undefined ? { rows } : { rows, readTo: before };
}

type WindowRequest = FindCharges & { least: string | undefined };
interface Window {
  rows: FoundCharge[];
  /** Where the next window begins; absent after the last one. */
  readTo?: string | undefined;
  seen: number;
}

function nextWindow(db: Queryable, request: WindowRequest): Promise<Window> {
  return request.filter.metadata ? labelled(db, request, request.filter.metadata) : byColumns(db, request);
}

async function labelled(
  db: Queryable,
  request: WindowRequest,
  metadata: NonNullable<ChargesFilter['metadata']>,
): Promise<Window> {
  const { walletId, filter, least, limit } = request;
  const isAll = Object.values(filter).every((part) => part === undefined || part === metadata);
  const seen = isAll ? limit : labelledAtOnce;
  const ids = await findLabelled(db, { ...request, metadata, limit: seen });
  if (ids.length === 0) return { rows: [], seen };
  const last = ids.length < seen || (least !== undefined && (ids.at(-1) ?? '') < least) ? undefined : ids.at(-1);
  const which = sql`wallet_id = ${walletId} AND id IN (${sql.join(ids)}) ${conditionsOf(filter)}`;
  const rows = await findRows(db, chargeTable, sql`${which} ORDER BY id DESC LIMIT ${limit}`);
  return { rows, readTo: last, seen };
}

async function byColumns(db: Queryable, request: WindowRequest): Promise<Window> {
  const { filter, least, limit } = request;
  const { index, served } = indexOf(filter);
  const place = placeOf(request);
  const isServed = equalities.every((name) => name === served || filter[name] === undefined);
  const bound = isServed ? undefined : await windowEnd(db, index, place);
  const from = bound ?? least;
  const which = sql`${place} ${from === undefined ? sql`` : sql`AND id >= ${from}`} ${conditionsOf(filter)}`;
  const rows = await findRows(db, chargeTable, sql`${which} ORDER BY id DESC LIMIT ${limit}`, index);
  return { rows, readTo: bound, seen: windowSize };
}

/** The last id of a window of charges; undefined if there are fewer. */
async function windowEnd(db: Queryable, index: string, place: RawBuilder<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM charge FORCE INDEX (${sql.id(index)}) WHERE ${place}
    ORDER BY id DESC LIMIT 1 OFFSET ${windowSize - 1}`.execute(db.for<never>());
  return rows[0]?.id;
}

function indexOf({ ...filter }: ChargesFilter): { index: string; served?: (typeof indexes)[number][0] } {
  const [served, index] = indexes.find(([name]) => filter[name] !== undefined) ?? [];
  return served === undefined || index === undefined ? { index: 'PRIMARY' } : { index, served };
}

/** The condition that selects what an index leads to. */
function placeOf({ walletId, filter, before, least }: WindowRequest): RawBuilder<unknown> {
  const { served } = indexOf(filter);
  return sql.join(
    [
      sql`wallet_id = ${walletId}`,
      ...(served ? [equals(served, filter[served])] : []),
      ...(before === undefined ? [] : [sql`id < ${before}`]),
      ...(least === undefined ? [] : [sql`id >= ${least}`]),
    ],
    sql` AND `,
  );
}

function conditionsOf(filter: Readonly<ChargesFilter>): RawBuilder<unknown> {
  const { start, end } = filter;
  const conditions = equalities
    .filter((name) => filter[name] !== undefined)
    .map((name) => sql`AND ${equals(name, filter[name])}`);
  if (start !== undefined) conditions.push(sql`AND created_at_us >= ${microseconds(start)}`);
  if (end !== undefined) conditions.push(sql`AND created_at_us < ${microseconds(end)}`);
  return sql.join(conditions, sql` `);
}

function equals(name: (typeof equalities)[number], value: string | undefined): RawBuilder<unknown> {
  return sql`${sql.ref(columnOf(chargeTable, name).name)} = ${value}`;
}

/** The range of ids that a filter's charges fall in. */
function idsOf(filter: ChargesFilter): [least: string | undefined, end: string | undefined] {
  const { start, end } = timeOf(filter);
  return [
    start === undefined ? undefined : leastId('chg', start - clocksDifferMs),
    end === undefined ? undefined : leastId('chg', end + clocksDifferMs),
  ];
}

/** A request id made here says when the request arrived, and its charges follow that. */
function timeOf({ requestId, start, end }: ChargesFilter): Pick<ChargesFilter, 'start' | 'end'> {
  const came = requestId === undefined ? undefined : timeOfId('req', requestId);
  if (came === undefined) return present({ start, end });
  return { start: Math.max(start ?? 0, came), end: Math.min(end ?? Number.POSITIVE_INFINITY, came + requestLastsMs) };
}

function microseconds(ms: number): bigint {
  return BigInt(Math.trunc(ms)) * 1_000n;
}
