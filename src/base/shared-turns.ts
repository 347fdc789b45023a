import { FailureError } from './failure.ts';

export interface SharedTurnsOptions {
  /** How much runs at one time. */
  all: number;
  /** How much of it may be one owner's. */
  each: number;
  /** How much of one owner may wait. */
  waitingMax: number;
}

/** Runs the work when its owner's turn has come. */
export type SharedTurns = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

const retryAfterMs = 1_000;

/**
 * Rations what is expensive, such as reading a year's usage: owners take turns, so that one who asks a lot waits for itself and for
 * nobody else. Throws `overloaded` for what is beyond `waitingMax` of its owner.
 */
export function createSharedTurns({ all, each, waitingMax }: SharedTurnsOptions): SharedTurns {
  /** Who came first is first; who has had a turn goes to the end. */
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
