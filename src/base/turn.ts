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

/**
 * Lets `most` pieces of work begin in a turn of the event loop, and further ones in the next turns, in the order of asking. All
 * events that are ready at one moment are otherwise handled in one turn, however many there are.
 */
export function createTurnQuota(most: number): (begin: () => void) => void {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const take = (begin: () => void) => {
    if (begun === 0) setImmediate(next);
    begun += 1;
    begin();
  };
  const next = () => {
    begun = 0;
    for (let begin = waiting.shift(); begin; begin = begun < most ? waiting.shift() : undefined) take(begin);
  };
  return (begin) => {
    if (begun < most && waiting.length === 0) take(begin);
    else waiting.push(begin);
  };
}

/** How many turns a long computation always leaves to others before the next one begins. */
const turnsBetween = 4;
/** Empty turns take some 10 us each; a step of anybody's request takes longer. */
const emptyTurnsMs = 0.2;
/** For how long others count as being there after they were last noticed: the time between two requests of somebody at 20 a second. */
const othersStayMs = 50;
/** However long a turn took, for example because the process was stopped, others are not left more. */
const pauseMaxMs = 50;

let othersSeenAt = Number.NEGATIVE_INFINITY;
/** When others will have had their share. */
let freeAt = 0;

/** Long computations that wait, and paced ones that wait for room in a turn. */
const longs: (() => void)[] = [];
let paced: { share: number; begin(): void }[] = [];
let isGivingTurns = false;

/**
 * Resolves in a turn of the event loop in which no other long computation begins, in the order of the calls. While others use the
 * loop, a computation leaves them as much time as it took: a request takes some ten steps, and each would otherwise wait for a
 * whole computation if many of them queued. While nobody does, computations follow each other almost at once.
 */
export function ownTurn(): Promise<void> {
  return new Promise((begin) => {
    longs.push(begin);
    void giveTurns();
  });
}

/**
 * Gives long computations and paced ones a turn each by turns: however many long ones wait, a paced one that is short waits for few
 * of them.
 */
async function giveTurns(): Promise<void> {
  if (isGivingTurns) return;
  isGivingTurns = true;
  for (let turn = 0; longs.length + paced.length > 0; turn++) {
    await leaveToOthers();
    if (paced.length > 0 && (turn % 2 === 1 || longs.length === 0)) letIn(turn % 4 === 1);
    else {
      measureTurn();
      longs.shift()?.();
    }
  }
  isGivingTurns = false;
}

async function leaveToOthers(): Promise<void> {
  // The computation that has just begun runs first, so that it does not count as somebody else's.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const start = performance.now();
  for (let turn = 0; turn < turnsBetween; turn++) await new Promise((resolve) => setImmediate(resolve));
  let now = performance.now();
  if (now - start > emptyTurnsMs) othersSeenAt = now;
  if (now - othersSeenAt > othersStayMs) return;
  // `freeAt` is read once: short computations that end meanwhile move it on, and this wait must not grow with each of them.
  for (const until = freeAt; now < until; now = performance.now()) {
    const pauseMs = Math.ceil(until - now);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** What is computed from now to the next turn of this kind is what others are left afterwards. */
function measureTurn(): void {
  const start = performance.now();
  setImmediate(() => {
    const now = performance.now();
    freeAt = now + Math.min(now - start, pauseMaxMs);
  });
}

/** Announces how much will be computed next, and resolves when that may start. */
export type Pace = (units: number) => Promise<void>;

/** The share of this turn that paced computations have taken. */
let taken = 0;

/**
 * Splits a long computation into turns of this many units, and yields the event loop between them. All paced computations that
 * run in one turn share it, however short each of them is: what does not fit waits for a later turn.
 */
export function createPace(unitsOfATurn: number): Pace {
  return async (units) => {
    const share = units / unitsOfATurn;
    if (hasRoom(share)) take(share);
    else
      await new Promise<void>((begin) => {
        paced.push({ share, begin });
        void giveTurns();
      });
  };
}

/** A computation that is longer than a turn gets one for itself. */
function hasRoom(share: number): boolean {
  return taken === 0 || taken + share <= 1;
}

function take(share: number): void {
  if (taken === 0) {
    measureTurn();
    setImmediate(() => {
      taken = 0;
    });
  }
  taken += share;
}

/**
 * Lets paced computations begin in this turn: first the one that has waited longest or, every other time, the shortest; then further
 * ones while the turn has room. So long ones are reached, and short ones do not wait for all of those.
 */
function letIn(shortestFirst: boolean): void {
  const inOrder = shortestFirst ? paced.toSorted((one, other) => one.share - other.share) : paced;
  // The first begins even if this turn has no room: under load no turn is empty, and a long one would wait forever.
  const chosen = new Set<(typeof paced)[number]>();
  for (const next of inOrder) {
    if (chosen.size > 0 && !hasRoom(next.share)) break;
    chosen.add(next);
    take(next.share);
  }
  paced = paced.filter((one) => !chosen.has(one));
  for (const { begin } of chosen) begin();
}
