import type { Pace } from './turn.ts';

/**
 * A long computation that can be left and gone on with: it yields how much it does next. A unit is what one character of a text takes
 * in one pass, some 50 ns of processor time.
 */
export type Slices<Outcome> = Generator<number, Outcome, void>;

/** What may take long, and what never does. */
export type Sliced<Outcome> = Outcome | Slices<Outcome>;

/** A turn of a computation in slices, in their units: some 5 ms of processor time. */
export const unitsOfATurn = 100_000;
/** Fewer units than these are not worth a wait. */
const unitsAtLeast = 5_000;

/** Computes all of it now. */
export function atOnce<Outcome>(computation: Sliced<Outcome>): Outcome {
  if (!isSliced(computation)) return computation;
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

/** The same at the pace that is given: the event loop is left to others in between. */
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
