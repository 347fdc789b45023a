import type { Caller } from '../base/caller.ts';
import { type Failure, FailureError, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { SchemaCheck } from '../base/json-schema.ts';
import { minOf, type NanoUsd } from '../base/money.ts';
import type { UpstreamFailure } from '../providers/index.ts';
import type { Hold, Usage } from '../wallet/index.ts';
import { admitChat, unaffordable } from './admit.ts';
import { type AttemptOutcome, type AttemptReply, type CountedUsage, callRoute } from './attempt.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import type { PreparedChat } from './prepare.ts';
import { affordableOutputTokens, attemptCost, type QuotedRoute } from './quote.ts';
import { watchRefusal } from './refusal.ts';
import { type RetryTerms, retriesMax, withRetries } from './retries.ts';
import { storeReply } from './stored-reply.ts';
import { countInput } from './tokens.ts';
import type { Attempt, ChatReply, ChatRequest } from './types.ts';

/**
 * One chat request, from the choice of a model to the settled charge. What the caller's going away changes is only who
 * hears the reply: a request that an upstream has accepted is completed and paid for.
 */
export async function runChat(
  deps: ChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<ChatReply>> {
  const admission = await admitChat(deps, caller, request, call);
  if (!admission.ok) return admission;
  if (admission.value.kind === 'replayed') return succeed(admission.value.reply);
  return answerWithin(deps, admission.value.hold, admission.value.prepared, request, call);
}

/**
 * Tries the routes in order until one answers. Whatever happens, the hold is settled or released. When a pending hold is
 * refused, the call that began meanwhile is stopped, and that refusal is the answer.
 */
export async function answerWithin(
  deps: ChatDeps,
  hold: Hold,
  prepared: PreparedChat,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<ChatReply>> {
  try {
    return await tryRoutes(deps, hold, prepared, request, call);
  } catch (error) {
    if (error instanceof FailureError) return fail(error.failure);
    throw error;
  }
}

async function tryRoutes(
  deps: ChatDeps,
  hold: Hold,
  prepared: PreparedChat,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<ChatReply>> {
  const { quote, measure, options, check } = prepared;
  const endsAt = deps.clock.monotonic() + deps.deadlineMs;
  const attempts: Attempt[] = [];
  const misfits: Spent = { attempts: 0, route: undefined, cost: 0n, usage: undefined };
  let last: UpstreamFailure | undefined;
  let notCalled: NotCalled = 'away';
  const refusal = watchRefusal(hold, call.signal);

  for (const [index, route] of quote.routes.entries()) {
    const model = deps.providers.model(route.model.provider, route.model.upstreamModel);
    const timeoutMs = attemptTimeout(deps, endsAt, index === quote.routes.length - 1);
    if (timeoutMs <= 0) notCalled = 'late';
    if (!model || timeoutMs <= 0 || (index > 0 && refusal.signal.aborted)) continue;
    const outputTokensCap = await affordableCap(route, hold.amount - misfits.cost, prepared, request);
    if (outputTokensCap < 1) {
      notCalled = 'poor';
      continue;
    }

    const terms = { route, model, request, measure, options, outputTokensCap, pending: hold.pending };
    const outcome = await withRetries<AttemptOutcome>(
      deps,
      retryTerms({ route, request, timeoutMs, leaving: refusal, attempts }),
      (leftMs) => callRoute(deps, { ...terms, timeoutMs: leftMs }),
    );
    if (outcome.ok && fits(outcome.reply, check)) {
      attempts.push(attemptOf(route, 'ok', outcome.latencyMs));
      const { reply } = outcome;
      if (outputTokensCap < route.outputTokensCap && reply.finishReason === 'length') reply.finishReason = 'credit';
      return succeed(await settleReply(deps, hold, prepared, route, reply, attempts, misfits));
    }
    if (outcome.ok) addMisfit(misfits, route, outcome.reply.usage);
    last = outcome.ok ? { outcome: 'invalid_reply' } : outcome.failure;
    attempts.push(attemptOf(route, last.outcome, outcome.latencyMs));
    if (last.outcome === 'caller_mistake' || refusal.failure) break;
  }

  // Taken before the release: releasing a hold that was not committed yet ends it as well, which is no refusal.
  const refused = refusal.failure;
  if (misfits.usage)
    await deps.ledger.settle(hold, {
      cost: misfits.cost,
      usage: chargedUsage(misfits.usage, misfits.attempts),
      ...(misfits.route ? { provider: misfits.route.model.provider, model: misfits.route.model.id } : {}),
    });
  else await deps.ledger.release(hold, last?.outcome ?? 'not called');
  if (refused) return fail(refused);
  return fail(last ? failureOf(last, attempts) : failureWithoutCall(notCalled, hold, quote.minimum));
}

/** What attempts cost whose replies did not fit the schema that was asked for: an upstream accepted them. */
interface Spent {
  attempts: number;
  /** The last one. */
  route: QuotedRoute | undefined;
  cost: NanoUsd;
  usage: CountedUsage | undefined;
}

function addMisfit(spent: Spent, route: QuotedRoute, usage: CountedUsage): void {
  spent.attempts++;
  spent.route = route;
  spent.cost += attemptCost(route, usage);
  spent.usage = spent.usage ? addUsage(spent.usage, usage) : usage;
}

function addUsage(a: CountedUsage, b: CountedUsage): CountedUsage {
  const sum: CountedUsage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    estimated: a.estimated || b.estimated,
  };
  if (a.cachedInputTokens !== undefined || b.cachedInputTokens !== undefined)
    sum.cachedInputTokens = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  if (a.cacheWriteInputTokens !== undefined || b.cacheWriteInputTokens !== undefined)
    sum.cacheWriteInputTokens = (a.cacheWriteInputTokens ?? 0) + (b.cacheWriteInputTokens ?? 0);
  if (a.reasoningTokens !== undefined || b.reasoningTokens !== undefined)
    sum.reasoningTokens = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  return sum;
}

// A reply that was cut off, refused or asks for tools is no JSON; its finish reason says so.
function fits({ message, finishReason }: AttemptReply, check: SchemaCheck | undefined): boolean {
  if (!check || finishReason !== 'stop') return true;
  try {
    return check(JSON.parse(message.content)).fits;
  } catch {
    return false;
  }
}

async function settleReply(
  deps: ChatDeps,
  hold: Hold,
  prepared: PreparedChat,
  route: QuotedRoute,
  { message, finishReason, usage: answered }: AttemptReply,
  attempts: Attempt[],
  misfits: Spent,
): Promise<ChatReply> {
  const cost = attemptCost(route, answered) + misfits.cost;
  const usage = misfits.usage ? addUsage(misfits.usage, answered) : answered;
  const reply: Omit<ChatReply, 'balance'> = {
    id: hold.chargeId,
    provider: route.model.provider,
    model: route.model.id,
    message,
    finishReason,
    usage: { ...usage, cost: minOf(cost, hold.amount) },
    routing: { mode: prepared.mode, reason: prepared.reason, attempts },
  };
  const receipt = await deps.ledger.settle(hold, {
    cost,
    usage: chargedUsage(usage, misfits.attempts + 1),
    provider: reply.provider,
    model: reply.model,
    ...(hold.idempotency ? { reply: storeReply(reply) } : {}),
  });
  reply.usage.cost = receipt.charged;
  return { ...reply, balance: receipt.balance };
}

/** With less held than the worst case, a reply may be as long as the rest pays for after the input, counted for real. */
export async function affordableCap(
  route: QuotedRoute,
  amount: NanoUsd,
  { measure }: PreparedChat,
  request: ChatRequest,
): Promise<number> {
  if (amount >= route.worst) return route.outputTokensCap;
  const inputTokens = await countInput(request, measure, route.model.imageTokens);
  return Math.min(route.outputTokensCap, affordableOutputTokens(route, inputTokens, amount));
}

/** How a request wants a route to be tried again; each failed try joins the attempts. */
export function retryTerms({
  route,
  request,
  attempts,
  ...terms
}: {
  route: QuotedRoute;
  request: ChatRequest;
  timeoutMs: number;
  leaving: { readonly signal: AbortSignal };
  attempts: Attempt[];
}): RetryTerms<{ ok: false; failure: UpstreamFailure; latencyMs: number }> {
  return {
    ...terms,
    route: route.model.name,
    retries: Math.min(request.routing?.maxRetries ?? 0, retriesMax),
    onRetry: ({ failure, latencyMs }) => attempts.push(attemptOf(route, failure.outcome, latencyMs)),
  };
}

/** A failed attempt as the caller sees it. */
export function attemptOf({ model }: QuotedRoute, outcome: UpstreamFailure['outcome'] | 'ok', ms: number): Attempt {
  return { provider: model.provider, model: model.id, outcome: publicOutcome(outcome), latencyMs: Math.round(ms) };
}

/** What the caller hears when the last attempt failed as well. */
export function failureOf(last: UpstreamFailure, attempts: Attempt[]): Failure {
  if (last.outcome === 'caller_mistake') return invalid('messages', last.advice ?? 'The provider refuses the input.');
  const late = attempts.length > 0 && attempts.every(({ outcome }) => outcome === 'timeout');
  return { kind: late ? 'upstream_timeout' : 'upstream_failed', attempts };
}

/** Why no model was called: its provider is gone since it was chosen, no time is left, or what is held pays for none. */
export type NotCalled = 'away' | 'late' | 'poor';

/** What the caller hears when no model was called at all. */
export function failureWithoutCall(why: NotCalled, hold: Hold, needed: NanoUsd): Failure {
  if (why === 'poor') return unaffordable(hold, needed);
  return { kind: why === 'late' ? 'upstream_timeout' : 'upstream_failed', attempts: [] };
}

/** A request's usage as the ledger keeps it. */
export function chargedUsage(usage: CountedUsage, requests: number): Usage {
  return { ...usage, requests };
}

/** Another route must still have time to answer when one is silent. */
export function attemptTimeout(deps: ChatDeps, endsAt: number, isLast: boolean): number {
  const left = endsAt - deps.clock.monotonic();
  return isLast ? left : Math.min(left, deps.deadlineMs / 2);
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
