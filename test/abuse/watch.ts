/**
 * Loaded into the service's process before it starts (NODE_OPTIONS=--import). It measures how long single turns of the event loop compute, and
 * reports it on request.
 *
 * A turn is measured by the main thread's processor time, not the clock: on a busy machine a thread waits for its processor, and no attack
 * causes that wait. So work that blocks without computing, such as a synchronous read, does not count here; the good caller's latency shows it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** The longest turn since the last request. */
export interface Turn {
  /** The main thread's processor time in it. */
  cpuMs: number;
  /** Its duration by the clock. */
  wallMs: number;
}

export interface WatchAnswer {
  id: number;
  longest: Turn;
  /**
   * For each reply to the good caller since the last request: the main thread's processor time, in ms, from the arrival of its
   * request to the end of the reply. Whatever was computed for others meanwhile counts; waits for a busy machine do not.
   */
  computedMs: number[];
  /** Resident memory of the process, after a garbage collection if requested. */
  residentBytes: number;
}

export interface WatchQuestion {
  id: number;
  /** Collect garbage before reading the memory; the turns of the collection do not count. */
  collect: boolean;
}

/** What the good caller names itself by. */
export const goodAgent = 'good-caller';
const everyMs = 2;

// Child processes and workers of the service have no such channel, and are not watched.
if (isMainThread && process.send && process.argv[1]?.endsWith('/src/main.ts')) watch();

function watch(): void {
  let computedMs: number[] = [];
  const arrived = new WeakMap<object, number>();
  subscribe('http.server.request.start', (told) => {
    const { request } = told as { request: IncomingMessage };
    if (request.headers['user-agent'] === goodAgent) arrived.set(request, now().cpuMs);
  });
  subscribe('http.server.response.finish', (told) => {
    const { request } = told as { request: IncomingMessage };
    const since = arrived.get(request);
    if (since !== undefined) computedMs.push(now().cpuMs - since);
  });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let longest: Turn = { cpuMs: 0, wallMs: 0 };
  let last = now();
  let residentBytes = 0;
  const look = () => {
    const current = now();
    const cpuMs = current.cpuMs - last.cpuMs;
    if (cpuMs > longest.cpuMs) longest = { cpuMs, wallMs: current.wallMs - last.wallMs };
    last = current;
  };
  setInterval(look, everyMs).unref();
  process.on('message', (question: WatchQuestion) => {
    look();
    const answer = { id: question.id, longest, computedMs };
    computedMs = [];
    if (question.collect) {
      collect();
      collect();
    }
    longest = { cpuMs: 0, wallMs: 0 };
    last = now();
    residentBytes = resident() ?? residentBytes;
    process.send?.({ ...answer, residentBytes } satisfies WatchAnswer);
  });
  // The channel alone must not keep the service running.
  process.channel?.unref();
}

/** Undefined while the process cannot open more files, because this is read from one. */
function resident(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return;
  }
}

function now(): Turn {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() };
}
