import { type FailedAttempt, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { UpstreamFailure } from './upstream-failure.ts';

/** As much of a circuit breaker as calls need that have no stream. */
export interface CallBreaker {
  status(route: string): { available: boolean };
  begin(route: string): {
    succeeded(measure: { firstTokenMs: number; totalMs: number; outputTokens: number }): void;
    failed(failure: UpstreamFailure): void;
    ended(): void;
  };
}

interface Route {
  model: { name: string; provider: string; id: string };
}

export type CallOutcome<Answer> = { ok: true; answer: Answer } | { ok: false; failure: UpstreamFailure };

export interface InTurn<R extends Route, Answer> {
  routes: readonly R[];
  breaker: Pick<CallBreaker, 'status'>;
  /** How long all calls may take together. */
  deadlineMs: number;
  /** The field that is named when a provider refuses what was sent. */
  field: string;
  /** Undefined: the route can not be called now. */
  call(route: R, signal: AbortSignal): Promise<CallOutcome<Answer>> | undefined;
}

/** Calls the routes in order until one answers. What went wrong before is told when none does. */
export async function tryInTurn<R extends Route, Answer>({
  routes,
  breaker,
  deadlineMs,
  field,
  call,
}: InTurn<R, Answer>): Promise<Result<{ route: R; answer: Answer }>> {
  const attempts: FailedAttempt[] = [];
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(new DOMException('The time is up.', 'TimeoutError')), deadlineMs);
  try {
    for (const route of routes) {
      const attempt = { provider: route.model.provider, model: route.model.id };
      const calling = breaker.status(route.model.name).available ? call(route, timeUp.signal) : undefined;
      const outcome = await calling;
      if (!outcome) {
        attempts.push({ ...attempt, outcome: 'skipped' });
        continue;
      }
      if (outcome.ok) return succeed({ route, answer: outcome.answer });
      const { failure } = outcome;
      if (failure.outcome === 'caller_mistake')
        return fail(invalid(field, failure.advice ?? 'The provider refuses this.'));
      attempts.push({ ...attempt, outcome: publicOutcome(failure.outcome) });
    }
  } finally {
    clearTimeout(timer);
  }
  const late = attempts.length > 0 && attempts.every(({ outcome }) => outcome === 'timeout');
  return fail({ kind: late ? 'upstream_timeout' : 'upstream_failed', attempts });
}

function publicOutcome(outcome: UpstreamFailure['outcome']): string {
  if (outcome === 'misconfigured') return 'rejected';
  return outcome === 'cancelled' ? 'connection_failed' : outcome;
}
