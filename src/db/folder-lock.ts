import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Another live process is using the folder. */
export class FolderInUseError extends Error {
  constructor(folder: string, pid: number) {
    super(`The folder ${folder} is in use by process ${pid}. Stop that process, or use another folder.`);
    this.name = 'FolderInUseError';
  }
}

/**
 * Locks the folder for this process; returns the function that releases it. A lock whose process is gone is replaced: the lock
 * records the process id and start time, because process ids are reused.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock');
  const mine = join(folder, `lock.${process.pid}`);
  const text = `${process.pid} ${processStart(process.pid) ?? ''}`;
  writeFileSync(mine, text, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        linkSync(mine, path);
        return () => {
          if (readLock(path)?.text === text) rmSync(path, { force: true });
        };
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
      const other = readLock(path);
      if (other && isAlive(other)) throw new FolderInUseError(folder, other.pid);
      removeStale(path, mine, other?.text);
    }
    throw new Error(`The lock ${path} can not be taken. Remove it when no process uses the folder.`);
  } finally {
    rmSync(mine, { force: true });
  }
}

interface LockOwner {
  text: string;
  pid: number;
  start: string;
}

function readLock(path: string): LockOwner | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    const [pid = '', ...start] = text.split(' ');
    return { text, pid: Number.parseInt(pid, 10) || 0, start: start.join(' ') };
  } catch {
    return undefined;
  }
}

function isAlive(owner: LockOwner): boolean {
  const start = owner.pid > 0 ? processStart(owner.pid) : undefined;
  return start !== undefined && start === owner.start;
}

// Two processes may find the same stale lock. Each renames it away; the one that got a newer lock puts it back.
function removeStale(path: string, mine: string, staleText: string | undefined): void {
  const removed = `${mine}.stale`;
  try {
    renameSync(path, removed);
    if (readLock(removed)?.text !== staleText) linkSync(removed, path);
  } catch {
    // Another process was quicker; the next attempt sees what is there now.
  } finally {
    rmSync(removed, { force: true });
  }
}

/** When a process started, in the system's own format; undefined if there is no such process. */
export function processStart(pid: number): string | undefined {
  try {
    // The 20th field after the name, which is in parentheses and may contain anything (proc(5): starttime is field 22).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch (error) {
    if (process.platform === 'linux' && error instanceof Error) return undefined;
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The command line of a process, or undefined if there is none. */
export function processCommand(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}
