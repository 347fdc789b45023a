import type { Logger } from 'pino';

export interface ProcessFaultsOptions {
  /** Undefined until there is one. */
  log(): Logger | undefined;
  /** Refuses new work, lets running work end and settles it, then stops everything. */
  close(): Promise<void>;
  /** How long `close` may take, in milliseconds. */
  closeMaxMs(): number;
  /** Ends the process. */
  exit(code: number): void;
}

/** How many further faults are logged while the process ends. */
const laterLoggedMax = 20;

/**
 * An uncaught error leaves the process in an unknown state. It is logged, nothing new is accepted, running work gets a limited
 * time to finish, and the process exits with 1, so that its manager (systemd, Docker) replaces it. Further errors in the meantime
 * are logged and do not end what is still running.
 */
export function endOnFaults({ log, close, closeMaxMs, exit }: ProcessFaultsOptions): void {
  let faults = 0;
  const fault = (error: unknown) => {
    faults += 1;
    if (faults > 1) {
      if (faults <= laterLoggedMax) log()?.error({ err: error }, 'another fault while the process ends');
      return;
    }
    const logger = log();
    if (logger) logger.fatal({ err: error }, 'a fault that nothing caught: the process finishes what runs and exits');
    else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    setTimeout(exit, closeMaxMs(), 1).unref();
    close().then(
      () => exit(1),
      (failure: unknown) => {
        log()?.error({ err: failure }, 'closing failed');
        exit(1);
      },
    );
  };
  process.on('uncaughtException', fault);
  process.on('unhandledRejection', fault);
}
