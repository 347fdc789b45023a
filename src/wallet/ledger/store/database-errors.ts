/** What a database error means for a group. */
export type Trouble =
  /** The connection is gone, or no answer came; the last request may or may not have taken effect. */
  | 'connection'
  /** The server can't work now: it is shutting down, read-only or full. Waiting helps. */
  | 'server'
  /** Another session held a row lock for too long. Only the statement is rolled back. */
  | 'lock_wait'
  /** Rolled back by the server because of other transactions. Retrying helps. */
  | 'contention'
  /** The statement itself is refused. */
  | 'statement';

// Includes a group's savepoint lost with its aborted transaction (1305), and a commit that a cluster refused (1180, 3101).
const contention = new Set([1213, 1020, 1180, 1305, 3101, 9007, 8002, 8022, 8028]);
const lockWait = new Set([1205, 3572]);
// Too many connections, shutting down, killed, read-only, disk or table full, out of memory, storage trouble.
const serverTrouble = new Set([
  1003, 1015, 1016, 1206, 1223, 1969, 3100, 1021, 1026, 1030, 1037, 1038, 1040, 1041, 1053, 1077, 1078, 1079, 1080,
  1114, 1135, 1152, 1158, 1159, 1160, 1161, 1047, 1184, 1203, 1226, 1290, 1317, 1792, 1836, 1927, 2006, 2013, 2055,
  3024, 3169, 3170, 4031, 8027, 9001, 9002, 9005,
]);

export function classify(error: unknown): Trouble {
  const number = errorNumber(error);
  if (number !== undefined) {
    if (lockWait.has(number)) return 'lock_wait';
    if (contention.has(number)) return 'contention';
    if (serverTrouble.has(number)) return 'server';
    return isFatal(error) ? 'connection' : 'statement';
  }
  return isFromDriver(error) ? 'connection' : 'statement';
}

/** The server's own error number. The driver's socket errors have negative ones or none. */
export function errorNumber(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errno' in error)) return undefined;
  return typeof error.errno === 'number' && error.errno > 0 ? error.errno : undefined;
}

function isFatal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'fatal' in error && error.fatal === true;
}

// "Can't add new command when connection is in closed state" has only a message.
function isFromDriver(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error || isFatal(error) || /closed state|Connection lost|malformed/i.test(error.message);
}
