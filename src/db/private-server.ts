import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openConnection } from './connection.ts';
import { FolderInUseError, lockFolder } from './folder-lock.ts';
import {
  exited,
  readPid,
  type ServerPaths,
  spawnWithWatch,
  stopLeftOver,
  stopTimeoutMs,
  stopWatched,
  waitUntilReady,
} from './server-process.ts';
import {
  findServerProgram,
  initialiseData,
  NoServerProgramError,
  type ServerProgram,
  serverOptions,
} from './server-program.ts';
import { withDatabase } from './url.ts';

/** Our own database server, reachable only by this user. */
export interface PrivateServer {
  /** URL of a database on it, which is created if missing. */
  readonly url: string;
  readonly program: ServerProgram;
  /** Process id of the server, or undefined while it is down. */
  pid(): number | undefined;
  /** Kills the server as a power cut would (SIGKILL), for recovery tests. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
  /** Stops it cleanly and releases the folder. */
  close(): Promise<void>;
}

export interface PrivateServerOptions {
  /** The server's own folder; created with mode 0700 if missing. Everything it writes is inside. */
  folder: string;
  log: Logger;
  /** Name of the database; default `intelligence`. */
  database?: string;
  /** Restart the server if it dies unexpectedly; default true. */
  restart?: boolean;
  program?: ServerProgram;
}

/** Consecutive deaths after which the server is not restarted; a run of at least a minute resets the count. */
const restartsMax = 5;

/**
 * Starts a private MariaDB or MySQL and waits until it answers: well under 3 s, the first time too. It listens on a socket only.
 * It ends with this process, even if this process is killed; anything a killed process left behind is stopped at the next start.
 * Fails if there is no server program, or if another process is using the folder.
 */
export async function startPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = await takeFolder(folder);
  try {
    return await startInFolder(folder, unlock, options);
  } catch (error) {
    unlock();
    throw error;
  }
}

// An owner that was just killed may still be exiting.
async function takeFolder(folder: string): Promise<() => void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return lockFolder(folder);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || attempt === 20) throw error;
      await sleep(50);
    }
  }
}

async function startInFolder(
  folder: string,
  unlock: () => void,
  options: PrivateServerOptions,
): Promise<PrivateServer> {
  const { log } = options;
  const database = options.database ?? 'intelligence';
  const paths = {
    data: join(folder, 'data'),
    socket: socketPath(folder),
    pid: join(folder, 'server.pid'),
    log: join(folder, 'server.log'),
  };
  const program = chooseProgram(folder, options.program);
  await stopLeftOver(paths, log);
  if (!existsSync(paths.data)) log.info(`making the database folder with ${program.path}`);
  initialiseData(program, paths.data, paths.log);
  writeFileSync(join(folder, 'kind'), program.kind, { mode: 0o600 });

  const serverUrl = `mysql://root@localhost/?socket=${encodeURIComponent(paths.socket)}`;
  const supervised = supervise({ program, paths, url: serverUrl, log, restart: options.restart ?? true });
  try {
    await supervised.start();
    await createDatabase(serverUrl, database);
  } catch (error) {
    await supervised.stop();
    throw error;
  }
  return {
    url: serverUrl.replace('/?', `/${database}?`),
    program,
    pid: () => readPid(paths),
    kill: supervised.kill,
    start: supervised.start,
    close: async () => {
      await supervised.stop();
      if (dirname(paths.socket) !== folder) rmSync(dirname(paths.socket), { recursive: true, force: true });
      unlock();
    },
  };
}

interface Supervised {
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

function supervise(options: {
  program: ServerProgram;
  paths: ServerPaths;
  url: string;
  log: Logger;
  restart: boolean;
}): Supervised {
  const { program, paths, url, log } = options;
  let child: ChildProcess | undefined;
  let wanted = false;
  let deaths = 0;
  let reviving = Promise.resolve();

  const launch = async () => {
    await stopLeftOver(paths, log);
    for (const stale of [paths.pid, paths.socket, `${paths.socket}.lock`]) rmSync(stale, { force: true });
    const launched = spawnWithWatch(program, serverOptions(program, paths), paths.log);
    child = launched;
    const startedAt = performance.now();
    await waitUntilReady(launched, url, paths.log);
    launched.once('exit', () => {
      if (!wanted || !options.restart) return;
      deaths = performance.now() - startedAt > 60_000 ? 1 : deaths + 1;
      reviving = revive();
    });
  };
  const revive = async () => {
    for (; wanted && deaths <= restartsMax; deaths++) {
      log.warn(`the private database ended; starting it again (${deaths} of ${restartsMax})`);
      await sleep(100 * 2 ** deaths);
      if (!wanted) return;
      try {
        return await launch();
      } catch (error) {
        log.error({ err: error }, 'the private database did not start again');
      }
    }
    if (wanted) log.error(`the private database keeps ending and is left alone; see ${paths.log}`);
  };
  return {
    start: () => {
      wanted = true;
      return launch();
    },
    stop: async () => {
      wanted = false;
      // A server that is still starting can be stopped cleanly only once it has started.
      await reviving;
      if (child) await stopWatched(child);
      await stopLeftOver(paths, log);
    },
    kill: async () => {
      wanted = false;
      await reviving;
      const pid = readPid(paths);
      if (pid) process.kill(pid, 'SIGKILL');
      if (child) await exited(child, stopTimeoutMs);
    },
  };
}

// A data folder belongs to the kind of server that created it.
function chooseProgram(folder: string, asked: ServerProgram | undefined): ServerProgram {
  const kindPath = join(folder, 'kind');
  const kind = existsSync(kindPath) ? readFileSync(kindPath, 'utf8').trim() : undefined;
  const wanted = kind === 'mariadb' || kind === 'mysql' ? kind : undefined;
  const program = asked ?? findServerProgram(undefined, wanted);
  if (program && (wanted === undefined || program.kind === wanted)) return program;
  if (wanted && findServerProgram())
    throw new Error(
      `The data in ${folder} was made by ${wanted}, and that server program is not on PATH any more. Install it again, or move the folder away to begin anew.`,
    );
  throw new NoServerProgramError();
}

/**
 * The URL of a database on the private server in `folder` that another process runs, for commands used alongside a running
 * service. The server answers as long as that process lives.
 */
export function privateServerUrl(folder: string, database = 'intelligence'): string {
  return withDatabase(`mysql://root@localhost/?socket=${encodeURIComponent(socketPath(resolve(folder)))}`, database);
}

/** Bytes of a socket's path that every system accepts (Linux takes 107, macOS 103). */
const socketPathMax = 103;

// A deeply nested folder gets its socket in the temporary directory instead, in a folder that only this user may enter.
function socketPath(folder: string): string {
  const path = join(folder, 'server.sock');
  if (Buffer.byteLength(path) + '.lock'.length <= socketPathMax) return path;
  const name = `intelligence-${process.getuid?.() ?? 0}-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  const short = [tmpdir(), '/tmp']
    .map((base) => join(base, name))
    .find((candidate) => Buffer.byteLength(candidate) < 80);
  if (!short) throw new Error(`The path ${folder} is too long for a socket. Use a folder with a shorter path.`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  const stat = lstatSync(short);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0)
    throw new Error(`The folder ${short} belongs to someone else or is open to others. Remove it.`);
  return join(short, 'server.sock');
}

async function createDatabase(url: string, name: string): Promise<void> {
  const connection = await openConnection(url);
  try {
    await connection.query(`CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  } finally {
    await connection.end();
  }
}
