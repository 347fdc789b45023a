import type { Logger } from 'pino';
import type { Database } from '../db/index.ts';
import type { OpenedDatabase } from '../open-database.ts';
import { createRoomStack, type RoomStack } from '../rooms/stack.ts';

/**
 * Opens the database, and over it what a command needs; `close` closes both. If something cannot be opened, what was open before
 * it is closed again: it would keep the process alive.
 */
export async function openOver<Opened extends object>(
  openDatabase: () => Promise<OpenedDatabase>,
  log: Logger,
  open: (db: Database, stack: RoomStack) => Opened | Promise<Opened>,
): Promise<Opened & { close(): Promise<void> }> {
  const stack = createRoomStack(log);
  const { db } = stack.use(await openDatabase());
  try {
    return { ...(await open(db, stack)), close: stack.close };
  } catch (error) {
    await stack.close();
    throw error;
  }
}
