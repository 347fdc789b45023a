import { getOrMake } from './get-or-make.ts';
import { addTo, type Histogram, mergeInto } from './histogram.ts';
import type { Contribution, Segment } from './session.ts';

export const hourMs = 3_600_000;
export const hoursPerDay = 24;

/** How much time one cell stands for. Times of cells are counted in hours since the Unix epoch, in both grains. */
export const grains = { hour: 1, day: 2 } as const;
export type Grain = keyof typeof grains;

/** The step number that stands for the journey as a whole; steps are numbered from 1. */
export const wholeJourney = 0;

/** What stands for all sessions in place of a segment; properties are numbered from 1. */
export const everyone: Segment = { property: 0, value: 0 };

/** Sums over the sessions that began in one hour (or day) and reached one step. Every one adds. */
export interface Cell {
  sessions: number;
  completed: number;
  /** Sessions that reached the step in the declared order and in time; for the whole journey, that completed it so. */
  reached: number;
  /** Sessions whose latest event is at this step, which they have not completed. */
  abandoned: number;
  /** Sessions whose latest event is at this step, which they have completed. */
  ended: number;
  /** Sessions with an error at this step. */
  errored: number;
  /** Milliseconds from the session's start to this step. */
  offsetSum: number;
  /** Time at the step; for the whole journey, from a session's first event to its latest. */
  dwell: Histogram;
}

/** Sums over one error code at one step. */
export interface ErrorCell {
  /** Events, by the hour in which they occurred themselves. */
  occurrences: number;
  /** Of those events; undefined when no event has occurred in this hour. */
  firstMs: number | undefined;
  lastMs: number | undefined;
  /** Sessions that met the error, by the hour in which they began; and those that completed the step afterwards. */
  sessions: number;
  recovered: number;
}

export interface CellKey extends Segment {
  journey: number;
  grain: Grain;
  /** The cell's first hour, in hours since the Unix epoch. */
  start: number;
  step: number;
}

export interface ErrorKey extends CellKey {
  code: number;
}

export function emptyCell(): Cell {
  return {
    sessions: 0,
    completed: 0,
    reached: 0,
    abandoned: 0,
    ended: 0,
    errored: 0,
    offsetSum: 0,
    dwell: new Map(),
  };
}

export function emptyErrorCell(): ErrorCell {
  return { occurrences: 0, firstMs: undefined, lastMs: undefined, sessions: 0, recovered: 0 };
}

/** Adds a cell to another. */
export function addCell(sum: Cell, part: Cell): void {
  sum.sessions += part.sessions;
  sum.completed += part.completed;
  sum.reached += part.reached;
  sum.abandoned += part.abandoned;
  sum.ended += part.ended;
  sum.errored += part.errored;
  sum.offsetSum += part.offsetSum;
  mergeInto(sum.dwell, part.dwell);
}

/** Takes a cell out of another. */
export function takeCell(sum: Cell, part: Cell): void {
  const { sessions, completed, reached, abandoned, ended, errored, offsetSum, dwell } = part;
  const counts = { sessions: -sessions, completed: -completed, reached: -reached, abandoned: -abandoned };
  addCell(sum, {
    ...{ ...counts, ended: -ended, errored: -errored, offsetSum: -offsetSum },
    dwell: new Map([...dwell].map(([bucket, count]) => [bucket, -count])),
  });
}

export function addErrorCell(sum: ErrorCell, part: ErrorCell): void {
  sum.occurrences += part.occurrences;
  sum.sessions += part.sessions;
  sum.recovered += part.recovered;
  if (part.firstMs !== undefined) sum.firstMs = Math.min(sum.firstMs ?? part.firstMs, part.firstMs);
  if (part.lastMs !== undefined) sum.lastMs = Math.max(sum.lastMs ?? part.lastMs, part.lastMs);
}

/**
 * The changes that a group of events makes to the rollups. A session that gains an event takes out what it had added
 * before (sign -1) and adds what it adds now (sign 1), so sums are right in whatever order events arrive, even when
 * an earlier event moves the whole session into an earlier hour.
 */
export class RollupChanges {
  // Nested by journey and start: most of a group's sessions share both, and numbers are quick keys.
  readonly #cells = new Map<number, Map<number, Map<number, Cell>>>();
  readonly #errors = new Map<number, Map<number, Map<number, ErrorCell>>>();

  addSession(journey: number, session: Contribution, sign: 1 | -1): void {
    const start = Math.floor(session.startMs / hourMs);
    this.#addTo(journey, start, everyone, session, sign);
    for (const segment of session.segments) this.#addTo(journey, start, segment, session, sign);
  }

  #addTo(journey: number, start: number, segment: Segment, session: Contribution, sign: 1 | -1): void {
    const cells = under(this.#cells, journey, start);
    const whole = getOrMake(cells, packed(segment, wholeJourney), emptyCell);
    whole.sessions += sign;
    if (session.errored) whole.errored += sign;
    if (session.converted) whole.reached += sign;
    addTo(whole.dwell, session.durationBucket, sign);
    for (const step of session.steps) {
      const cell = getOrMake(cells, packed(segment, step.step), emptyCell);
      cell.sessions += sign;
      if (step.completed) cell.completed += sign;
      if (step.reached) cell.reached += sign;
      if (step.ended && step.completed) cell.ended += sign;
      if (step.ended && !step.completed) cell.abandoned += sign;
      if (step.errors.length > 0) cell.errored += sign;
      cell.offsetSum += sign * step.offsetMs;
      if (step.dwellBucket !== undefined) addTo(cell.dwell, step.dwellBucket, sign);
      for (const { code, recovered } of step.errors) {
        const error = getOrMake(under(this.#errors, journey, start), packed(segment, step.step, code), emptyErrorCell);
        error.sessions += sign;
        if (recovered) error.recovered += sign;
      }
    }
  }

  addError(journey: number, step: number, code: number, occurredMs: number): void {
    const errors = under(this.#errors, journey, Math.floor(occurredMs / hourMs));
    const error = getOrMake(errors, packed(everyone, step, code), emptyErrorCell);
    addErrorCell(error, { occurrences: 1, firstMs: occurredMs, lastMs: occurredMs, sessions: 0, recovered: 0 });
  }

  /** The changed cells of both grains, without those that came to nothing; in the order of their keys. */
  cells(): { key: CellKey; cell: Cell }[] {
    const all = withDays(this.#cells, emptyCell, addCell);
    return all.filter(({ cell }) => !isNothing(cell));
  }

  errors(): { key: ErrorKey; cell: ErrorCell }[] {
    const all = withDays(this.#errors, emptyErrorCell, addErrorCell);
    return all.filter(({ cell }) => cell.occurrences !== 0 || cell.sessions !== 0 || cell.recovered !== 0);
  }
}

// Steps, codes and values have at most 100, 200 and 50 numbers. Without a code the number is 0.
const numbersMax = 256;

/** One number in place of four; larger with each of them, the first counting most. */
function packed({ property, value }: Segment, step: number, code = 0): number {
  return ((property * numbersMax + value) * numbersMax + step) * numbersMax + code;
}

function unpacked(number: number): Segment & { step: number; code: number } {
  const at = (place: number) => Math.floor(number / numbersMax ** place) % numbersMax;
  return { property: at(3), value: at(2), step: at(1), code: at(0) };
}

function under<Value>(
  journeys: Map<number, Map<number, Map<number, Value>>>,
  journey: number,
  start: number,
): Map<number, Value> {
  const starts = getOrMake(journeys, journey, () => new Map<number, Map<number, Value>>());
  return getOrMake(starts, start, () => new Map<number, Value>());
}

/** The cells of the hours and, summed up from them, of their days; in the order of their keys. */
function withDays<Value>(
  journeys: ReadonlyMap<number, ReadonlyMap<number, ReadonlyMap<number, Value>>>,
  empty: () => Value,
  add: (sum: Value, part: Value) => void,
): { key: ErrorKey; cell: Value }[] {
  const found: { key: ErrorKey; cell: Value; packed: number }[] = [];
  for (const [journey, hours] of journeys) {
    const days = new Map<number, Map<number, Value>>();
    for (const [start, cells] of hours) {
      const day = getOrMake(days, Math.floor(start / hoursPerDay) * hoursPerDay, () => new Map<number, Value>());
      for (const [number, cell] of cells) add(getOrMake(day, number, empty), cell);
    }
    for (const [grain, starts] of [['hour', hours] as const, ['day', days] as const]) {
      for (const [start, cells] of starts)
        for (const [number, cell] of cells)
          found.push({ key: { journey, grain, start, ...unpacked(number) }, cell, packed: number });
    }
  }
  return found
    .sort((a, b) => comparePlaces(a.key, b.key) || a.packed - b.packed)
    .map(({ key, cell }) => ({ key, cell }));
}

/** A span of cells of one grain, `from` included, `to` not, in hours since the Unix epoch. */
export interface CellRange {
  grain: Grain;
  from: number;
  to: number;
}

/** The fewest cells that cover a span of hours exactly: whole days, and hours where it begins and ends within one. */
export function coverWithCells(from: number, to: number): CellRange[] {
  const firstDay = Math.ceil(from / hoursPerDay) * hoursPerDay;
  const lastDay = Math.floor(to / hoursPerDay) * hoursPerDay;
  if (firstDay >= lastDay) return from < to ? [{ grain: 'hour', from, to }] : [];
  const ranges: CellRange[] = [
    { grain: 'hour', from, to: firstDay },
    { grain: 'day', from: firstDay, to: lastDay },
    { grain: 'hour', from: lastDay, to },
  ];
  return ranges.filter((range) => range.from < range.to);
}

/** By journey, property, grain and start, which is how cells are stored. */
function comparePlaces(a: CellKey, b: CellKey): number {
  return a.journey - b.journey || a.property - b.property || grains[a.grain] - grains[b.grain] || a.start - b.start;
}

function isNothing(cell: Cell): boolean {
  const { sessions, completed, reached, abandoned, ended, errored, offsetSum, dwell } = cell;
  const counts = sessions || completed || reached || abandoned || ended || errored || offsetSum;
  return counts === 0 && dwell.size === 0;
}
