import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { endOfTurn } from '../base/turn.ts';
import { createBreaks } from './breaks.ts';
import { type Child, type ChildEnd, startChild as startSandboxChild } from './child-process.ts';
import type { Answers, ChildMessage, Job, JobKind } from './job.ts';
import { cpuSecondsBeforeReplaced } from './launch.ts';
import { createQueue, senderOf, type Waiting } from './queue.ts';
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
/** How many jobs a child is sent at once when each is short: code that took less than this the last time. */
const togetherMax = 16;
const shortMs = 2;
const shortCharacters = 16_384;
const shortKeysMax = 10_000;

interface Slot {
  child: Child | undefined;
  ready: boolean;
  /** The owner of the jobs that run here, or that broke the child being replaced. */
  owner: string | undefined;
  /** Whether that job's code was unproven when it began, and its sender a suspect. */
  unproven: boolean;
  suspect: boolean;
  /** What it has been sent and not answered; it does the first now. More than one only of one sender, and only when all are short. */
  jobs: Waiting[];
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
  /** Owners' code that took little time when it last ran. */
  const short = new LRUCache<string, true>({ max: shortKeysMax });
  let isToAssign = false;
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

  /** Jobs that are asked for in one turn of the event loop are assigned together. */
  function assignSoon(): void {
    if (isToAssign) return;
    isToAssign = true;
    void endOfTurn().then(() => {
      isToAssign = false;
      assign();
    });
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
      if (slot) begin(slot, [next, ...alikeOf(next)]);
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

  /** What is sent together with a job that is going to begin: nobody else waits long for several short ones, and each alone costs a write. */
  function alikeOf(first: Waiting): Waiting[] {
    const alike: Waiting[] = [];
    if (!isShort(first)) return alike;
    const sender = senderOf(first);
    while (alike.length < togetherMax - 1) {
      const next = queue.take((job) => senderOf(job) === sender && isShort(job) && !breaks.refusal(job));
      if (!next) break;
      alike.push(next);
    }
    return alike;
  }

  function isShort(job: Waiting): boolean {
    const name = shortNameOf(job);
    return name !== undefined && short.has(name) && charactersOf(job.job) <= shortCharacters && breaks.isTrusted(job);
  }

  function begin(slot: Slot, jobs: Waiting[]): void {
    const [first] = jobs;
    if (!first) return;
    slot.jobs = jobs;
    slot.owner = first.owner;
    slot.unproven = breaks.isUnproven(first);
    slot.suspect = breaks.isSuspect(first);
    for (const { key } of jobs) if (key !== undefined) slot.keys.set(key, true);
    watch(slot, first, performance.now());
    slot.child?.send(jobs.map(({ job }) => job));
  }

  /** Ends a job that has used up its time or memory. On a busy machine it may not have had its time yet; then it gets more, up to a limit. */
  function watch(slot: Slot, job: Waiting, startedAt: number, leftMs = budgetOf(job.job)): void {
    const { child } = slot;
    slot.timer = setTimeout(
      async () => {
        const [cpuMs, residentMb] = await Promise.all([child?.cpuMs(), child?.isBounded ? 0 : child?.residentMb()]);
        if (slot.jobs[0] !== job) return;
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
    clearTimeout(slot.timer);
    const current = slot.jobs.shift();
    if (current) {
      const result = resultOf(current, answer);
      if (result.ok) breaks.done(current);
      const name = shortNameOf(current);
      if (name !== undefined && cpuMs - slot.cpuMs < shortMs) short.set(name, true);
      else if (name !== undefined) short.delete(name);
      current.done(result);
    }
    slot.cpuMs = cpuMs;
    const [next] = slot.jobs;
    if (next) {
      watch(slot, next, performance.now());
      return;
    }
    Object.assign(slot, unused);
    slot.child?.rest();
    // Recycle the process now and then, so that nothing builds up in one for ever.
    if (cpuMs > cpuSecondsBeforeReplaced * 1000) {
      slot.ready = false;
      slot.recycled = true;
      slot.child?.kill();
    }
    assign();
  }

  function replace(slot: Slot, why: ChildEnd): void {
    const { ended, ready, recycled } = slot;
    const [current, ...others] = release(slot);
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
      // What was sent with it has not begun.
      for (const job of others) queue.putBack(job);
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

  function release(slot: Slot): Waiting[] {
    clearTimeout(slot.timer);
    return slot.jobs.splice(0);
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
        assignSoon();
      }),
    refusal: (owner, kind, job, { field, key, user }) =>
      breaks.refusal({ owner, user, job: { kind, ...job } as Job, field, key, done: () => {} }),
    async close() {
      closed = true;
      queue.close();
      const ended = slots.map((slot) => {
        const { child } = slot;
        for (const { done } of release(slot)) done(fail(busy));
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

function isIdle({ ready, jobs }: Slot): boolean {
  return ready && jobs.length === 0;
}

function emptySlot(): Slot {
  return {
    ...unused,
    ...{ child: undefined, ready: false, jobs: [], timer: undefined, ended: undefined },
    ...{ cpuMs: 0, failedStarts: 0, recycled: false, keys: new LRUCache<string, true>({ max: keysMax }) },
  };
}

/** One owner's code, in the record of what is short. */
function shortNameOf({ owner, key }: Waiting): string | undefined {
  return key === undefined ? undefined : `${owner} ${key}`;
}

/** The length of what a job is about, where that is known without writing it; else more than is short. */
function charactersOf(job: Job): number {
  return job.kind === 'schema' ? job.schema.length + (job.text?.length ?? 0) : Number.POSITIVE_INFINITY;
}

function resultOf({ field }: Waiting, answer: Exclude<ChildMessage['answer'], 'ready'>): Result<Answers[JobKind]> {
  if (!('refused' in answer)) return succeed(answer);
  const { at, problem } = answer.refused;
  return fail(invalid(at === '' || at.startsWith('[') || at.startsWith('#') ? `${field}${at}` : at, problem));
}
