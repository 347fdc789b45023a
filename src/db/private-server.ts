import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openConnection } from './connection.ts';
import { lockFolder, processCommand, processStart } from './folder-lock.ts';
import {
  findServerProgram,
  initialiseData,
  NoServerProgramError,
  type ServerProgram,
  serverOptions,
} from './server-program.ts';

/** A database server of our own, reachable by this user alone. */
export interface PrivateServer {
  /** URL of a database on it; the database is made when it is missing. */
  readonly url: string;
  readonly program: ServerProgram;
  /** Process id of the server, or undefined while it is down. */
  pid(): number | undefined;
  /** Ends the server as a power cut would (SIGKILL), for tests of recovery. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
  /** Stops it cleanly and gives the folder back. */
  close(): Promise<void>;
}

export interface PrivateServerOptions {
  /** The server's own folder; made with mode 0700 when missing. Everything it writes is inside. */
  folder: string;
  log: Logger;
  /** Name of the database; default `intelligence`. */
  database?: string;
  /** Start the server again when it dies by itself; default true. */
  restart?: boolean;
  program?: ServerProgram;
}

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
/** Deaths in a row after which the server is left alone; a start that lasted a minute begins a new row. */
const restartsMax = 5;

/**
 * Starts a private MariaDB or MySQL and waits until it answers: well under 3 s, the first time too. It listens on a
 * socket only. It ends with this process, also when this process is killed; what a killed process left behind is
 * stopped at the next start. Fails when there is no server program, or when another process uses the folder.
 */
export async function startPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder);
  try {
    return await startInFolder(folder, unlock, options);
  } catch (error) {
    unlock();
    throw error;
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
  let wrapper: ChildProcess | undefined;
  let wanted = true;
  let deaths = 0;

  const start = async () => {
    wanted = true;
    await stopLeftOver(paths, log);
    rmSync(paths.pid, { force: true });
    rmSync(paths.socket, { force: true });
    rmSync(`${paths.socket}.lock`, { force: true });
    const child = spawnWithWatch(program, serverOptions(program, paths), paths.log);
    wrapper = child;
    const startedAt = performance.now();
    await waitUntilReady(child, serverUrl, paths.log);
    child.once('exit', () => {
      if (!wanted || wrapper !== child || options.restart === false) return;
      deaths = performance.now() - startedAt > 60_000 ? 1 : deaths + 1;
      void revive();
    });
  };
  const revive = async () => {
    if (deaths > restartsMax) return log.error(`the private database keeps ending; see ${paths.log}`);
    log.warn(`the private database ended; starting it again (${deaths} of ${restartsMax})`);
    await sleep(100 * 2 ** deaths);
    if (!wanted) return;
    await start().catch((error) => {
      log.error({ err: error }, 'the private database did not start again');
      deaths += 1;
      void revive();
    });
  };
  const stop = async () => {
    wanted = false;
    if (wrapper) await stopWrapper(wrapper, () => readPid(paths));
    await stopLeftOver(paths, log);
  };

  try {
    await start();
    await createDatabase(serverUrl, database);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: serverUrl.replace('/?', `/${database}?`),
    program,
    pid: () => readPid(paths),
    kill: async () => {
      wanted = false;
      const pid = readPid(paths);
      if (pid) process.kill(pid, 'SIGKILL');
      if (wrapper) await exited(wrapper, stopTimeoutMs);
    },
    start,
    close: async () => {
      await stop();
      if (paths.socket !== join(folder, 'server.sock'))
        rmSync(join(paths.socket, '..'), { recursive: true, force: true });
      unlock();
    },
  };
}

// A data folder belongs to the kind of server that made it.
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

/** Bytes of a socket's path that every system accepts (Linux takes 107, macOS 103). */
const socketPathMax = 103;

// A deep folder gets its socket in the folder for temporary files instead, in a folder that only this user may enter.
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

// The shell outlives us only to notice that we are gone: our end of the pipe closes however we end, and it asks the
// server to stop. In a session of its own, so that Ctrl-C reaches us first and the server stops after our last query.
const watch = `
"$@" </dev/null 3<&- &
server=$!
{ read _ <&3; kill -TERM $server; } 2>/dev/null &
watcher=$!
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code`;

function spawnWithWatch(program: ServerProgram, options: string[], logPath: string): ChildProcess {
  const log = openSync(logPath, 'a', 0o600);
  return spawn('/bin/sh', ['-c', watch, 'sh', program.path, ...options], {
    stdio: ['ignore', log, log, 'pipe'],
    detached: true,
  });
}

async function waitUntilReady(child: ChildProcess, url: string, logPath: string): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(failureToStart(logPath));
    try {
      const connection = await openConnection(url);
      await connection.end();
      return;
    } catch {
      await sleep(20);
    }
  }
  throw new Error(failureToStart(logPath));
}

function failureToStart(logPath: string): string {
  const lines = existsSync(logPath) ? readFileSync(logPath, 'utf8').trim().split('\n') : [];
  const errors = lines.filter((line) => /error/i.test(line));
  const words = (errors.length > 0 ? errors : lines).slice(-5).join('\n');
  return `The private database did not start. Its log ${logPath} says:\n${words}`;
}

async function createDatabase(url: string, name: string): Promise<void> {
  const connection = await openConnection(url);
  try {
    await connection.query(`CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  } finally {
    await connection.end();
  }
}

interface ServerPaths {
  data: string;
  pid: string;
}

/** The server's process, if it is alive and truly the one of this folder. */
function readPid(paths: ServerPaths): number | undefined {
  if (!existsSync(paths.pid)) return undefined;
  const pid = Number.parseInt(readFileSync(paths.pid, 'utf8'), 10);
  if (!(pid > 0) || processStart(pid) === undefined) return undefined;
  return processCommand(pid)?.includes(`--datadir=${paths.data}`) ? pid : undefined;
}

// A process that was killed leaves its server for the moment that the server takes to stop, or longer when the shell
// that watches was killed too.
async function stopLeftOver(paths: ServerPaths, log: Logger): Promise<void> {
  const pid = readPid(paths);
  if (!pid) return;
  log.info('stopping a database process that was left over');
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + stopTimeoutMs;
  while (readPid(paths) === pid) {
    if (performance.now() > deadline) process.kill(pid, 'SIGKILL');
    if (performance.now() > deadline + 5_000)
      throw new Error(`The database process ${pid} does not end. End it by hand.`);
    await sleep(20);
  }
}

async function stopWrapper(child: ChildProcess, pid: () => number | undefined): Promise<void> {
  for (const stream of child.stdio) stream?.destroy();
  if (await exited(child, stopTimeoutMs)) return;
  const left = pid();
  if (left) process.kill(left, 'SIGKILL');
  await exited(child, 5_000);
}

async function exited(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), timeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      done(true);
    });
  });
}
