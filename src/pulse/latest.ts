import type { Contribution } from './contribution.ts';
import { getOrMake } from './get-or-make.ts';
import { timeoutMsMax } from './plan.ts';
import { hourMs, isSameHourAndSegments } from './rollup.ts';
import { everyone, propertyNoOf, type Segment, segmentsMax, valueNoOf } from './segment.ts';
import { NumberReader, NumberWriter } from './varint.ts';

export const minuteMs = 60_000;

/** How long counts are kept: the longest time-out, plus an hour for clock differences between nodes. */
export const latestKeptMs = timeoutMsMax + 3_600_000;

/** Sessions whose latest event is in one minute and at one step. */
export interface LatestCount extends Segment {
  /** The hour in which they began, in hours since the Unix epoch. */
  start: number;
  step: number;
  /** Sessions that have not completed the step, and sessions that have. */
  stopped: number;
  ended: number;
}

/**
 * The changes that a group of events makes to the counts of sessions by their latest event. As in the rollups, a session's
 * previous contribution is subtracted. Minutes too old for any time-out are skipped, in adding and in subtracting.
 */
export class LatestChanges {
  readonly #journeys = new Map<number, Map<number, Counts>>();
  readonly #leastMinute: number;

  constructor(nowMs: number) {
    this.#leastMinute = Math.floor((nowMs - latestKeptMs) / minuteMs);
  }

  /** `before`: the session's previous contribution; undefined if it had none. */
  replaceSession(journey: number, before: Contribution | undefined, after: Contribution): void {
    if (before && isSamePlace(before, after)) return;
    if (before) this.#add(journey, before, -1);
    this.#add(journey, after, 1);
  }

  #add(journey: number, session: Contribution, sign: 1 | -1): void {
    const minute = Math.floor(session.endMs / minuteMs);
    const step = endOf(session);
    if (minute < this.#leastMinute || !step) return;
    const minutes = getOrMake(this.#journeys, journey, () => new Map<number, Counts>());
    const counts = getOrMake(minutes, minute, (): Counts => new Map());
    const start = Math.floor(session.startMs / hourMs);
    const add = (segment: number) => addCount(counts, packed(start, segment, step.step), step.completed, sign);
    add(everyone);
    for (const segment of session.segments) add(segment);
  }

  /** By journey and minute. */
  *changed(): Iterable<[journey: number, minutes: ReadonlyMap<number, Counts>]> {
    yield* this.#journeys;
  }
}

/** The counts of one minute, by `packed`. */
export type Counts = Map<number, { stopped: number; ended: number }>;

function endOf(session: Contribution) {
  return session.steps.find(({ ended }) => ended);
}

function isSamePlace(a: Contribution, b: Contribution): boolean {
  const [before, after] = [endOf(a), endOf(b)];
  if (before?.step !== after?.step || before?.completed !== after?.completed) return false;
  if (Math.floor(a.endMs / minuteMs) !== Math.floor(b.endMs / minuteMs)) return false;
  return isSameHourAndSegments(a, b);
}

function addCount(counts: Counts, place: number, completed: boolean, change: number): void {
  const count = getOrMake(counts, place, () => ({ stopped: 0, ended: 0 }));
  if (completed) count.ended += change;
  else count.stopped += change;
}

// A journey has at most 100 steps.
const stepsOfSegment = 128;

function packed(start: number, segment: number, step: number): number {
  return (start * segmentsMax + segment) * stepsOfSegment + step;
}

function unpacked(place: number): Segment & { start: number; step: number } {
  const rest = Math.floor(place / stepsOfSegment);
  const segment = rest % segmentsMax;
  const start = Math.floor(rest / segmentsMax);
  return { start, property: propertyNoOf(segment), value: valueNoOf(segment), step: place % stepsOfSegment };
}

/** The stored counts of a minute with changes applied: ordered by place, each as its distance from the previous place and both counts. */
export function mergeCounts(stored: Uint8Array | undefined, changes: Counts): Uint8Array {
  const counts: Counts = new Map([...changes].map(([place, count]) => [place, { ...count }]));
  for (const [place, { stopped, ended }] of stored ? decodePlaces(stored) : []) {
    const count = getOrMake(counts, place, () => ({ stopped: 0, ended: 0 }));
    count.stopped += stopped;
    count.ended += ended;
  }
  let before = 0;
  for (const [place, { stopped, ended }] of [...counts].sort(([a], [b]) => a - b)) {
    // Below zero only if a node whose clock is ahead has already deleted the minute, which is too old for any time-out.
    if (stopped <= 0 && ended <= 0) continue;
    for (const number of [place - before, Math.max(0, stopped), Math.max(0, ended)]) writer.write(number);
    before = place;
  }
  return writer.take();
}

const writer = new NumberWriter();

function* decodePlaces(bytes: Uint8Array): Iterable<[place: number, count: { stopped: number; ended: number }]> {
  const reader = new NumberReader(bytes);
  let place = 0;
  while (!reader.done) {
    place += reader.read();
    yield [place, { stopped: reader.read(), ended: reader.read() }];
  }
}

export function* decodeLatest(bytes: Uint8Array): Iterable<LatestCount> {
  for (const [place, count] of decodePlaces(bytes)) yield { ...unpacked(place), ...count };
}
