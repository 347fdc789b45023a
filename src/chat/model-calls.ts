import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import { maxOf, type NanoUsd } from '../base/money.ts';
import { createSchemas } from '../sandbox/index.ts';
import type { Budget } from '../wallet/index.ts';
import { ChatRun } from './chat-run.ts';
import type { ModelDeps } from './deps.ts';
import { prepareChat, reserveMost } from './prepare.ts';
import { answerWhole } from './run-chat.ts';
import type { ChatReply, ChatRequest } from './types.ts';

/** Model calls made as part of a request that has its own charge: routed like chat, paid from that charge. */
export interface ModelCalls {
  /** The most and the least that the call can cost. Fails if no model can do it now. */
  quote(caller: Caller, request: ChatRequest): Promise<Result<{ ceiling: NanoUsd; minimum: NanoUsd }>>;
  /**
   * Calls a model, which spends from `budget` even if the call fails. Its tokens count against the caller's limits just as
   * chat's do; `rate_limited` if they do not fit now.
   */
  run(caller: Caller, request: ChatRequest, terms: { budget: Budget; signal: AbortSignal }): Promise<Result<ChatReply>>;
}

/** Combines catalog and providers into model calls inside other charges. */
export function createModelCalls(options: Omit<ModelDeps, 'schemas'>): ModelCalls {
  const deps = { ...options, schemas: createSchemas(options.sandbox) };
  return {
    async quote(caller, request) {
      const prepared = await prepareChat(deps, caller, request);
      if (!prepared.ok) return prepared;
      const { ceiling, minimum } = prepared.value.quote;
      return succeed({ ceiling: maxOf(ceiling, minimum), minimum });
    },
    async run(caller, request, { budget, signal }) {
      const prepared = await prepareChat(deps, caller, request, { signal });
      if (!prepared.ok) return prepared;
      const tokens = await reserveMost(deps, caller, prepared.value);
      if (!tokens.ok) return tokens;
      const charge = budget.open(tokens.value);
      return answerWhole(new ChatRun(deps, { charge, prepared: prepared.value, request, signal }));
    },
  };
}
