import type { Failure } from '../base/failure.ts';
import type { OwnKey } from '../base/own-key.ts';
import type { UpstreamFailure } from './upstream-failure.ts';

/** The caller's failure if the last failed call used its own key and the key is the cause; otherwise undefined. */
export function failureOfOwnKey(key: OwnKey, { outcome, status, retryAfterMs }: UpstreamFailure): Failure | undefined {
  const { id: providerKeyId, provider, lastFour } = key;
  if (outcome === 'misconfigured')
    return { kind: 'provider_key_refused', providerKeyId, provider, lastFour, ...(status !== undefined && { status }) };
  if (outcome !== 'rate_limited') return undefined;
  return { kind: 'rate_limited', limit: `your own key at ${provider}`, retryAfterMs: retryAfterMs ?? 1_000 };
}

/** Whether a provider refused the key itself, not just one model. */
export function refusesKey({ outcome, status }: UpstreamFailure): boolean {
  return outcome === 'misconfigured' && status !== 404;
}
