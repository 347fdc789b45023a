import { readdirSync, readFileSync } from 'node:fs';

/** The processes for code of callers that a process has started, by what the system knows of them (Linux). */
export function sandboxProcesses(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent && read(pid, 'cmdline').includes('sandbox/child/main.ts'));
}

/** What /proc says of a process; empty when it is gone. */
export function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a process runs; one that has ended and is not yet waited for does not. */
export function isRunning(pid: number): boolean {
  return /State:\s+[^ZX\s]/.test(read(pid, 'status'));
}

function parentOf(pid: number): number {
  return Number(/PPid:\s+(\d+)/.exec(read(pid, 'status'))?.[1]);
}
