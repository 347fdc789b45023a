import { createSharedTurns } from './shared-turns.ts';

/**
 * Concurrent writes: each has a connection from the pool and may ask for another. There are two such queues, and together they
 * leave some of the pool's ten connections free, so that no write waits for a connection that only another waiting write could
 * release.
 */
const atOnceMax = 4;
/** How many writes may wait for their turn. */
const waitingMax = 256;

/** Lets four writes run and 256 wait for their turn, regardless of their owner; throws `overloaded` for any more. */
export function createWriteTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const turn = createSharedTurns({ all: atOnceMax, each: atOnceMax, waitingMax });
  return (work) => turn('', work);
}
