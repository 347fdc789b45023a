import type { Caller } from '../base/caller.ts';
import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import { minOf, type NanoUsd } from '../base/money.ts';
import type { Hold, HoldRequest, Payer } from '../wallet/index.ts';
import { payerOf } from '../wallet/index.ts';
import type { ChatCall, ChatDeps } from './deps.ts';
import { type PreparedChat, prepareChat } from './prepare.ts';
import { replyScope } from './reply-scope.ts';
import { restoreReply } from './stored-reply.ts';
import type { ChatReply, ChatRequest } from './types.ts';

/** A request that may run: what it may cost is held. Or one that ran before, with its stored reply. */
export type Admission =
  | { kind: 'admitted'; hold: Hold; prepared: PreparedChat }
  | { kind: 'replayed'; reply: ChatReply };

/** After its deadline a request still has this long to be settled before its hold expires. */
const settleGraceMs = 60_000;

export interface AdmissionTerms {
  /** How much is held: the whole quote, or less where the hold grows with the reply. */
  ceilingOf(prepared: PreparedChat): NanoUsd;
  /** A reply that comes whole is settled before anyone sees it, so an expected hold may wait for its settlement. */
  whole: boolean;
}

const wholeReply: AdmissionTerms = { ceilingOf: ({ quote }) => quote.ceiling, whole: true };

/** Chooses, quotes and holds. A stored reply is answered even when nothing can be called. The hold may be pending. */
export async function admitChat(
  deps: ChatDeps,
  caller: Caller,
  request: ChatRequest,
  call: ChatCall,
  terms: AdmissionTerms = wholeReply,
): Promise<Result<Admission>> {
  const payer = payerOf(caller, 'chat');
  if (!payer.ok) return payer;
  const ready = prepareChat(deps, caller, request, call.idempotency !== undefined);
  if (!ready.ok) return ready;
  const prepared = ready.value;

  const reserved = await deps.tokenLimits?.reserve(caller, prepared);
  if (reserved && !reserved.ok) return reserved;
  const held = await deps.ledger.hold(
    holdRequest({
      payer: payer.value,
      prepared,
      terms,
      call,
      metadata: request.metadata,
      deps,
    }),
  );
  if (!held.ok || held.value.kind === 'replayed') reserved?.value.settle(0);
  if (!held.ok) return held;
  if (held.value.kind === 'replayed') {
    const { reply, receipt } = held.value;
    if (!reply) return fail({ kind: 'reply_purged', chargeId: receipt.chargeId });
    return succeed({ kind: 'replayed', reply: restoreReply(reply, receipt.balance) });
  }
  const { hold } = held.value;
  if (reserved) deps.tokenLimits?.keep(hold.chargeId, reserved.value);
  if (prepared.unavailable) {
    await deps.ledger.release(hold, 'unavailable');
    return fail(prepared.unavailable);
  }
  return succeed({ kind: 'admitted', hold, prepared });
}

/** The credit that could be held does not pay for the input. */
export function unaffordable(hold: Hold, needed: NanoUsd): Failure {
  return { kind: 'insufficient_credit', balance: hold.balance, held: hold.balance - hold.amount, needed };
}

interface Admitting {
  payer: Payer;
  prepared: PreparedChat;
  terms: AdmissionTerms;
  call: ChatCall;
  metadata: ChatRequest['metadata'];
  deps: Pick<ChatDeps, 'deadlineMs' | 'holdAheadMs'>;
}

function holdRequest({ payer, prepared, terms, call, metadata, deps }: Admitting): HoldRequest {
  const { quote, priceVersion } = prepared;
  const ceiling = terms.ceilingOf(prepared);
  const first = quote.routes[0];
  const request: HoldRequest = {
    ...payer,
    operation: 'chat',
    priceVersion,
    ceiling,
    minimum: minOf(quote.minimum, ceiling),
    ttlMs: deps.deadlineMs + settleGraceMs,
  };
  if (deps.holdAheadMs) request.aheadMs = terms.whole ? deps.holdAheadMs : 0;
  if (first) {
    request.provider = first.model.provider;
    request.model = first.model.id;
  }
  if (metadata) request.metadata = metadata;
  if (call.idempotency)
    request.idempotency = {
      scope: replyScope(payer),
      ...call.idempotency,
    };
  return request;
}
