import { createSharedTurns } from './shared-turns.ts';

/**
 * Writes at one time: each has a connection of the pool and may ask for another one. There are two such queues, and together they
 * leave some of the pool's ten, so that no write waits for a connection that only another waiting write could give back.
 */
const atOnceMax = 4;
/** Writes that wait for their turn. */
const waitingMax = 256;

/** Lets four writes run, and 256 wait for their turn, whosever they are; throws `overloaded` for the next. */
export function createWriteTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const turn = createSharedTurns({ all: atOnceMax, each: atOnceMax, waitingMax });
  return (work) => turn('', work);
}
