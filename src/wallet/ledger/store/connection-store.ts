import type { Socket } from 'node:net';
import type { Connection as CoreConnection, QueryOptions, QueryResult, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { openConnection, throwWithoutStatement } from '../../../db/index.ts';

/** Columns as the server printed them. */
export type Row = readonly (string | null)[];

/**
 * The ledger's own connection. It never reconnects, so nothing can slip out of a transaction; whoever uses it throws
 * it away after any error but the server's own.
 */
export interface LedgerConnection {
  /** Runs two or more statements in one packet; the rows of each, or none for those without. */
  read(sql: string): Promise<Row[][]>;
  /** Runs statements in one packet; how many rows each found or added. */
  write(sql: string): Promise<number[]>;
  /** Names the session to its server, for as long as that server runs. */
  readonly session: ServerSession;
  /** Says good-bye after what was sent before, or gives that up when its answer does not come in time. */
  close(): Promise<void>;
  /** At once, whatever the server is doing. */
  destroy(): void;
}

/** A session's number, which one run of one server gives once. */
export interface ServerSession {
  server: string;
  /** When the server started, to a second or two. */
  startedAtMs: number;
  id: number;
}

/**
 * A group is one transaction or nothing. On a cluster the server may abort it between two statements of one packet, and
 * would let the rest commit by itself; so sessions do not autocommit, and a savepoint, which only its own transaction has,
 * is asked for at the beginning and at the end of what follows. Without it the packet fails (1305).
 */
export const begin: readonly string[] = ['START TRANSACTION', 'SAVEPOINT group_start'];
export const guard: readonly string[] = ['RELEASE SAVEPOINT group_start', 'SAVEPOINT group_start'];
export const guardEnd = 'RELEASE SAVEPOINT group_start';

/** Seconds: a frozen node must not hold a wallet for hours. */
const sessionTimes = { innodb_lock_wait_timeout: 2, lock_wait_timeout: 2, wait_timeout: 10 };

/** Of a server's own clock against ours, and of its whole seconds. */
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
  // Without a listener an idle connection that is closed by the server would end the process.
  connection.on('error', () => undefined);
  // Below the promises of the driver, which capture a stack for every query.
  const { connection: core } = connection as unknown as { connection: CoreConnection };
  // The statements are whole: nothing in them is to be looked for and replaced.
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

/** The driver forgets a good-bye that waits behind another command when the connection is destroyed meanwhile. */
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

/** Whether both were given by one run of one server: then the number of the one can't name another session there. */
export function isSameServer(a: ServerSession, b: ServerSession): boolean {
  return a.server === b.server && Math.abs(a.startedAtMs - b.startedAtMs) < startToleranceMs;
}
