import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { fail, type Result } from '../base/failure.ts';

/** How long a batch's items may wait for the limits, counted from its start. */
export const batchPaceMs = 30_000;

/**
 * Lets each item of a batch start once the caller's limits have room for it. The first item came with the call, which was
 * already counted. Fails with `rate_limited` if there will be no room before the batch must end, and with `cancelled` if the
 * caller has gone away.
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
      // Interrupted if the caller goes away.
      await sleep(admitted.failure.retryAfterMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return fail({ kind: 'cancelled' });
    }
  };
}
