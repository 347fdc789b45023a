import type { Connection as CoreConnection, QueryOptions, QueryResult, ResultSetHeader, RowDataPacket } from 'mysql2';
import { openConnection, throwWithoutStatement } from '../db/index.ts';

/** Columns as the server printed them. */
export type Row = readonly (string | null)[];

/**
 * The ledger's own connection. It never reconnects, so nothing can slip out of a transaction; whoever uses it throws
 * it away after any error but the server's own.
 */
export interface LedgerConnection {
  /** Runs statements in one packet; the rows of each, or none for those without. */
  read(sql: string): Promise<Row[][]>;
  /** Runs statements in one packet; how many rows each found or added. */
  write(sql: string): Promise<number[]>;
  close(): Promise<void>;
  /** At once, whatever the server is doing. */
  destroy(): void;
}

/** Connection settings of ledger.md: a frozen node must not hold a wallet for hours. Seconds. */
const session = { innodb_lock_wait_timeout: 2, lock_wait_timeout: 2, wait_timeout: 10 };

export async function openLedgerConnection(
  url: string,
  { answerTimeoutMs }: { answerTimeoutMs: number },
): Promise<LedgerConnection> {
  const connection = await openConnection(url, { multipleStatements: true, session });
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
  return {
    async read(sql) {
      const results = await query<RowDataPacket[][]>({
        sql,
        rowsAsArray: true,
        typeCast: (field) => field.string('utf8'),
      });
      return results.map((result) => (Array.isArray(result) ? (result as unknown as Row[]) : []));
    },
    async write(sql) {
      const results = await query<ResultSetHeader | ResultSetHeader[]>({ sql });
      return (Array.isArray(results) ? results : [results]).map(({ affectedRows }) => affectedRows);
    },
    close: () => connection.end(),
    destroy: () => connection.destroy(),
  };
}
