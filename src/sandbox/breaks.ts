import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Failure, invalid } from '../base/failure.ts';
import type { Waiting } from './queue.ts';

/** Who broke processes, with what, and whose code has run without doing so. All of it is bounded and forgotten after a while. */
export interface Breaks {
  /** A job has ended its process, for this reason. */
  broke(job: Waiting, failure: Failure): void;
  /** A job has been done: its code is proven. */
  done(job: Waiting): void;
  /** Whether an owner's code broke a process in the last minute. */
  isSuspect(owner: string): boolean;
  /** Whether a job may break its process, as far as known: its code has not run before, or its owner is a suspect. */
  isUnproven(job: Waiting): boolean;
  /** Why a job is not tried: its owner's code broke several processes in the last minute, and this code is new or one of them. */
  barred(job: Waiting): Failure | undefined;
  /** Why a job is not tried: that, or it broke a process itself. Reads the whole job if its owner is a suspect. */
  refusal(job: Waiting): Failure | undefined;
}

/** How long breaks count after the last one: each costs a second to run and as much to replace the process. */
const suspectMs = 60_000;
/** After so many breaks by schemas and workflows, each within that time of the one before, an owner's new schemas and workflows are refused without being tried. */
const breaksMax = 3;
const suspectsMax = 10_000;
const jobsMax = 10_000;
const provenMax = 10_000;

export function createBreaks(): Breaks {
  /** How many of an owner's long jobs broke their processes; 0 if only others did. */
  const breaks = new LRUCache<string, number>({ max: suspectsMax, ttl: suspectMs });
  const broken = new LRUCache<string, string>({ max: jobsMax, ttl: suspectMs });
  const proven = new LRUCache<string, true>({ max: provenMax });

  const isProven = (job: Waiting) => job.key !== undefined && proven.has(nameOf(job, job.key));

  function barred(job: Waiting): Failure | undefined {
    const count = breaks.get(job.owner) ?? 0;
    if (count < breaksMax || !isLong(job) || isProven(job)) return undefined;
    const problem = `is not tried now: code of this account took too much time or memory ${count} times; wait a minute`;
    return invalid(job.field, problem);
  }

  return {
    broke(job, failure) {
      const [violation] = failure.kind === 'invalid_argument' ? failure.violations : [];
      // Anything else is the machine's fault: it did not get to the job.
      if (!violation) return;
      breaks.set(job.owner, (breaks.get(job.owner) ?? 0) + (isLong(job) ? 1 : 0));
      broken.set(digestOf(job), violation.description);
      if (job.key !== undefined) proven.delete(nameOf(job, job.key));
    },
    done(job) {
      // A schema that only compiled has not been checked against anything yet.
      if (job.job.kind === 'schema' && job.job.text === undefined) return;
      if (job.key !== undefined) proven.set(nameOf(job, job.key), true);
    },
    isSuspect: (owner) => breaks.has(owner),
    isUnproven: (job) => job.job.kind !== 'tokens' && !isProven(job) && (isLong(job) || breaks.has(job.owner)),
    barred,
    refusal(job) {
      // Only what suspects send is worth the digest.
      if (!breaks.has(job.owner) || job.job.kind === 'tokens') return undefined;
      const problem = broken.get(digestOf(job));
      return problem === undefined ? barred(job) : invalid(job.field, problem);
    },
  };
}

/** Whether a job has the longer time, so that a break costs the most. Others are only done one at a time for a suspect. */
function isLong({ job: { kind } }: Waiting): boolean {
  return kind === 'schema' || kind === 'custom';
}

function nameOf({ owner }: Waiting, key: string): string {
  return `${owner} ${key}`;
}

/** The same owner's same job: the code, and what it was run on. */
function digestOf({ owner, job }: Waiting): string {
  return createHash('sha256').update(owner).update('\n').update(JSON.stringify(job)).digest('base64');
}
