let end: Promise<void> | undefined;

/**
 * Resolves at the end of the event loop's turn, when everything that has arrived by now has been read.
 *
 * All who wait for it in one turn continue as a batch: each request of the batch does one step, then each does the next.
 * That is cheaper in two ways. Replies are written right after one another, so their receiver wakes up once instead of for
 * each of them. And a step's code is still in the processor's caches for all requests but the first, whereas a request
 * that runs through all of its steps alone finds them cold.
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}

/** Turns that a long computation leaves to others before the next one begins. */
const turnsBetween = 4;
let lastOwn: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop in which no other long computation begins, in the order of asking. A request takes
 * several turns, so those between two computations let the requests that compute little pass.
 */
export function ownTurn(): Promise<void> {
  lastOwn = lastOwn.then(async () => {
    for (let turn = 0; turn < turnsBetween; turn++) await new Promise((resolve) => setImmediate(resolve));
  });
  return lastOwn;
}

/** Says how much is to be computed next, and resolves when it may be. */
export type Pace = (units: number) => Promise<void>;

/**
 * Cuts a long computation into turns of so many units, and leaves the event loop to others between them: what would go
 * beyond waits for a turn of its own. Parts of one computation share its pace, however short each of them is.
 */
export function createPace(unitsOfATurn: number): Pace {
  let units = 0;
  return async (more) => {
    units += more;
    if (units <= unitsOfATurn) return;
    units = more;
    await ownTurn();
  };
}
