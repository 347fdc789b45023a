import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { createBreaks } from './breaks.ts';
import { type Child, type ChildEnd, startChild as startSandboxChild } from './child-process.ts';
import type { Answers, ChildMessage, Job, JobKind } from './job.ts';
import { cpuSecondsBeforeReplaced } from './launch.ts';
import { createQueue, type Waiting } from './queue.ts';
import { type Sandbox, type SandboxSettings, sandboxDefaults } from './sandbox.ts';

/**
 * On a busy machine, a job may take this many times its CPU budget in wall-clock time. Code cannot wait for anything, so this only
 * ends what gets no processor: at a load of 12 on two cores, a process of low priority has less than a tenth of one.
 */
const patience = 30;
/** How often to check memory if the system does not limit it. */
const lookEveryMs = 20;
/** A child that failed to start is restarted after this long, doubling each time. */
const restartMs = 100;
const restartMaxMs = 10_000;
/** How many to have at least: one for a job, and one for the next owner, since a process takes a second to start. */
const startedMin = 2;
/** How many keys to remember per child. */
const keysMax = 500;

interface Slot {
  child: Child | undefined;
  ready: boolean;
  /** The owner of the job that runs here, or that broke the child being replaced. */
  owner: string | undefined;
  /** Whether that job's code was unproven when it began, and its sender a suspect. */
  unproven: boolean;
  suspect: boolean;
  current: Waiting | undefined;
  timer: NodeJS.Timeout | undefined;
  /** The child's CPU time as of its last message. */
  cpuMs: number;
  keys: LRUCache<string, true>;
  /** Why we ended it ourselves. */
  ended: Failure | undefined;
  failedStarts: number;
  /** It has run for long, and is being replaced. */
  recycled: boolean;
}

const busy: Failure = { kind: 'overloaded', retryAfterMs: 1000 };

/**
 * Opens a sandbox. Two children start, the others when none is free; all are replaced when they end, and none keeps the service
 * alive.
 */
export function createSandbox(deps: {
  log: Logger;
  settings?: Partial<SandboxSettings>;
  startChild?: typeof startSandboxChild;
}): Sandbox {
  const { log, startChild = startSandboxChild } = deps;
  const settings = { ...sandboxDefaults, ...deps.settings };
  const queue = createQueue(settings);
  const slots = Array.from({ length: Math.max(2, settings.processes) }, emptySlot);
  const breaks = createBreaks(settings.suspectMs);
  let closed = false;
  let warned = false;
  let systemBounds = false;

  function start(slot: Slot): void {
    slot.ready = false;
    slot.ended = undefined;
    slot.keys = new LRUCache({ max: keysMax });
    const child = startChild(settings.memoryMb, {
      ready(cpuMs) {
        if (slot.child !== child) return;
        // The system can, and failed this once: nobody's code runs here.
        if (systemBounds && !child.isBounded) {
          child.kill();
          return;
        }
        systemBounds = child.isBounded;
        if (!child.isBounded && !warned) {
          warned = true;
          log.warn('the system does not bound the memory of processes for code of callers; it is looked at instead');
        }
        Object.assign(slot, { ready: true, ...unused, failedStarts: 0, cpuMs });
        assign();
      },
      // An answer may still come from a child that was told to end: it counts as ended by its own job, and takes no other.
      answered: (answer, cpuMs) => slot.child === child && !slot.ended && finish(slot, answer, cpuMs),
      ended: (why) => slot.child === child && replace(slot, why),
    });
    slot.child = child;
  }

  function assign(): void {
    for (;;) {
      const idle = slots.filter(isIdle);
      const next = idle.length > 0 ? queue.take((job) => mayHaveProcess(job, idle.length)) : undefined;
      if (!next) break;
      const refusal = breaks.refusal(next);
      if (refusal) {
        next.done(fail(refusal));
        // There may be many of them, and each is read.
        setImmediate(assign);
        return;
      }
      const slot = (next.key !== undefined && idle.find(({ keys }) => keys.has(next.key ?? ''))) || idle[0];
      if (slot) begin(slot, next);
    }
    startAnother();
  }

  /** Starts one more child if jobs are waiting or the next one would have to wait, and none is starting. */
  function startAnother(): void {
    if (closed || slots.some(({ child, ready }) => child && !ready)) return;
    const isEnough = slots.filter(({ child }) => child).length >= startedMin && slots.some(isIdle);
    if (isEnough && queue.size === 0) return;
    const free = slots.find(({ child, failedStarts }) => !child && failedStarts === 0);
    if (free) start(free);
  }

  function begin(slot: Slot, job: Waiting): void {
    slot.current = job;
    slot.owner = job.owner;
    slot.unproven = breaks.isUnproven(job);
    slot.suspect = breaks.isSuspect(job);
    if (job.key !== undefined) slot.keys.set(job.key, true);
    watch(slot, job, performance.now());
    slot.child?.send(job.job);
  }

  /** Ends a job that has used up its time or memory. On a busy machine it may not have had its time yet; then it gets more, up to a limit. */
  function watch(slot: Slot, job: Waiting, startedAt: number, leftMs = budgetOf(job.job)): void {
    const { child } = slot;
    slot.timer = setTimeout(
      async () => {
        const [cpuMs, residentMb] = await Promise.all([child?.cpuMs(), child?.isBounded ? 0 : child?.residentMb()]);
        if (slot.current !== job) return;
        const budget = budgetOf(job.job);
        const elapsed = performance.now() - startedAt;
        // If the system does not report it, all elapsed time counts.
        const used = cpuMs === undefined ? elapsed : cpuMs - slot.cpuMs;
        if ((residentMb ?? 0) > residentMbAtStart + settings.memoryMb) end(slot, invalid(job.field, tooMuchMemory()));
        else if (used >= budget) end(slot, invalid(job.field, `takes longer than ${budget} ms; simplify it`));
        // The machine did not get to it, which is not the job's fault.
        else if (elapsed >= budget * patience) end(slot, busy);
        else watch(slot, job, startedAt, Math.max(10, budget - used));
      },
      child?.isBounded ? leftMs : Math.min(leftMs, lookEveryMs),
    );
  }

  function end(slot: Slot, failure: Failure): void {
    slot.ended = failure;
    slot.ready = false;
    slot.child?.kill();
  }

  function finish(slot: Slot, answer: Exclude<ChildMessage['answer'], 'ready'>, cpuMs: number): void {
    const { current } = slot;
    release(slot);
    Object.assign(slot, { ...unused, cpuMs });
    slot.child?.rest();
    if (current) {
      const result = resultOf(current, answer);
      if (result.ok) breaks.done(current);
      current.done(result);
    }
    // Recycle the process now and then, so that nothing builds up in one for ever.
    if (cpuMs > cpuSecondsBeforeReplaced * 1000) {
      slot.ready = false;
      slot.recycled = true;
      slot.child?.kill();
    }
    assign();
  }

  function replace(slot: Slot, why: ChildEnd): void {
    const { current, ended, ready, recycled } = slot;
    release(slot);
    slot.child = undefined;
    slot.ready = false;
    if (closed) return;
    if (current) {
      const failure = ended ?? invalid(current.field, tooMuchMemory());
      breaks.broke(current, failure);
      log.warn(
        { ...why, owner: current.owner, job: current.job.kind, field: current.field },
        'a job ended its process',
      );
      current.done(fail(failure));
      queue.refuse(current.owner, breaks.barred);
    }
    slot.recycled = false;
    if (ready || current || recycled) start(slot);
    else {
      const waitMs = Math.min(restartMs * 2 ** slot.failedStarts++, restartMaxMs);
      log.error({ ...why, waitMs }, 'a process for code of callers did not start');
      setTimeout(() => !closed && start(slot), waitMs).unref();
    }
    assign();
  }

  function release(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.current = undefined;
  }

  /**
   * Whether a job may begin now, with so many idle children. Nobody has all of them, and a second one only if another owner
   * finds one free. All unproven code together leaves one to what is proven, and that of suspects has one in all. An owner's other
   * jobs do not wait for the one that a suspect among its users has.
   */
  function mayHaveProcess(job: Waiting, idle: number): boolean {
    const isSuspect = breaks.isSuspect(job);
    const own = slots.filter(({ owner, suspect }) => owner === job.owner && (isSuspect || !suspect)).length;
    if (own > 0 && (isSuspect || idle < 2 || own >= slots.length - 1)) return false;
    if (!breaks.isUnproven(job)) return true;
    const unproven = slots.filter((slot) => slot.unproven);
    if (isSuspect && unproven.some(({ suspect }) => suspect)) return false;
    // Those that are ready, and those being replaced; one that has never started is nobody's yet.
    const all = slots.filter((slot) => slot.ready || slot.unproven).length;
    return unproven.length < Math.max(1, all - 1);
  }

  function budgetOf({ kind }: Job): number {
    return kind === 'schema' || kind === 'tokens' || kind === 'custom' ? settings.jobMs * 4 : settings.jobMs;
  }

  function tooMuchMemory(): string {
    return `takes more than ${settings.memoryMb} MB of memory; simplify it`;
  }

  const [first] = slots;
  if (first) start(first);

  return {
    run: <Kind extends JobKind>(
      ...[owner, kind, job, { field, key, user, signal, waitMs = settings.waitMs }]: Parameters<Sandbox['run']>
    ): Promise<Result<Answers[Kind]>> =>
      new Promise((resolve) => {
        if (closed) return resolve(fail(busy));
        const done = resolve as (result: Result<Answers[JobKind]>) => void;
        const waiting: Waiting = { owner, user, job: { kind, ...job } as Job, field, key, done };
        const refusal = breaks.refusal(waiting);
        if (refusal) return resolve(fail(refusal));
        queue.add(waiting, { waitMs, signal });
        assign();
      }),
    refusal: (owner, kind, job, { field, key, user }) =>
      breaks.refusal({ owner, user, job: { kind, ...job } as Job, field, key, done: () => {} }),
    async close() {
      closed = true;
      queue.close();
      const ended = slots.map((slot) => {
        const { current, child } = slot;
        release(slot);
        current?.done(fail(busy));
        child?.kill();
        return child?.ended;
      });
      await Promise.all(ended);
    },
  };
}

/** A child's initial memory, for systems that do not limit what comes on top of it. */
const residentMbAtStart = 200;

/** A child that does nothing for anyone. */
const unused = { owner: undefined, unproven: false, suspect: false };

function isIdle({ ready, current }: Slot): boolean {
  return ready && !current;
}

function emptySlot(): Slot {
  return {
    ...unused,
    ...{ child: undefined, ready: false, current: undefined, timer: undefined, ended: undefined },
    ...{ cpuMs: 0, failedStarts: 0, recycled: false, keys: new LRUCache<string, true>({ max: keysMax }) },
  };
}

function resultOf({ field }: Waiting, answer: Exclude<ChildMessage['answer'], 'ready'>): Result<Answers[JobKind]> {
  if (!('refused' in answer)) return succeed(answer);
  const { at, problem } = answer.refused;
  return fail(invalid(at === '' || at.startsWith('[') || at.startsWith('#') ? `${field}${at}` : at, problem));
}
