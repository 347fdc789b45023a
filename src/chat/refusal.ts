import type { Failure } from '../base/failure.ts';
import type { Funds } from '../wallet/index.ts';

/** Whether a request that began before its hold was committed may continue. */
export interface Refusal {
  /** Aborted when the reply has no recipient: the caller has left, or the hold was refused. Created on first use. */
  readonly signal: AbortSignal;
  /** Why the hold was refused, once it has been. */
  readonly failure: Failure | undefined;
}

/** Watches a hold while it is pending; a committed one can't be refused. */
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
    // The ledger itself failed; settling or releasing will report it.
    abort,
  );
  return {
    get failure() {
      return failure;
    },
    // Most requests need no signal: they are answered on the first attempt.
    get signal() {
      if (controller) return controller.signal;
      controller = new AbortController();
      if (over || caller.aborted) abort();
      else caller.addEventListener('abort', abort, { once: true });
      return controller.signal;
    },
  };
}
