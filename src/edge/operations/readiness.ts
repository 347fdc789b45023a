/** Whether the service can answer calls: the database responds, and it isn't shutting down. */
export interface Readiness {
  /** What keeps it from answering, in words for operators; undefined if nothing does. */
  problem(): string | undefined;
  /** Calls back when the result of `problem` changes; returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

export interface ReadinessMonitor extends Readiness {
  /** From now on the service is not ready, because it is shutting down. */
  shutDown(): void;
  stop(): void;
}

/** How often the database is queried. A load balancer that asks more often gets the last answer. */
const intervalMs = 1_000;

/** Calls `ping` every second, one at a time. */
export function monitorReadiness(ping: () => Promise<void>): ReadinessMonitor {
  const listeners = new Set<() => void>();
  let problem: string | undefined;
  let leaving = false;
  let asking = false;

  function become(next: string | undefined): void {
    if (next === problem) return;
    problem = next;
    for (const listener of listeners) listener();
  }

  async function ask(): Promise<void> {
    if (asking || leaving) return;
    asking = true;
    const answer = await ping().then(
      () => undefined,
      () => 'the database does not answer',
    );
    asking = false;
    if (!leaving) become(answer);
  }

  const timer = setInterval(ask, intervalMs);
  timer.unref();
  return {
    problem: () => problem,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    shutDown: () => {
      leaving = true;
      become('the service is shutting down');
    },
    stop: () => clearInterval(timer),
  };
}
