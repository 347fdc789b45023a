/** Background work that a node repeats, one round at a time. Its timer alone does not keep the process alive. */
export interface Rounds {
  /** Starts; the first round begins `everyMs` from now. */
  start(): void;
  /** Starts no more rounds, and waits for the current one. */
  close(): Promise<void>;
}

export interface RoundsOptions {
  /** From the end of one round to the beginning of the next. */
  everyMs: number;
  run(): unknown;
  /** Called if a round fails; the next one begins as usual. */
  onError(error: unknown): void;
}

export function createRounds({ everyMs, run, onError }: RoundsOptions): Rounds {
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  let closed = false;

  function schedule(): void {
    if (closed) return;
    timer = setTimeout(() => {
      round = runOne();
    }, everyMs).unref();
  }

  async function runOne(): Promise<void> {
    try {
      await run();
    } catch (error) {
      onError(error);
    }
    schedule();
  }

  return {
    start() {
      if (!timer) schedule();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await round;
    },
  };
}
