/** Work that a service lets finish before it closes. */
export interface UnderWay {
  /** Counts `work` until it ends, in whatever way. */
  track(work: Promise<unknown>): void;
  /** Resolves once nothing is under way. */
  drained(): Promise<void>;
}

/** Only a number: a set of the work itself would retain results of work that has ended (docs/decisions/2026-11-21-what-a-call-leaves.md). */
export function createUnderWay(): UnderWay {
  let count = 0;
  let idle: PromiseWithResolvers<void> | undefined;

  function over(): void {
    count -= 1;
    if (count > 0) return;
    idle?.resolve();
    idle = undefined;
  }

  return {
    track(work) {
      count += 1;
      work.then(over, over);
    },
    async drained() {
      while (count > 0) {
        idle ??= Promise.withResolvers();
        await idle.promise;
      }
    },
  };
}
