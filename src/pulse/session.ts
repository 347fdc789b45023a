import type { EventKind } from './event.ts';
import { bucketOf } from './histogram.ts';
import { judge, type Plan } from './plan.ts';
import type { StepState } from './step-state.ts';

/** The value of a declared property that a session's earliest event with one gives. */
export interface Trait {
  at: number;
  value: number;
}

/** One session of one journey. */
export interface SessionState {
  /** By the step's number. */
  steps: Map<number, StepState>;
  /** By the property's number. */
  traits: Map<number, Trait>;
  /** The version of the journey's declaration that its stored contribution was made with; 0: none. */
  planVersion: number;
  /** Whether it counts in `pulse_latest`. False of states that 0.1.0 stored, which must not be taken out of it. */
  inLatest: boolean;
}

export function emptySession(): SessionState {
  return { steps: new Map(), traits: new Map(), planVersion: 0, inLatest: true };
}

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
  let state = session.steps.get(event.step);
  if (!state) {
    state = { first: at, last: at, errors: new Map() };
    session.steps.set(event.step, state);
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

/**
 * Takes the value that an event gives for a property. The earliest event counts; of those at one moment, the value that
 * comes first by its text. So the order in which events arrive does not matter here either.
 */
export function applyTrait(
  session: SessionState,
  property: number,
  trait: Trait,
  valueName: (value: number) => string,
): void {
  const known = session.traits.get(property);
  const first =
    !known ||
    trait.at < known.at ||
    (trait.at === known.at && trait.value !== known.value && valueName(trait.value) < valueName(known.value));
  if (first) session.traits.set(property, trait);
}

/** What a session adds to the rollups of the hour in which it began. */
export interface Contribution {
  /** When the session's first event occurred: all of the session counts in that hour. */
  startMs: number;
  /** When its latest did. */
  endMs: number;
  /** Completed the declared journey, in order and in time. */
  converted: boolean;
  /** The session's value of each property that it has one of. */
  segments: Segment[];
  errored: boolean;
  durationBucket: number;
  steps: StepContribution[];
}

/** The sessions with one value of one property. */
export interface Segment {
  property: number;
  value: number;
}

export interface StepContribution {
  step: number;
  completed: boolean;
  /** Reached in the declared order and in time. */
  reached: boolean;
  /** The session's latest event was at this step. */
  ended: boolean;
  /** From the session's first event to the first at this step. */
  offsetMs: number;
  /** The bucket of the time spent at the step; undefined when only one moment of it is known. */
  dwellBucket?: number;
  errors: { code: number; recovered: boolean }[];
}

/** Pure: the same set of events gives the same contribution. `nameOf` breaks ties between steps of one moment. */
export function contributionOf(
  { steps: states, traits }: SessionState,
  nameOf: (step: number) => string,
  plan?: Plan,
): Contribution {
  let startMs = Number.POSITIVE_INFINITY;
  let endMs = Number.NEGATIVE_INFINITY;
  let endStep = 0;
  for (const [step, state] of states) {
    if (state.first < startMs) startMs = state.first;
    if (state.last > endMs || (state.last === endMs && nameOf(step) > nameOf(endStep))) {
      endMs = state.last;
      endStep = step;
    }
  }
  const judged = plan && judge(plan, states, startMs);
  const steps: StepContribution[] = [];
  let errored = false;
  for (const [step, state] of states) {
    if (state.errors.size > 0) errored = true;
    const dwell = dwellOf(states, step, state);
    steps.push({
      step,
      completed: state.completedLast !== undefined,
      reached: judged?.reached.has(step) ?? false,
      ended: step === endStep,
      offsetMs: state.first - startMs,
      ...(dwell === undefined ? {} : { dwellBucket: bucketOf(dwell) }),
      errors: [...state.errors].map(([code, at]) => ({
        code,
        recovered: state.completedLast !== undefined && state.completedLast >= at,
      })),
    });
  }
  return {
    startMs,
    endMs,
    converted: judged?.converted ?? false,
    segments: [...traits].map(([property, { value }]) => ({ property, value })),
    errored,
    durationBucket: bucketOf(endMs - startMs),
    steps,
  };
}

/**
 * Time at a step, in milliseconds: from its first `entered` (without one, its first event) to its first `completed`;
 * without one to its last `left`; without one to the session's next first event at another step; without one to the
 * last event at the step. Undefined when all that is one moment; never negative.
 */
function dwellOf(states: SessionState['steps'], step: number, state: StepState): number | undefined {
  const start = state.entered ?? state.first;
  const stated = state.completedFirst ?? state.leftLast;
  if (stated !== undefined) return Math.max(0, stated - start);
  let end = Number.POSITIVE_INFINITY;
  for (const [other, { first }] of states) {
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

/** The declaration's version, then property, time and value of each trait. */
type StoredMore = [more: [planVersion: number, ...traits: number[]]];

/**
 * As compact JSON: times relative to one of them, which stands in front. Behind the steps stands what declarations bring; 0.1.0
 * did not write that part, by which its states are known.
 */
export function encodeSession({ steps, traits, planVersion }: SessionState): string {
  let base = 0;
  const rows: (StoredStep | StoredMore)[] = [];
  for (const [step, state] of steps) {
    if (rows.length === 0) base = state.first;
    rows.push(encodeStep(step, state, base));
  }
  // A list within a list, not an object: the driver looks through every quoted text for placeholders.
  const more: StoredMore[0] = [planVersion];
  for (const [property, { at, value }] of traits) more.push(property, at - base, value);
  rows.push([more]);
  return JSON.stringify([base, ...rows]);
}

function encodeStep(step: number, state: StepState, base: number): StoredStep {
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
  return row;
}

export function decodeSession(text: string): SessionState {
  const [base, ...rows] = JSON.parse(text) as [number, ...(StoredStep | StoredMore)[]];
  const session = { ...emptySession(), inLatest: false };
  for (const row of rows) {
    if (!isMore(row)) session.steps.set(row[0], decodeStep(row, base));
    else {
      const [[planVersion, ...traits]] = row;
      session.planVersion = planVersion;
      session.inLatest = true;
      for (let i = 0; i < traits.length; i += 3)
        session.traits.set(traits[i] ?? 0, { at: (traits[i + 1] ?? 0) + base, value: traits[i + 2] ?? 0 });
    }
  }
  return session;
}

function isMore(row: StoredStep | StoredMore): row is StoredMore {
  return Array.isArray(row[0]);
}

function decodeStep(row: StoredStep, base: number): StepState {
  const [, first, last, entered, completedFirst, completedLast, leftLast, ...errors] = row;
  const state: StepState = { first: first + base, last: last + base, errors: new Map() };
  if (entered !== null) state.entered = entered + base;
  if (completedFirst !== null) state.completedFirst = completedFirst + base;
  if (completedLast !== null) state.completedLast = completedLast + base;
  if (leftLast !== null) state.leftLast = leftLast + base;
  for (let i = 0; i < errors.length; i += 2) state.errors.set(errors[i] ?? 0, (errors[i + 1] ?? 0) + base);
  return state;
}

function earlier(a: number | undefined, b: number): number {
  return a === undefined || b < a ? b : a;
}

function later(a: number | undefined, b: number): number {
  return a === undefined || b > a ? b : a;
}
