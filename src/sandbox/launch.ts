import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = fileURLToPath(new URL('./child/main.ts', import.meta.url));
/** The heap that a child needs before it has done anything, with room for garbage collection. */
const heapAtStartMb = 128;
/** A child is normally replaced long before this; one that outlives its service in the middle of a job ends here. */
const cpuSecondsMax = 120;
export const cpuSecondsBeforeReplaced = 60;

/**
 * Starts a process for callers' code: it can read only the program's own source, cannot write, cannot start processes, workers
 * or addons, and has an empty environment. `main` is what it runs.
 */
export function launch(memoryMb: number, main: readonly string[] = [program]): ChildProcess {
  // Packages may be symlinked: both the link and its target must be readable.
  const packages = `${root}node_modules`;
  const readable = [`${root}src/`, `${packages}/`, `${realpathSync(packages)}/`, `${root}package.json`];
  const flags = [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapAtStartMb + memoryMb}`,
    '--max-semi-space-size=8',
    '--no-addons',
    '--no-global-search-paths',
    '--disable-warning=ExperimentalWarning',
  ];
  const started = spawn(process.execPath, [...flags, ...main], { cwd: root, env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  yieldToService(started.pid);
  return started;
}

/** Lower priority than the service, whatever that has, because it must answer everybody. */
const nicerBy = 5;

function yieldToService(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(getPriority() + nicerBy, constants.priority.PRIORITY_LOW));
  } catch {
    // It has already ended, or the system does not allow this: then it runs at the service's priority.
  }
}

/**
 * Has the system limit a process that is ready (Linux, `prlimit` from util-linux): at most this much additional memory, no
 * further files, sockets or pipes, no writing, no core file. False if the system can't.
 */
export async function limit(pid: number, memoryMb: number): Promise<boolean> {
  try {
    const [, dataKb] = /VmData:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
    if (dataKb === undefined) return false;
    // Not the address space: V8 reserves far more of that than it uses. `data` is the writable part.
    const limits = {
      data: (Number(dataKb) + memoryMb * 1024) * 1024,
      nofile: 0,
      fsize: 0,
      core: 0,
      cpu: cpuSecondsMax,
    };
    const flags = Object.entries(limits).map(([name, value]) => `--${name}=${value}:${value}`);
    await promisify(execFile)('prlimit', ['--pid', String(pid), ...flags], { env: {}, timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

/** A process' CPU time so far, in milliseconds, to within 10 ms; undefined if the system does not report it. */
export async function cpuMsOf(pid: number): Promise<number | undefined> {
  const fields = await statOf(pid, 'stat');
  // The name, in parentheses, may contain blanks. What follows it begins with the third field; the times are the 14th and 15th.
  const [user, system] =
    fields
      ?.slice(fields.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number) ?? [];
  return user === undefined || system === undefined ? undefined : (user + system) * 10;
}

/** A process' resident memory in MB; undefined if the system does not report it. */
export async function residentMbOf(pid: number): Promise<number | undefined> {
  const [, kb] = /VmRSS:\s+(\d+) kB/.exec((await statOf(pid, 'status')) ?? '') ?? [];
  return kb === undefined ? undefined : Number(kb) / 1024;
}

async function statOf(pid: number, file: 'stat' | 'status'): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
