import { minOf, type NanoUsd } from '../base/money.ts';
import { pick } from '../base/present.ts';
import { addUsage, type Funds, type Settlement } from '../wallet/index.ts';
import type { AttemptReply } from './attempt.ts';
import type { CountedUsage } from './bounded.ts';
import type { ModelDeps } from './deps.ts';
import type { Guard } from './guard/index.ts';
import type { PreparedChat } from './prepare.ts';
import { affordableOutputTokens, attemptCost, type QuotedRoute } from './quote.ts';
import { storeReply } from './stored-reply.ts';
import { countInput, hasFiles, inputKindsOf, inputTokensAtMost } from './tokens.ts';
import type { Attempt, ChatReply, ChatRequest } from './types.ts';

/** A request in progress: what was asked, what pays for it, and what has been tried. */
export class ChatRun<Charge extends Funds = Funds> {
  readonly deps: ModelDeps;
  readonly charge: Charge;
  readonly prepared: PreparedChat;
  readonly request: ChatRequest;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
  /** The guardrails of the caller's key. */
  readonly guard: Guard | undefined;
  readonly attempts: Attempt[] = [];
  #lost: { cost: NanoUsd; usage: CountedUsage; requests: number; route: QuotedRoute } | undefined;

  constructor(
    deps: ModelDeps,
    run: {
      charge: Charge;
      prepared: PreparedChat;
      request: ChatRequest;
      signal: AbortSignal;
      guard?: Guard | undefined;
    },
  ) {
    this.deps = deps;
    this.charge = run.charge;
    this.prepared = run.prepared;
    this.request = run.request;
    this.signal = run.signal;
    this.guard = run.guard;
  }

  /** What guardrails cost on top of the model. */
  get fee(): NanoUsd {
    return this.guard?.fee ?? 0n;
  }

  /** Records what an upstream used for an attempt that gave no usable reply: an accepted request is paid for. */
  lose(route: QuotedRoute, usage: CountedUsage): void {
    const { cost, requests, usage: before } = this.#lost ?? { cost: 0n, requests: 0 };
    this.#lost = {
      route,
      cost: cost + attemptCost(route, usage),
      usage: before ? addUsage(before, usage) : usage,
      requests: requests + 1,
    };
  }

  /** Ends the charge of a request that got no reply. */
  async giveUp(reason: string): Promise<void> {
    if (!this.#lost) return this.charge.release(reason);
    const { cost, usage, requests, route } = this.#lost;
    const outcome = { attempts: this.attempts.length, finishReason: reason === 'cancelled' ? 'cancelled' : 'error' };
    await this.charge.settle({ cost, usage: { ...usage, requests }, outcome, ...routeOf(route) });
  }

  /**
   * The longest reply that the charge can pay for after the input. If that may be less than the worst case, the input is
   * actually counted; input that we cannot count stays at the worst case.
   */
  async affordable(route: QuotedRoute, enough: NanoUsd): Promise<number> {
    const amount = this.charge.amount - (this.#lost?.cost ?? 0n) - this.fee;
    if (amount >= enough) return route.outputTokensCap;
    const { measure, count } = this.prepared;
    const inputTokens = hasFiles(measure)
      ? inputTokensAtMost(measure, route.model)
      : await countInput(this.request, measure, route.model, count);
    const input = { inputTokens, ...inputKindsOf(measure) };
    return Math.min(route.outputTokensCap, affordableOutputTokens(route, input, amount));
  }

  /** The total cost of a request whose last attempt had this usage. */
  costOf(route: QuotedRoute, usage: AttemptReply['usage']): NanoUsd {
    return attemptCost(route, usage) + (this.#lost?.cost ?? 0n) + this.fee;
  }

  /**
   * A reply together with its settlement. A complete reply is the final attempt, and is stored for retries; for an incomplete
   * one, `cut` says what broke it off and how long it took.
   */
  concluded(
    route: QuotedRoute,
    answer: AttemptReply,
    cut?: { by: 'cancelled' | 'error'; latencyMs: number },
  ): Concluded {
    const { prefix } = this.prepared;
    if (prefix) this.deps.warmCaches?.observe(prefix, route.model.name, answer.usage);
    const cost = this.costOf(route, answer.usage);
    const usage = this.#lost ? addUsage(this.#lost.usage, answer.usage) : answer.usage;
    const { mode, reason } = this.prepared;
    const reply: Omit<ChatReply, 'balance' | 'capLeft'> = {
      id: this.charge.id,
      ...namesOf(route),
      ...pick(answer, 'message', 'finishReason', 'reasoningSummary', 'citations', 'ignored', 'guardrail'),
      usage: { ...usage, cost: minOf(cost, this.charge.ceiling) },
      routing: { mode, reason, attempts: this.attempts },
    };
    return {
      reply,
      settlement: {
        cost,
        usage: { ...usage, requests: (this.#lost?.requests ?? 0) + 1 },
        outcome: {
          attempts: this.attempts.length + (cut ? 1 : 0),
          modelLatencyMs: cut ? Math.round(cut.latencyMs) : this.attempts.at(-1)?.latencyMs,
          finishReason: cut?.by ?? answer.finishReason,
        },
        ...routeOf(route),
        ...(!cut && this.charge.replayable ? { reply: storeReply(reply) } : {}),
      },
    };
  }
}

interface Concluded {
  reply: Omit<ChatReply, 'balance' | 'capLeft'>;
  settlement: Settlement;
}

function namesOf({ model }: QuotedRoute): { provider: string; model: string } {
  return { provider: model.provider, model: model.id };
}

/** How the charge records the route that was used. */
export function routeOf(route: QuotedRoute): Pick<Settlement, 'provider' | 'model' | 'providerKeyId'> {
  return { ...namesOf(route), ...(route.ownKey && { providerKeyId: route.ownKey.id }) };
}
