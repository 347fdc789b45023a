import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { type Failure, fail, invalid, type Result, succeed } from '../../base/failure.ts';
import type { Job, JobAnswer, WorkerMessage } from './job.ts';

/** Runs what callers wrote (expressions, schemas, patterns) where it can be ended. */
export interface Sandbox {
  /**
   * Does one job of an owner (an account). Fails with `invalid_argument` on `field` when it takes longer than the limit or
   * more memory than a worker has, and with `overloaded` when too many jobs wait, or one too long. An owner never has all
   * workers, those counted that its jobs broke until they are replaced, so it cannot keep others from theirs.
   */
  run(owner: string, job: Job, field: string): Promise<Result<JobAnswer>>;
  close(): Promise<void>;
}

export interface SandboxSettings {
  /** How many jobs run at once, at least 2. */
  workers: number;
  /** How much CPU time one job may take, and ten times as long in all, on a machine that is busy. */
  jobMs: number;
  /** How many jobs may wait, and for how long. */
  queueMax: number;
  waitMs: number;
  /** How much memory a worker may take. */
  memoryMb: number;
}

export const sandboxDefaults: SandboxSettings = { workers: 3, jobMs: 250, queueMax: 512, waitMs: 3000, memoryMb: 96 };

interface Waiting {
  owner: string;
  job: Job;
  field: string;
  timer: NodeJS.Timeout;
  done(result: Result<JobAnswer>): void;
}

interface Slot {
  worker: Worker;
  ready: boolean;
  /** Whose job runs here, or broke the worker that this one replaces and is not ready yet. */
  owner: string | undefined;
  /** How much time its thread had had when it last said something. */
  cpuMicroseconds: number;
  current: Waiting | undefined;
  timer: NodeJS.Timeout | undefined;
}

const busy: Failure = { kind: 'overloaded', retryAfterMs: 1000 };

/** Opens a sandbox. Its workers start at once and are replaced when they are ended; they do not keep a process alive. */
export function createSandbox(deps: { log: Logger; settings?: Partial<SandboxSettings> }): Sandbox {
  const settings = { ...sandboxDefaults, ...deps.settings };
  const waiting: Waiting[] = [];
  const slots = new Set<Slot>();
  let closed = false;

  function start(owner?: string): void {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb, stackSizeMb: 2 },
      // Nothing of the service's environment, such as secrets, is anyone's business in there.
      env: {},
      execArgv: [],
      stdin: false,
    });
    worker.unref();
    const slot: Slot = { worker, ready: false, owner, cpuMicroseconds: 0, current: undefined, timer: undefined };
    slots.add(slot);
    worker.on('message', ({ answer, cpuMicroseconds }: WorkerMessage) => {
      if (answer === 'ready') slot.ready = true;
      slot.cpuMicroseconds = cpuMicroseconds;
      slot.owner = undefined;
      if (answer !== 'ready') finish(slot, succeed(answer));
      assign();
    });
    worker.on('error', (error) => {
      deps.log.warn({ err: error }, 'a sandbox worker ended');
      replace(slot, 'takes more memory than it may; simplify it');
    });
  }

  function assign(): void {
    for (const slot of slots) {
      if (!slot.ready || slot.current) continue;
      // One owner never has all workers.
      const index = waiting.findIndex(({ owner }) => slotsOf(owner) < Math.max(1, settings.workers - 1));
      const [next] = index < 0 ? [] : waiting.splice(index, 1);
      if (!next) return;
      clearTimeout(next.timer);
      slot.current = next;
      slot.owner = next.owner;
      watch(slot, next, settings.jobMs, settings.jobMs);
      slot.worker.postMessage(next.job);
    }
  }

  /** Ends a job that has had its time. On a busy machine it may not have had it yet; then it gets more, to a limit. */
  function watch(slot: Slot, job: Waiting, ms: number, waitedMs: number): void {
    slot.timer = setTimeout(async () => {
      const { user, system } = await slot.worker
        .cpuUsage()
        .catch(() => ({ user: Number.POSITIVE_INFINITY, system: 0 }));
      if (slot.current !== job) return;
      const leftMs = settings.jobMs - (user + system - slot.cpuMicroseconds) / 1000;
      if (leftMs <= 1 || waitedMs >= settings.jobMs * 10)
        replace(slot, `takes longer than ${settings.jobMs} ms; simplify it`);
      else watch(slot, job, Math.max(10, leftMs), waitedMs + Math.max(10, leftMs));
    }, ms);
  }

  function slotsOf(owner: string): number {
    let count = 0;
    for (const slot of slots) if (slot.owner === owner) count++;
    return count;
  }

  function finish(slot: Slot, result: Result<JobAnswer>): void {
    clearTimeout(slot.timer);
    const { current } = slot;
    slot.current = undefined;
    current?.done(result);
  }

  function replace(slot: Slot, description: string): void {
    if (!slots.delete(slot)) return;
    finish(slot, fail(invalid(slot.current?.field ?? 'checks', description)));
    void slot.worker.terminate();
    if (!closed) start(slot.owner);
    assign();
  }

  function leave(job: Waiting): void {
    const index = waiting.indexOf(job);
    if (index >= 0) waiting.splice(index, 1);
    clearTimeout(job.timer);
    job.done(fail(busy));
  }

  for (let index = 0; index < Math.max(2, settings.workers); index++) start();

  return {
    run: (owner, job, field) =>
      new Promise((resolve) => {
        if (closed || waiting.length >= settings.queueMax) return resolve(fail(busy));
        const timer = setTimeout(() => leave(entry), settings.waitMs);
        const entry: Waiting = { owner, job, field, timer, done: resolve };
        waiting.push(entry);
        assign();
      }),
    async close() {
      closed = true;
      for (const job of [...waiting]) leave(job);
      const ended = [...slots].map((slot) => {
        finish(slot, fail(busy));
        return slot.worker.terminate();
      });
      slots.clear();
      await Promise.all(ended);
    },
  };
}
