import type { Pace } from './turn.ts';

/**
 * A long computation that can be paused and resumed: it yields how much it does next. A unit is the cost of one pass over one
 * character of text, some 50 ns of CPU time.
 */
export type Slices<Outcome> = Generator<number, Outcome, void>;

/** A computation that may take long, or the result of one that never does. */
export type Sliced<Outcome> = Outcome | Slices<Outcome>;

/** One turn of a sliced computation, in its units: some 5 ms of CPU time. */
export const unitsOfATurn = 100_000;
/** Fewer units than this are not worth waiting for. */
const unitsAtLeast = 5_000;

/** Computes everything now. */
export function atOnce<Outcome>(computation: Sliced<Outcome>): Outcome {
  if (!isSliced(computation)) return computation;
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

/** Computes it at the given pace, yielding the event loop in between. */
export async function inTurns<Outcome>(computation: Sliced<Outcome>, pace: Pace): Promise<Outcome> {
  if (!isSliced(computation)) return computation;
  let units = 0;
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
    units += value;
    if (units < unitsAtLeast) continue;
    await pace(units);
    units = 0;
  }
}

function isSliced<Outcome>(computation: Sliced<Outcome>): computation is Slices<Outcome> {
  return (
    typeof computation === 'object' && computation !== null && Symbol.iterator in computation && 'next' in computation
  );
}
