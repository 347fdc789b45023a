import type { Failure, Result } from '../base/failure.ts';
import type { Answers, JobKind, Jobs } from './job.ts';

/** Runs what callers wrote (schemas, expressions, patterns) in separate processes, which can be killed. */
export interface Sandbox {
  /**
   * Does one job for an owner (an account). Fails with `invalid_argument` on `field`, or a path below it, if the job is
   * refused, or uses more CPU time than allowed or more memory than a child has; with `overloaded` if too many jobs are
   * waiting, one waits too long, or the machine does not get to it; and with `cancelled` if `signal` is aborted while it waits.
   * An owner never has all children, counting those that its jobs broke until they are replaced, and code that has not run
   * before never has all of them either. For a minute after a job broke one, its sender (the owner, or the user) has only one, all such
   * senders together one for unproven code, and the same job is refused at once; after three breaks by schemas and workflows, so are new
   * ones of the same sender. Owners take turns, and so do their users. So an owner cannot block others, and one of its users cannot stop
   * the others.
   */
  run<Kind extends JobKind>(
    owner: string,
    kind: Kind,
    job: Jobs[Kind],
    terms: JobTerms,
  ): Promise<Result<Answers[Kind]>>;
  /** Why `run` would refuse the job at once, because of what its owner's code has done; undefined if it would not. */
  refusal<Kind extends JobKind>(
    owner: string,
    kind: Kind,
    job: Jobs[Kind],
    terms: Pick<JobTerms, 'field' | 'key' | 'user'>,
  ): Failure | undefined;
  /** Ends all children; waiting and running jobs fail as `overloaded`. */
  close(): Promise<void>;
}

export interface JobTerms {
  /** The caller's name for what the job is about. */
  field: string;
  /** Which of the owner's end users sent it; undefined: the owner itself. */
  user?: string | undefined;
  /** How long it may wait for a child, if not as long as the settings say. */
  waitMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Permanently identifies the code. Jobs with the same key go to the same child if possible, since it caches what they need. */
  key?: string | undefined;
}

export interface SandboxSettings {
  /** How many jobs run at once, each in its own process; at least 2. */
  processes: number;
  /** The CPU time that one job may use; four times as much for one that compiles a schema, counts tokens or runs a custom workflow. */
  jobMs: number;
  /** How many jobs may wait, in total and per owner, and for how long. */
  queueMax: number;
  queuePerOwnerMax: number;
  waitMs: number;
  /** How long breaks count after the last one: each costs a second to run and as much to replace the process. */
  suspectMs: number;
  /** The memory that a job may use in addition to its process' initial memory. */
  memoryMb: number;
}

export const sandboxDefaults: SandboxSettings = {
  processes: 3,
  jobMs: 250,
  queueMax: 512,
  queuePerOwnerMax: 128,
  waitMs: 5000,
  suspectMs: 60_000,
  memoryMb: 128,
};
