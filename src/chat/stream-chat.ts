import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Caller } from '../base/caller.ts';
import { type Failure, FailureError, fail, type Result, succeed } from '../base/failure.ts';
import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import type { UpstreamFailure } from '../providers/index.ts';
import type { Hold } from '../wallet/index.ts';
import { type AdmissionTerms, admitChat, unaffordable } from './admit.ts';
import { finishReasonOf } from './attempt.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { failureIn, type OpenStream, openStream, StreamedError, type StreamOutcome } from './open-stream.ts';
import type { PreparedChat } from './prepare.ts';
import { attemptCost, type QuotedRoute } from './quote.ts';
import { withRetries } from './retries.ts';
import { affordableCap, answerWithin, attemptOf, attemptTimeout, failureOf, retryTerms } from './run-chat.ts';
import { storeReply } from './stored-reply.ts';
import { StreamMeter, streamStepTokens } from './stream-meter.ts';
import { countInput, inputTokensAtMost } from './tokens.ts';
import type { Attempt, ChatEvent, ChatReply, ChatRequest, FinishReason } from './types.ts';

/**
 * A chat request whose reply comes as it is made. Resolves when the first content is there, so that a failure before it
 * is told as one, after every route was tried. The last event comes after the settlement is durable. Ending the
 * iteration, or aborting the call, stops the upstream at once and settles what was received.
 */
export async function streamChat(
  deps: ChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  settled: (settling: Promise<unknown>) => void,
): Promise<Result<AsyncGenerator<ChatEvent, void>>> {
  // A reply that must fit a schema can only be checked when it is whole.
  const whole = request.responseFormat?.schema !== undefined;
  const admission = await admitChat(deps, caller, request, call, whole ? undefined : growingReply);
  if (!admission.ok) return admission;
  if (admission.value.kind === 'replayed') return succeed(asStream(admission.value.reply));
  const { hold, prepared } = admission.value;
  if (whole) {
    const work = answerWithin(deps, hold, prepared, request, call);
    settled(work);
    const answered = await work;
    return answered.ok ? succeed(asStream(answered.value)) : answered;
  }
  const opened = await (hold.pending ? openAhead : openFirst)(deps, hold, prepared, request, call);
  if (!opened.ok) return opened;
  const { stream, route, attempts } = opened.value;
  const meter = new StreamMeter({ ledger: deps.ledger, hold: opened.value.hold, route, prepared, request });
  return succeed(deliver({ stream, meter, route, attempts, prepared, signal: call.signal, settled }));
}

/** A stream's first hold: the input and the first tokens; all of it where the model thinks in tokens that we do not see. */
function firstStep({ quote, measure }: PreparedChat): NanoUsd {
  const steps = quote.routes.map((route) => {
    if (route.model.capabilities.has('reasoning')) return route.worst;
    const inputTokens = inputTokensAtMost(measure, route.model.imageTokens);
    return attemptCost(route, { inputTokens, outputTokens: Math.min(route.outputTokensCap, streamStepTokens) });
  });
  return steps.reduce(maxOf, 0n);
}

/** Pieces go out as they come, so the hold is committed while the upstream begins. */
const growingReply: AdmissionTerms = { ceilingOf: firstStep, aheadMs: 0 };

interface Opened {
  /** Committed: pieces may be delivered. */
  hold: Hold;
  stream: OpenStream;
  route: QuotedRoute;
  attempts: Attempt[];
}

/** Calls the upstream while the hold is committed, and gives its first piece out only after that. */
async function openAhead(
  deps: ChatDeps,
  hold: Hold,
  prepared: PreparedChat,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<Opened>> {
  const refusal = new AbortController();
  const held = (hold.pending ?? Promise.resolve(succeed(hold))).then((outcome) => {
    if (!outcome.ok) refusal.abort();
    return outcome;
  });
  const signal = AbortSignal.any([call.signal, refusal.signal]);
  const opening = openFirst(deps, hold, prepared, request, { ...call, signal }).catch((error: unknown) => {
    // A refused hold can't be settled; the refusal itself is told below.
    if (error instanceof FailureError) return fail(error.failure);
    throw error;
  });
  const [committed, opened] = await Promise.all([held, opening]);
  if (committed.ok) return opened.ok ? succeed({ ...opened.value, hold: committed.value }) : opened;
  if (opened.ok) {
    opened.value.stream.stop();
    await deps.ledger.release(hold, 'refused');
  }
  return committed;
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

  for (const [index, route] of quote.routes.entries()) {
    const model = deps.providers.model(route.model.provider, route.model.upstreamModel);
    const timeoutMs = attemptTimeout(deps, endsAt, index === quote.routes.length - 1);
    if (!model || timeoutMs <= 0 || call.signal.aborted) continue;
    if (partly && (await affordableCap(route, hold.amount, prepared, request)) < 1) continue;

    // How long the reply may be is for the meter to say while it grows, unless its tokens cannot be seen.
    const outputTokensCap = route.model.capabilities.has('reasoning')
      ? await affordableCap(route, hold.amount, prepared, request)
      : route.outputTokensCap;
    const terms = { route, model, request, measure, options, outputTokensCap };
    const outcome = await withRetries<StreamOutcome>(
      deps,
      retryTerms({ route, request, timeoutMs, signal: call.signal, attempts }),
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
  return fail(last ? failureOf(last, attempts) : unaffordable(hold, quote.minimum));
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

interface Delivery {
  stream: OpenStream;
  meter: StreamMeter;
  route: QuotedRoute;
  attempts: Attempt[];
  prepared: PreparedChat;
  signal: AbortSignal;
  settled: (settling: Promise<unknown>) => void;
}

/** The reply's pieces as they come, then the end. Every way out stops the upstream and settles. */
async function* deliver(delivery: Delivery): AsyncGenerator<ChatEvent, void> {
  const { stream, meter, signal } = delivery;
  const reply = new GrowingReply();
  let over = false;

  const abandon = () => {
    if (over) return;
    over = true;
    stream.stop();
    delivery.settled(settleAsReceived(delivery, reply));
  };
  signal.addEventListener('abort', abandon, { once: true });
  if (signal.aborted) abandon();

  try {
    for (const part of stream.first) {
      const event = receive(part, reply, meter);
      if (event) yield event;
    }
    let cut: 'credit' | 'length' | undefined;
    while (!reply.finished && !over) {
      const coverage = await meter.covered();
      if (coverage === 'credit' || coverage === 'length') {
        cut = coverage;
        break;
      }
      if (coverage !== 'ok') throw new FailureError(coverage);
      const part = await stream.next();
      if (!part) break;
      const event = receive(part, reply, meter);
      if (event) yield event;
    }
    if (over) throw new FailureError({ kind: 'cancelled' });
    if (!cut && !reply.finished) throw new StreamedError({ type: 'ended early' });
    over = true;
    if (cut) stream.stop();
    else stream.succeeded(meter.outputTokens);
    yield await settleWhole(delivery, reply, cut);
  } catch (error) {
    const cancelled = over && !(error instanceof FailureError && error.failure.kind !== 'cancelled');
    if (cancelled || signal.aborted) throw new FailureError({ kind: 'cancelled' }, { cause: error });
    throw new FailureError(await breakOff(delivery, reply, error), { cause: error });
  } finally {
    signal.removeEventListener('abort', abandon);
    abandon();
  }

  // The upstream, or our ledger, failed in the middle: what was received is paid for, then the caller hears of it.
  async function breakOff(broken: Delivery, received: GrowingReply, error: unknown): Promise<Failure> {
    over = true;
    stream.stop();
    const failure = failureIn(error);
    if (!(error instanceof FailureError)) stream.failed(failure);
    await settleAsReceived(broken, received);
    if (error instanceof FailureError) return error.failure;
    broken.attempts.push(attemptOf(broken.route, failure.outcome, stream.latencyMs()));
    return failureOf(failure, broken.attempts);
  }
}

/** What has come of a reply so far. */
class GrowingReply {
  readonly #texts: string[] = [];
  readonly toolCalls: ChatReply['message']['toolCalls'] = [];
  usage: LanguageModelV4Usage | undefined;
  finished: LanguageModelV4FinishReason | undefined;

  addText(text: string): void {
    this.#texts.push(text);
  }

  message(): ChatReply['message'] {
    return { role: 'assistant', content: this.#texts.join(''), toolCalls: this.toolCalls };
  }
}

/** Takes one piece in, and says what the caller is to see of it. */
function receive(part: LanguageModelV4StreamPart, reply: GrowingReply, meter: StreamMeter): ChatEvent | undefined {
  switch (part.type) {
    case 'text-delta':
      if (part.delta === '') return undefined;
      meter.received(part.delta);
      reply.addText(part.delta);
      return { kind: 'delta', content: part.delta };
    case 'reasoning-delta':
      meter.received(part.delta);
      return undefined;
    case 'tool-input-start': {
      meter.received(part.toolName);
      const call = { id: part.id, name: part.toolName, arguments: '' };
      reply.toolCalls.push(call);
      return { kind: 'delta', toolCall: { index: reply.toolCalls.length - 1, ...call } };
    }
    case 'tool-input-delta': {
      const index = reply.toolCalls.findIndex(({ id }) => id === part.id);
      const call = reply.toolCalls[index];
      if (!call) return undefined;
      meter.received(part.delta);
      call.arguments += part.delta;
      return { kind: 'delta', toolCall: { index, id: call.id, name: call.name, arguments: part.delta } };
    }
    case 'tool-call': {
      // Some providers stream a call in pieces and then repeat it whole; others send it only so.
      if (reply.toolCalls.some(({ id }) => id === part.toolCallId)) return undefined;
      const call = { id: part.toolCallId, name: part.toolName, arguments: part.input };
      meter.received(part.input);
      reply.toolCalls.push(call);
      return { kind: 'delta', toolCall: { index: reply.toolCalls.length - 1, ...call } };
    }
    case 'finish':
      if (part.finishReason.unified === 'error') throw new StreamedError({});
      reply.usage = part.usage;
      reply.finished = part.finishReason;
      return undefined;
    case 'error':
      throw new StreamedError(part.error);
    default:
      return undefined;
  }
}

async function settleWhole(
  delivery: Delivery,
  growing: GrowingReply,
  cut: FinishReason | undefined,
): Promise<ChatEvent> {
  const { meter, route, attempts, prepared, stream } = delivery;
  const message = growing.message();
  const usage = await meter.usage(growing.usage, message);
  const finishReason = cut ?? (growing.finished ? finishReasonOf(growing.finished) : 'stop');
  const reply: Omit<ChatReply, 'balance'> = {
    id: meter.hold.chargeId,
    provider: route.model.provider,
    model: route.model.id,
    message,
    finishReason,
    usage: { ...usage, cost: minOf(attemptCost(route, usage), meter.hold.amount) },
    routing: {
      mode: prepared.mode,
      reason: prepared.reason,
      attempts: [...attempts, attemptOf(route, 'ok', stream.latencyMs())],
    },
  };
  const settling = meter.settle(usage, meter.hold.idempotency ? () => storeReply(reply) : undefined);
  delivery.settled(settling);
  const receipt = await settling;
  reply.usage.cost = receipt.charged;
  return { kind: 'end', reply: { ...reply, balance: receipt.balance } };
}

async function settleAsReceived({ meter }: Delivery, reply: GrowingReply): Promise<void> {
  await meter.settle(await meter.usage(reply.usage, reply.message()));
}

/** A reply that is there already: one piece, and the end. */
export async function* asStream(reply: ChatReply): AsyncGenerator<ChatEvent, void> {
  if (reply.message.content !== '') yield { kind: 'delta', content: reply.message.content };
  for (const [index, toolCall] of reply.message.toolCalls.entries())
    yield { kind: 'delta', toolCall: { index, ...toolCall } };
  yield { kind: 'end', reply };
}
