/** Waits that end with a signal's reason when it aborts, whatever they are waiting for. */
export interface Interruptible {
  /** Settles as `work` or the signal does, whichever comes first. One wait at a time. */
  wait<T>(work: Promise<T>): Promise<T>;
  /** To be called when nothing waits any more: a long-lived signal must not retain every call. */
  stop(): void;
}

/** Uses one listener for any number of waits: racing each against a long-lived promise would retain a reaction for each. */
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
