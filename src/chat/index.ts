import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import { systemClock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { PricedModel } from '../catalog/index.ts';
import { createSchemas } from '../sandbox/index.ts';
import { runCached } from './cached-chat.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { ChatCall } from './deps.ts';
import { type GuardrailDeps, guardInput } from './guard/index.ts';
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
export { chatInvariants } from './invariants.ts';
export { createKeptStreams, type KeptStreams } from './kept-streams.ts';
export { createModelCalls, type ModelCalls } from './model-calls.ts';
export { createProviderStates, type ProviderStates } from './provider-state.ts';
export { type CacheEvent, createReplyCache, type ReplyCache } from './reply-cache.ts';
export { tokenCounter } from './tokens.ts';
export * from './types.ts';

/** What a request could cost before it is made. */
export interface ChatEstimate extends Quote {
  /** Why the first route, for people. */
  reason: string;
}

/** Chat with routing, paid per request. */
export interface Chat {
  /**
   * Answers a conversation: chooses a model, holds the most that it can cost, calls it, settles what it cost.
   *
   * Fails like `Ledger.hold`, and with `invalid_argument`, `upstream_failed`, `upstream_timeout` or `cancelled`. When the
   * caller goes away the request is completed and paid for all the same, so that a retry with the same idempotency key
   * is answered from what is stored.
   */
  run(caller: Caller, request: ChatRequest, call: ChatCall): Promise<Result<ChatReply>>;
  /**
   * The same, piece by piece. Resolves with the first content, or fails like `run` when no route gave any. The last event
   * comes after the charge is durable; the iteration throws a `FailureError` when the reply breaks off, which is charged as
   * received. Ending it, or aborting the call, stops the upstream at once and settles what was received; a model that
   * reasons unseen is read on to its end and settled by its own count. The hold grows with the reply; when credit ends, so
   * does the reply, with the reason `credit`.
   *
   * A resumable reply is made and settled to its end all the same; it is ended when nobody has read it for as long as it is kept.
   */
  stream(caller: Caller, request: ChatRequest, call: ChatCall): Promise<Result<AsyncGenerator<StreamedEvent, void>>>;
  /** What comes after a sequence of a resumable reply, to its end; fails like `KeptStreams.resume`, now or while it is read. */
  resume(
    caller: Caller,
    from: { chargeId: string; after: number },
    signal: AbortSignal,
  ): Promise<Result<AsyncGenerator<StreamedEvent, void>>>;
  /** The routes that would be tried and what they could cost; calls nothing and holds nothing. Fails like `run` before its hold. */
  estimate(caller: Caller, request: ChatRequest, signal?: AbortSignal): Promise<Result<ChatEstimate>>;
  /** How many tokens the conversation has, for the first of the routes that would be tried. Fails like `estimate`. */
  countTokens(caller: Caller, request: ChatRequest, signal?: AbortSignal): Promise<Result<number>>;
  /** The models that a caller can use now, with the prices of its account; needs no credit. */
  listModels(caller: Caller, request: PageRequest & { provider?: string }): Promise<Result<Page<PricedModel>>>;
  /** Resolves when no request is under way any more. */
  drained(): Promise<void>;
}

/** Where a price cap leaves no model, texts are counted all the same. */
const noModel = { imageTokens: 0, contextTokens: 0 };

export const chatDeadlineMs = 120_000;
/** It bounds for how long a call runs that another node does not know of; a reply within it costs one commit, not two. */
export const chatDeferHoldMs = 20;

type Defaulted = 'clock' | 'breaker' | 'deadlineMs' | 'schemas' | 'warmCaches';
/** What is absent has a default; that of `deferHoldMs` is 20. */
type ChatOptions = Omit<ResumableChatDeps, Defaulted> &
  Partial<Pick<ResumableChatDeps, Defaulted>> & {
    log: Logger;
    /** What looks at the chats of keys with guardrails; absent: such keys are refused. */
    guardrails?: GuardrailDeps;
  };

/** Joins wallet, catalog and providers to chat. */
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
  const underWay = new Set<Promise<unknown>>();

  function track(work: Promise<unknown>, call: ChatCall): void {
    underWay.add(work);
    const over = () => underWay.delete(work);
    work.then(over, over);
    call.outlast?.(work);
  }

  /** Goes on with a request as its key's guardrails let it pass. */
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
    resume: (caller, from, signal) => resumeChat(deps, caller, from, signal),
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
    async drained() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

/** The work's result, or `cancelled` as soon as the caller is gone; the work goes on. */
function orAborted<T>(work: Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(fail({ kind: 'cancelled' }));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
