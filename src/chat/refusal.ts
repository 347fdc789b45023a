import type { Failure } from '../base/failure.ts';
import type { Funds } from '../wallet/index.ts';

/** Whether a request may go on that began before its hold was committed. */
export interface Refusal {
  /** Aborted when the reply has no recipient: the caller is gone, or the hold is refused. Created when first used. */
  readonly signal: AbortSignal;
  /** Why the hold is refused, once it is. */
  readonly failure: Failure | undefined;
}

/** Watches a hold while it is pending; one that is committed already can't be refused. */
export function watchRefusal(pending: Funds['pending'], caller: AbortSignal): Refusal {
  if (!pending) return { signal: caller, failure: undefined };
  let over = false;
  let failure: Failure | undefined;
  let controller: AbortController | undefined;
  const abort = () => {
    over = true;
    controller?.abort();
  };
  pending.then(
    (held) => {
      if (held.ok) return;
      failure = held.failure;
      abort();
    },
    // The ledger itself failed; settling or releasing tells.
    abort,
  );
  return {
    get failure() {
      return failure;
    },
    // Most requests need no signal: they are answered at the first try.
    get signal() {
      if (controller) return controller.signal;
      controller = new AbortController();
      if (over || caller.aborted) abort();
      else caller.addEventListener('abort', abort, { once: true });
      return controller.signal;
    },
  };
}
