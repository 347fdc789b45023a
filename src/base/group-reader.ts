import { type Failure, fail, type Result, succeed } from './failure.ts';

/** Reads items by id, many per query. */
export interface GroupReader<T> {
  /** The current item, or undefined if there is none. Fails with `overloaded` if too many reads are waiting. */
  read(id: string): Promise<Result<T | undefined>>;
}

export interface GroupReaderOptions<T> {
  load(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
  /** Called with the error if a load fails; the waiting callers get `overloaded`. */
  onError(error: unknown): void;
  idsPerReadMax?: number;
  readsInFlightMax?: number;
  waitingMax?: number;
}

interface Waiter<T> {
  promise: Promise<Result<T | undefined>>;
  answer(result: Result<T | undefined>): void;
}

const overloaded: Failure = { kind: 'overloaded', retryAfterMs: 1000 };

/**
 * Whatever arrives during a query joins the next one, so that a flood of unknown ids costs the database only a few queries, and
 * a good id among them waits for one query at most rather than in a long queue.
 */
export function createGroupReader<T>(options: GroupReaderOptions<T>): GroupReader<T> {
  const { load, onError, idsPerReadMax = 200, readsInFlightMax = 2, waitingMax = 10_000 } = options;
  const waiting = new Map<string, Waiter<T>>();
  let inFlight = 0;

  function read(id: string): Promise<Result<T | undefined>> {
    const same = waiting.get(id);
    if (same) return same.promise;
    if (waiting.size >= waitingMax) return Promise.resolve(fail(overloaded));
    const { promise, resolve } = Promise.withResolvers<Result<T | undefined>>();
    waiting.set(id, { promise, answer: resolve });
    if (inFlight < readsInFlightMax) {
      inFlight += 1;
      // Wait one turn of the event loop, so that what arrives together is read together.
      setImmediate(readGroups);
    }
    return promise;
  }

  async function readGroups(): Promise<void> {
    while (waiting.size > 0) {
      const group = new Map([...waiting].slice(0, idsPerReadMax));
      for (const id of group.keys()) waiting.delete(id);
      try {
        const found = await load([...group.keys()]);
        for (const [id, waiter] of group) waiter.answer(succeed(found.get(id)));
      } catch (error) {
        onError(error);
        for (const waiter of group.values()) waiter.answer(fail(overloaded));
      }
    }
    inFlight -= 1;
  }

  return { read };
}
