import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Caller } from '../base/caller.ts';
import { type Failure, FailureError, type Result, succeed } from '../base/failure.ts';
import { minOf } from '../base/money.ts';
import { type AdmissionTerms, admitChat } from './admit.ts';
import { finishReasonOf } from './attempt.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { failureIn, type OpenStream, StreamedError } from './open-stream.ts';
import type { PreparedChat } from './prepare.ts';
import { attemptCost, type QuotedRoute } from './quote.ts';
import { answerWithin, attemptOf, failureOf } from './run-chat.ts';
import { firstStep, startStream } from './start-stream.ts';
import { storeReply } from './stored-reply.ts';
import { StreamMeter } from './stream-meter.ts';
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
  const opened = await startStream(deps, hold, prepared, request, call);
  if (!opened.ok) return opened;
  const { stream, route, attempts } = opened.value;
  const meter = new StreamMeter({ ledger: deps.ledger, hold: opened.value.hold, route, prepared, request });
  return succeed(deliver({ stream, meter, route, attempts, prepared, signal: call.signal, settled }));
}

/** Pieces go out as they come, so the hold is committed while the upstream begins. */
const growingReply: AdmissionTerms = { ceilingOf: firstStep, whole: false };

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
