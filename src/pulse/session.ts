import type { EventKind } from './event.ts';
import { bucketOf } from './histogram.ts';

/**
 * What is remembered of one session at one step: only earliest and latest times, which come out the same in whatever
 * order the events arrive.
 */
export interface StepState {
  first: number;
  last: number;
  entered?: number;
  completedFirst?: number;
  completedLast?: number;
  leftLast?: number;
  /** Error code's number -> when it last occurred. */
  errors: Map<number, number>;
}

/** One session of one journey: step's number -> state. */
export type SessionState = Map<number, StepState>;

/** What one event says about its session. */
export interface SessionEvent {
  step: number;
  kind: EventKind;
  occurredMs: number;
  errorCode?: number;
}

/** Takes one event into a session. Order does not matter, and the same event twice changes nothing. */
export function applyEvent(session: SessionState, event: SessionEvent): void {
  const at = event.occurredMs;
  let state = session.get(event.step);
  if (!state) {
    state = { first: at, last: at, errors: new Map() };
    session.set(event.step, state);
  }
  if (at < state.first) state.first = at;
  if (at > state.last) state.last = at;
  if (event.kind === 'entered') state.entered = earlier(state.entered, at);
  else if (event.kind === 'left') state.leftLast = later(state.leftLast, at);
  else if (event.kind === 'completed') {
    state.completedFirst = earlier(state.completedFirst, at);
    state.completedLast = later(state.completedLast, at);
  } else if (event.kind === 'error' && event.errorCode !== undefined) {
    applyError(state.errors, event.errorCode, at);
  }
}

/** Codes that are remembered of one session at one step. */
export const codesPerStepMax = 32;

/**
 * Keeps the codes with the smallest numbers: which those are does not depend on the order of events, and one that is kept in
 * the end was kept all along.
 */
function applyError(errors: Map<number, number>, code: number, at: number): void {
  errors.set(code, later(errors.get(code), at));
  if (errors.size > codesPerStepMax) errors.delete(Math.max(...errors.keys()));
}

/** What a session adds to the rollups of the hour in which it began. */
export interface Contribution {
  /** When the session's first event occurred: all of the session counts in that hour. */
  startMs: number;
  errored: boolean;
  durationBucket: number;
  steps: StepContribution[];
}

export interface StepContribution {
  step: number;
  completed: boolean;
  /** The session's latest event was at this step. */
  ended: boolean;
  /** From the session's first event to the first at this step. */
  offsetMs: number;
  /** The bucket of the time spent at the step; undefined when only one moment of it is known. */
  dwellBucket?: number;
  errors: { code: number; recovered: boolean }[];
}

/** Pure: the same set of events gives the same contribution. `nameOf` breaks ties between steps of one moment. */
export function contributionOf(session: SessionState, nameOf: (step: number) => string): Contribution {
  let startMs = Number.POSITIVE_INFINITY;
  let endMs = Number.NEGATIVE_INFINITY;
  let endStep = 0;
  for (const [step, state] of session) {
    if (state.first < startMs) startMs = state.first;
    if (state.last > endMs || (state.last === endMs && nameOf(step) > nameOf(endStep))) {
      endMs = state.last;
      endStep = step;
    }
  }
  const steps: StepContribution[] = [];
  let errored = false;
  for (const [step, state] of session) {
    if (state.errors.size > 0) errored = true;
    const dwell = dwellOf(session, step, state);
    steps.push({
      step,
      completed: state.completedLast !== undefined,
      ended: step === endStep,
      offsetMs: state.first - startMs,
      ...(dwell === undefined ? {} : { dwellBucket: bucketOf(dwell) }),
      errors: [...state.errors].map(([code, at]) => ({
        code,
        recovered: state.completedLast !== undefined && state.completedLast >= at,
      })),
    });
  }
  return { startMs, errored, durationBucket: bucketOf(endMs - startMs), steps };
}

/**
 * Time at a step, in milliseconds: from its first `entered` (without one, its first event) to its first `completed`;
 * without one to its last `left`; without one to the session's next first event at another step; without one to the
 * last event at the step. Undefined when all that is one moment; never negative.
 */
function dwellOf(session: SessionState, step: number, state: StepState): number | undefined {
  const start = state.entered ?? state.first;
  const stated = state.completedFirst ?? state.leftLast;
  if (stated !== undefined) return Math.max(0, stated - start);
  let end = Number.POSITIVE_INFINITY;
  for (const [other, { first }] of session) {
    if (other !== step && first > start && first < end) end = first;
  }
  if (end === Number.POSITIVE_INFINITY) end = state.last;
  return end > start ? end - start : undefined;
}

type StoredStep = [
  step: number,
  first: number,
  last: number,
  entered: number | null,
  completedFirst: number | null,
  completedLast: number | null,
  leftLast: number | null,
  ...errors: number[],
];

/** As compact JSON: times relative to one of them, which stands in front. */
export function encodeSession(session: SessionState): string {
  let base = 0;
  const rows: StoredStep[] = [];
  for (const [step, state] of session) {
    if (rows.length === 0) base = state.first;
    const since = (at: number | undefined) => (at === undefined ? null : at - base);
    const row: StoredStep = [
      step,
      state.first - base,
      state.last - base,
      since(state.entered),
      since(state.completedFirst),
      since(state.completedLast),
      since(state.leftLast),
    ];
    for (const [code, at] of state.errors) row.push(code, at - base);
    rows.push(row);
  }
  return JSON.stringify([base, ...rows]);
}

export function decodeSession(text: string): SessionState {
  const [base, ...rows] = JSON.parse(text) as [number, ...StoredStep[]];
  const session: SessionState = new Map();
  for (const [step, first, last, entered, completedFirst, completedLast, leftLast, ...errors] of rows) {
    const state: StepState = { first: first + base, last: last + base, errors: new Map() };
    if (entered !== null) state.entered = entered + base;
    if (completedFirst !== null) state.completedFirst = completedFirst + base;
    if (completedLast !== null) state.completedLast = completedLast + base;
    if (leftLast !== null) state.leftLast = leftLast + base;
    for (let i = 0; i < errors.length; i += 2) state.errors.set(errors[i] ?? 0, (errors[i + 1] ?? 0) + base);
    session.set(step, state);
  }
  return session;
}

function earlier(a: number | undefined, b: number): number {
  return a === undefined || b < a ? b : a;
}

function later(a: number | undefined, b: number): number {
  return a === undefined || b > a ? b : a;
}
