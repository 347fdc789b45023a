import { getOrMake } from './get-or-make.ts';
import { timeoutMsMax } from './plan.ts';
import { everyone } from './rollup.ts';
import type { Contribution, Segment } from './session.ts';

export const minuteMs = 60_000;

/** How long counts are kept: the longest time-out, and an hour for nodes whose clocks differ. */
export const latestKeptMs = timeoutMsMax + 3_600_000;

/** Sessions whose latest event is in one minute and at one step. */
export interface LatestCount extends Segment {
  /** The hour in which they began, in hours since the Unix epoch. */
  start: number;
  step: number;
  /** Those that have not completed the step, and those that have. */
  stopped: number;
  ended: number;
}

/**
 * What a group of events changes in the counts of sessions by their latest event. As in the rollups, a session takes back what
 * it had added. Minutes that no time-out reaches any more are left out on both ways.
 */
export class LatestChanges {
  readonly #journeys = new Map<number, Map<number, LatestCounts>>();
  readonly #leastMinute: number;

  constructor(nowMs: number) {
    this.#leastMinute = Math.floor((nowMs - latestKeptMs) / minuteMs);
  }

  addSession(journey: number, startHour: number, session: Contribution, sign: 1 | -1): void {
    const minute = Math.floor(session.endMs / minuteMs);
    if (minute < this.#leastMinute) return;
    const step = session.steps.find(({ ended }) => ended);
    if (!step) return;
    const minutes = getOrMake(this.#journeys, journey, () => new Map<number, LatestCounts>());
    const counts = getOrMake(minutes, minute, () => new LatestCounts());
    const change = {
      start: startHour,
      step: step.step,
      stopped: step.completed ? 0 : sign,
      ended: step.completed ? sign : 0,
    };
    counts.add({ ...everyone, ...change });
    for (const segment of session.segments) counts.add({ ...segment, ...change });
  }

  /** By journey and minute. */
  *changed(): Iterable<[journey: number, minutes: ReadonlyMap<number, LatestCounts>]> {
    yield* this.#journeys;
  }
}

/** The counts of one minute. */
export class LatestCounts {
  readonly #counts = new Map<string, LatestCount>();

  add(count: LatestCount): void {
    const { start, property, value, step, stopped, ended } = count;
    const known = this.#counts.get(`${start} ${property} ${value} ${step}`);
    if (known) {
      known.stopped += stopped;
      known.ended += ended;
    } else this.#counts.set(`${start} ${property} ${value} ${step}`, { ...count });
  }

  addEncoded(text: string): void {
    for (const count of decodeLatest(text)) this.add(count);
  }

  /** As a flat JSON list of numbers. */
  encode(): string {
    const flat: number[] = [];
    for (const { start, property, value, step, stopped, ended } of this.#counts.values())
      if (stopped !== 0 || ended !== 0) flat.push(start, property, value, step, stopped, ended);
    return JSON.stringify(flat);
  }
}

export function* decodeLatest(text: string): Iterable<LatestCount> {
  const flat = JSON.parse(text) as number[];
  for (let i = 0; i < flat.length; i += 6) {
    const [start = 0, property = 0, value = 0, step = 0, stopped = 0, ended = 0] = flat.slice(i, i + 6);
    yield { start, property, value, step, stopped, ended };
  }
}
