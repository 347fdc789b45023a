import { type Failure, FailureError } from '../base/failure.ts';
import type { ChatEvent, StreamedEvent } from './types.ts';

/** What is kept of a reply: its events in order, and the failure if it broke off. The first has sequence 1. */
export type StreamEntry = ChatEvent | { kind: 'failed'; failure: Failure };

/** A reply while it is being generated: one writer, any number of readers. */
export interface StreamLog {
  readonly length: number;
  /** Whether its end, or its failure, is there. */
  readonly isOver: boolean;
  append(event: ChatEvent): void;
  /** Ends it with an error, which readers receive when they reach the end. */
  fail(error: unknown): void;
  /** All entries after the first `count`. */
  after(count: number): readonly StreamEntry[];
  /** Resolves once there are more than `count`; rejects with `cancelled` if the signal is aborted first. */
  moreThan(count: number, signal: AbortSignal): Promise<void>;
  /** The events after a sequence, then live ones, to the end. */
  read(after: number, signal: AbortSignal): AsyncGenerator<StreamedEvent, void>;
}

export interface StreamLogOptions {
  /** How long it may be generated with nobody reading. */
  unattendedMs: number;
  /** Called once when that time is up. */
  onUnattended(): void;
}

export function createStreamLog({ unattendedMs, onUnattended }: StreamLogOptions): StreamLog {
  const entries: StreamEntry[] = [];
  let grown = Promise.withResolvers<void>();
  let thrown: unknown;
  let isOver = false;
  let readers = 0;
  let unattended: NodeJS.Timeout | undefined;
  watch();

  function watch(): void {
    clearTimeout(unattended);
    if (readers === 0 && !isOver) unattended = setTimeout(onUnattended, unattendedMs).unref();
  }

  function add(entry: StreamEntry): void {
    entries.push(entry);
    isOver = entry.kind === 'end' || entry.kind === 'failed';
    if (isOver) clearTimeout(unattended);
    grown.resolve();
    grown = Promise.withResolvers();
  }

  async function moreThan(count: number, signal: AbortSignal): Promise<void> {
    while (entries.length <= count) await orCancelled(grown.promise, signal);
  }

  return {
    get length() {
      return entries.length;
    },
    get isOver() {
      return isOver;
    },
    append: add,
    fail(error) {
      thrown = error;
      add({ kind: 'failed', failure: error instanceof FailureError ? error.failure : { kind: 'internal' } });
    },
    after: (count) => entries.slice(count),
    moreThan,
    async *read(after, signal) {
      readers += 1;
      watch();
      try {
        for (let count = after; !isOver || count < entries.length; count++) {
          await moreThan(count, signal);
          const entry = entries[count] as StreamEntry;
          if (entry.kind === 'failed') throw thrown;
          yield { ...entry, sequence: count + 1 };
        }
      } finally {
        readers -= 1;
        watch();
      }
    },
  };
}

/** Like `work`, or rejects with `cancelled` as soon as the signal is aborted. */
function orCancelled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new FailureError({ kind: 'cancelled' }));
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
