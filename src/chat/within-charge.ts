import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import { minOf, type NanoUsd } from '../base/money.ts';
import type { Hold, Ledger, Usage } from '../wallet/index.ts';
import type { ChatDeps } from './deps.ts';
import { type ReserveTokens, reserveMost, tokensOf } from './limit-tokens.ts';
import { prepareChat } from './prepare.ts';
import { answerWithin } from './run-chat.ts';
import type { ChatReply, ChatRequest } from './types.ts';

/** What a model call took, whether or not its reply was of use. */
export interface Spending {
  cost: NanoUsd;
  /** Undefined when no upstream accepted the request. */
  usage: Usage | undefined;
}

/** Model calls that are part of a request which has a charge of its own: routed as chat is, charged by whoever asks. */
export interface ModelCalls {
  /** The most and the least that the call can cost. Fails when no model can do it now. */
  quote(caller: Caller, request: ChatRequest): Result<{ ceiling: NanoUsd; minimum: NanoUsd }>;
  /**
   * Calls a model, spending at most `budget`. What was spent counts even when the call fails. Its tokens count against
   * the caller's limits as those of chat do; `rate_limited` when they do not fit now.
   */
  run(
    caller: Caller,
    request: ChatRequest,
    terms: { budget: NanoUsd; signal: AbortSignal },
  ): Promise<{ result: Result<ChatReply>; spent: Spending }>;
}

export interface ModelCallsDeps extends Omit<ChatDeps, 'ledger' | 'tokenLimits'> {
  /** Limits of model tokens a minute; absent: unlimited. */
  reserveTokens?: ReserveTokens;
}

export function createModelCalls({ reserveTokens, ...deps }: ModelCallsDeps): ModelCalls {
  return {
    quote(caller, request) {
      const prepared = prepareChat(deps, caller, request);
      if (!prepared.ok) return prepared;
      const { ceiling, minimum } = prepared.value.quote;
      return succeed({ ceiling, minimum });
    },
    async run(caller, request, { budget, signal }) {
      const spent: Spending = { cost: 0n, usage: undefined };
      const prepared = prepareChat(deps, caller, request);
      if (!prepared.ok) return { result: prepared, spent };
      const reserved = reserveTokens && (await reserveMost(reserveTokens, caller, prepared.value));
      if (reserved && !reserved.ok) return { result: reserved, spent };
      const ledger = purse(spent);
      try {
        const result = await answerWithin({ ...deps, ledger }, holdOf(budget), prepared.value, request, { signal });
        return { result, spent };
      } finally {
        reserved?.value.settle(spent.usage ? tokensOf(spent.usage) : 0);
      }
    },
  };
}

function holdOf(amount: NanoUsd): Hold {
  return {
    walletId: '',
    chargeId: '',
    amount,
    balance: amount,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    ttlMs: 0,
    caps: [],
  };
}

/** Notes what would be charged; the charge itself is the asker's. */
function purse(spent: Spending): Ledger {
  const refuse = () => Promise.reject(new Error('A call within a charge has no holds of its own.'));
  return {
    hold: refuse,
    extend: refuse,
    close: refuse,
    recordProgress: async () => {},
    release: async () => {},
    async settle(hold, { cost, usage }) {
      spent.cost += minOf(cost, hold.amount);
      spent.usage = usage;
      return { chargeId: '', state: 'settled', charged: spent.cost, balance: 0n };
    },
  };
}
