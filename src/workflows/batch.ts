import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { type Failure, FailureError, fail, isShortOfCredit, type Result } from '../base/failure.ts';

/** One item of a batch, charged or refused on its own. */
export interface BatchItem<Reply> {
  run(): Promise<Result<Reply>>;
  /** Whether an earlier call may have been charged for it, so that its reply may be available without credit. */
  repeatable: boolean;
}

export interface BatchTerms<Reply> {
  /** Aborted if the caller goes away: no further item is started. */
  signal: AbortSignal;
  /** In milliseconds since 1970; undefined if the caller set none. */
  deadline: number | undefined;
  /** Roughly how many bytes a reply adds to the whole. */
  bytesOf(reply: Reply): number;
}

/** Concurrent items of one batch: enough to share commits, few compared with what other callers have in flight. */
const itemsAtOnce = 8;
/** Limit on a batch's replies, in bytes; beyond it no further item is started. A gRPC client accepts 4 MiB by default. */
export const batchReplyBytesMax = 3 * 1_024 * 1_024;
/** The part of the deadline reserved for sending the reply. */
const replyMs = 100;

/**
 * Runs items in order, a few at a time, and returns each result in its place; no item's fate affects another. Items that lack
 * credit while others hold some are retried one at a time. Once one fails alone, the rest fail the same way without being
 * tried, except those that may already have been paid for.
 */
export async function runBatch<Reply>(
  { log, clock }: { log: Logger; clock: Pick<Clock, 'now'> },
  items: readonly BatchItem<Reply>[],
  terms: BatchTerms<Reply>,
): Promise<Result<Reply>[]> {
  const results = new Map<number, Result<Reply>>();
  const ending = watchEnd(terms, clock);

  /** Runs one item, unless the batch must end first. */
  async function runOne(index: number): Promise<Result<Reply>> {
    const over = ending.reason();
    const item = items[index];
    if (over !== undefined || !item) return fail(over ?? { kind: 'internal' });
    try {
      const result = await ending.timed(() => item.run());
      if (result.ok) ending.count(result.value);
      return result;
    } catch (error) {
      if (error instanceof FailureError) return fail(error.failure);
      log.error({ err: error, item: index }, 'a fault of the service in an item of a batch');
      return fail({ kind: 'internal' });
    }
  }

  /** Runs items concurrently until none are left or `stop` returns true; returns those not started. */
  async function sideBySide(
    indexes: readonly number[],
    done: (index: number, result: Result<Reply>) => void,
    stop: () => boolean = () => false,
  ): Promise<number[]> {
    let next = 0;
    const work = async () => {
      while (next < indexes.length && !stop()) {
        const index = indexes[next++] as number;
        done(index, await runOne(index));
      }
    };
    await Promise.all(Array.from({ length: Math.min(itemsAtOnce, indexes.length) }, work));
    return indexes.slice(next);
  }

  const keep = (index: number, result: Result<Reply>) => void results.set(index, result);
  const short: number[] = [];
  const notBegun = await sideBySide(
    [...items.keys()],
    (index, result) => (isShort(result) ? short.push(index) : keep(index, result)),
    () => short.length > 0,
  );

  let rest = [...short.sort((a, b) => a - b), ...notBegun];
  let refusal: Failure | undefined;
  for (let index = rest.shift(); index !== undefined; index = rest.shift()) {
    const result = await runOne(index);
    keep(index, result);
    if (!isShort(result)) continue;
    refusal = result.failure;
    break;
  }
  if (refusal) {
    const unpaid = refusal;
    for (const index of rest) if (!items[index]?.repeatable) keep(index, fail(unpaid));
    rest = rest.filter((index) => items[index]?.repeatable);
  }
  await sideBySide(rest, keep);
  return items.map((_, index) => results.get(index) ?? fail({ kind: 'internal' }));
}

function isShort(result: Result<unknown>): result is { ok: false; failure: Failure } {
  return !result.ok && isShortOfCredit(result.failure);
}

/** Whether a batch must end before all of its items have started, and why. */
function watchEnd<Reply>({ signal, deadline, bytesOf }: BatchTerms<Reply>, clock: Pick<Clock, 'now'>) {
  let bytes = 0;
  let longestMs = 0;
  return {
    reason(): Failure | undefined {
      if (signal.aborted) return { kind: 'cancelled' };
      // Leaves time for one more item as long as the longest so far.
      if (deadline !== undefined && clock.now() + longestMs + replyMs >= deadline) return { kind: 'deadline_exceeded' };
      if (bytes >= batchReplyBytesMax) return replyFull;
      return undefined;
    },
    async timed<T>(work: () => Promise<T>): Promise<T> {
      const began = clock.now();
      const value = await work();
      longestMs = Math.max(longestMs, clock.now() - began);
      return value;
    },
    count(reply: Reply): void {
      bytes += bytesOf(reply);
    },
  };
}

const replyFull: Failure = {
  kind: 'precondition_failed',
  description: `The replies before this item fill the batch's reply (${batchReplyBytesMax} bytes). Nothing was charged for it; send it in another batch.`,
};
