import type { CallEnd, CallWatch } from './watch-call.ts';

/** Makes a call whose reply is no conversation's, such as vectors, and tells its watch what it came to. */
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
    // For what threw, which is a fault of ours: of two ends the first counts.
    watch?.ended({ outcome: 'internal' });
  }
}
