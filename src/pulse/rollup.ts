import {
  addErrorCell,
  addSums,
  type Cell,
  type ErrorCell,
  emptyCell,
  emptyErrorCell,
  emptySums,
  errorPlace,
  isNoError,
  isNothing,
  ofErrorPlace,
  type StepSums,
  wholeJourney,
} from './cell.ts';
import type { Contribution, StepContribution } from './contribution.ts';
import { getOrMake } from './get-or-make.ts';
import { addTo } from './histogram.ts';
import { everyone, propertyNoOf, type Segment, valueNoOf } from './segment.ts';

export const hourMs = 3_600_000;
export const hoursPerDay = 24;

/** How much time one cell covers. In both grains, cell times are in hours since the Unix epoch. */
export const grains = { hour: 1, day: 2 } as const;
export type Grain = keyof typeof grains;

export interface SumsKey {
  journey: number;
  grain: Grain;
  /** The first hour, in hours since the Unix epoch. */
  start: number;
}

export interface CellKey extends SumsKey {
  step: number;
}

export interface ErrorKey extends CellKey {
  code: number;
}

export type SegmentKey = SumsKey & Segment;

/** The changes that a group of events makes to the stored rollups: each list in key order, for both grains. */
export interface StoredChanges {
  /** For all sessions. */
  cells: { key: CellKey; cell: Cell }[];
  errors: { key: ErrorKey; cell: ErrorCell }[];
  /** For the sessions with one value each. */
  segments: { key: SegmentKey; sums: StepSums }[];
}

/**
 * The changes that a group of events makes to the rollups. When a session gains an event, its old contribution is subtracted
 * and its new one added. So sums are right in whatever order events arrive, even if an earlier event moves the whole session
 * into an earlier hour.
 */
export class RollupChanges {
  // Nested by journey and start: most of a group's sessions share both, and numbers are fast keys.
  readonly #journeys = new Map<number, Map<number, Map<number, StepSums>>>();

  /** `before`: the session's previous contribution; undefined for a new session. */
  replaceSession(journey: number, before: Contribution | undefined, after: Contribution): void {
    if (before && isSameHourAndSegments(before, after)) this.#add(journey, after, difference(before, after));
    else {
      if (before) this.#add(journey, before, difference(before, undefined));
      this.#add(journey, after, difference(undefined, after));
    }
  }

  addError(journey: number, step: number, code: number, occurredMs: number): void {
    const sums = getOrMake(this.#startingAt(journey, occurredMs), everyone, emptySums);
    const error = getOrMake(sums.errors, errorPlace(step, code), emptyErrorCell);
    addErrorCell(error, { occurrences: 1, firstMs: occurredMs, lastMs: occurredMs, sessions: 0, recovered: 0 });
  }

  stored(): StoredChanges {
    const changes: StoredChanges = { cells: [], errors: [], segments: [] };
    for (const [journey, hours] of this.#journeys) {
      for (const [grain, starts] of [['hour', hours] as const, ['day', daysOf(hours)] as const]) {
        for (const [start, parts] of starts)
          for (const [segment, sums] of parts) put(changes, { journey, grain, start }, segment, sums);
      }
    }
    changes.cells.sort((a, b) => compareKeys(a.key, b.key) || a.key.step - b.key.step);
    changes.errors.sort((a, b) => compareKeys(a.key, b.key) || a.key.step - b.key.step || a.key.code - b.key.code);
    changes.segments.sort((a, b) => compareSegmentKeys(a.key, b.key));
    return changes;
  }

  #add(journey: number, { startMs, segments }: Contribution, sums: StepSums): void {
    const parts = this.#startingAt(journey, startMs);
    addSums(getOrMake(parts, everyone, emptySums), sums);
    for (const segment of segments) addSums(getOrMake(parts, segment, emptySums), sums);
  }

  #startingAt(journey: number, atMs: number): Map<number, StepSums> {
    const starts = getOrMake(this.#journeys, journey, () => new Map<number, Map<number, StepSums>>());
    return getOrMake(starts, Math.floor(atMs / hourMs), () => new Map<number, StepSums>());
  }
}

/** Whether two contributions of one session count in the same cells. */
export function isSameHourAndSegments(a: Contribution, b: Contribution): boolean {
  if (Math.floor(a.startMs / hourMs) !== Math.floor(b.startMs / hourMs)) return false;
  if (a.segments.length !== b.segments.length) return false;
  // Properties keep their order within a session.
  return a.segments.every((segment, i) => segment === b.segments[i]);
}

/** How sums change when one contribution of a session replaces another. */
function difference(before: Contribution | undefined, after: Contribution | undefined): StepSums {
  const sums = emptySums();
  if (before) addWhole(sums, before, -1);
  if (after) addWhole(sums, after, 1);
  const steps = Math.max(before?.steps.length ?? 0, after?.steps.length ?? 0);
  // A session's steps keep their order, so an unchanged step has the same index.
  for (let i = 0; i < steps; i++) {
    const [old, now] = [before?.steps[i], after?.steps[i]];
    if (old && now && isSameStep(old, now)) continue;
    if (old) addStep(sums, old, -1);
    if (now) addStep(sums, now, 1);
  }
  for (const [step, cell] of sums.steps) if (isNothing(cell)) sums.steps.delete(step);
  for (const [place, cell] of sums.errors) if (isNoError(cell)) sums.errors.delete(place);
  return sums;
}

function addWhole(sums: StepSums, session: Contribution, sign: 1 | -1): void {
  const whole = getOrMake(sums.steps, wholeJourney, emptyCell);
  whole.sessions += sign;
  if (session.errored) whole.errored += sign;
  if (session.converted) whole.reached += sign;
  addTo(whole.dwell, session.durationBucket, sign);
}

function addStep(sums: StepSums, step: StepContribution, sign: 1 | -1): void {
  const cell = getOrMake(sums.steps, step.step, emptyCell);
  cell.sessions += sign;
  if (step.completed) cell.completed += sign;
  if (step.reached) cell.reached += sign;
  if (step.ended && step.completed) cell.ended += sign;
  if (step.ended && !step.completed) cell.abandoned += sign;
  if (step.errors.length > 0) cell.errored += sign;
  cell.offsetSum += sign * step.offsetMs;
  if (step.dwellBucket !== undefined) addTo(cell.dwell, step.dwellBucket, sign);
  for (const { code, recovered } of step.errors) {
    const error = getOrMake(sums.errors, errorPlace(step.step, code), emptyErrorCell);
    error.sessions += sign;
    if (recovered) error.recovered += sign;
  }
}

function isSameStep(a: StepContribution, b: StepContribution): boolean {
  return (
    a.step === b.step &&
    a.completed === b.completed &&
    a.reached === b.reached &&
    a.ended === b.ended &&
    a.offsetMs === b.offsetMs &&
    a.dwellBucket === b.dwellBucket &&
    a.errors.length === b.errors.length &&
    a.errors.every(({ code, recovered }, i) => b.errors[i]?.code === code && b.errors[i]?.recovered === recovered)
  );
}

/** The sums of the days that contain the hours. A day with only one hour shares that hour's object. */
function daysOf(hours: ReadonlyMap<number, ReadonlyMap<number, StepSums>>): Map<number, Map<number, StepSums>> {
  const parts = new Map<number, Map<number, StepSums[]>>();
  for (const [start, sums] of hours) {
    const day = getOrMake(parts, Math.floor(start / hoursPerDay) * hoursPerDay, () => new Map<number, StepSums[]>());
    for (const [place, one] of sums) getOrMake(day, place, (): StepSums[] => []).push(one);
  }
  const days = new Map<number, Map<number, StepSums>>();
  for (const [start, places] of parts) {
    const day = new Map<number, StepSums>();
    for (const [place, all] of places) day.set(place, all.length === 1 && all[0] ? all[0] : sumOf(all));
    days.set(start, day);
  }
  return days;
}

function sumOf(parts: readonly StepSums[]): StepSums {
  const sum = emptySums();
  for (const part of parts) addSums(sum, part);
  return sum;
}

/** Adds the changes at one place to the lists. */
function put(changes: StoredChanges, key: SumsKey, segment: number, sums: StepSums): void {
  if (segment !== everyone) {
    changes.segments.push({ key: { ...key, property: propertyNoOf(segment), value: valueNoOf(segment) }, sums });
    return;
  }
  for (const [step, cell] of sums.steps) if (!isNothing(cell)) changes.cells.push({ key: { ...key, step }, cell });
  for (const [place, cell] of sums.errors)
    if (!isNoError(cell)) changes.errors.push({ key: { ...key, ...ofErrorPlace(place) }, cell });
}

/** A span of cells of one grain, `from` included, `to` excluded, in hours since the Unix epoch. */
export interface CellRange {
  grain: Grain;
  from: number;
  to: number;
}

/** The fewest cells that cover a span of hours exactly: whole days, plus hours if it begins or ends within a day. */
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

/** By journey, grain and start, the storage order of cells. */
function compareKeys(a: SumsKey, b: SumsKey): number {
  return a.journey - b.journey || grains[a.grain] - grains[b.grain] || a.start - b.start;
}

/** By journey, property, grain, start and value, the storage order of segments. */
function compareSegmentKeys(a: SegmentKey, b: SegmentKey): number {
  return a.journey - b.journey || a.property - b.property || compareKeys(a, b) || a.value - b.value;
}
