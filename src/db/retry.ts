import { setTimeout as sleep } from 'node:timers/promises';

/** Errors after which the same transaction may simply be run again: 1213 deadlock, 1205 lock wait, 1020 changed row, 9007 TiDB write conflict. */
const retryableErrors = new Set([1213, 1205, 1020, 9007]);

/** The server's error number, or undefined if the error is not from the server. */
export function errorNumber(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errno' in error)) return undefined;
  return typeof error.errno === 'number' && error.errno > 0 ? error.errno : undefined;
}

/** Whether a unique key rejected the row (1062). */
export function isDuplicateKey(error: unknown): boolean {
  return errorNumber(error) === 1062;
}

/** Whether the statement names a table that does not exist (1146). */
export function isTableMissing(error: unknown): boolean {
  return errorNumber(error) === 1146;
}

/** Whether it is a deadlock, a lock wait timeout, or a row that changed in the meantime: nothing is wrong with the statement. */
export function isContention(error: unknown): boolean {
  const number = errorNumber(error);
  return number !== undefined && retryableErrors.has(number);
}

/** Whether another transaction has a row locked, and the statement did not wait for it (MySQL 3572, MariaDB 1205) or waited too long. */
export function isLockedElsewhere(error: unknown): boolean {
  const number = errorNumber(error);
  return number === 3572 || number === 1205;
}

/**
 * Whether the database connection ended, or there was none: the statement may or may not have been executed. Only the pool's own
 * errors count: a provider or webhook receiver that refuses a connection gives the same code.
 */
export function isConnectionLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && lost.has(error);
}

const lost = new WeakSet<object>();

/** For the pool: marks this error as a lost connection. */
export function markConnectionLost(error: unknown): void {
  if (typeof error === 'object' && error !== null) lost.add(error);
}

/** Whether a driver error means that its connection has ended. */
export function endsConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('fatal' in error && error.fatal === true) return true;
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && connectionCodes.has(code);
}

const connectionCodes = new Set([
  'PROTOCOL_CONNECTION_LOST',
  // No answer in time: the driver's query timeout.
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

/** Retries `work` after contention, at most `attemptsMax` attempts in total, with a random pause in between. */
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
      // Full jitter, so that two that collided do not collide again.
      await sleep(random() * options.restMs * attempt);
    }
  }
}
