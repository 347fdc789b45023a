import type { StepState } from './step-state.ts';

/** How a declared journey is judged: one immutable version. */
export interface Plan {
  version: number;
  /** In the order in which sessions should reach them. Empty: the declaration was withdrawn. */
  steps: readonly PlannedStep[];
  /** How long after a session's first event a step still counts as reached; 0: no limit. */
  windowMs: number;
  /** How long a session stays active without an event. */
  timeoutMs: number;
}

export interface PlannedStep {
  /** The step's number. */
  no: number;
  /** May be skipped. */
  optional: boolean;
}

/** How long a session of an undeclared journey stays active. */
export const defaultTimeoutMs = 30 * 60_000;
export const timeoutMsMin = 60_000;
export const timeoutMsMax = 24 * 3_600_000;

/** The last mandatory step: completing it completes the journey. */
export function goalOf(plan: Plan): number | undefined {
  return plan.steps.findLast(({ optional }) => !optional)?.no;
}

/**
 * Which steps a session reached in order and in time, and whether it completed the journey that way.
 *
 * A step counts if all earlier mandatory steps count, and the session has an event at it at or after the moment when the last
 * of those was reached. It is reached at its first event, or at that moment if its first event came earlier. Only earliest and
 * latest times matter, so the same events give the same answer in any order.
 */
export function judge(
  { steps, windowMs }: Plan,
  states: ReadonlyMap<number, StepState>,
  startMs: number,
): { reached: ReadonlySet<number>; converted: boolean } {
  const reached = new Set<number>();
  const deadline = windowMs === 0 ? Number.POSITIVE_INFINITY : startMs + windowMs;
  let since = startMs;
  let converted = false;
  for (const { no, optional } of steps) {
    const state = states.get(no);
    const at = Math.max(since, state?.first ?? Number.POSITIVE_INFINITY);
    if (state && state.last >= since && at <= deadline) {
      reached.add(no);
      if (optional) continue;
      since = at;
      converted = completedWithin(state, at, deadline);
    } else if (!optional) {
      return { reached, converted: false };
    }
  }
  return { reached, converted };
}

/** Whether there may be a completion at or after `from` and not after `to`, as far as the first and last completion tell. */
function completedWithin({ completedFirst, completedLast }: StepState, from: number, to: number): boolean {
  if (completedFirst === undefined || completedLast === undefined) return false;
  return completedLast >= from && Math.max(completedFirst, from) <= to;
}
