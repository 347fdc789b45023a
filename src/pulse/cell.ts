import { getOrMake } from './get-or-make.ts';
import { addTo, type Histogram, mergeInto } from './histogram.ts';

/** The step number that stands for the journey as a whole; steps are numbered from 1. */
export const wholeJourney = 0;

/** Sums over the sessions that began in one hour (or day) and reached one step. All of them are additive. */
export interface Cell {
  sessions: number;
  completed: number;
  /** Sessions that reached the step in the declared order and in time; for the whole journey, that completed it that way. */
  reached: number;
  /** Sessions whose latest event is at this step and that have not completed it. */
  abandoned: number;
  /** Sessions whose latest event is at this step and that have completed it. */
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
  /** Events, by the hour in which they themselves occurred. */
  occurrences: number;
  /** Times of these events; undefined if none occurred in this hour. */
  firstMs: number | undefined;
  lastMs: number | undefined;
  /** Sessions that met the error, by the hour in which they began; and those that went on to complete the step. */
  sessions: number;
  recovered: number;
}

/** Sums over one group of sessions, or changes to them, any of which may be negative. */
export interface StepSums {
  steps: Map<number, Cell>;
  /** By `errorPlace`. */
  errors: Map<number, ErrorCell>;
}

// A code's number is at most 200.
const codesOfStep = 256;

/** A step and an error code as one number. */
export function errorPlace(step: number, code: number): number {
  return step * codesOfStep + code;
}

export function ofErrorPlace(place: number): { step: number; code: number } {
  return { step: Math.floor(place / codesOfStep), code: place % codesOfStep };
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

export function emptySums(): StepSums {
  return { steps: new Map(), errors: new Map() };
}

/** Adds one cell to another. */
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

/** Subtracts one cell from another. */
export function takeCell(sum: Cell, part: Cell): void {
  sum.sessions -= part.sessions;
  sum.completed -= part.completed;
  sum.reached -= part.reached;
  sum.abandoned -= part.abandoned;
  sum.ended -= part.ended;
  sum.errored -= part.errored;
  sum.offsetSum -= part.offsetSum;
  for (const [bucket, count] of part.dwell) addTo(sum.dwell, bucket, -count);
}

export function addErrorCell(sum: ErrorCell, part: ErrorCell): void {
  sum.occurrences += part.occurrences;
  sum.sessions += part.sessions;
  sum.recovered += part.recovered;
  if (part.firstMs !== undefined) sum.firstMs = Math.min(sum.firstMs ?? part.firstMs, part.firstMs);
  if (part.lastMs !== undefined) sum.lastMs = Math.max(sum.lastMs ?? part.lastMs, part.lastMs);
}

/** Adds one set of sums to another. */
export function addSums(sum: StepSums, part: StepSums): void {
  for (const [step, cell] of part.steps) addCell(getOrMake(sum.steps, step, emptyCell), cell);
  for (const [place, cell] of part.errors) addErrorCell(getOrMake(sum.errors, place, emptyErrorCell), cell);
}

/** Whether a cell, or a change to one, is all zeros. */
export function isNothing(cell: Cell): boolean {
  // Not their sum, in which opposite changes would cancel out.
  const { sessions, completed, reached, abandoned, ended, errored, offsetSum, dwell } = cell;
  const counts = sessions || completed || reached || abandoned || ended || errored || offsetSum;
  return counts === 0 && dwell.size === 0;
}

export function isNoError({ occurrences, sessions, recovered }: ErrorCell): boolean {
  return occurrences === 0 && sessions === 0 && recovered === 0;
}
