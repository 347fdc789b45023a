import type { Failure } from '../base/failure.ts';
import type { Hold } from '../wallet/index.ts';

/** Whether a request may go on that began before its hold was committed. */
export interface Refusal {
  /** Aborted when nobody hears the reply: the caller is gone, or the hold is refused. */
  signal: AbortSignal;
  /** Why the hold is refused, once it is. */
  readonly failure: Failure | undefined;
}

/** Watches a hold while it is pending; one that is committed already can't be refused. */
export function watchRefusal({ pending }: Hold, caller: AbortSignal): Refusal {
  if (!pending) return { signal: caller, failure: undefined };
  const controller = new AbortController();
  const abort = () => controller.abort();
  let failure: Failure | undefined;
  if (caller.aborted) abort();
  else caller.addEventListener('abort', abort, { once: true });
  pending.then((held) => {
    if (held.ok) return;
    failure = held.failure;
    abort();
    // The ledger itself failed; settling or releasing tells.
  }, abort);
  return {
    signal: controller.signal,
    get failure() {
      return failure;
    },
  };
}
