import { setTimeout as sleep } from 'node:timers/promises';

/** Errors after which the same transaction may simply run again: 1213 deadlock, 1205 lock wait, 1020 changed row, 9007 TiDB write conflict. */
const retryableErrors = new Set([1213, 1205, 1020, 9007]);

/** The server's error number, or undefined when the error is not the server's. */
export function errorNumber(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errno' in error)) return undefined;
  return typeof error.errno === 'number' && error.errno > 0 ? error.errno : undefined;
}

/** A unique key refused the row (1062). */
export function isDuplicateKey(error: unknown): boolean {
  return errorNumber(error) === 1062;
}

/** A deadlock, a lock wait that timed out, or a row that changed meanwhile: nothing is wrong with the statement. */
export function isContention(error: unknown): boolean {
  const number = errorNumber(error);
  return number !== undefined && retryableErrors.has(number);
}

/** A row is locked by another transaction, and the statement did not wait for it (3572 of MySQL, 1205 of MariaDB), or too long. */
export function isLockedElsewhere(error: unknown): boolean {
  const number = errorNumber(error);
  return number === 3572 || number === 1205;
}

/**
 * The database's connection ended, or there was none: the statement may or may not have been executed. Only errors of the pool's
 * own count: a provider or a webhook's receiver that refuses a connection says so with the same code.
 */
export function isConnectionLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && lost.has(error);
}

const lost = new WeakSet<object>();

/** For the pool: from now on this error is one of a lost connection. */
export function markConnectionLost(error: unknown): void {
  if (typeof error === 'object' && error !== null) lost.add(error);
}

/** Whether an error of the driver's says that its connection is over. */
export function endsConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('fatal' in error && error.fatal === true) return true;
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && connectionCodes.has(code);
}

const connectionCodes = new Set([
  'PROTOCOL_CONNECTION_LOST',
  // No answer in time: the driver's query time-out.
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ER_SERVER_SHUTDOWN',
  'ER_NEW_ABORTING_CONNECTION',
  'ER_CON_COUNT_ERROR',
]);

/** Runs `work` again after contention, at most `attemptsMax` times in all, resting a random while between. */
export async function retryContention<T>(
  work: () => Promise<T>,
  options: { attemptsMax: number; restMs: number; random?: () => number; onRetry?: (error: unknown) => void },
): Promise<T> {
  const random = options.random ?? Math.random;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= options.attemptsMax || !isContention(error)) throw error;
      options.onRetry?.(error);
      // Full jitter: two that collided must not meet again.
      await sleep(random() * options.restMs * attempt);
    }
  }
}
