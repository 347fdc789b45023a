import type { CallEnd, CallWatch } from './watch-call.ts';

/** Makes a call without a chat reply, such as embeddings, and reports its outcome to the watch. */
export async function watchOutcome<Outcome>(
  watch: CallWatch | undefined,
  call: () => Promise<Outcome>,
  endOf: (outcome: Outcome) => CallEnd,
): Promise<Outcome> {
  try {
    const outcome = await call();
    watch?.ended(endOf(outcome));
    return outcome;
  } finally {
    // For exceptions, which are our own fault: only the first end counts.
    watch?.ended({ outcome: 'internal' });
  }
}
