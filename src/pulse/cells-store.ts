import type { Pace } from '../base/turn.ts';
import type { Queryable } from '../db/index.ts';
import { bytesOf, inListMax, insert, query, slices, sumsOf } from './bulk-store.ts';
import type { Cell, ErrorCell } from './cell.ts';
import { getOrMake } from './get-or-make.ts';
import { decodeInto, type Histogram, mergeEncoded } from './histogram.ts';
import { type CellKey, type CellRange, type ErrorKey, grains, type SumsKey } from './rollup.ts';
import { NumberWriter } from './varint.ts';

const columns = ['sessions', 'completed', 'reached', 'abandoned', 'ended', 'errored', 'offset_ms'] as const;

/** Adds changes to the stored cells. The account must be locked: histograms are read, merged and written back. */
export async function addToCells(
  tx: Queryable,
  accountNo: number,
  changes: readonly { key: CellKey; cell: Cell }[],
): Promise<void> {
  const stored = await readDwells(tx, accountNo, changes);
  const writer = new NumberWriter();
  await insert(
    tx,
    `INSERT INTO pulse_cell (account_no, journey_no, grain, start_hour, step_no, ${columns.join(', ')}, dwell) VALUES`,
    changes.map(({ key, cell }) => {
      mergeEncoded(stored.get(textOf(key)) ?? noBytes, cell.dwell, writer);
      const { sessions, completed, reached, abandoned, ended, errored, offsetSum } = cell;
      return `(${accountNo},${placeOf(key)},${key.step},${sessions},${completed},${reached},${abandoned},${ended},${errored},${offsetSum},${bytesOf(writer.take())})`;
    }),
    `ON DUPLICATE KEY UPDATE ${sumsOf(columns)}, dwell = VALUES(dwell)`,
  );
}

const noBytes = new Uint8Array();

export async function addToErrorCells(
  tx: Queryable,
  accountNo: number,
  changes: readonly { key: ErrorKey; cell: ErrorCell }[],
): Promise<void> {
  await insert(
    tx,
    'INSERT INTO pulse_error_cell (account_no, journey_no, grain, start_hour, step_no, code_no, occurrences, first_ms, last_ms, sessions, recovered) VALUES',
    changes.map(({ key, cell }) => {
      const { occurrences, firstMs, lastMs, sessions, recovered } = cell;
      return `(${accountNo},${placeOf(key)},${key.step},${key.code},${occurrences},${firstMs ?? 'NULL'},${lastMs ?? 'NULL'},${sessions},${recovered})`;
    }),
    `ON DUPLICATE KEY UPDATE ${sumsOf(['occurrences', 'sessions', 'recovered'])},
      first_ms = LEAST(COALESCE(first_ms, VALUES(first_ms)), COALESCE(VALUES(first_ms), first_ms)),
      last_ms = GREATEST(COALESCE(last_ms, VALUES(last_ms)), COALESCE(VALUES(last_ms), last_ms))`,
  );
}

function placeOf({ journey, grain, start }: SumsKey): string {
  return `${journey},${grains[grain]},${start}`;
}

async function readDwells(
  tx: Queryable,
  accountNo: number,
  changes: readonly { key: CellKey }[],
): Promise<Map<string, Buffer>> {
  const starts = new Map<string, SumsKey & { all: Set<number> }>();
  for (const { key } of changes)
    getOrMake(starts, `${key.journey} ${key.grain}`, () => ({ ...key, all: new Set<number>() })).all.add(key.start);
  const dwells = new Map<string, Buffer>();
  for (const { journey, grain, all } of starts.values()) {
    for (const part of slices([...all], inListMax)) {
      const rows = await query<{ start_hour: number; step_no: number; dwell: Buffer }>(
        tx,
        `SELECT start_hour, step_no, dwell FROM pulse_cell WHERE account_no = ${accountNo} AND journey_no = ${journey} AND grain = ${grains[grain]} AND start_hour IN (${part.join(',')})`,
      );
      for (const row of rows)
        dwells.set(textOf({ journey, grain, start: row.start_hour, step: row.step_no }), row.dwell);
    }
  }
  return dwells;
}

export interface StoredCell {
  start: number;
  step: number;
  cell: Cell;
}

/** All sessions of one journey of one account. */
export interface CellsOf {
  accountNo: number;
  journeyNo: number;
}

interface CellRow {
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
}

const cellsAtOnce = 1_000;
const numbersOfCell = 10;

/** The cells of one journey in a range, ordered by start and step; read a thousand at a time. */
export async function* readCells(db: Queryable, of: CellsOf, range: CellRange, pace: Pace): AsyncIterable<StoredCell> {
  let after = '';
  for (;;) {
    const rows = await query<CellRow>(
      db,
      `SELECT start_hour, step_no, sessions, completed, reached, abandoned, ended, errored, offset_ms, dwell FROM pulse_cell WHERE ${rangeOf(of, range)} ${after} ORDER BY start_hour, step_no LIMIT ${cellsAtOnce}`,
    );
    for (const row of rows) {
      await pace(numbersOfCell + row.dwell.length);
      yield cellOf(row);
    }
    const last = rows.at(-1);
    if (!last || rows.length < cellsAtOnce) return;
    after = `AND start_hour >= ${last.start_hour} AND (start_hour > ${last.start_hour} OR step_no > ${last.step_no})`;
  }
}

function cellOf(row: CellRow): StoredCell {
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
}

/** Error sums of one journey in a range, already totalled by step and code. */
export async function readErrorSums(
  db: Queryable,
  of: CellsOf,
  range: CellRange,
): Promise<{ step: number; code: number; cell: ErrorCell }[]> {
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
    `SELECT step_no, code_no, SUM(occurrences) AS occurrences, MIN(first_ms) AS first_ms, MAX(last_ms) AS last_ms, SUM(sessions) AS sessions, SUM(recovered) AS recovered FROM pulse_error_cell WHERE ${rangeOf(of, range)} GROUP BY step_no, code_no`,
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

export interface JourneyDays {
  journeyNo: number;
  sessions: number;
  errored: number;
  lastStart: number;
}

/** Whole-journey sums of some journeys for the days that start at or after an hour. */
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

function rangeOf({ accountNo, journeyNo }: CellsOf, { grain, from, to }: CellRange): string {
  return `account_no = ${accountNo} AND journey_no = ${journeyNo} AND grain = ${grains[grain]} AND start_hour >= ${from} AND start_hour < ${to}`;
}

function textOf({ journey, grain, start, step }: CellKey): string {
  return `${journey} ${grain} ${start} ${step}`;
}
