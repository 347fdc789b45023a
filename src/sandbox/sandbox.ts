import type { Result } from '../base/failure.ts';
import type { Answers, JobKind, Jobs } from './job.ts';

/** Runs what callers wrote (schemas, expressions, patterns) in processes of its own, which can be ended. */
export interface Sandbox {
  /**
   * Does one job of an owner (an account). Fails with `invalid_argument` on `field`, or on a place below it, when the job is
   * refused, takes more processor time than it may or more memory than a child has; with `overloaded` when too many jobs
   * wait, one waits too long, or the machine does not get to it; and with `cancelled` when `signal` is aborted while it
   * waits. An owner never has all children, those counted that its jobs broke until they are replaced, and after that
   * only one for ten seconds, so it cannot keep others from theirs.
   */
  run<Kind extends JobKind>(
    owner: string,
    kind: Kind,
    job: Jobs[Kind],
    terms: JobTerms,
  ): Promise<Result<Answers[Kind]>>;
  /** Ends all children; what waits or runs is `overloaded`. */
  close(): Promise<void>;
}

export interface JobTerms {
  /** What the caller calls what the job is about. */
  field: string;
  /** How long it may wait for a child, if not as long as the settings say. */
  waitMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Jobs with the same key go to the same child where they can: it remembers what they need. */
  key?: string | undefined;
}

export interface SandboxSettings {
  /** How many jobs run at once, each in a process of its own; at least 2. */
  processes: number;
  /** How much processor time one job may take; one that compiles a schema or counts tokens four times as much. */
  jobMs: number;
  /** How many jobs may wait, of all owners and of one, and for how long. */
  queueMax: number;
  queuePerOwnerMax: number;
  waitMs: number;
  /** How much memory a job may take besides what its process has at first. */
  memoryMb: number;
}

export const sandboxDefaults: SandboxSettings = {
  processes: 3,
  jobMs: 250,
  queueMax: 512,
  queuePerOwnerMax: 128,
  waitMs: 5000,
  memoryMb: 128,
};
