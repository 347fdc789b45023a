import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import { systemClock } from '../base/clock.ts';
import { type Result, succeed } from '../base/failure.ts';
import { orAborted } from '../base/or-aborted.ts';
import type { Page, PageRequest } from '../base/page.ts';
import { createUnderWay } from '../base/under-way.ts';
import type { PricedModel } from '../catalog/index.ts';
import { createSchemas } from '../sandbox/index.ts';
import { runCached } from './cached-chat.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { ChatCall } from './deps.ts';
import { type GuardrailDeps, guardInput, outputDigestOf } from './guard/index.ts';
import { listModels } from './list-models.ts';
import { prepareChat } from './prepare.ts';
import type { Quote } from './quote.ts';
import { type ResumableChatDeps, resumeChat, streamResumable } from './resumable-chat.ts';
import { countInput, tokenCounter } from './tokens.ts';
import type { ChatReply, ChatRequest, StreamedEvent } from './types.ts';
import { createWarmCaches } from './warm-caches.ts';

export type { OwnKeys, OwnKeyUse } from '../base/own-key.ts';
export type { Overrun } from './bounded.ts';
export { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
export type { ChatCall } from './deps.ts';
export type { GuardrailDeps } from './guard/index.ts';
export { chatInvariants } from './invariants.ts';
export { createKeptStreams, type KeptStreams } from './kept-streams.ts';
export { createModelCalls, type ModelCalls } from './model-calls.ts';
export { createProviderStates, type ProviderStates } from './provider-state.ts';
export { type CacheEvent, createReplyCache, type ReplyCache } from './reply-cache.ts';
export { tokenCounter } from './tokens.ts';
export * from './types.ts';

/** What a request could cost, worked out before it is made. */
export interface ChatEstimate extends Quote {
  /** Why the first route was chosen, for humans. */
  reason: string;
}

/** Chat with routing, paid per request. */
export interface Chat {
  /**
   * Answers a conversation: chooses a model, holds its maximum cost, calls it, and settles the actual cost.
   *
   * Fails like `Ledger.hold`, and with `invalid_argument`, `upstream_failed`, `upstream_timeout` or `cancelled`. If the caller
   * leaves, the request is still completed and paid for, so that a retry with the same idempotency key gets the stored reply.
   */
  run(caller: Caller, request: ChatRequest, call: ChatCall): Promise<Result<ChatReply>>;
  /**
   * The same, as a stream. Resolves with the first content, or fails like `run` if no route gives any. The last event comes
   * after the charge is durable. The iteration throws a `FailureError` if the reply breaks off, in which case what was received
   * is charged. Ending it, or aborting the call, stops the upstream at once and settles what was received; a model with hidden
   * reasoning is read to its end and settled by its own count. The hold grows with the reply; when credit runs out, the reply
   * ends with the reason `credit`.
   *
   * A resumable reply is generated and settled to its end regardless; it is ended once nobody has read it for as long as it is
   * kept.
   */
  stream(caller: Caller, request: ChatRequest, call: ChatCall): Promise<Result<AsyncGenerator<StreamedEvent, void>>>;
  /** The rest of a resumable reply after a given sequence; fails like `KeptStreams.resume`, immediately or while it is being read. */
  resume(
    caller: Caller,
    from: { chargeId: string; after: number },
    signal: AbortSignal,
  ): Promise<Result<AsyncGenerator<StreamedEvent, void>>>;
  /** The routes that would be tried and what they could cost; calls nothing and holds nothing. Fails as `run` does before its hold. */
  estimate(caller: Caller, request: ChatRequest, signal?: AbortSignal): Promise<Result<ChatEstimate>>;
  /** The conversation's token count, for the first route that would be tried. Fails like `estimate`. */
  countTokens(caller: Caller, request: ChatRequest, signal?: AbortSignal): Promise<Result<number>>;
  /** The models a caller can use now, at its account's prices; needs no credit. */
  listModels(caller: Caller, request: PageRequest & { provider?: string }): Promise<Result<Page<PricedModel>>>;
  /** Resolves once no requests are in flight. */
  drained(): Promise<void>;
}

/** If a price cap leaves no model, texts are still counted. */
const noModel = { imageTokens: 0, contextTokens: 0 };

export const chatDeadlineMs = 120_000;
/** Bounds how long a call can run without other nodes knowing; a reply within this time takes one commit instead of two. */
export const chatDeferHoldMs = 20;

type Defaulted = 'clock' | 'breaker' | 'deadlineMs' | 'schemas' | 'warmCaches';
/** Anything absent has a default; for `deferHoldMs` it is 20. */
type ChatOptions = Omit<ResumableChatDeps, Defaulted> &
  Partial<Pick<ResumableChatDeps, Defaulted>> & {
    log: Logger;
    /** Judges the chats of keys with guardrails; absent: such keys are refused. */
    guardrails?: GuardrailDeps;
  };

/** Combines wallet, catalog and providers into chat. */
export function createChat(options: ChatOptions): Chat {
  const clock = options.clock ?? systemClock;
  const deps: ResumableChatDeps = {
    schemas: createSchemas(options.sandbox),
    clock,
    breaker: createCircuitBreaker({ clock }),
    warmCaches: createWarmCaches({ clock }),
    deadlineMs: chatDeadlineMs,
    deferHoldMs: chatDeferHoldMs,
    ...options,
  };
  const underWay = createUnderWay();

  function track(work: Promise<unknown>, call: ChatCall): void {
    underWay.track(work);
    call.outlast?.(work);
  }

  /** Continues with a request as its key's guardrails let it through. */
  async function guarded<T>(
    caller: Caller,
    request: ChatRequest,
    call: ChatCall,
    proceed: (request: ChatRequest, call: ChatCall) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    if (!caller.key?.guardrails) return proceed(request, call);
    if (!options.guardrails) throw new Error('a key has guardrails, and nothing looks at its chats');
    const judged = await guardInput(options.guardrails, caller, request, call.idempotency?.key);
    return judged.ok ? proceed(judged.value.request, { ...call, guard: judged.value.guard }) : judged;
  }

  return {
    run(caller, request, call) {
      const work = guarded(caller, request, call, (judged, given) =>
        runCached(deps, caller, judged, given, (more) => track(more, call)),
      );
      track(work, call);
      return orAborted(work, call.signal);
    },
    stream(caller, request, call) {
      const opening = guarded(caller, request, call, (judged, given) =>
        streamResumable(deps, caller, judged, given, (more) => track(more, call)),
      );
      track(opening, call);
      return orAborted(opening, call.signal);
    },
    async resume(caller, from, signal) {
      const digest = options.guardrails ? await outputDigestOf(options.guardrails, caller) : succeed(undefined);
      return digest.ok ? resumeChat(deps, caller, { ...from, outputDigest: digest.value }, signal) : digest;
    },
    async estimate(caller, request, signal) {
      const prepared = await prepareChat(deps, caller, request, {
        ...(signal ? { signal } : {}),
        fee: (caller.key?.guardrails && options.guardrails?.fee(caller.accountId ?? '')) ?? 0n,
      });
      if (!prepared.ok) return prepared;
      const { quote, reason } = prepared.value;
      return succeed({ ...quote, reason });
    },
    async countTokens(caller, request, signal) {
      const prepared = await prepareChat(deps, caller, request, signal ? { signal } : {});
      if (!prepared.ok) return prepared;
      const { measure, quote } = prepared.value;
      const count = tokenCounter(deps.sandbox, caller.accountId ?? '');
      return succeed(await countInput(request, measure, quote.routes[0]?.model ?? noModel, count));
    },
    listModels: (caller, request) => listModels(deps, caller, request),
    drained: underWay.drained,
  };
}
