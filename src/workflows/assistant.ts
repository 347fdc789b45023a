import type { Caller } from '../base/caller.ts';
import type { Result } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { RoutingMode } from '../base/routing-mode.ts';
import type { Budget } from '../wallet/index.ts';

/** What a model is asked, in the shape of a chat request for JSON of one schema. */
export interface ModelRequest {
  routing?: ModelRouting | undefined;
  messages: readonly { role: 'system' | 'user' | 'assistant'; content: string }[];
  /** The answer is checked against the schema here, so that it can be repaired; it is returned whatever it is. */
  responseFormat: { kind: 'json'; schema: Readonly<Record<string, unknown>>; name: string; heldByCaller: true };
  maxOutputTokens: number;
  temperature: number;
}

export interface ModelRouting {
  mode?: RoutingMode | undefined;
  fallback?: boolean | undefined;
  maxCost?: NanoUsd | undefined;
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
}

/** A model that helps within a charge held by the workflow. Chat's `ModelCalls` is one. */
export interface Assistant {
  /** The most and the least that the call can cost; fails if no model can do it now. */
  quote(caller: Caller, request: ModelRequest): Promise<Result<{ ceiling: NanoUsd; minimum: NanoUsd }>>;
  /** Asks, and spends from `budget` even if the call fails. */
  run(
    caller: Caller,
    request: ModelRequest,
    terms: AskingTerms,
  ): Promise<Result<{ model: string; message: { content: string }; finishReason: string }>>;
}

/** What a question may cost, and how long its answer is of use. */
export interface AskingTerms {
  budget: Budget;
  signal: AbortSignal;
}
