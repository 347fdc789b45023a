import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openConnection } from './connection.ts';
import { processCommand, processStart } from './folder-lock.ts';
import type { ServerProgram } from './server-program.ts';

/** Where a private server keeps its files. */
export interface ServerPaths {
  data: string;
  socket: string;
  pid: string;
  log: string;
}

const startTimeoutMs = 60_000;
export const stopTimeoutMs = 30_000;

// The shell outlives us only to notice that we are gone: our end of the pipe closes however we end, and it asks the server to
// stop, more than once because a server that is still starting ignores it. It has its own session, so that Ctrl-C reaches us
// first and the server stops after our last query.
const watch = `
"$@" </dev/null 3<&- &
server=$!
{ read _ <&3; while kill -TERM $server; do sleep 3 & nap=$!; trap 'kill $nap; exit' TERM; wait $nap; done; } 2>/dev/null &
watcher=$!
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code`;

/** Starts the server under a shell that stops it once this process is gone. */
export function spawnWithWatch(program: ServerProgram, options: string[], logPath: string): ChildProcess {
  const log = openSync(logPath, 'a', 0o600);
  try {
    return spawn('/bin/sh', ['-c', watch, 'sh', program.path, ...options], {
      stdio: ['ignore', log, log, 'pipe'],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

/** Resolves when the server accepts a login; fails with the end of its log if it exits or takes too long. */
export async function waitUntilReady(child: ChildProcess, url: string, logPath: string): Promise<void> {
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

/** The server's process id, if it is alive and really belongs to this folder. */
export function readPid(paths: ServerPaths): number | undefined {
  let text: string;
  try {
    text = readFileSync(paths.pid, 'utf8');
  } catch {
    return undefined;
  }
  const pid = Number.parseInt(text, 10);
  if (!(pid > 0) || processStart(pid) === undefined) return undefined;
  return processCommand(pid)?.includes(`--datadir=${paths.data}`) ? pid : undefined;
}

/** Stops an unwatched server of this folder: one whose owner was just killed, or whose watching shell was killed too. */
export async function stopLeftOver(paths: ServerPaths, log: Logger): Promise<void> {
  const pid = readPid(paths);
  if (!pid) return;
  log.info('stopping a database process that was left over');
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + stopTimeoutMs;
  for (let checks = 1; readPid(paths) === pid; checks++) {
    // A server that is still starting ignores the first signal.
    if (checks % 150 === 0) process.kill(pid, 'SIGTERM');
    if (performance.now() > deadline) process.kill(pid, 'SIGKILL');
    if (performance.now() > deadline + 5_000)
      throw new Error(`The database process ${pid} does not end. End it by hand.`);
    await sleep(20);
  }
}

/** Closes our end of the pipe, so that the shell stops the server, and waits for both. */
export async function stopWatched(child: ChildProcess): Promise<void> {
  for (const stream of child.stdio) stream?.destroy();
  await exited(child, stopTimeoutMs);
}

/** Whether the process ended within the time. */
export async function exited(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), timeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      done(true);
    });
  });
}
