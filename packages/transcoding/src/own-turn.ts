/** Anything shorter is read at once: that takes less time than waiting for a turn. */
export const longBytes = 65_536;
/** Turns left to others before the next one begins. */
const turnsBetween = 4;
let last: Promise<void> = Promise.resolve();

let giveTurn = spacedTurn;

/**
 * Resolves in an event loop turn of its own: waiters continue one per turn, in the order of asking. Many long bodies can end at
 * the same moment: read in one turn, they would hold up everyone else for as long as all of them take.
 */
export function ownTurn(): Promise<void> {
  return giveTurn();
}

/**
 * Has a server give the turns: then long bodies and the server's other long computations take turns with each other. What it gives
 * must keep the promise of `ownTurn`. It holds for all transcoders of the process.
 */
export function takeTurnsFrom(server: () => Promise<void>): void {
  giveTurn = server;
}

function spacedTurn(): Promise<void> {
  last = last.then(async () => {
    for (let turn = 0; turn < turnsBetween; turn++) await new Promise((resolve) => setImmediate(resolve));
  });
  return last;
}

/** The share of this turn that counted work has taken. */
let taken = 0;

/** Counts work that took this share of what a turn may compute. */
export function countWork(share: number): void {
  if (taken === 0)
    setImmediate(() => {
      taken = 0;
    });
  taken += share;
}

/** Whether counted work has filled this turn: more waits for a turn of its own. Together, many short pieces are as long as one long piece. */
export function isTurnFull(): boolean {
  return taken >= 1;
}
