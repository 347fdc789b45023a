import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import { pick, present } from '../base/present.ts';
import {
  dueOf,
  type HoldRequest,
  type OpenCharge,
  openCharge,
  type Payer,
  payerOf,
  replyScope,
} from '../wallet/index.ts';
import { ChatRun } from './chat-run.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { type PreparedChat, prepareChat, reserveMost } from './prepare.ts';
import { restoreReply } from './stored-reply.ts';
import type { ChatReply, ChatRequest } from './types.ts';

/** Either a request that may run, with its worst-case cost on hold, or a repeat of an earlier one, with the stored reply. */
export type Admission = { kind: 'admitted'; run: ChatRun<OpenCharge> } | { kind: 'replayed'; reply: ChatReply };

/** Time left after a request's deadline to settle it before its hold expires. */
const settleGraceMs = 60_000;

export interface AdmissionTerms {
  /** How much to hold: the full quote, or less if the hold grows with the reply. */
  ceilingOf(prepared: PreparedChat, fee: NanoUsd): NanoUsd;
  /** A whole reply is settled before anyone sees it, so an expected hold may stay uncommitted until settlement. */
  whole: boolean;
}

export const wholeReply: AdmissionTerms = { ceilingOf: ({ quote }) => quote.ceiling, whole: true };

/**
 * Chooses routes, quotes, and opens the charge, which may be pending and which the caller must end. A stored reply is returned
 * even when no route can be called.
 */
export async function admitChat(
  deps: ChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  terms: AdmissionTerms,
): Promise<Result<Admission>> {
  const payer = payerOf(caller, 'chat');
  if (!payer.ok) return payer;
  const evenUnavailable = call.idempotency !== undefined;
  const ready = await prepareChat(deps, caller, request, {
    ...{ evenUnavailable, signal: call.signal },
    fee: call.guard?.fee ?? 0n,
  });
  if (!ready.ok) return ready;
  const prepared = ready.value;
  const tokens = await reserveMost(deps, caller, prepared);
  if (!tokens.ok) return tokens;

  const asked = holdRequest(deps, { payer: payer.value, prepared, terms, call, metadata: request.metadata });
  const opened = await openCharge(deps.ledger, asked, tokens.value);
  if (!opened.ok) return opened;
  if (opened.value.kind === 'replayed') {
    const { reply, receipt } = opened.value;
    call.charged?.(receipt.chargeId, true);
    const restored = restoreReply(reply, { ...receipt, cost: dueOf(receipt) });
    return succeed({ kind: 'replayed', reply: (await call.guard?.kept(restored)) ?? restored });
  }
  const { charge } = opened.value;
  call.charged?.(charge.id, false);
  // The input was not judged because this request had already been answered when it arrived; that answer has since gone.
  if (call.guard?.inputJudged === false) {
    await charge.release('guardrail');
    return fail({ kind: 'idempotency_in_flight', retryAfterMs: 1_000 });
  }
  if (prepared.unavailable) {
    await charge.release('unavailable');
    return fail(prepared.unavailable);
  }
  return succeed({
    kind: 'admitted',
    run: new ChatRun(deps, { charge, prepared, request, ...pick(call, 'signal', 'guard') }),
  });
}

interface Admitting {
  payer: Payer;
  prepared: PreparedChat;
  terms: AdmissionTerms;
  call: ChatCall;
  metadata: ChatRequest['metadata'];
}

function holdRequest(deps: ChatDeps, { payer, prepared, terms, call, metadata }: Admitting): HoldRequest {
  const { quote, priceVersion } = prepared;
  // A hold is at least 1 nano-USD, even for a free model.
  const ceiling = maxOf(terms.ceilingOf(prepared, call.guard?.fee ?? 0n), 1n);
  const first = quote.routes[0];
  return present({
    ...payer,
    operation: 'chat',
    provider: first?.model.provider,
    model: first?.model.id,
    providerKeyId: first?.ownKey?.id,
    priceVersion,
    ceiling,
    minimum: maxOf(minOf(quote.minimum, ceiling), 1n),
    ttlMs: deps.deadlineMs + settleGraceMs,
    deferMs: deps.deferHoldMs ? (terms.whole ? deps.deferHoldMs : 0) : undefined,
    requestId: call.requestId,
    metadata,
    idempotency: call.idempotency && { scope: replyScope(payer), ...call.idempotency },
  });
}
