import type { Queryable } from '../db/index.ts';
import { inListMax, insert, query, slices } from './bulk-store.ts';
import { decodeInto, encodeHistogram, type Histogram } from './histogram.ts';
import {
  type Cell,
  type CellKey,
  type CellRange,
  type ErrorCell,
  type ErrorKey,
  emptyErrorCell,
  everyone,
  grains,
} from './rollup.ts';

/** Adds changes to the stored cells. The account must be locked: histograms are read, merged and written. */
export async function addToCells(
  tx: Queryable,
  accountNo: number,
  changes: readonly { key: CellKey; cell: Cell }[],
): Promise<void> {
  const stored = await readDwells(tx, accountNo, changes);
  for (const [table, part] of byTable(changes)) {
    const own = table === 'pulse_cell' ? '' : 'property_no, value_no, ';
    await insert(
      tx,
      `INSERT INTO ${table} (account_no, journey_no, grain, start_hour, ${own}step_no, sessions, completed, reached, abandoned, ended, errored, offset_ms, dwell) VALUES`,
      part.map(({ key, cell }) => {
        const dwell: Histogram = new Map(cell.dwell);
        const before = stored.get(textOf(key));
        if (before) decodeInto(dwell, before);
        for (const [bucket, count] of dwell) if (count === 0) dwell.delete(bucket);
        const { sessions, completed, reached, abandoned, ended, errored, offsetSum } = cell;
        return `(${accountNo},${placeOf(key)},${key.step},${sessions},${completed},${reached},${abandoned},${ended},${errored},${offsetSum},${bytesOf(encodeHistogram(dwell))})`;
      }),
      `ON DUPLICATE KEY UPDATE ${sumsOf(['sessions', 'completed', 'reached', 'abandoned', 'ended', 'errored', 'offset_ms'])}, dwell = VALUES(dwell)`,
    );
  }
}

export async function addToErrorCells(
  tx: Queryable,
  accountNo: number,
  changes: readonly { key: ErrorKey; cell: ErrorCell }[],
): Promise<void> {
  const [[, whole], [, segments]] = byTable(changes);
  await insert(
    tx,
    'INSERT INTO pulse_error_cell (account_no, journey_no, grain, start_hour, step_no, code_no, occurrences, first_ms, last_ms, sessions, recovered) VALUES',
    whole.map(({ key, cell }) => {
      const { occurrences, firstMs, lastMs, sessions, recovered } = cell;
      return `(${accountNo},${placeOf(key)},${key.step},${key.code},${occurrences},${firstMs ?? 'NULL'},${lastMs ?? 'NULL'},${sessions},${recovered})`;
    }),
    `ON DUPLICATE KEY UPDATE ${sumsOf(['occurrences', 'sessions', 'recovered'])},
      first_ms = LEAST(COALESCE(first_ms, VALUES(first_ms)), COALESCE(VALUES(first_ms), first_ms)),
      last_ms = GREATEST(COALESCE(last_ms, VALUES(last_ms)), COALESCE(VALUES(last_ms), last_ms))`,
  );
  await insert(
    tx,
    'INSERT INTO pulse_segment_error (account_no, journey_no, grain, start_hour, property_no, value_no, step_no, code_no, sessions, recovered) VALUES',
    segments.map(
      ({ key, cell }) => `(${accountNo},${placeOf(key)},${key.step},${key.code},${cell.sessions},${cell.recovered})`,
    ),
    `ON DUPLICATE KEY UPDATE ${sumsOf(['sessions', 'recovered'])}`,
  );
}

/** Journey, grain and start, and the segment where the row has one. */
function placeOf({ journey, grain, start, property, value }: CellKey): string {
  const place = `${journey},${grains[grain]},${start}`;
  return property === everyone.property ? place : `${place},${property},${value}`;
}

type CellTable = 'pulse_cell' | 'pulse_segment_cell';

function tableOf(property: number): CellTable {
  return property === everyone.property ? 'pulse_cell' : 'pulse_segment_cell';
}

function byTable<Change extends { key: CellKey }>(
  changes: readonly Change[],
): [all: [CellTable, Change[]], segments: [CellTable, Change[]]] {
  const of = (table: CellTable) => changes.filter(({ key }) => tableOf(key.property) === table);
  return [
    ['pulse_cell', of('pulse_cell')],
    ['pulse_segment_cell', of('pulse_segment_cell')],
  ];
}

async function readDwells(
  tx: Queryable,
  accountNo: number,
  changes: readonly { key: CellKey }[],
): Promise<Map<string, Buffer>> {
  const dwells = new Map<string, Buffer>();
  // Keys come in order, so those of one journey, property and grain stand together: few statements, each one range a start.
  for (const group of groupBy(changes, ({ key }) => `${key.journey} ${key.property} ${key.grain}`)) {
    const first = group[0]?.key;
    if (!first) continue;
    const table = tableOf(first.property);
    const [value, own] = table === 'pulse_cell' ? ['0', ''] : ['value_no', `AND property_no = ${first.property}`];
    for (const starts of slices([...new Set(group.map(({ key }) => key.start))], inListMax)) {
      const rows = await query<{ start_hour: number; value_no: number; step_no: number; dwell: Buffer }>(
        tx,
        `SELECT start_hour, ${value} AS value_no, step_no, dwell FROM ${table} WHERE account_no = ${accountNo} AND journey_no = ${first.journey} ${own} AND grain = ${grains[first.grain]} AND start_hour IN (${starts.join(',')})`,
      );
      for (const row of rows) {
        const at = { start: row.start_hour, value: Number(row.value_no), step: row.step_no };
        dwells.set(textOf({ ...first, ...at }), row.dwell);
      }
    }
  }
  return dwells;
}

export interface StoredCell {
  start: number;
  step: number;
  cell: Cell;
}

/** One journey of one account, as a whole or one segment of it; without a value, all sessions with any value. */
export interface CellsOf {
  accountNo: number;
  journeyNo: number;
  segment: { property: number; value?: number };
}

/** The cells of one journey in a range, in the order of their starts. */
export async function readCells(db: Queryable, of: CellsOf, range: CellRange): Promise<StoredCell[]> {
  const rows = await query<{
    start_hour: number;
    step_no: number;
    sessions: bigint;
    completed: bigint;
    reached: bigint;
    abandoned: bigint;
    ended: bigint;
    errored: bigint;
    offset_ms: bigint;
    dwell: Buffer;
  }>(
    db,
    `SELECT start_hour, step_no, sessions, completed, reached, abandoned, ended, errored, offset_ms, dwell FROM ${tableOf(of.segment.property)} WHERE ${rangeOf(of, range)} ORDER BY start_hour`,
  );
  return rows.map((row) => {
    const dwell: Histogram = new Map();
    decodeInto(dwell, row.dwell);
    return {
      start: row.start_hour,
      step: row.step_no,
      cell: {
        sessions: Number(row.sessions),
        completed: Number(row.completed),
        reached: Number(row.reached),
        abandoned: Number(row.abandoned),
        ended: Number(row.ended),
        errored: Number(row.errored),
        offsetSum: Number(row.offset_ms),
        dwell,
      },
    };
  });
}

/** Error sums of one journey in a range, already added up by step and code. A segment's count sessions alone. */
export async function readErrorSums(
  db: Queryable,
  of: CellsOf,
  range: CellRange,
): Promise<{ step: number; code: number; cell: ErrorCell }[]> {
  const [table, events] =
    of.segment.property === everyone.property
      ? ['pulse_error_cell', 'SUM(occurrences) AS occurrences, MIN(first_ms) AS first_ms, MAX(last_ms) AS last_ms']
      : ['pulse_segment_error', '0 AS occurrences, NULL AS first_ms, NULL AS last_ms'];
  const rows = await query<{
    step_no: number;
    code_no: number;
    occurrences: bigint;
    first_ms: bigint | null;
    last_ms: bigint | null;
    sessions: bigint;
    recovered: bigint;
  }>(
    db,
    `SELECT step_no, code_no, ${events}, SUM(sessions) AS sessions, SUM(recovered) AS recovered FROM ${table} WHERE ${rangeOf(of, range)} GROUP BY step_no, code_no`,
  );
  return rows.map((row) => ({
    step: row.step_no,
    code: row.code_no,
    cell: {
      occurrences: Number(row.occurrences),
      firstMs: row.first_ms === null ? undefined : Number(row.first_ms),
      lastMs: row.last_ms === null ? undefined : Number(row.last_ms),
      sessions: Number(row.sessions),
      recovered: Number(row.recovered),
    },
  }));
}

/** The sums of each value of one property in a range, by step; without times. */
export async function readValueSums(
  db: Queryable,
  of: CellsOf,
  range: CellRange,
): Promise<{ value: number; step: number; cell: Cell }[]> {
  const columns = ['sessions', 'completed', 'reached', 'abandoned', 'ended', 'errored', 'offset_ms'] as const;
  const rows = await query<Record<'value_no' | 'step_no', number> & Record<(typeof columns)[number], bigint>>(
    db,
    `SELECT value_no, step_no, ${columns.map((column) => `SUM(${column}) AS ${column}`).join(', ')} FROM pulse_segment_cell WHERE ${rangeOf(of, range)} GROUP BY value_no, step_no`,
  );
  return rows.map((row) => ({
    value: row.value_no,
    step: row.step_no,
    cell: {
      sessions: Number(row.sessions),
      completed: Number(row.completed),
      reached: Number(row.reached),
      abandoned: Number(row.abandoned),
      ended: Number(row.ended),
      errored: Number(row.errored),
      offsetSum: Number(row.offset_ms),
      dwell: new Map(),
    },
  }));
}

/** The sums of error codes of each value of one property in a range. */
export async function readValueErrors(
  db: Queryable,
  of: CellsOf,
  range: CellRange,
): Promise<{ value: number; step: number; code: number; cell: ErrorCell }[]> {
  const rows = await query<
    Record<'value_no' | 'step_no' | 'code_no', number> & Record<'sessions' | 'recovered', bigint>
  >(
    db,
    `SELECT value_no, step_no, code_no, SUM(sessions) AS sessions, SUM(recovered) AS recovered FROM pulse_segment_error WHERE ${rangeOf(of, range)} GROUP BY value_no, step_no, code_no`,
  );
  return rows.map((row) => ({
    value: row.value_no,
    step: row.step_no,
    code: row.code_no,
    cell: { ...emptyErrorCell(), sessions: Number(row.sessions), recovered: Number(row.recovered) },
  }));
}

export interface JourneyDays {
  journeyNo: number;
  sessions: number;
  errored: number;
  lastStart: number;
}

/** The sums of some journeys as wholes over the days that start at or after an hour. */
export async function readJourneyDays(
  db: Queryable,
  accountNo: number,
  journeyNos: readonly number[],
  fromHour: number,
): Promise<JourneyDays[]> {
  if (journeyNos.length === 0) return [];
  const rows = await query<{ journey_no: number; sessions: bigint; errored: bigint; last_start: number | bigint }>(
    db,
    `SELECT journey_no, SUM(sessions) AS sessions, SUM(errored) AS errored, MAX(start_hour) AS last_start FROM pulse_cell WHERE account_no = ${accountNo} AND journey_no IN (${journeyNos.join(',')}) AND grain = ${grains.day} AND start_hour >= ${fromHour} AND step_no = 0 AND sessions > 0 GROUP BY journey_no`,
  );
  return rows.map((row) => ({
    journeyNo: row.journey_no,
    sessions: Number(row.sessions),
    errored: Number(row.errored),
    lastStart: Number(row.last_start),
  }));
}

/** A literal of bytes. */
function bytesOf(bytes: Buffer): string {
  return bytes.length === 0 ? "''" : `0x${bytes.toString('hex')}`;
}

function rangeOf({ accountNo, journeyNo, segment }: CellsOf, { grain, from, to }: CellRange): string {
  const { property, value } = segment;
  const own =
    property === everyone.property
      ? ''
      : `AND property_no = ${property}${value === undefined ? '' : ` AND value_no = ${value}`}`;
  return `account_no = ${accountNo} AND journey_no = ${journeyNo} ${own} AND grain = ${grains[grain]} AND start_hour >= ${from} AND start_hour < ${to}`;
}

function sumsOf(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${column} + VALUES(${column})`).join(', ');
}

function textOf({ journey, property, value, grain, start, step }: CellKey): string {
  return `${journey} ${property} ${value} ${grain} ${start} ${step}`;
}

/** Runs of neighbours with the same key. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups: T[][] = [];
  let before: string | undefined;
  for (const item of items) {
    const key = keyOf(item);
    if (key === before) groups.at(-1)?.push(item);
    else groups.push([item]);
    before = key;
  }
  return groups;
}
