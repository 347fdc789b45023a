import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config/index.ts';
import {
  checkServer,
  connectDatabase,
  type Database,
  DatabaseUnfitError,
  FolderInUseError,
  privateServerUrl,
  startPrivateServer,
} from './db/index.ts';

/** The database cannot be opened. The message says which, why and where to look, without its password. */
export class DatabaseUnopenedError extends Error {
  override readonly name = 'DatabaseUnopenedError';

  constructor(place: string, cause: unknown) {
    super(
      `The database${place} cannot be opened: ${reasonOf(cause)} Check DATABASE_URL, or database.url of the configuration.`,
      { cause },
    );
  }
}

/** The configured database, and how to close it. */
export interface OpenedDatabase {
  db: Database;
  close(): Promise<void>;
}

/**
 * Connects to the configured database, or starts the private server under `dataDir` and connects to it. Refuses a server that
 * could lose what it has acknowledged.
 */
export async function openDatabase(
  { database, dataDir }: Config,
  { log, progress }: { log: Logger; progress: (step: string) => void },
): Promise<OpenedDatabase> {
  if (database.url !== null) return connect(database.url, log);
  progress('starting a private database');
  const server = await startPrivateServer({ folder: privateFolder(dataDir), log });
  return connect(server.url, log, () => server.close());
}

/** The same, for commands: uses a running service's private server, and starts one only if none is running. */
export async function openDatabaseBeside(config: Config, log: Logger): Promise<OpenedDatabase> {
  try {
    return await openDatabase(config, { log, progress: () => {} });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    return connect(privateServerUrl(privateFolder(config.dataDir)), log);
  }
}

async function connect(url: string, log: Logger, closeServer?: () => Promise<void>): Promise<OpenedDatabase> {
  const db = connected(url, log);
  const close = async () => {
    await db.close();
    await closeServer?.();
  };
  try {
    await checkServer(db);
    return { db, close };
  } catch (error) {
    await close();
    throw error instanceof DatabaseUnfitError ? error : new DatabaseUnopenedError(` at ${placeOf(url)}`, error);
  }
}

function connected(url: string, log: Logger): Database {
  try {
    return connectDatabase({ url, log });
  } catch (error) {
    throw new DatabaseUnopenedError('', error);
  }
}

function placeOf(text: string): string {
  const { host, pathname, searchParams } = new URL(text);
  return `${searchParams.get('socket') ?? host}${pathname}`;
}

/** As a sentence. Where a name has several addresses, Node's error has a code and no message. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  return `${(message || code || String(cause)).replace(/\.$/, '')}.`;
}

function privateFolder(dataDir: string): string {
  return join(dataDir, 'database');
}
