import { createCredentialChanges } from '../db/credential-changes.ts';
import { migrate } from '../db/index.ts';
import { openDatabase } from '../open-database.ts';
import { createSandbox } from '../sandbox/index.ts';
import type { Opening } from './opening.ts';

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** What all rooms stand on: the processes for callers' code, the database, brought up to date, and the news in it. */
export async function openFoundation({ config, log, clock, progress, sandboxWaitMs, stack }: Opening) {
  // First of all, so that its first child process is ready by the time the database is.
  const sandbox = stack.use(
    createSandbox({ log, settings: sandboxWaitMs === undefined ? {} : { waitMs: sandboxWaitMs } }),
  );
  const { db } = stack.use(await openDatabase(config, { log, progress }));
  progress('bringing the database up to date');
  await migrate({ url: db.url, log });

  const changes = createCredentialChanges({
    db,
    clock,
    onError: (error) => log.warn({ err: error }, 'changes of credentials could not be read'),
  });
  await changes.start();
  stack.use(changes);
  return { sandbox, db, changes };
}
