import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { NanoUsd } from '../base/money.ts';

/** Begins to watch one call of a model, for traces and metrics; undefined when nobody wants to know of it. Never throws. */
export type WatchCall = (target: CallTarget) => CallWatch | undefined;

/** What is called. */
export interface CallTarget {
  /** In the words of OpenTelemetry's `gen_ai.operation.name`; it has none for a ranking. */
  operation: 'chat' | 'embeddings' | 'rerank';
  /** The provider's id in the configuration. */
  provider: string;
  /** The model's id in the catalog. */
  model: string;
  /** The provider's own name for it. */
  upstreamModel: string;
  /** How long the vectors are, of embeddings. */
  dimensions?: number | undefined;
}

/** One call that is watched. */
export interface CallWatch {
  /** The same model. What it is asked and what it answers is seen on its way, as it was sent and at the same pace. */
  listen(model: LanguageModelV4): LanguageModelV4;
  /** The call is over; the first time counts. */
  ended(end: CallEnd): void;
}

/** What a call came to. */
export interface CallEnd {
  /** `ok`, or a word for what became of it, from a set of few: never a text of the provider or the caller. */
  outcome: string;
  /** The counts that are charged. A count that is not known is absent. */
  usage?: WatchedUsage | undefined;
  /** What those counts cost by the price book. */
  cost?: NanoUsd | undefined;
  /** Why the reply ended, as our own replies say it. */
  finishReason?: string | undefined;
}

export interface WatchedUsage {
  /** Cached and cache-written ones included. */
  inputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  cacheWriteInputTokens?: number | undefined;
  /** Reasoning included. */
  outputTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  /** Whether counts are ours: the provider stated none. */
  estimated?: boolean | undefined;
}
