import type { EventKind } from './event.ts';
import { propertyNoOf, valueNoOf } from './segment.ts';
import type { StepState } from './step-state.ts';

/** A session's value of a declared property: that of its earliest event with one. */
export interface Trait {
  at: number;
  /** The segment in which the session counts. */
  segment: number;
}

/** One session of one journey. */
export interface SessionState {
  /** By step number. */
  steps: Map<number, StepState>;
  /** By property number. */
  traits: Map<number, Trait>;
  /** The version of the journey's declaration used for its stored contribution; 0: none. */
  planVersion: number;
  /** Whether it counts in `pulse_latest`. False for states stored by 0.1.0, which must not be subtracted from it. */
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

/** Applies one event to a session. Order does not matter, and repeating an event changes nothing. */
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

/** How many codes are remembered for one session at one step. */
export const codesPerStepMax = 32;

/**
 * Keeps the codes with the smallest numbers: the choice does not depend on the order of events, and a code that is kept in the
 * end was kept all along.
 */
function applyError(errors: Map<number, number>, code: number, at: number): void {
  errors.set(code, later(errors.get(code), at));
  if (errors.size > codesPerStepMax) errors.delete(Math.max(...errors.keys()));
}

/**
 * Applies the segments that an event gives its session, one for each property. The earliest event with a value wins; at the
 * same moment, the value that sorts first as text. So the order in which events arrive does not matter here either.
 */
export function applySegments(
  { traits }: SessionState,
  segments: readonly number[],
  at: number,
  names: { valueName(property: number, value: number): string },
): void {
  for (const segment of segments) {
    const property = propertyNoOf(segment);
    const known = traits.get(property);
    if (known && at > known.at) continue;
    if (known && at === known.at && !comesFirst(segment, known.segment, names)) continue;
    traits.set(property, { at, segment });
  }
}

function comesFirst(
  one: number,
  other: number,
  names: { valueName(property: number, value: number): string },
): boolean {
  if (one === other) return false;
  const property = propertyNoOf(one);
  return names.valueName(property, valueNoOf(one)) < names.valueName(property, valueNoOf(other));
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

/** The declaration's version, followed by traits grouped by time: each time with its segments. */
type StoredMore = [more: [planVersion: number, ...traits: number[][]]];

/**
 * As compact JSON: times are relative to one of them, which comes first. After the steps comes what declarations add; 0.1.0
 * did not write that part, which is how its states are recognised.
 */
export function encodeSession({ steps, traits, planVersion }: SessionState): string {
  let base = 0;
  const rows: (StoredStep | StoredMore)[] = [];
  for (const [step, state] of steps) {
    if (rows.length === 0) base = state.first;
    rows.push(encodeStep(step, state, base));
  }
  // Only lists of numbers: nothing in them can end a literal.
  const more: StoredMore[0] = [planVersion];
  let since: number[] = [];
  for (const { at, segment } of traits.values()) {
    // Nearly always, one event gave all of them.
    if (since[0] !== at - base) {
      since = [at - base];
      more.push(since);
    }
    since.push(segment);
  }
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
      for (const [since = 0, ...given] of traits)
        for (const segment of given) session.traits.set(propertyNoOf(segment), { at: since + base, segment });
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
