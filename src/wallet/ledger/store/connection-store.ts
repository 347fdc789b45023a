import type { Socket } from 'node:net';
import type { Connection as CoreConnection, QueryOptions, QueryResult, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { openConnection, throwWithoutStatement } from '../../../db/index.ts';

/** Columns as the server sent them, in text form. */
export type Row = readonly (string | null)[];

/**
 * The ledger's own connection. It never reconnects, so nothing can slip out of a transaction; its user discards it after any
 * error except the server's own.
 */
export interface LedgerConnection {
  /** Runs two or more statements in one packet; returns the rows of each, if any. */
  read(sql: string): Promise<Row[][]>;
  /** Runs statements in one packet; returns how many rows each matched or added. */
  write(sql: string): Promise<number[]>;
  /** Identifies the session to its server while that server runs. */
  readonly session: ServerSession;
  /** Closes gracefully after what was already sent, or forcibly if there is no answer in time. */
  close(): Promise<void>;
  /** Disconnects immediately, whatever the server is doing. */
  destroy(): void;
}

/** A session's number, unique within one run of one server. */
export interface ServerSession {
  server: string;
  /** When the server started, accurate to a second or two. */
  startedAtMs: number;
  id: number;
}

/**
 * A group is one transaction or nothing. A clustered server may abort it between two statements of one packet and let the rest
 * commit on its own; so sessions do not autocommit, and whatever follows asks at its beginning and end for a savepoint that
 * exists only in this transaction. Without it the packet fails (1305).
 */
export const begin: readonly string[] = ['START TRANSACTION', 'SAVEPOINT group_start'];
export const guard: readonly string[] = ['RELEASE SAVEPOINT group_start', 'SAVEPOINT group_start'];
export const guardEnd = 'RELEASE SAVEPOINT group_start';

/** Seconds: a frozen node must not hold a wallet for hours. */
const sessionTimes = { innodb_lock_wait_timeout: 2, lock_wait_timeout: 2, wait_timeout: 10 };

/** Allows for clock skew between the server and us, and for its whole seconds. */
const startToleranceMs = 2_500;

export async function openLedgerConnection(
  url: string,
  { answerTimeoutMs }: { answerTimeoutMs: number },
): Promise<LedgerConnection> {
  const connection = await openConnection(url, {
    multipleStatements: true,
    session: sessionTimes,
    setupTimeoutMs: answerTimeoutMs,
  });
  // Without a listener, the server closing an idle connection would crash the process.
  connection.on('error', () => undefined);
  // Bypasses the driver's promises, which capture a stack for every query.
  const { connection: core } = connection as unknown as { connection: CoreConnection };
  // The statements are complete: there are no placeholders to replace.
  core.config.queryFormat = (sql: string) => sql;
  const query = <Rows extends QueryResult>(options: QueryOptions): Promise<Rows> =>
    new Promise<Rows>((resolve, reject) => {
      core.query<Rows>({ ...options, timeout: answerTimeoutMs }, (error, rows) =>
        error ? reject(error) : resolve(rows),
      );
    }).catch(throwWithoutStatement);
  const read = async (sql: string): Promise<Row[][]> => {
    const results = await query<RowDataPacket[][]>({
      sql,
      rowsAsArray: true,
      typeCast: (field) => field.string('utf8'),
    });
    return results.map((result) => (Array.isArray(result) ? (result as unknown as Row[]) : []));
  };
  try {
    return {
      read,
      async write(sql) {
        const results = await query<ResultSetHeader | ResultSetHeader[]>({ sql });
        return (Array.isArray(results) ? results : [results]).map(({ affectedRows }) => affectedRows);
      },
      session: await startSession(read),
      close: () => endWithin(answerTimeoutMs, connection),
      destroy: () => connection.destroy(),
    };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** The driver drops a quit that is queued behind another command if the connection is destroyed in the meantime. */
async function endWithin(ms: number, connection: Connection): Promise<void> {
  const { connection: core } = connection as unknown as { connection: { stream: Socket } };
  const destroyed = new Promise<void>((resolve) => core.stream.once('close', () => resolve()));
  const late = setTimeout(() => connection.destroy(), ms);
  try {
    await Promise.race([connection.end(), destroyed]);
  } finally {
    clearTimeout(late);
  }
}

async function startSession(read: LedgerConnection['read']): Promise<ServerSession> {
  const results = await read(
    "SET SESSION autocommit = 0, completion_type = 'NO_CHAIN'; SELECT CONCAT_WS(' ', @@hostname, @@port, @@server_id), CONNECTION_ID(); SHOW GLOBAL STATUS LIKE 'Uptime'",
  );
  const [server = '', id = ''] = results[1]?.[0] ?? [];
  const uptime = Number(results[2]?.[0]?.[1]);
  return { server: String(server), startedAtMs: Date.now() - uptime * 1_000, id: Number(id) };
}

/** Whether both sessions belong to the same run of the same server, where a session number is never reused. */
export function isSameServer(a: ServerSession, b: ServerSession): boolean {
  return a.server === b.server && Math.abs(a.startedAtMs - b.startedAtMs) < startToleranceMs;
}
