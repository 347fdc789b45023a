import { Kysely, MysqlDialect, sql } from 'kysely';
import type { Logger } from 'pino';
import { removeStatement, type SessionSettings } from './connection.ts';
import { type ConnectionPool, createConnectionPool } from './pool.ts';
import { retryContention } from './retry.ts';

/** Where queries run: the pool or one transaction. Stores take this, and so work in both. */
export interface Queryable {
  /** A query builder for these tables. Each store declares its own tables; the interface is asserted, not checked. */
  for<Tables>(): Kysely<Tables>;
}

/** Where a transaction can run: the database, or an open transaction, which the work then joins. */
export interface Transactional extends Queryable {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export interface Transaction extends Transactional {
  /** Runs `effect` once the transaction is durable, and never for an attempt that was rolled back. Errors are logged, not thrown. */
  afterCommit(effect: () => void | Promise<void>): void;
}

export interface Database extends Transactional {
  /** As given to `connectDatabase`; holds the password. */
  readonly url: string;
  /**
   * Runs `work` in one READ COMMITTED transaction. After a deadlock or lock wait all of it runs again, at most 5 times, so `work`
   * must have no effects except through `tx`; other effects belong in `tx.afterCommit`.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Reads everything in `work` as of one moment. */
  snapshot<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Resolves when the server answers; rejects when it does not within `timeoutMs` (default 2,000). */
  ping(timeoutMs?: number): Promise<void>;
  /** The same database over the same connections, with a longer or shorter query timeout. */
  withQueryTimeout(timeoutMs: number): Database;
  /** Closes the connections, including those of databases returned by `withQueryTimeout`. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  log: Logger;
  /** The most connections; default 10. */
  poolMax?: number;
  session?: SessionSettings;
  /**
   * How long a query may wait for a connection, and then for its answer; default 30,000. A query that takes longer fails
   * as if the connection were lost, and its connection is destroyed.
   */
  queryTimeoutMs?: number;
}

const transactionAttemptsMax = 5;
const transactionRestMs = 20;

/** A database that connects on first use. Values are converted as described in `types.ts`. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { url, session, poolMax = 10, queryTimeoutMs = 30_000 } = options;
  const pool = createConnectionPool({ url, connectionsMax: poolMax, session });
  return databaseOver(pool, queryTimeoutMs, options);
}

function databaseOver(pool: ConnectionPool, queryTimeoutMs: number, options: DatabaseOptions): Database {
  const { url, log } = options;
  const kysely = new Kysely<never>({
    // Kysely logs an error before throwing it.
    log: (event) => {
      if (event.level === 'error') removeStatement(event.error);
    },
    dialect: new MysqlDialect({ pool: pool.within(queryTimeoutMs) }),
  });

  return {
    url,
    for: () => tablesOf(kysely),
    transaction: async (work) => {
      const { value, effects } = await retryContention(
        () =>
          kysely.transaction().execute(async (transaction) => {
            const effects: (() => void | Promise<void>)[] = [];
            const tx: Transaction = {
              for: () => tablesOf(transaction),
              transaction: (part) => part(tx),
              afterCommit: (effect) => void effects.push(effect),
            };
            const value = await work(tx);
            return { value, effects };
          }),
        {
          attemptsMax: transactionAttemptsMax,
          restMs: transactionRestMs,
          onRetry: (error) => log.debug({ err: error }, 'transaction runs again'),
        },
      );
      for (const effect of effects)
        try {
          await effect();
        } catch (error) {
          log.error({ err: error }, 'an effect after a commit failed');
        }
      return value;
    },
    snapshot: (work) =>
      kysely
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((transaction) => work({ for: () => tablesOf(transaction) })),
    ping: async (timeoutMs = 2_000) => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`The database did not answer within ${timeoutMs} ms.`)), timeoutMs);
      });
      try {
        // Has its own limit: otherwise abandoned pings would fill the pool.
        await Promise.race([sql`SELECT 1`.execute(databaseOver(pool, timeoutMs, options).for<never>()), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    withQueryTimeout: (timeoutMs) => databaseOver(pool, timeoutMs, options),
    close: pool.close,
  };
}

function tablesOf<Tables>(kysely: Kysely<never>): Kysely<Tables> {
  return kysely as unknown as Kysely<Tables>;
}
