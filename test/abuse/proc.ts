/** What /proc says about processes and the machine. On systems other than Linux it says nothing, and everything is 0. */
import { readdirSync, readFileSync } from 'node:fs';

const pageBytes = 4_096;

/** Resident memory of a process, plus what its descendants do not share. */
export function memoryOf(pid: number): number {
  const [resident = 0] = pages(pid);
  let bytes = resident;
  for (const child of descendantsOf(pid)) {
    const [own = 0, shared = 0] = pages(child);
    bytes += own - shared;
  }
  return bytes;
}

/** Processor time so far, in system ticks. */
export interface Ticks {
  /** All processors together, idle or not. */
  all: number;
  /** What processes, the system and, on a virtual machine, its host have used. */
  used: number;
  /** The part used by this process and everything that it has started. */
  own: number;
}

export function ticks(): Ticks {
  const [line = ''] = (read('/proc/stat') ?? '').split('\n', 1);
  // user nice system idle iowait irq softirq steal
  const times = line.split(/\s+/).slice(1, 9).map(Number);
  const all = times.reduce((sum, time) => sum + time, 0);
  const own = [process.pid, ...descendantsOf(process.pid)].reduce((sum, pid) => sum + ticksOf(pid), 0);
  return { all, used: all - (times[3] ?? 0) - (times[4] ?? 0), own };
}

/** The share of the machine's processors that others used between two samples: 0 to 1. */
export function takenByOthers(before: Ticks, after: Ticks): number {
  const all = after.all - before.all;
  if (all <= 0) return 0;
  return Math.max(0, (after.used - before.used - (after.own - before.own)) / all);
}

/** Including children that have ended and were waited for. */
function ticksOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`) ?? '';
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
}

function pages(pid: number): number[] {
  const [, resident = 0, shared = 0] = (read(`/proc/${pid}/statm`) ?? '').split(' ').map(Number);
  return [resident * pageBytes, shared * pageBytes];
}

function descendantsOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
    );
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
