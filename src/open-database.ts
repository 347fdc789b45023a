import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config/index.ts';
import {
  checkServer,
  connectDatabase,
  type Database,
  FolderInUseError,
  privateServerUrl,
  startPrivateServer,
} from './db/index.ts';

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
  const db = connectDatabase({ url, log });
  const close = async () => {
    await db.close();
    await closeServer?.();
  };
  try {
    await checkServer(db);
    return { db, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function privateFolder(dataDir: string): string {
  return join(dataDir, 'database');
}
