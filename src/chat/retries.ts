import { setTimeout as delay } from 'node:timers/promises';
import type { UpstreamFailure } from '../providers/index.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { ModelDeps } from './deps.ts';

/** The most that a request may ask for: each further attempt costs the caller time, and adds load to a provider in trouble. */
export const retriesMax = 3;

/** The waits before the first, second and third retry are drawn from 0 to 0.5, 1 and 2 seconds. */
const backoffMs = 500;
/** If a provider asks for a longer wait, the next route is tried instead. */
const waitMaxMs = 60_000;
/** With less time left than this, another attempt would hardly get an answer. */
const roomMs = 250;

export interface RetryDeps extends Pick<ModelDeps, 'clock' | 'random' | 'sleep'> {
  breaker: Pick<CircuitBreaker, 'status'>;
}

export interface RetryTerms<Failed> {
  /** The route's name. */
  route: string;
  /** Who asks. */
  account: string;
  /** Whether it is called with the account's own key, which no circuit blocks. */
  ownKey?: boolean;
  /** The maximum number of retries. */
  retries: number;
  /** Time limit for all attempts and waits on this route together. */
  timeoutMs: number;
  /** Its signal ends a wait, because nobody is waiting for the reply any more. */
  leaving: { readonly signal: AbortSignal };
  /** Called with each failed attempt that is followed by another. */
  onRetry(failed: Failed): void;
}

type Failed = { ok: false; failure: UpstreamFailure };

/**
 * Tries one route until it answers, fails in a way that a retry cannot fix, or runs out of retries or time; returns the last
 * attempt's outcome. Waits with exponential backoff and full jitter, on top of what `Retry-After` asks for, and never calls a
 * route whose circuit is open: a retry may be its probe.
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
    } while (!terms.ownKey && !deps.breaker.status(terms.route, terms.account).available);
    terms.onRetry(outcome as Extract<Outcome, { ok: false }>);
  }

  function waitBefore(number: number, { retryAfterMs = 0 }: UpstreamFailure): number {
    // Timers may fire a millisecond early, but a circuit never closes early.
    const openForMs = terms.ownKey ? undefined : deps.breaker.status(terms.route, terms.account).availableInMs;
    const circuitMs = Math.ceil(openForMs ?? -1) + 1;
    const jitter = (deps.random ?? Math.random)() * backoffMs * 2 ** number;
    return Math.max(retryAfterMs, circuitMs) + jitter;
  }
}

/** The upstream's fault, and possibly transient. A timeout is retryable only if time is left, which the caller of this checks. */
function isRetryable({ outcome }: UpstreamFailure): boolean {
  return (
    outcome === 'rate_limited' || outcome === 'server_error' || outcome === 'connection_failed' || outcome === 'timeout'
  );
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    // Aborted; the signal says so.
  }
}
