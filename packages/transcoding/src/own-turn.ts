/** What is shorter is read at once: it takes less than the turns that it would wait for. */
export const longBytes = 65_536;
/** Turns that are left to others before the next one begins. */
const turnsBetween = 4;
let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop in which nobody else who waits here goes on, in the order of asking. Callers can end
 * many long bodies at one moment: read in one turn, they would keep everybody else waiting for as long as all of them take.
 */
export function ownTurn(): Promise<void> {
  last = last.then(async () => {
    for (let turn = 0; turn < turnsBetween; turn++) await new Promise((resolve) => setImmediate(resolve));
  });
  return last;
}
