import type { ConnectionOptions } from 'mysql2';
import { type Connection, createConnection } from 'mysql2/promise';
import { castColumn } from './types.ts';
import { parseDatabaseUrl } from './url.ts';

/** Session timeouts in seconds, under the server variables' own names. */
export interface SessionSettings {
  innodb_lock_wait_timeout?: number;
  lock_wait_timeout?: number;
  wait_timeout?: number;
}

const connectTimeoutMs = 5_000;
const setupTimeoutMs = 10_000;

/** Options common to all connections. */
export function driverOptions(url: string): ConnectionOptions {
  return {
    ...parseDatabaseUrl(url),
    connectTimeout: connectTimeoutMs,
    charset: 'UTF8MB4_BIN',
    timezone: 'Z',
    typeCast: castColumn,
    // An object passed as a value must never expand into SQL.
    stringifyObjects: true,
    // An update counts the rows it matched, including those it left unchanged.
    flags: ['FOUND_ROWS'],
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  };
}

/**
 * Opens a dedicated connection with our casts and session settings, for a room that runs its own transactions (the ledger's group
 * commit). It never reconnects. The caller closes it.
 */
export async function openConnection(
  url: string,
  options: {
    session?: SessionSettings;
    multipleStatements?: boolean;
    /** How long the server may take to apply the session settings; default 10,000. */
    setupTimeoutMs?: number;
  } = {},
): Promise<Connection> {
  const connection = await createConnection({
    ...driverOptions(url),
    multipleStatements: options.multipleStatements ?? false,
  });
  try {
    const timeout = options.setupTimeoutMs ?? setupTimeoutMs;
    for (const sql of sessionStatements(options.session)) await connection.query({ sql, timeout });
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return connection;
}

/** Removes the statement that the driver adds to its errors: errors are logged, and the statement's values must not be. */
export function removeStatement(error: unknown): void {
  if (error instanceof Error && 'sql' in error) delete error.sql;
}

/** For the `catch` of queries on a dedicated connection. */
export function throwWithoutStatement(error: unknown): never {
  removeStatement(error);
  throw error;
}

/** Makes both servers behave alike in our sessions, whatever their defaults. */
export function sessionStatements(settings: SessionSettings = {}): string[] {
  const all = { innodb_lock_wait_timeout: 2, lock_wait_timeout: 2, ...settings };
  const variables = Object.entries(all).map(([name, seconds]) => `${name} = ${Number(seconds)}`);
  return [
    `SET SESSION autocommit = 1, completion_type = 'NO_CHAIN', sql_mode = '${sqlMode}', time_zone = '+00:00', ${variables.join(', ')}`,
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  ];
}

const sqlMode = [
  'ONLY_FULL_GROUP_BY',
  'STRICT_TRANS_TABLES',
  'STRICT_ALL_TABLES',
  'NO_ZERO_IN_DATE',
  'NO_ZERO_DATE',
  'ERROR_FOR_DIVISION_BY_ZERO',
  'NO_ENGINE_SUBSTITUTION',
].join(',');
