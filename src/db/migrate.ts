import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Logger } from 'pino';
import { openConnection } from './connection.ts';
import { errorNumber, isContention } from './retry.ts';

/** One schema migration. `statements` run in order, each in its own implicit transaction, the only kind DDL supports. */
export interface Migration {
  name: string;
  statements: readonly string[];
}

export interface MigrateOptions {
  url: string;
  log: Logger;
  /** Default: the files of `src/db/migrations`. */
  migrations?: readonly Migration[];
  /** How long to wait for another node that is migrating; default 120,000. */
  waitMs?: number;
}

/** DDL waits only 1 s for a table's lock, so that settlements never queue behind it for longer; then it retries. */
const statementAttemptsMax = 30;

/**
 * Brings the schema up to date and returns the names of the migrations it ran. Several nodes may call it at once: one migrates,
 * the others wait. Migrations run in the order of their names; one that is later added between older ones still runs. Each
 * finished statement is recorded, so after a crash it resumes where it stopped.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { log } = options;
  const migrations = options.migrations ?? (await readMigrations());
  const lock = await openConnection(options.url, { session: { wait_timeout: 28_800, innodb_lock_wait_timeout: 1 } });
  const worker = await openConnection(options.url, { session: { wait_timeout: 28_800, lock_wait_timeout: 1 } });
  try {
    await createBookkeeping(worker);
    await takeLock(lock, log, options.waitMs ?? 120_000);
    const done = await readDone(worker);
    const pending = migrations.filter(({ name, statements }) => (done.get(name)?.finished ?? 0) < statements.length);
    for (const [index, migration] of pending.entries()) {
      log.info(`migration ${index + 1} of ${pending.length}: ${migration.name}`);
      await runMigration(migration, done.get(migration.name), worker, lock, log);
    }
    await lock.query('COMMIT');
    return pending.map(({ name }) => name);
  } finally {
    lock.destroy();
    worker.destroy();
  }
}

/** The migration files, in name order. Each exports `statements`. */
export async function readMigrations(folder = new URL('./migrations/', import.meta.url)): Promise<Migration[]> {
  const files = (await readdir(fileURLToPath(folder))).filter((file) => /^\d{4}-[a-z0-9-]+\.ts$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const module: unknown = await import(new URL(file, folder).href);
      if (typeof module !== 'object' || module === null || !('statements' in module) || !isTexts(module.statements))
        throw new Error(`The migration ${file} does not export "statements", a list of SQL texts.`);
      return { name: file.slice(0, -'.ts'.length), statements: module.statements };
    }),
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

interface Progress {
  started: number;
  finished: number;
}

async function createBookkeeping(connection: Connection): Promise<void> {
  await connection.query(`CREATE TABLE IF NOT EXISTS schema_migration (
    name VARBINARY(120) NOT NULL PRIMARY KEY,
    started INT NOT NULL,
    finished INT NOT NULL,
    updated_at DATETIME(6) NOT NULL
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`);
  await connection.query(
    'CREATE TABLE IF NOT EXISTS schema_lock (id INT NOT NULL PRIMARY KEY) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4',
  );
  try {
    await connection.query('INSERT INTO schema_lock (id) VALUES (1)');
  } catch (error) {
    if (errorNumber(error) !== 1062 && !isContention(error)) throw error;
  }
}

// A locked row rather than a named lock: it works on every server and ends with the connection.
async function takeLock(lock: Connection, log: Logger, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let told = false; ; told = true) {
    try {
      await lock.query('START TRANSACTION');
      await lock.query('SELECT id FROM schema_lock WHERE id = 1 FOR UPDATE');
      return;
    } catch (error) {
      await lock.query('ROLLBACK');
      if (!isContention(error)) throw error;
      if (performance.now() > deadline)
        throw new Error(
          `Another node has been migrating the database for ${Math.round(waitMs / 1000)} s. Is it stuck?`,
        );
      if (!told) log.info('another node migrates the database; waiting for it');
    }
  }
}

async function readDone(connection: Connection): Promise<Map<string, Progress>> {
  const [rows] = await connection.query<(RowDataPacket & Progress & { name: string })[]>(
    'SELECT name, started, finished FROM schema_migration',
  );
  return new Map(rows.map(({ name, started, finished }) => [name, { started, finished }]));
}

async function runMigration(
  migration: Migration,
  progress: Progress | undefined,
  worker: Connection,
  lock: Connection,
  log: Logger,
): Promise<void> {
  const { name, statements } = migration;
  if (!progress)
    await worker.query(
      'INSERT INTO schema_migration (name, started, finished, updated_at) VALUES (?, 0, 0, UTC_TIMESTAMP(6))',
      [name],
    );
  for (const [index, statement] of statements.entries()) {
    if (index < (progress?.finished ?? 0)) continue;
    // Checks that the lock is still ours: the connection that holds it may have been lost.
    await lock.query('SELECT 1');
    await record(worker, 'started', index + 1, name);
    await runStatement({ statement, repeated: index < (progress?.started ?? 0), name, worker, log });
    await record(worker, 'finished', index + 1, name);
  }
}

async function record(worker: Connection, column: 'started' | 'finished', count: number, name: string): Promise<void> {
  await worker.query(`UPDATE schema_migration SET ${column} = ?, updated_at = UTC_TIMESTAMP(6) WHERE name = ?`, [
    count,
    name,
  ]);
}

/** "Already done": the table, column, key, check or foreign key exists, or is already gone or renamed; the row exists. */
const alreadySo = new Set([1050, 1054, 1060, 1061, 1062, 1091, 1826, 3822, 3940]);

async function runStatement(step: {
  statement: string;
  /** It was started before with unknown outcome, so its effect may already be there. */
  repeated: boolean;
  name: string;
  worker: Connection;
  log: Logger;
}): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await step.worker.query(step.statement);
      return;
    } catch (error) {
      if (step.repeated && alreadySo.has(errorNumber(error) ?? 0)) return;
      if (attempt >= statementAttemptsMax || !isContention(error))
        throw new Error(`The migration ${step.name} failed.`, { cause: error });
      if (attempt === 1) step.log.info(`${step.name} waits for a table that is in use`);
      await sleep(Math.random() * 1_000);
    }
  }
}
