import { type FailedAttempt, type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { OwnKey, OwnKeys } from '../base/own-key.ts';
import { failureOfOwnKey, refusesKey } from './own-key-failure.ts';
import type { UpstreamFailure } from './upstream-failure.ts';

/** As much of a circuit breaker as calls need that have no stream. */
export interface CallBreaker {
  status(route: string): { available: boolean };
  /** How a call with an account's own key goes says nothing of the route for others. */
  begin(
    route: string,
    ownKey?: boolean,
  ): {
    succeeded(measure: { firstTokenMs: number; totalMs: number; outputTokens: number }): void;
    failed(failure: UpstreamFailure): void;
    ended(): void;
  };
}

interface Route {
  model: { name: string; provider: string; id: string };
  /** The account's own key that it is called with. */
  ownKey?: OwnKey;
}

export type CallOutcome<Answer> = { ok: true; answer: Answer } | { ok: false; failure: UpstreamFailure };

export interface InTurn<R extends Route, Answer> {
  routes: readonly R[];
  breaker: Pick<CallBreaker, 'status'>;
  /** How long all calls may take together. */
  deadlineMs: number;
  /** The field that is named when a provider refuses what was sent. */
  field: string;
  /** Told of each call with an account's own key. */
  ownKeys?: Pick<OwnKeys, 'used'> | undefined;
  /** Undefined: the route can not be called now. */
  call(route: R, signal: AbortSignal): Promise<CallOutcome<Answer>> | undefined;
}

/** Which route answered what, how many were called until then, and how long the last took, in whole milliseconds. */
export interface AnsweredInTurn<R, Answer> {
  route: R;
  answer: Answer;
  attempts: number;
  latencyMs: number;
}

/**
 * Calls the routes in order until one answers. What went wrong before is told when none does; when the last was called with the
 * account's own key, and that is why, that alone.
 */
export async function tryInTurn<R extends Route, Answer>({
  routes,
  breaker,
  deadlineMs,
  field,
  ownKeys,
  call,
}: InTurn<R, Answer>): Promise<Result<AnsweredInTurn<R, Answer>>> {
  const attempts: FailedAttempt[] = [];
  const refusedKeys = new Set<string>();
  let ofKey: Failure | undefined;
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(new DOMException('The time is up.', 'TimeoutError')), deadlineMs);
  try {
    for (const route of routes) {
      const attempt = { provider: route.model.provider, model: route.model.id };
      const { ownKey } = route;
      if (ownKey && refusedKeys.has(ownKey.id)) continue;
      const isAvailable = ownKey !== undefined || breaker.status(route.model.name).available;
      const startedAt = performance.now();
      const calling = isAvailable ? call(route, timeUp.signal) : undefined;
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
  return fail({ kind: late ? 'upstream_timeout' : 'upstream_failed', attempts });
}

function publicOutcome(outcome: UpstreamFailure['outcome']): string {
  if (outcome === 'misconfigured') return 'rejected';
  return outcome === 'cancelled' ? 'connection_failed' : outcome;
}
