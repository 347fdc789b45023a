import { type FailedAttempt, type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { OwnKey, OwnKeys } from '../base/own-key.ts';
import { failureOfOwnKey, refusesKey } from './own-key-failure.ts';
import type { UpstreamFailure } from './upstream-failure.ts';

/** The part of a circuit breaker that calls without a stream need. */
export interface CallBreaker {
  status(route: string, account: string): { available: boolean; availableInMs?: number | undefined };
  /** The outcome of a call with the account's own key says nothing about the route for others. */
  begin(
    route: string,
    account: string,
    ownKey?: boolean,
  ): {
    succeeded(measure: { firstTokenMs: number; totalMs: number; outputTokens: number }): void;
    failed(failure: UpstreamFailure): void;
    ended(): void;
  };
}

interface Route {
  model: { name: string; provider: string; id: string };
  /** The account's own key to call it with. */
  ownKey?: OwnKey;
}

export type CallOutcome<Answer> = { ok: true; answer: Answer } | { ok: false; failure: UpstreamFailure };

export interface InTurn<R extends Route, Answer> {
  routes: readonly R[];
  /** Who asks. */
  account: string;
  breaker: Pick<CallBreaker, 'status'>;
  /** Time limit for all calls together. */
  deadlineMs: number;
  /** The field to name if a provider refuses the input. */
  field: string;
  /** Called for each call with an account's own key. */
  ownKeys?: Pick<OwnKeys, 'used'> | undefined;
  /** Undefined: the route cannot be called now. */
  call(route: R, signal: AbortSignal): Promise<CallOutcome<Answer>> | undefined;
}

/** Which route answered and with what, how many were called, and how long the last call took, in whole milliseconds. */
export interface AnsweredInTurn<R, Answer> {
  route: R;
  answer: Answer;
  attempts: number;
  latencyMs: number;
}

/**
 * Calls the routes in order until one answers. If none does, the failure reports all attempts; but if the last call used the
 * account's own key and failed because of it, the failure reports only that.
 */
export async function tryInTurn<R extends Route, Answer>({
  routes,
  account,
  breaker,
  deadlineMs,
  field,
  ownKeys,
  call,
}: InTurn<R, Answer>): Promise<Result<AnsweredInTurn<R, Answer>>> {
  const attempts: FailedAttempt[] = [];
  const refusedKeys = new Set<string>();
  const waits: number[] = [];
  let ofKey: Failure | undefined;
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(new DOMException('The time is up.', 'TimeoutError')), deadlineMs);
  try {
    for (const route of routes) {
      const attempt = { provider: route.model.provider, model: route.model.id };
      const { ownKey } = route;
      if (ownKey && refusedKeys.has(ownKey.id)) continue;
      const status = ownKey ? ownKeyStatus : breaker.status(route.model.name, account);
      if (!status.available) waits.push(status.availableInMs ?? 0);
      const startedAt = performance.now();
      const calling = status.available ? call(route, timeUp.signal) : undefined;
      if (calling && ownKey) ownKeys?.used(ownKey);
      const outcome = await calling;
      if (!outcome) {
        attempts.push({ ...attempt, outcome: 'skipped' });
        continue;
      }
      if (outcome.ok)
        return succeed({
          ...{ route, answer: outcome.answer, latencyMs: Math.round(performance.now() - startedAt) },
          attempts: attempts.filter((failed) => failed.outcome !== 'skipped').length + 1,
        });
      const { failure } = outcome;
      if (failure.outcome === 'caller_mistake')
        return fail(invalid(field, failure.advice ?? 'The provider refused this.'));
      if (ownKey && refusesKey(failure)) refusedKeys.add(ownKey.id);
      ofKey = ownKey && failureOfOwnKey(ownKey, failure);
      attempts.push({ ...attempt, outcome: publicOutcome(failure.outcome) });
    }
  } finally {
    clearTimeout(timer);
  }
  if (ofKey) return fail(ofKey);
  const late = attempts.length > 0 && attempts.every(({ outcome }) => outcome === 'timeout');
  if (late) return fail({ kind: 'upstream_timeout', attempts });
  const isPaused = attempts.length > 0 && attempts.length === waits.length;
  return fail({
    ...{ kind: 'upstream_failed', attempts },
    ...(isPaused && { retryAfterMs: Math.max(Math.min(...waits), 1_000) }),
  });
}

/** No circuit blocks the account's own key. */
const ownKeyStatus: ReturnType<CallBreaker['status']> = { available: true };

function publicOutcome(outcome: UpstreamFailure['outcome']): string {
  if (outcome === 'misconfigured') return 'rejected';
  return outcome === 'cancelled' ? 'connection_failed' : outcome;
}
