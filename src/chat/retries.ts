import { setTimeout as delay } from 'node:timers/promises';
import type { UpstreamFailure } from '../providers/index.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { ModelDeps } from './deps.ts';

/** The most that a request may ask for: each further try costs the caller time, and a provider in trouble work. */
export const retriesMax = 3;

/** The waits before the first, second and third retry are drawn from 0 to 0.5, 1 and 2 seconds. */
const backoffMs = 500;
/** A provider that asks for a longer wait is left to the next route. */
const waitMaxMs = 60_000;
/** A try with less time than this left would hardly be answered. */
const roomMs = 250;

export interface RetryDeps extends Pick<ModelDeps, 'clock' | 'random' | 'sleep'> {
  breaker: Pick<CircuitBreaker, 'status'>;
}

export interface RetryTerms<Failed> {
  /** The route's name. */
  route: string;
  /** Whether it is called with the account's own key, which no circuit stops. */
  ownKey?: boolean;
  /** How many times it is tried again. */
  retries: number;
  /** What all tries and waits on this route may take together. */
  timeoutMs: number;
  /** Its signal ends a wait, because nobody is waiting for the reply. */
  leaving: { readonly signal: AbortSignal };
  /** Told of each failed try that another one follows. */
  onRetry(failed: Failed): void;
}

type Failed = { ok: false; failure: UpstreamFailure };

/**
 * Tries one route until it answers, fails in a way that another try does not mend, or its retries or its time are used up;
 * answers with the last try's outcome. Waits with exponential back-off and full jitter, on top of what `Retry-After` asks
 * for, and never calls a route whose circuit is open: a retry may be its probe.
 */
export async function withRetries<Outcome extends { ok: true } | Failed>(
  deps: RetryDeps,
  terms: RetryTerms<Extract<Outcome, { ok: false }>>,
  attempt: (timeoutMs: number) => Promise<Outcome>,
): Promise<Outcome> {
  const endsAt = deps.clock.monotonic() + terms.timeoutMs;
  const left = () => endsAt - deps.clock.monotonic();
  const sleep = deps.sleep ?? wait;
  let retry = 0;

  for (;;) {
    const outcome = await attempt(left());
    if (outcome.ok || !isRetryable(outcome.failure)) return outcome;
    do {
      if (retry >= terms.retries || terms.leaving.signal.aborted) return outcome;
      const waitMs = waitBefore(retry++, outcome.failure);
      if (waitMs > waitMaxMs || waitMs + roomMs > left()) return outcome;
      await sleep(waitMs, terms.leaving.signal);
      if (terms.leaving.signal.aborted) return outcome;
    } while (!terms.ownKey && !deps.breaker.status(terms.route).available);
    terms.onRetry(outcome as Extract<Outcome, { ok: false }>);
  }

  function waitBefore(number: number, { retryAfterMs = 0 }: UpstreamFailure): number {
    // Timers may be a millisecond early, and a circuit is not.
    const openForMs = terms.ownKey ? undefined : deps.breaker.status(terms.route).availableInMs;
    const circuitMs = Math.ceil(openForMs ?? -1) + 1;
    const jitter = (deps.random ?? Math.random)() * backoffMs * 2 ** number;
    return Math.max(retryAfterMs, circuitMs) + jitter;
  }
}

/** The upstream's fault, of a kind that may pass. A time-out is one only where time is left, which the caller of this checks. */
function isRetryable({ outcome }: UpstreamFailure): boolean {
  return (
    outcome === 'rate_limited' || outcome === 'server_error' || outcome === 'connection_failed' || outcome === 'timeout'
  );
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    // Aborted, which the signal says.
  }
}
