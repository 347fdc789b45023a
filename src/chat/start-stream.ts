import { FailureError, fail, type Result, succeed } from '../base/failure.ts';
import { maxOf, type NanoUsd } from '../base/money.ts';
import type { UpstreamFailure } from '../providers/index.ts';
import type { Hold } from '../wallet/index.ts';
import { unaffordable } from './admit.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { type OpenStream, openStream, type StreamOutcome } from './open-stream.ts';
import type { PreparedChat } from './prepare.ts';
import { attemptCost, type QuotedRoute, worstCost } from './quote.ts';
import { watchRefusal } from './refusal.ts';
import { withRetries } from './retries.ts';
import {
  affordableCap,
  attemptOf,
  attemptTimeout,
  failureOf,
  failureWithoutCall,
  type NotCalled,
  retryTerms,
} from './run-chat.ts';
import { streamStepTokens } from './stream-meter.ts';
import { countInput, inputTokensAtMost } from './tokens.ts';
import type { Attempt, ChatRequest } from './types.ts';

export interface Opened {
  /** Committed: pieces may be delivered. */
  hold: Hold;
  stream: OpenStream;
  route: QuotedRoute;
  attempts: Attempt[];
}

/** Opens the first route that gives content, when the hold is committed. Whatever fails, the hold is settled or released. */
export async function startStream(
  deps: ChatDeps,
  hold: Hold,
  prepared: PreparedChat,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<Opened>> {
  if (hold.pending) return openAhead(deps, hold, hold.pending, prepared, request, call);
  return openFirst(deps, hold, prepared, request, call);
}

/** A stream's first hold: the input and the first tokens; all of it where the model thinks in tokens that we do not see. */
export function firstStep({ quote, measure }: PreparedChat): NanoUsd {
  const steps = quote.routes.map((route) => {
    if (route.model.capabilities.has('reasoning')) return route.worst;
    const inputTokens = inputTokensAtMost(measure, route.model.imageTokens);
    return worstCost(route, { inputTokens, outputTokens: Math.min(route.outputTokensCap, streamStepTokens) });
  });
  return steps.reduce(maxOf, 0n);
}

/** Calls the upstream while the hold is committed, and gives its first piece out only after that. */
async function openAhead(
  deps: ChatDeps,
  hold: Hold,
  pending: Promise<Result<Hold>>,
  prepared: PreparedChat,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<Opened>> {
  const { signal } = watchRefusal(hold, call.signal);
  const opening = openFirst(deps, hold, prepared, request, { ...call, signal }).catch((error: unknown) => {
    // A refused hold can't be settled; the refusal itself is told below.
    if (error instanceof FailureError) return fail(error.failure);
    throw error;
  });
  const giveUp = async (given: Hold) => {
    const opened = await opening;
    if (!opened.ok) return;
    opened.value.stream.stop();
    await deps.ledger.release(given, 'refused');
  };
  const held = await pending.catch(async (error: unknown) => {
    await giveUp(hold);
    throw error;
  });
  if (!held.ok) {
    await giveUp(hold);
    return held;
  }
  const opened = await opening;
  if (!opened.ok) return opened;
  const { route } = opened.value;
  if (held.value.amount < hold.amount && !(await paysFor(route, held.value.amount, prepared, request))) {
    await giveUp(held.value);
    return fail(unaffordable(held.value, hold.amount));
  }
  return succeed({ ...opened.value, hold: held.value });
}

/** Whether a hold that was given in part pays for what an upstream was asked for: its first tokens, or all that it thinks. */
async function paysFor(
  route: QuotedRoute,
  amount: NanoUsd,
  prepared: PreparedChat,
  request: ChatRequest,
): Promise<boolean> {
  const tokens = await affordableCap(route, amount, prepared, request);
  return tokens >= (route.model.capabilities.has('reasoning') ? route.outputTokensCap : 1);
}

async function openFirst(
  deps: ChatDeps,
  hold: Hold,
  prepared: PreparedChat,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<Opened>> {
  const { quote, measure, options } = prepared;
  const endsAt = deps.clock.monotonic() + deps.deadlineMs;
  const attempts: Attempt[] = [];
  const partly = hold.amount < firstStep(prepared);
  let last: UpstreamFailure | undefined;
  let notCalled: NotCalled = 'away';

  for (const [index, route] of quote.routes.entries()) {
    const model = deps.providers.model(route.model.provider, route.model.upstreamModel);
    const timeoutMs = attemptTimeout(deps, endsAt, index === quote.routes.length - 1);
    if (timeoutMs <= 0) notCalled = 'late';
    if (!model || timeoutMs <= 0 || call.signal.aborted) continue;
    if (partly && (await affordableCap(route, hold.amount, prepared, request)) < 1) {
      notCalled = 'poor';
      continue;
    }

    // How long the reply may be is for the meter to say while it grows, unless its tokens cannot be seen.
    const outputTokensCap = route.model.capabilities.has('reasoning')
      ? await affordableCap(route, hold.amount, prepared, request)
      : route.outputTokensCap;
    const terms = { route, model, request, measure, options, outputTokensCap };
    const outcome = await withRetries<StreamOutcome>(
      deps,
      retryTerms({ route, request, timeoutMs, leaving: call, attempts }),
      (leftMs) => openStream(deps, { ...terms, timeoutMs: leftMs }, call.signal),
    );
    if (outcome.ok) return succeed({ hold, stream: outcome.stream, route, attempts });
    last = outcome.failure;
    attempts.push(attemptOf(route, last.outcome, outcome.latencyMs));
    if (last.outcome === 'cancelled') {
      await settleCancelled(deps, hold, route, prepared, request, outcome.accepted);
      return fail({ kind: 'cancelled' });
    }
    if (last.outcome === 'caller_mistake') break;
  }
  await deps.ledger.release(hold, last?.outcome ?? 'not called');
  if (call.signal.aborted) return fail({ kind: 'cancelled' });
  return fail(last ? failureOf(last, attempts) : failureWithoutCall(notCalled, hold, quote.minimum));
}

// The caller left while an upstream that had taken the request was still thinking: the input is paid for.
async function settleCancelled(
  deps: ChatDeps,
  hold: Hold,
  route: QuotedRoute,
  { measure }: PreparedChat,
  request: ChatRequest,
  accepted: boolean,
): Promise<void> {
  if (!accepted) return deps.ledger.release(hold, 'cancelled');
  const inputTokens = await countInput(request, measure, route.model.imageTokens);
  const usage = { inputTokens, outputTokens: 0, estimated: true };
  await deps.ledger.settle(hold, {
    cost: attemptCost(route, usage),
    usage: { ...usage, requests: 1 },
    provider: route.model.provider,
    model: route.model.id,
  });
}
