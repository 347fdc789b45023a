import type { RateQuota } from '../base/failure.ts';
import type { LimitState } from '../limits/index.ts';

/**
 * `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-10, plus the names and units that OpenAI's
 * clients read. `q` is what may be used at once, and `w` the time in which all of it is replenished: so `r` reaches `q` after
 * `w`.
 */
export function stateHeaders(requests: LimitState, tokens: LimitState): Record<string, string> {
  return {
    'ratelimit-policy': `${policyOf('requests', requests)}, ${policyOf('tokens', tokens)}`,
    ratelimit: `${leftOf('requests', requests)}, ${leftOf('tokens', tokens)}`,
    // Spelled out, because every reply has them: computed names cost 3 us.
    'x-ratelimit-limit-requests': String(requests.limit),
    'x-ratelimit-remaining-requests': String(requests.remaining),
    'x-ratelimit-reset-requests': durationOf(requests.resetMs),
    'x-ratelimit-limit-tokens': String(tokens.limit),
    'x-ratelimit-remaining-tokens': String(tokens.remaining),
    'x-ratelimit-reset-tokens': durationOf(tokens.resetMs),
  };
}

/**
 * The same headers for a refusal, about the quota that has too little left. `t` is `Retry-After`. A limit that is not among the
 * caller's quotas, such as the one on wrong codes, has no policy to state and is called `default`.
 */
export function refusalHeaders(quota: RateQuota | undefined, retryAfterMs: number): Record<string, string> {
  if (!quota) return { ratelimit: leftOf('default', { limit: 0, remaining: 0, resetMs: Math.max(1, retryAfterMs) }) };
  const { name, most, remaining, windowMs } = quota;
  const refused = { limit: most, remaining, resetMs: retryAfterMs };
  const left = { ratelimit: leftOf(name, { ...refused, resetMs: Math.max(1, retryAfterMs) }) };
  if (windowMs === undefined) return { 'ratelimit-policy': `"${name}";q=${most};qu="concurrent-requests"`, ...left };
  return { 'ratelimit-policy': policyOf(name, { limit: most, windowMs }), ...left, ...openAiHeaders(name, refused) };
}

function policyOf(name: string, { limit, windowMs }: Pick<LimitState, 'limit' | 'windowMs'>): string {
  return `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`;
}

function leftOf(name: string, { remaining, resetMs }: Omit<LimitState, 'windowMs'>): string {
  return `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`;
}

function openAiHeaders(name: string, { limit, remaining, resetMs }: Omit<LimitState, 'windowMs'>) {
  return {
    [`x-ratelimit-limit-${name}`]: String(limit),
    [`x-ratelimit-remaining-${name}`]: String(remaining),
    [`x-ratelimit-reset-${name}`]: durationOf(resetMs),
  };
}

function durationOf(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}
