let end: Promise<void> | undefined;

/**
 * Resolves at the end of the event loop's turn, once everything that has arrived by now has been read.
 *
 * Everyone who awaits it in the same turn continues as a batch: each request in the batch does one step, then each does the
 * next. That is cheaper in two ways. Replies are written back to back, so their receiver wakes up once instead of once per
 * reply. And a step's code is still in the CPU caches for all requests but the first, whereas a request that runs all of its
 * steps alone finds them cold.
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

/** How many turns a long computation leaves to others before the next one begins. */
const turnsBetween = 4;
let lastOwn: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop in which no other long computation begins, in the order of the calls. A request takes
 * several turns, so the turns between two computations let light requests through.
 */
export function ownTurn(): Promise<void> {
  lastOwn = lastOwn.then(async () => {
    for (let turn = 0; turn < turnsBetween; turn++) await new Promise((resolve) => setImmediate(resolve));
  });
  return lastOwn;
}

/** Announces how much will be computed next, and resolves when that may start. */
export type Pace = (units: number) => Promise<void>;

/** The share of this turn that paced computations have taken, and those that wait for room in one. */
let taken = 0;
const waiting: { share: number; begin(): void }[] = [];
let isLettingIn = false;

/**
 * Splits a long computation into turns of this many units, and yields the event loop between them. All paced computations that
 * run in one turn share it, however short each of them is: what does not fit waits for a later turn, in the order of asking.
 */
export function createPace(unitsOfATurn: number): Pace {
  return async (units) => {
    const share = units / unitsOfATurn;
    if (hasRoom(share)) take(share);
    else
      await new Promise<void>((begin) => {
        waiting.push({ share, begin });
        if (!isLettingIn) void letIn();
      });
  };
}

/** A computation that is longer than a turn gets one for itself. */
function hasRoom(share: number): boolean {
  return taken === 0 || taken + share <= 1;
}

function take(share: number): void {
  if (taken === 0)
    setImmediate(() => {
      taken = 0;
    });
  taken += share;
}

async function letIn(): Promise<void> {
  isLettingIn = true;
  while (waiting.length > 0) {
    await ownTurn();
    // The first goes on whatever this turn has taken: under load no turn is empty, and a long one would wait forever.
    for (let next = waiting[0], isFirst = true; next && (isFirst || hasRoom(next.share)); next = waiting[0]) {
      isFirst = false;
      waiting.shift();
      take(next.share);
      next.begin();
    }
  }
  isLettingIn = false;
}
