import { bucketOf } from './histogram.ts';
import { judge, type Plan } from './plan.ts';
import type { SessionState } from './session.ts';
import type { StepState } from './step-state.ts';

/** What a session adds to the rollups of the hour in which it began. */
export interface Contribution {
  /** When the session's first event occurred: the whole session counts in that hour. */
  startMs: number;
  /** When its latest event occurred. */
  endMs: number;
  /** Completed the declared journey, in order and in time. */
  converted: boolean;
  /** One for each property that it has a value for. */
  segments: readonly number[];
  errored: boolean;
  durationBucket: number;
  steps: StepContribution[];
}

export interface StepContribution {
  step: number;
  completed: boolean;
  /** Reached in the declared order and in time. */
  reached: boolean;
  /** The session's latest event was at this step. */
  ended: boolean;
  /** From the session's first event to its first at this step. */
  offsetMs: number;
  /** The bucket of the time spent at the step; undefined if only one moment of it is known. */
  dwellBucket?: number;
  errors: { code: number; recovered: boolean }[];
}

/** Pure: the same set of events gives the same contribution. `nameOf` breaks ties between steps at the same moment. */
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
    segments: Array.from(traits.values(), ({ segment }) => segment),
    errored,
    durationBucket: bucketOf(endMs - startMs),
    steps,
  };
}

/**
 * Time at a step, in milliseconds, from its first `entered` (failing that, its first event) to, in order of preference: its
 * first `completed`; its last `left`; the session's next first event at another step; the last event at the step. Undefined if
 * all of that is one moment; never negative.
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
