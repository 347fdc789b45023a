import type { Turn } from './watch.ts';

/** What an attack did to the service, and the baseline before it. */
export interface Measured {
  /** The attack's answers, by status. */
  answers: Record<string, number>;
  /** The expected statuses. */
  right: readonly string[];
  /** How the process ended; undefined while it is alive. */
  ended: string | undefined;
  /** Undefined: it did not answer in time. */
  longest: Turn | undefined;
  /** Resident memory of the service's process before the attack, and after it has settled. */
  residentBytes: { before: number; after: number };
  calmLatenciesMs: readonly number[];
  latenciesMs: readonly number[];
  /** The good caller's requests that were not answered with 200. */
  failures: Record<string, number>;
  /** What the attack itself found wrong at the end. */
  found: readonly string[];
  /** The share of the machine's processors that other programs used during the attack or the baseline: 0 to 1. */
  takenByOthers: number;
}

export interface Bounds {
  stallMs: number;
  growthBytes: number;
  /** How many times slower the good caller's 99th percentile may become. */
  slower: number;
  /** When other programs use more of the machine than this, times are not judged. */
  othersMax: number;
  /** Below this the 99th percentile is fine, whatever the baseline was. */
  latencyFloorMs: number;
  /** A turn that computes for this long is not caused by a busy machine. */
  certainlyMs: number;
}

/**
 * The latency floor is that of a stall: callers do not notice less, and two processors that are busy with the attack, the database and the
 * service give a thread its turn only after some 10 ms.
 */
export const bounds: Bounds = {
  stallMs: 50,
  growthBytes: 200_000_000,
  slower: 3,
  latencyFloorMs: 50,
  othersMax: 0.15,
  certainlyMs: 200,
};

/**
 * On a shared machine, only turns as long as the known attacks caused are judged: seconds. The same work takes three
 * times the processor time there when its code and data are no longer in the processor's caches.
 */
export const sharedBounds: Bounds = { ...bounds, othersMax: -1, certainlyMs: 1_000 };

/** Shots without an answer in time; a busy machine can cause it. */
const unanswered = ['timeout', 'open'];
/** The good caller gave up waiting; a busy machine can cause it. */
const gaveUp = 'UND_ERR_HEADERS_TIMEOUT';

export interface Verdict {
  /** Wrong whatever the machine does. */
  problems: string[];
  /** Memory that stays: the allocator may keep what a first attack of its kind needed, so it is believed only if it grows again. */
  grown: string[];
  /** What a machine busy with other programs can cause as well: believed only when it happens again. */
  slow: string[];
  /** Times were too long, but were not judged because the machine was busy with other programs. */
  untimed: boolean;
  p99Ms: number;
  calmP99Ms: number;
}

export function judge(measured: Measured, limits: Bounds = bounds): Verdict {
  const { stallMs, growthBytes, slower, latencyFloorMs, othersMax, certainlyMs } = limits;
  const { answers, right, ended, longest, residentBytes, failures, found } = measured;
  const problems = [...found];
  const slow: string[] = [];
  if (ended !== undefined) problems.push(`the service ${ended}`);
  else if (!longest) problems.push('the event loop stands still');
  else if (longest.cpuMs > stallMs)
    (longest.cpuMs > certainlyMs ? problems : slow).push(`a turn of ${ms(longest.cpuMs)} (at most ${stallMs} ms)`);
  const growth = residentBytes.after - residentBytes.before;
  const grown = growth > growthBytes ? [`memory grew by ${mb(growth)} (at most ${mb(growthBytes)})`] : [];
  const wrong = Object.entries(answers).filter(([status]) => !right.includes(status));
  // Connections break when the process ends; that is one problem, not two.
  if (ended === undefined)
    for (const [status, count] of wrong)
      (unanswered.includes(status) ? slow : problems).push(`${count} answers were ${status}, not ${right.join(', ')}`);
  if (Object.keys(answers).length === 0) problems.push('nothing was sent');
  for (const [outcome, count] of Object.entries(failures))
    (outcome === gaveUp ? slow : problems).push(`${count} requests of the good caller: ${outcome}`);
  const p99Ms = percentile(measured.latenciesMs, 0.99);
  const calmP99Ms = percentile(measured.calmLatenciesMs, 0.99);
  if (p99Ms > latencyFloorMs && p99Ms > slower * calmP99Ms)
    slow.push(`the good caller's p99 is ${ms(p99Ms)}, ${(p99Ms / calmP99Ms).toFixed(1)} times ${ms(calmP99Ms)}`);
  const untimed = slow.length > 0 && measured.takenByOthers > othersMax;
  return { problems, grown, slow: untimed ? [] : slow, untimed, p99Ms, calmP99Ms };
}

const triesMax = 3;

/** Whether the attack is to be repeated before the last of its verdicts is believed. */
export function mustRepeat(verdicts: readonly Verdict[], { timesCount }: { timesCount: boolean }): boolean {
  const [last, before] = verdicts.toReversed();
  if (!last || last.problems.length > 0) return false;
  if (last.grown.length > 0) return before === undefined || before.grown.length === 0;
  return timesCount && verdicts.length < triesMax && (last.slow.length > 0 || last.untimed);
}

/** The value that this share of the values does not exceed; 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
