import type { Failure } from '../base/failure.ts';
import type { Funds } from '../wallet/index.ts';

/** Whether a request may go on that began before its hold was committed. */
export interface Refusal {
  /** Aborted when nobody hears the reply: the caller is gone, or the hold is refused. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Why the hold is refused, once it is. */
  readonly failure: Failure | undefined;
}

/** Watches a hold while it is pending; one that is committed already can't be refused. */
export function watchRefusal(pending: Funds['pending'], caller: AbortSignal): Refusal {
  if (!pending) return { signal: caller, failure: undefined };
  return new PendingRefusal(pending, caller);
}

// Most requests need no signal: they are answered at the first try.
class PendingRefusal implements Refusal {
  readonly #caller: AbortSignal;
  #controller: AbortController | undefined;
  #over = false;
  failure: Failure | undefined;

  constructor(pending: NonNullable<Funds['pending']>, caller: AbortSignal) {
    this.#caller = caller;
    pending.then(
      (held) => {
        if (held.ok) return;
        this.failure = held.failure;
        this.#abort();
      },
      // The ledger itself failed; settling or releasing tells.
      this.#abort,
    );
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.#over || this.#caller.aborted) this.#abort();
    else this.#caller.addEventListener('abort', this.#abort, { once: true });
    return this.#controller.signal;
  }

  #abort = (): void => {
    this.#over = true;
    this.#controller?.abort();
  };
}
