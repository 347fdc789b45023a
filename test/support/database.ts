import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import {
  connectDatabase,
  type Database,
  openConnection,
  type PrivateServer,
  startPrivateServer,
  withDatabase,
} from '../../src/db/index.ts';

/** A server that suites run on: the run's private one first, then those of TEST_DATABASE_URLS. */
export interface TestServer {
  /** For titles: `MariaDB 10.11`, `MySQL 9.7`. */
  name: string;
  /** Names an empty database that nobody uses. */
  url: string;
  /** Names of this run's databases begin with it. */
  prefix: string;
  /** The whole schema with the rows that migrations insert, in order. */
  schema: string[];
}

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServers: TestServer[];
  }
}

export const silent = pino({ level: 'silent' });

export const testServers: readonly TestServer[] = inject('databaseServers');

/** Declares the suite once for each server. */
export function eachServer(suite: (server: TestServer) => void): void {
  for (const server of testServers) describe(`on ${server.name}`, () => suite(server));
}

/** The run's private server, for suites where one server is enough. */
export function firstServer(): TestServer {
  const [server] = testServers;
  if (!server) throw new Error('The run has no database server.');
  return server;
}

export interface TestDatabase {
  url: string;
  database: Database;
  /** Closes the connections and drops it. */
  drop(): Promise<void>;
}

/** A separate database with the whole schema and nothing in it. */
export async function freshDatabase(server: TestServer, options: { poolMax?: number } = {}): Promise<TestDatabase> {
  const name = `${server.prefix}${randomBytes(6).toString('hex')}`;
  await runOnce(server.url, [`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`]);
  const url = withDatabase(server.url, name);
  await runOnce(url, server.schema);
  const database = connectDatabase({ url, log: silent, ...options });
  return {
    url,
    database,
    drop: async () => {
      await database.close();
      await runOnce(server.url, [`DROP DATABASE ${name}`]);
    },
  };
}

/** A fresh database for the suite around it, dropped after it. Use the result inside tests and later hooks only. */
export function useDatabase(server: TestServer, options: { poolMax?: number } = {}): () => TestDatabase {
  let fresh: TestDatabase | undefined;
  beforeAll(async () => {
    fresh = await freshDatabase(server, options);
  });
  afterAll(async () => {
    await fresh?.drop();
  });
  return () => {
    if (!fresh) throw new Error('The database is there from beforeAll to afterAll.');
    return fresh;
  };
}

/** The test's own private server, which it may `kill()` and `start()` again. `remove` stops it and deletes its folder. */
export async function startOwnServer(): Promise<PrivateServer & { remove(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'own-db-'));
  const server = await startPrivateServer({ folder, log: silent, restart: false });
  return {
    ...server,
    remove: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs statements on a one-off connection, with foreign keys unchecked so that tables can come in any order. */
export async function runOnce(url: string, statements: readonly string[]): Promise<void> {
  const connection = await openConnection(url, { multipleStatements: true, session: { lock_wait_timeout: 30 } });
  try {
    await connection.query('SET SESSION foreign_key_checks = 0');
    if (statements.length > 0) await connection.query(statements.join(';\n'));
  } finally {
    await connection.end();
  }
}
