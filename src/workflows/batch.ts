import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { type Failure, FailureError, fail, isShortOfCredit, type Result } from '../base/failure.ts';

/** One item of a batch: something that is charged, or refused, by itself. */
export interface BatchItem<Reply> {
  run(): Promise<Result<Reply>>;
  /** Whether an earlier call may have been charged for it, so that its reply may be had without credit. */
  repeatable: boolean;
}

export interface BatchTerms<Reply> {
  /** Aborted when the caller goes away: no further item is begun. */
  signal: AbortSignal;
  /** In milliseconds since 1970; undefined when the caller set none. */
  deadline: number | undefined;
  /** How many bytes a reply is of the whole, about. */
  bytesOf(reply: Reply): number;
}

/** Items of one batch at one time: enough to share commits with each other, few beside what other callers have in flight. */
const itemsAtOnce = 8;
/** Replies of one batch; after so many bytes no further item is begun. A gRPC client takes 4 MiB unless told otherwise. */
export const batchReplyBytesMax = 3 * 1_024 * 1_024;
/** What is left of the deadline for the reply itself. */
const replyMs = 100;

/**
 * Runs items in order, a few at a time, and answers each in its place; nothing that happens to one changes another. Of those
 * that credit does not pay for while others hold some, each is tried again alone; from the first that fails alone, items
 * fail likewise without being tried, but for those that may have been paid before.
 */
export async function runBatch<Reply>(
  { log, clock }: { log: Logger; clock: Pick<Clock, 'now'> },
  items: readonly BatchItem<Reply>[],
  terms: BatchTerms<Reply>,
): Promise<Result<Reply>[]> {
  const results = new Map<number, Result<Reply>>();
  const ending = watchEnd(terms, clock);

  /** Runs one item, unless the batch has to end before it. */
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

  /** Runs items side by side until there are none left, or `stop` says so; returns those that were not begun. */
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

/** When a batch has to end before all of its items are begun, and why. */
function watchEnd<Reply>({ signal, deadline, bytesOf }: BatchTerms<Reply>, clock: Pick<Clock, 'now'>) {
  let bytes = 0;
  let longestMs = 0;
  return {
    reason(): Failure | undefined {
      if (signal.aborted) return { kind: 'cancelled' };
      // Time for one more item that takes as long as the longest so far.
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
