import type { Caller } from '../base/caller.ts';
import { FailureError, fail, type Result, succeed } from '../base/failure.ts';
import type { CallersSchema } from '../sandbox/index.ts';
import { dueOf, endingCharge, settleInFull } from '../wallet/index.ts';
import { admitChat, wholeReply } from './admit.ts';
import { type AttemptReply, callRoute } from './attempt.ts';
import type { ChatRun } from './chat-run.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { type Asking, attemptOf, tryRoutes } from './try-routes.ts';
import type { ChatReply, ChatRequest } from './types.ts';

/**
 * Runs one chat request, from the choice of a model to the settled charge. If the caller leaves, only the delivery is lost: a
 * request that an upstream has accepted is completed and paid for.
 */
export async function runChat(
  deps: ChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
): Promise<Result<ChatReply>> {
  const admission = await admitChat(deps, caller, request, call, wholeReply);
  if (!admission.ok) return admission;
  return admission.value.kind === 'replayed' ? succeed(admission.value.reply) : answerWhole(admission.value.run);
}

/** Gets a whole reply and charges for it: it is delivered only if it is paid in full. Ends the run's charge. */
export function answerWhole(run: ChatRun): Promise<Result<ChatReply>> {
  return endingCharge(run.charge, () => answer(run));
}

async function answer(run: ChatRun): Promise<Result<ChatReply>> {
  try {
    const answered = await tryRoutes(run, wholeFrom(run));
    if (!answered.ok) return answered;
    const { route, answer: given } = answered.value;
    const { reply, settlement } = run.concluded(route, (await run.guard?.reply(given)) ?? given);
    const paid = await settleInFull(run.charge, settlement);
    if (!paid.ok) return paid;
    reply.usage.cost = dueOf(paid.value);
    return succeed({ ...reply, balance: paid.value.balance, capLeft: paid.value.capLeft });
  } catch (error) {
    if (error instanceof FailureError) return fail(error.failure);
    throw error;
  }
}

function wholeFrom({ deps, attempts, prepared }: ChatRun): Asking<AttemptReply> {
  return {
    enough: ({ worst }) => worst,
    grows: () => false,
    async ask(terms) {
      const { route, outputTokensCap } = terms;
      const outcome = await callRoute(deps, terms);
      if (!outcome.ok) return outcome;
      const { reply: answer, latencyMs } = outcome;
      const fit = await fits(answer, prepared.schema, terms.timeoutMs - latencyMs);
      if (fit !== 'fits')
        return {
          ...{ ok: false, failure: { outcome: 'invalid_reply' }, latencyMs, usage: answer.usage },
          // Another model's reply could not be checked either, and would have to be paid for as well.
          isLast: fit === 'unchecked',
        };
      attempts.push(attemptOf(route, 'ok', latencyMs));
      if (outputTokensCap < route.outputTokensCap && answer.finishReason === 'length') answer.finishReason = 'credit';
      return { ok: true, answer };
    },
  };
}

/**
 * Whether a reply fits the schema. A reply that was cut off, refused or asks for tools is not JSON; its finish reason says so.
 * A reply whose check takes too much time or memory does not fit: the schema is the caller's. It is unchecked if there is no
 * room for the check for as long as the call may run, which an owner's own checks can cause.
 */
async function fits(
  { message, finishReason }: AttemptReply,
  schema: CallersSchema | undefined,
  leftMs: number,
): Promise<'fits' | 'does not fit' | 'unchecked'> {
  if (!schema || finishReason !== 'stop') return 'fits';
  const checked = await schema.fits(message.content, Math.max(leftMs, checkWaitAtLeastMs));
  if (checked.ok) return checked.value ? 'fits' : 'does not fit';
  return checked.failure.kind === 'overloaded' ? 'unchecked' : 'does not fit';
}

/** A reply that arrives at the last moment is already paid for, so its check may wait at least this long. */
const checkWaitAtLeastMs = 3_000;
