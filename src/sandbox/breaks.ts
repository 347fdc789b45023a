import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Failure, invalid } from '../base/failure.ts';
import { senderOf, type Waiting } from './queue.ts';

/** Who broke processes, with what, and whose code has run without doing so. All of it is bounded and forgotten after a while. */
export interface Breaks {
  /** A job has ended its process, for this reason. */
  broke(job: Waiting, failure: Failure): void;
  /** A job has been done: its code is proven. */
  done(job: Waiting): void;
  /**
   * Whether code of whoever sent a job broke a process lately. When that holds for several users of an owner, all of its users
   * are suspects: they may be one.
   */
  isSuspect(job: Waiting): boolean;
  /** Whether a job may break its process, as far as known: its code has not run before, and it takes long or its sender is a suspect. */
  isUnproven(job: Waiting): boolean;
  /** Whether a job's code has run before without breaking anything, and is not from a suspect. */
  isTrusted(job: Waiting): boolean;
  /** Why a job is not tried: code of whoever sent it broke several processes lately, and this code is new or one of them. */
  barred(job: Waiting): Failure | undefined;
  /** Why a job is not tried: that, or it broke a process itself. Reads the whole job if one of its owner's broke one lately. */
  refusal(job: Waiting): Failure | undefined;
}

/** After so many breaks by schemas and workflows, each while the one before still counts, their sender's new ones are refused without being tried. */
const breaksMax = 3;
const suspectsMax = 10_000;
/** So many suspects among an owner's users make all of its users suspects. */
const suspectUsersMax = 2;
const jobsMax = 10_000;
const provenMax = 10_000;

/** `suspectMs`: how long breaks count after the last one. */
export function createBreaks(suspectMs: number): Breaks {
  /** By sender: its owner's other users, and the owner itself, do not wait for what one user does. */
  const suspects = new LRUCache<string, true>({ max: suspectsMax, ttl: suspectMs });
  /** By owner: how many of its users have become suspects, each within that time of the one before. */
  const suspectUsers = new LRUCache<string, number>({ max: suspectsMax, ttl: suspectMs });
  const owners = new LRUCache<string, true>({ max: suspectsMax, ttl: suspectMs });
  /** How many counted jobs of a sender broke their processes. One user's do not count for the owner's others. */
  const breaks = new LRUCache<string, number>({ max: suspectsMax, ttl: suspectMs });
  const broken = new LRUCache<string, string>({ max: jobsMax, ttl: suspectMs });
  const proven = new LRUCache<string, true>({ max: provenMax });

  const isSuspect = (job: Waiting) =>
    suspects.has(senderOf(job)) || (job.user !== undefined && (suspectUsers.get(job.owner) ?? 0) >= suspectUsersMax);
  const isProven = (job: Waiting) => job.key !== undefined && proven.has(nameOf(job, job.key));

  function barred(job: Waiting): Failure | undefined {
    const count = breaks.get(senderOf(job)) ?? 0;
    if (count < breaksMax || !isCounted(job) || isProven(job)) return undefined;
    const problem = `is not tried now: what you sent took too much time or memory ${count} times; wait a minute`;
    return invalid(job.field, problem);
  }

  return {
    broke(job, failure) {
      const [violation] = failure.kind === 'invalid_argument' ? failure.violations : [];
      // Anything else is the machine's fault: it did not get to the job.
      if (!violation) return;
      owners.set(job.owner, true);
      if (job.user !== undefined && !suspects.has(senderOf(job)))
        suspectUsers.set(job.owner, (suspectUsers.get(job.owner) ?? 0) + 1);
      suspects.set(senderOf(job), true);
      if (isCounted(job)) breaks.set(senderOf(job), (breaks.get(senderOf(job)) ?? 0) + 1);
      broken.set(digestOf(job), violation.description);
      if (job.key !== undefined) proven.delete(nameOf(job, job.key));
    },
    done(job) {
      // A schema that only compiled has not been checked against anything yet.
      if (job.job.kind === 'schema' && job.job.text === undefined) return;
      if (job.key !== undefined) proven.set(nameOf(job, job.key), true);
    },
    isSuspect,
    isTrusted: (job) => isProven(job) && !isSuspect(job),
    isUnproven: (job) => job.job.kind !== 'tokens' && !isProven(job) && (isLong(job) || isSuspect(job)),
    barred,
    refusal(job) {
      // Only then is the digest worth it.
      if (!owners.has(job.owner) || job.job.kind === 'tokens') return undefined;
      const problem = broken.get(digestOf(job));
      return problem === undefined ? barred(job) : invalid(job.field, problem);
    },
  };
}

/** Whether a job has the longer time, so that a break costs the most. Others are only done one at a time for a suspect. */
function isLong({ job: { kind } }: Waiting): boolean {
  return kind === 'schema' || kind === 'custom';
}

/** Whether its breaks count against its sender: those of an end user's checks and patterns do, too, so that it can't hold up the owner's others. */
function isCounted(job: Waiting): boolean {
  return isLong(job) || (job.user !== undefined && job.job.kind !== 'tokens');
}

function nameOf({ owner }: Waiting, key: string): string {
  return `${owner} ${key}`;
}

/** The same owner's same job: the code, and what it was run on. */
function digestOf({ owner, job }: Waiting): string {
  return createHash('sha256').update(owner).update('\n').update(JSON.stringify(job)).digest('base64');
}
