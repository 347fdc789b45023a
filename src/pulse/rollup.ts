import { getOrMake } from './get-or-make.ts';
import { addTo, type Histogram, mergeInto } from './histogram.ts';
import type { Contribution } from './session.ts';

export const hourMs = 3_600_000;
export const hoursPerDay = 24;

/** How much time one cell stands for. Times of cells are counted in hours since the Unix epoch, in both grains. */
export const grains = { hour: 1, day: 2 } as const;
export type Grain = keyof typeof grains;

/** The step number that stands for the journey as a whole; steps are numbered from 1. */
export const wholeJourney = 0;

/** Sums over the sessions that began in one hour (or day) and reached one step. Every one adds. */
export interface Cell {
  sessions: number;
  completed: number;
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

export interface CellKey {
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
  return { sessions: 0, completed: 0, abandoned: 0, ended: 0, errored: 0, offsetSum: 0, dwell: new Map() };
}

export function emptyErrorCell(): ErrorCell {
  return { occurrences: 0, firstMs: undefined, lastMs: undefined, sessions: 0, recovered: 0 };
}

/** Adds a cell to another. */
export function addCell(sum: Cell, part: Cell): void {
  sum.sessions += part.sessions;
  sum.completed += part.completed;
  sum.abandoned += part.abandoned;
  sum.ended += part.ended;
  sum.errored += part.errored;
  sum.offsetSum += part.offsetSum;
  mergeInto(sum.dwell, part.dwell);
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
  readonly #cells = new Map<string, { key: CellKey; cell: Cell }>();
  readonly #errors = new Map<string, { key: ErrorKey; cell: ErrorCell }>();

  addSession(journey: number, session: Contribution, sign: 1 | -1): void {
    const start = Math.floor(session.startMs / hourMs);
    const whole = this.#cell(journey, start, wholeJourney);
    whole.sessions += sign;
    if (session.errored) whole.errored += sign;
    addTo(whole.dwell, session.durationBucket, sign);
    for (const step of session.steps) {
      const cell = this.#cell(journey, start, step.step);
      cell.sessions += sign;
      if (step.completed) cell.completed += sign;
      if (step.ended && step.completed) cell.ended += sign;
      if (step.ended && !step.completed) cell.abandoned += sign;
      if (step.errors.length > 0) cell.errored += sign;
      cell.offsetSum += sign * step.offsetMs;
      if (step.dwellBucket !== undefined) addTo(cell.dwell, step.dwellBucket, sign);
      for (const { code, recovered } of step.errors) {
        const error = this.#error(journey, start, step.step, code);
        error.sessions += sign;
        if (recovered) error.recovered += sign;
      }
    }
  }

  addError(journey: number, step: number, code: number, occurredMs: number): void {
    const error = this.#error(journey, Math.floor(occurredMs / hourMs), step, code);
    addErrorCell(error, { occurrences: 1, firstMs: occurredMs, lastMs: occurredMs, sessions: 0, recovered: 0 });
  }

  /** The changed cells of both grains, without those that came to nothing; in the order of their keys. */
  cells(): { key: CellKey; cell: Cell }[] {
    const all = new Map<string, { key: CellKey; cell: Cell }>();
    for (const { key, cell } of this.#cells.values()) {
      for (const at of [key, dayOf(key)]) {
        const text = `${at.journey} ${at.grain} ${at.start} ${at.step}`;
        const sum = getOrMake(all, text, () => ({ key: at, cell: emptyCell() }));
        addCell(sum.cell, cell);
      }
    }
    return [...all.values()].filter(({ cell }) => !isNothing(cell)).sort((a, b) => compareKeys(a.key, b.key));
  }

  errors(): { key: ErrorKey; cell: ErrorCell }[] {
    const all = new Map<string, { key: ErrorKey; cell: ErrorCell }>();
    for (const { key, cell } of this.#errors.values()) {
      for (const at of [key, dayOf(key)]) {
        const text = `${at.journey} ${at.grain} ${at.start} ${at.step} ${at.code}`;
        const sum = getOrMake(all, text, () => ({ key: at, cell: emptyErrorCell() }));
        addErrorCell(sum.cell, cell);
      }
    }
    return [...all.values()]
      .filter(({ cell }) => cell.occurrences !== 0 || cell.sessions !== 0 || cell.recovered !== 0)
      .sort((a, b) => compareKeys(a.key, b.key) || a.key.code - b.key.code);
  }

  #cell(journey: number, start: number, step: number): Cell {
    const make = () => ({ key: { journey, grain: 'hour' as const, start, step }, cell: emptyCell() });
    return getOrMake(this.#cells, `${journey} ${start} ${step}`, make).cell;
  }

  #error(journey: number, start: number, step: number, code: number): ErrorCell {
    const make = () => ({ key: { journey, grain: 'hour' as const, start, step, code }, cell: emptyErrorCell() });
    return getOrMake(this.#errors, `${journey} ${start} ${step} ${code}`, make).cell;
  }
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

function dayOf<Key extends CellKey>(key: Key): Key {
  return { ...key, grain: 'day', start: Math.floor(key.start / hoursPerDay) * hoursPerDay };
}

function compareKeys(a: CellKey, b: CellKey): number {
  return a.journey - b.journey || grains[a.grain] - grains[b.grain] || a.start - b.start || a.step - b.step;
}

function isNothing(cell: Cell): boolean {
  const { sessions, completed, abandoned, ended, errored, offsetSum, dwell } = cell;
  const counts = sessions || completed || abandoned || ended || errored || offsetSum;
  return counts === 0 && dwell.size === 0;
}
