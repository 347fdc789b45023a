import { sql } from 'kysely';
import type { Queryable } from './database.ts';

/** The server could lose money or accept invalid rows. `problems` says what is wrong and what to set. */
export class DatabaseUnfitError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The database server is not fit for a ledger:\n- ${problems.join('\n- ')}`);
    this.name = 'DatabaseUnfitError';
    this.problems = problems;
  }
}

export interface ServerSettings {
  version: string;
  sqlMode: string;
  flushLogAtCommit: number;
  binaryLog: boolean;
  syncBinaryLog: number;
}

/** Refuses a server that may lose an acknowledged commit or that truncates values silently. */
export async function checkServer(db: Queryable): Promise<void> {
  const result = await sql<{
    version: string;
    sqlMode: string;
    flushLog: bigint | number;
    binaryLog: bigint | number;
    syncBinlog: bigint | number;
  }>`SELECT @@GLOBAL.version AS version, @@GLOBAL.sql_mode AS sqlMode,
       @@GLOBAL.innodb_flush_log_at_trx_commit AS flushLog, @@GLOBAL.log_bin AS binaryLog,
       @@GLOBAL.sync_binlog AS syncBinlog`.execute(db.for<never>());
  const row = result.rows[0];
  if (!row) throw new Error('The database server did not tell its settings.');
  const problems = findProblems({
    version: row.version,
    sqlMode: row.sqlMode,
    flushLogAtCommit: Number(row.flushLog),
    binaryLog: Number(row.binaryLog) === 1,
    syncBinaryLog: Number(row.syncBinlog),
  });
  if (problems.length > 0) throw new DatabaseUnfitError(problems);
}

/** Everything wrong with these server settings, each with its remedy. */
export function findProblems(settings: ServerSettings): string[] {
  const problems: string[] = [];
  if (!isSupported(settings.version))
    problems.push(`Its version is ${settings.version}. Use MariaDB 10.11 or later, or MySQL 8.4 or later.`);
  if (!/STRICT_(TRANS|ALL)_TABLES|TRADITIONAL/.test(settings.sqlMode))
    problems.push(
      'sql_mode is not strict. Set sql_mode=STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION in its configuration.',
    );
  if (settings.flushLogAtCommit !== 1)
    problems.push(
      `innodb_flush_log_at_trx_commit is ${settings.flushLogAtCommit}, so a crash loses commits. Set it to 1.`,
    );
  if (settings.binaryLog && settings.syncBinaryLog !== 1)
    problems.push(`The binary log is on and sync_binlog is ${settings.syncBinaryLog}. Set sync_binlog to 1.`);
  return problems;
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [leastMajor, leastMinor] = /mariadb/i.test(version) ? [10, 11] : [8, 4];
  // TiDB reports MySQL's version in front of its own.
  if (/tidb/i.test(version)) return true;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
