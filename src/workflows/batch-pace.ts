import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { fail, type Result } from '../base/failure.ts';

/** How long the items of one batch may wait for the limits, from its beginning. */
export const batchPaceMs = 30_000;

/**
 * Lets each item of a batch begin when the caller's limits have room for it. The first one came with the call, which was
 * counted. Fails with `rate_limited` when there will be no room before the batch has to end, and with `cancelled` when the
 * caller went away.
 */
export function createPace(
  clock: Pick<Clock, 'now'>,
  terms: {
    /** Counts one item, or says when to ask again. */
    admitItem(): Result<void> | Promise<Result<void>>;
    signal: AbortSignal;
    deadline: number | undefined;
  },
): () => Promise<Result<void>> {
  const { admitItem, signal, deadline } = terms;
  const until = Math.min(clock.now() + batchPaceMs, deadline ?? Number.POSITIVE_INFINITY);
  let isCounted = false;
  return async () => {
    if (!isCounted) {
      isCounted = true;
      return { ok: true, value: undefined };
    }
    for (;;) {
      const admitted = await admitItem();
      if (admitted.ok || admitted.failure.kind !== 'rate_limited') return admitted;
      if (clock.now() + admitted.failure.retryAfterMs >= until) return admitted;
      // Cut short when the caller goes away.
      await sleep(admitted.failure.retryAfterMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return fail({ kind: 'cancelled' });
    }
  };
}
