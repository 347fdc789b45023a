/** Work that a node repeats in the background, one round at a time. The timer alone keeps no process alive. */
export interface Rounds {
  /** The first round begins `everyMs` from now. */
  start(): void;
  /** No round begins any more; waits for the one under way. */
  close(): Promise<void>;
}

export interface RoundsOptions {
  /** From the end of a round to the beginning of the next. */
  everyMs: number;
  run(): unknown;
  /** A round that fails is reported here, and the next one begins as usual. */
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
