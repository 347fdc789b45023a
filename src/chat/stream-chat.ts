import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { maxOf } from '../base/money.ts';
import type { OpenCharge } from '../wallet/index.ts';
import { type AdmissionTerms, admitChat, wholeReply } from './admit.ts';
import type { ChatRun } from './chat-run.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { type OpenStream, openStream } from './open-stream.ts';
import type { QuotedRoute } from './quote.ts';
import { answerWhole } from './run-chat.ts';
import { firstStep, hasHiddenTokens } from './stream-meter.ts';
import { StreamedReply } from './streamed-reply.ts';
import { type Answered, tryRoutes, unaffordable } from './try-routes.ts';
import type { ChatEvent, ChatReply, ChatRequest } from './types.ts';

/**
 * A chat request with a streamed reply. Resolves once the first content is there, so that a failure before it, after every
 * route was tried, is reported as a failure. The last event comes after the settlement is durable. Ending the iteration, or
 * aborting the call, ends the reply as `StreamedReply` describes.
 */
export async function streamChat(
  deps: ChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  track: (work: Promise<unknown>) => void,
): Promise<Result<AsyncGenerator<ChatEvent, void>>> {
  // A reply that must fit a schema can only be checked once it is complete.
  const whole = request.responseFormat?.schema !== undefined;
  const admission = await admitChat(deps, caller, request, call, whole ? wholeReply : growingReply);
  if (!admission.ok) return admission;
  if (admission.value.kind === 'replayed') return succeed(asStream(admission.value.reply));
  const { run } = admission.value;
  if (whole) {
    const answered = await answerWhole(run);
    return answered.ok ? succeed(asStream(answered.value)) : answered;
  }
  let reply: StreamedReply | undefined;
  try {
    const opened = await startStream(run);
    if (!opened.ok) return opened;
    reply = new StreamedReply(run, opened.value, track);
    return succeed(reply.events());
  } finally {
    // If there is a reply, the reply ends the charge.
    if (!reply) await run.charge[Symbol.asyncDispose]();
  }
}

/** Pieces are sent as they arrive, so the hold is committed while the upstream starts. */
const growingReply: AdmissionTerms = {
  ceilingOf: ({ quote, measure }, fee) =>
    quote.routes.map((route) => firstStep(route, measure)).reduce(maxOf, 0n) + fee,
  whole: false,
};

/** Opens the first route that gives content, once the hold is committed. */
async function startStream(run: ChatRun<OpenCharge>): Promise<Result<Answered<OpenStream>>> {
  const { charge, prepared } = run;
  const expected = charge.amount;
  const opening = tryRoutes<OpenStream>(run, {
    enough: (route) => firstStep(route, prepared.measure),
    // The meter limits the reply's length as it grows, unless its tokens are hidden.
    grows: (route) => !hasHiddenTokens(route),
    ask: (terms) => openStream(run.deps, terms),
  });
  if (!charge.pending) return opening;

  // The upstream is called while the hold is being committed, but its first piece is sent only after that.
  const [committed, opened] = await Promise.allSettled([charge.committed(), opening]);
  const begun = opened.status === 'fulfilled' && opened.value.ok ? opened.value.value : undefined;
  if (committed.status === 'rejected' || !committed.value.ok) {
    begun?.answer.stop();
    begun?.answer.concluded({ outcome: 'cancelled' });
    if (committed.status === 'rejected') throw committed.reason;
    return committed.value as Result<never>;
  }
  if (opened.status === 'rejected') throw opened.reason;
  if (begun && charge.amount < expected && !(await paysFor(run, begun.route))) {
    begun.answer.stop();
    begun.answer.concluded({ outcome: 'cancelled' });
    return fail(unaffordable(charge, expected));
  }
  return opened.value;
}

/** Whether a partial hold pays for what an upstream was asked for: its first tokens, or all of them if some are hidden. */
async function paysFor(run: ChatRun, route: QuotedRoute): Promise<boolean> {
  const tokens = await run.affordable(route, route.worst);
  return tokens >= (hasHiddenTokens(route) ? route.outputTokensCap : 1);
}

/** An existing reply as a stream: one piece, then the end. */
export async function* asStream(reply: ChatReply): AsyncGenerator<ChatEvent, void> {
  if (reply.reasoningSummary) yield { kind: 'reasoning', summary: reply.reasoningSummary };
  const { providerState } = reply.message;
  if (providerState !== undefined) yield { kind: 'state', providerState };
  if (reply.message.content !== '') yield { kind: 'delta', content: reply.message.content };
  for (const [index, toolCall] of reply.message.toolCalls.entries())
    yield { kind: 'delta', toolCall: { index, ...toolCall } };
  yield { kind: 'end', reply };
}
