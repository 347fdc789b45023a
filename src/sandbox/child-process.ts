import type { Socket } from 'node:net';
import { frameReader, writeFrame } from './frame.ts';
import type { ChildMessage, Job } from './job.ts';
import { cpuMsOf, launch, limit, residentMbOf } from './launch.ts';

/** A process that does one job after the other. */
export interface Child {
  readonly pid: number | undefined;
  /** Whether the system limits its memory; if not, check `residentMb` while a job runs. */
  readonly isBounded: boolean;
  /** Sends jobs, which are answered in their order; keeps the service alive until `rest`. */
  send(jobs: readonly Job[]): void;
  /** Lets the service exit: the child waits for work. */
  rest(): void;
  /** CPU time so far in milliseconds, and resident memory in MB; undefined if the system does not report them. */
  cpuMs(): Promise<number | undefined>;
  residentMb(): Promise<number | undefined>;
  /** Kills it at once. */
  kill(): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

export interface ChildEvents {
  /** It can accept jobs. */
  ready(cpuMs: number): void;
  answered(answer: Exclude<ChildMessage['answer'], 'ready'>, cpuMs: number): void;
  /** It has ended; why, as far as known. */
  ended(why: ChildEnd): void;
}

export interface ChildEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The last of its output about itself. */
  words: string;
}

const wordsMax = 2_000;

/** Starts a child. Never throws; a child that can't be started ends. */
export function startChild(memoryMb: number, events: ChildEvents): Child {
  const started = launch(memoryMb);
  const { stdin, stdout, stderr } = started;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let bounded = false;
  let words = '';
  let over = false;

  const finish = (code: number | null, signal: NodeJS.Signals | null) => {
    if (over) return;
    over = true;
    end();
    events.ended({ code, signal, words: words.trim() });
  };
  started.once('exit', finish);
  started.once('error', (error) => {
    words = error.message;
    finish(null, null);
  });
  // Anything written to a child that has ended is lost with it; its end is reported.
  stdin?.on('error', () => {});
  stdout?.on('error', () => {});
  stderr?.on('error', () => {});
  stderr?.on('data', (piece: Buffer) => {
    words = `${words}${piece.toString('utf8')}`.slice(-wordsMax);
  });
  const read = frameReader((message) => {
    const { answer, cpuMicroseconds } = message as ChildMessage;
    if (answer === 'ready') void becomeReady(cpuMicroseconds / 1000);
    else events.answered(answer, cpuMicroseconds / 1000);
  });
  stdout?.on('data', (piece: Buffer) => {
    try {
      read(piece);
    } catch {
      started.kill('SIGKILL');
    }
  });
  started.unref();
  for (const stream of [stdin, stdout, stderr]) (stream as Socket | null)?.unref();

  async function becomeReady(cpuMs: number): Promise<void> {
    bounded = started.pid !== undefined && (await limit(started.pid, memoryMb));
    if (!over) events.ready(cpuMs);
  }

  /** A child alone does not keep the service from exiting; a pending answer does. */
  function keepAlive(keep: boolean): void {
    const how = keep ? 'ref' : 'unref';
    started[how]();
    (stdout as Socket | null)?.[how]();
  }

  return {
    pid: started.pid,
    get isBounded() {
      return bounded;
    },
    send(jobs) {
      keepAlive(true);
      // One write, however many: waking another process costs more than most jobs.
      stdin?.write(Buffer.concat(jobs.map(writeFrame)));
    },
    rest: () => keepAlive(false),
    cpuMs: async () => (started.pid === undefined ? undefined : cpuMsOf(started.pid)),
    residentMb: async () => (started.pid === undefined ? undefined : residentMbOf(started.pid)),
    kill() {
      started.ref();
      started.kill('SIGKILL');
    },
    ended,
  };
}
