/** Waits that end when a signal aborts, with its reason, whatever they wait for. */
export interface Interruptible {
  /** As `work` ends, or as the signal does, whichever is first. One at a time. */
  wait<T>(work: Promise<T>): Promise<T>;
  /** Once nothing waits any more: a signal that outlives many calls must not keep them all. */
  stop(): void;
}

/** One listener for as many waits as there are: racing each with a promise that lives long would keep a reaction of each. */
export function interruptedBy(signal: AbortSignal): Interruptible {
  let interrupt: ((reason: unknown) => void) | undefined;
  const aborted = () => interrupt?.(signal.reason);
  signal.addEventListener('abort', aborted);
  return {
    wait: (work) =>
      new Promise((resolve, reject) => {
        interrupt = reject;
        work.then(resolve, reject);
        if (signal.aborted) aborted();
      }),
    stop: () => signal.removeEventListener('abort', aborted),
  };
}
