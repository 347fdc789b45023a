import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import { hasRate } from '../catalog/index.ts';
import { failureOfOwnKey, refusesKey, type UpstreamFailure } from '../providers/index.ts';
import type { Funds } from '../wallet/index.ts';
import type { AttemptTerms } from './attempt.ts';
import type { CountedUsage } from './bounded.ts';
import type { ChatRun } from './chat-run.ts';
import { callOptionsOf } from './prompt.ts';
import type { QuotedRoute } from './quote.ts';
import { watchRefusal } from './refusal.ts';
import { retriesMax, withRetries } from './retries.ts';
import type { Attempt, ChatRequest } from './types.ts';

/** How to ask for one kind of reply. */
export interface Asking<Answer> {
  /** A hold of this amount pays for an attempt whatever its input turns out to be. */
  enough(route: QuotedRoute): NanoUsd;
  /** Whether the hold grows with the reply, so that it need not cover all of it at first. */
  grows(route: QuotedRoute): boolean;
  ask(terms: AttemptTerms): Promise<{ ok: true; answer: Answer } | FailedAttempt>;
}

export interface FailedAttempt {
  ok: false;
  failure: UpstreamFailure;
  latencyMs: number;
  /** What the upstream used nevertheless, and is paid for. */
  usage?: CountedUsage;
  /** Whether to try no other route. */
  isLast?: boolean;
}

export interface Answered<Answer> {
  route: QuotedRoute;
  answer: Answer;
}

/**
 * Tries the routes in order until one answers. If none does, ends the charge; with an answer, the charge stays open. If a
 * pending hold is refused, the call that has meanwhile started is stopped, and the refusal is the outcome.
 */
export async function tryRoutes<Answer>(run: ChatRun, asking: Asking<Answer>): Promise<Result<Answered<Answer>>> {
  const { attempts, charge, deps, prepared, request, signal } = run;
  const { account, count, measure, owner, quote, states } = prepared;
  const endsAt = deps.clock.monotonic() + deps.deadlineMs;
  const leaving = watchRefusal(charge.pending, signal);
  let last: UpstreamFailure | undefined;
  let lastRoute: QuotedRoute | undefined;
  const refusedKeys = new Set<string>();
  let notCalled: NotCalled = 'away';

  for (const [index, route] of quote.routes.entries()) {
    if (route.ownKey && refusedKeys.has(route.ownKey.id)) continue;
    const model = deps.providers.model(route.model.provider, route.model.upstreamModel, route.ownKey);
    const isLast = index === quote.routes.length - 1;
    const left = endsAt - deps.clock.monotonic();
    // If one route stays silent, another must still have time to answer.
    const timeoutMs = isLast ? left : Math.min(left, deps.deadlineMs / 2);
    if (timeoutMs <= 0) notCalled = 'late';
    if (!model || timeoutMs <= 0 || (index > 0 && leaving.signal.aborted)) continue;
    const affordable = await run.affordable(route, asking.enough(route));
    if (affordable < 1) {
      notCalled = 'poor';
      continue;
    }

    const outputTokensCap = asking.grows(route) ? route.outputTokensCap : affordable;
    const { provider, id } = route.model;
    const dialect = deps.providers.dialect(provider);
    const keepsForHour = hasRate(route.price, 'cacheWrite1hInputPerMillion');
    const terms = {
      ...{ account, route, model, request, measure, count, outputTokensCap, dialect, pending: charge.pending, signal },
      ...callOptionsOf({ request, model: route.model, keepsForHour, dialect, states, outputTokensCap }),
      owner: owner && { ...owner, provider, model: id },
    };
    if (route.ownKey) deps.ownKeys?.used(route.ownKey);
    const outcome = await withRetries<{ ok: true; answer: Answer } | FailedAttempt>(
      deps,
      {
        ...{ timeoutMs, leaving, account, route: route.model.name, ownKey: route.ownKey !== undefined },
        retries: Math.min(request.routing?.maxRetries ?? 0, retriesMax),
        onRetry: ({ failure, latencyMs }) => attempts.push(attemptOf(route, failure.outcome, latencyMs)),
      },
      (leftMs) => asking.ask({ ...terms, timeoutMs: leftMs }),
    );
    if (outcome.ok) return succeed({ route, answer: outcome.answer });
    if (outcome.usage) run.lose(route, outcome.usage);
    last = outcome.failure;
    lastRoute = route;
    if (route.ownKey && refusesKey(last)) refusedKeys.add(route.ownKey.id);
    attempts.push(attemptOf(route, last.outcome, outcome.latencyMs));
    if (outcome.isLast || last.outcome === 'caller_mistake' || last.outcome === 'cancelled' || leaving.failure) break;
  }

  // Read before the release: releasing an uncommitted hold ends it as well, which is not a refusal.
  const refused = leaving.failure;
  if (refused) return fail(refused);
  await run.giveUp(last?.outcome ?? 'not called');
  if (signal.aborted) return fail({ kind: 'cancelled' });
  const ofKey = last && lastRoute?.ownKey && failureOfOwnKey(lastRoute.ownKey, last);
  if (ofKey) return fail(ofKey);
  return fail(last ? failureOf(last, attempts, request) : failureWithoutCall(notCalled, charge, quote.minimum));
}

/** A finished or failed attempt as the caller sees it. */
export function attemptOf(
  { model, ownKey }: QuotedRoute,
  outcome: UpstreamFailure['outcome'] | 'ok',
  ms: number,
): Attempt {
  const named = { provider: model.provider, model: model.id, outcome: publicOutcome(outcome) };
  return { ...named, latencyMs: Math.round(ms), ...(ownKey && { ownKey: true }) };
}

/** The caller's error when the last attempt has failed as well. */
export function failureOf(last: UpstreamFailure, attempts: Attempt[], { messages }: ChatRequest): Failure {
  if (last.outcome === 'caller_mistake')
    return invalid(
      last.wantsState ? placeWithoutState(messages) : 'messages',
      last.advice ?? 'The provider refused the input.',
    );
  // A repeat would be refused again, unless another of the models failed for a reason of its own.
  if (last.advice && attempts.every(({ outcome }) => outcome === 'rejected')) return invalid('messages', last.advice);
  const late = attempts.length > 0 && attempts.every(({ outcome }) => outcome === 'timeout');
  return { kind: late ? 'upstream_timeout' : 'upstream_failed', attempts };
}

/** The path of the last message that calls tools without its provider's state. */
function placeWithoutState(messages: ChatRequest['messages']): string {
  const index = messages.findLastIndex(
    ({ providerState, toolCalls = [] }) =>
      toolCalls.length > 0 && !providerState && toolCalls.every((call) => !call.providerState),
  );
  return index < 0 ? 'messages' : `messages[${index}].providerState`;
}

/** The credit that could be held does not pay for the input. */
export function unaffordable({ amount, balance }: Funds, needed: NanoUsd): Failure {
  return { kind: 'insufficient_credit', balance, held: balance - amount, needed };
}

/** Why no model was called: its provider has gone since it was chosen, no time is left, or the hold pays for none. */
type NotCalled = 'away' | 'late' | 'poor';

function failureWithoutCall(why: NotCalled, funds: Funds, needed: NanoUsd): Failure {
  if (why === 'poor') return unaffordable(funds, needed);
  return { kind: why === 'late' ? 'upstream_timeout' : 'upstream_failed', attempts: [] };
}

function publicOutcome(outcome: UpstreamFailure['outcome'] | 'ok'): Attempt['outcome'] {
  switch (outcome) {
    case 'misconfigured':
    case 'caller_mistake':
      return 'rejected';
    case 'cancelled':
      return 'connection_failed';
    default:
      return outcome;
  }
}
