import { FailureError } from './failure.ts';

export interface SharedTurnsOptions {
  /** The maximum running at once. */
  all: number;
  /** How many of those may belong to one owner. */
  each: number;
  /** How many of one owner's may wait. */
  waitingMax: number;
}

/** Runs the work when it is its owner's turn. */
export type SharedTurns = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

const retryAfterMs = 1_000;

/**
 * Rations expensive work, such as reading a year's usage: owners take turns, so that an owner who asks for a lot only delays
 * itself. Throws `overloaded` for anything beyond the owner's `waitingMax`.
 */
export function createSharedTurns({ all, each, waitingMax }: SharedTurnsOptions): SharedTurns {
  /** First come, first served; an owner that has had a turn goes to the end. */
  const owners = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  let running = 0;

  function letIn(): void {
    for (const owner of owners.values()) {
      if (running >= all) return;
      const begin = owner.running < each ? owner.waiting.shift() : undefined;
      if (!begin) continue;
      owner.running += 1;
      running += 1;
      begin();
    }
  }

  return async (id, work) => {
    const owner = owners.get(id) ?? { running: 0, waiting: [] };
    if (owner.waiting.length >= waitingMax) throw new FailureError({ kind: 'overloaded', retryAfterMs });
    owners.set(id, owner);
    await new Promise<void>((begin) => {
      owner.waiting.push(begin);
      letIn();
    });
    try {
      return await work();
    } finally {
      owner.running -= 1;
      running -= 1;
      owners.delete(id);
      if (owner.running > 0 || owner.waiting.length > 0) owners.set(id, owner);
      letIn();
    }
  };
}
