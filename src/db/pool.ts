import type { Socket } from 'node:net';
import type { MysqlPool, MysqlPoolConnection } from 'kysely';
import { createPool, type PoolConnection, type QueryError, type QueryOptions } from 'mysql2';
import { driverOptions, type SessionSettings, sessionStatements } from './connection.ts';
import { endsConnection, markConnectionLost } from './retry.ts';

/** How many callers may wait for a pooled connection; more are refused at once rather than piling up. */
const waitersMax = 2_000;

export interface ConnectionPoolOptions {
  url: string;
  connectionsMax: number;
  session?: SessionSettings | undefined;
}

export interface ConnectionPool {
  /**
   * The pool in the form Kysely expects. Nothing waits longer than `timeoutMs` for a connection or for the answer to a query. A
   * server that vanished silently (a power cut, a firewall that drops packets) would otherwise block its callers until TCP gives
   * up, which takes a quarter of an hour.
   */
  within(timeoutMs: number): MysqlPool;
  close(): Promise<void>;
}

type Done<Value> = (error: unknown, value: Value) => void;

export function createConnectionPool({ url, connectionsMax, session }: ConnectionPoolOptions): ConnectionPool {
  const pool = createPool({ ...driverOptions(url), connectionLimit: connectionsMax, queueLimit: waitersMax });
  const prepared = new WeakSet<PoolConnection>();

  /** Takes a free connection with our session settings. If it arrives too late, it goes back to the pool. */
  function take(timeoutMs: number, done: (error: unknown, raw?: PoolConnection) => void): void {
    const timer = setTimeout(() => {
      finish(Object.assign(new Error(`No connection was free within ${timeoutMs} ms.`), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    let isWaiting = true;
    const finish = (error: unknown, raw?: PoolConnection) => {
      if (!isWaiting) return raw?.release();
      isWaiting = false;
      clearTimeout(timer);
      // Whatever the reason, even too many waiting callers: for this caller, the database is unavailable.
      if (error) markConnectionLost(error);
      done(error, raw);
    };
    pool.getConnection((error, raw) => {
      if (error || prepared.has(raw)) finish(error, raw);
      else
        prepare(raw, timeoutMs).then(
          () => finish(undefined, raw),
          (failure) => finish(failure),
        );
    });
  }

  async function prepare(raw: PoolConnection, timeoutMs: number): Promise<void> {
    // A driver connection may emit more than one error; an unhandled one would crash the process.
    raw.on('error', () => undefined);
    try {
      for (const sql of sessionStatements(session))
        await new Promise<void>((resolve, reject) => {
          raw.query({ sql, timeout: timeoutMs }, (error) => (error ? reject(error) : resolve()));
        });
      prepared.add(raw);
    } catch (error) {
      discard(raw, error);
      throw error;
    }
  }

  return {
    within(timeoutMs) {
      // Kysely keys its knowledge of a connection by the object it was given.
      const known = new WeakMap<PoolConnection, MysqlPoolConnection>();
      const limited = (raw: PoolConnection): MysqlPoolConnection => {
        const connection = known.get(raw) ?? limitQueries(raw, timeoutMs);
        known.set(raw, connection);
        return connection;
      };
      return {
        getConnection: (done) =>
          take(timeoutMs, (error, raw) => done(error, raw ? limited(raw) : (undefined as unknown as never))),
        end: (done) => pool.end(done),
      };
    },
    close: () =>
      new Promise((resolve, reject) => {
        // A lost connection is as good as closed.
        pool.end((error) => (error && !endsConnection(error) ? reject(error) : resolve()));
      }),
  };
}

function limitQueries(raw: PoolConnection, timeoutMs: number): MysqlPoolConnection {
  const query = (sql: string, values: unknown[] | undefined, done?: Done<never>) => {
    // The driver scans the SQL character by character for placeholders, even with an empty list of values; with null it does not.
    const bound: QueryOptions['values'] = values === undefined || values.length === 0 ? null : values;
    const options = { sql, values: bound, timeout: timeoutMs };
    if (!done) return raw.query(options);
    return raw.query(options, (error: QueryError | null, result: unknown) => {
      if (error && endsConnection(error)) {
        markConnectionLost(error);
        // A late answer would be mistaken for the next query's.
        discard(raw, error);
      }
      done(error, result as never);
    });
  };
  return {
    query: query as unknown as MysqlPoolConnection['query'],
    config: raw.config,
    threadId: raw.threadId,
    connect: (done) => raw.connect(done),
    destroy: () => raw.destroy(),
    release: () => raw.release(),
  };
}

/** Removes a connection from the pool for good. */
function discard(raw: PoolConnection, reason: unknown): void {
  raw.destroy();
  // The driver would only send a quit and wait for a server that may be gone. Anything still waiting on it fails with the reason.
  const { stream } = raw as unknown as { stream: Socket };
  stream.destroy(reason instanceof Error ? reason : undefined);
}
