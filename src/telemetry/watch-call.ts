import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { NanoUsd } from '../base/money.ts';

/** Starts watching one model call, for traces and metrics; undefined if nobody is interested. Never throws. */
export type WatchCall = (target: CallTarget) => CallWatch | undefined;

/** What is called. */
export interface CallTarget {
  /** In the terms of OpenTelemetry's `gen_ai.operation.name`, which has none for reranking. */
  operation: 'chat' | 'embeddings' | 'rerank';
  /** The provider's id in the configuration. */
  provider: string;
  /** The model's id in the catalog. */
  model: string;
  /** The provider's own name for it. */
  upstreamModel: string;
  /** For embeddings, the length of the vectors. */
  dimensions?: number | undefined;
}

/** A call being watched. */
export interface CallWatch {
  /** Wraps the model to observe requests and replies as they pass, unchanged and at the same pace. */
  listen(model: LanguageModelV4): LanguageModelV4;
  /** The call has ended; only the first call of this counts. */
  ended(end: CallEnd): void;
}

/** The outcome of a call. */
export interface CallEnd {
  /** `ok`, or a word for what happened, from a small set: never text from the provider or the caller. */
  outcome: string;
  /** The counts that are charged. Unknown counts are absent. */
  usage?: WatchedUsage | undefined;
  /** What those counts cost by the price book. */
  cost?: NanoUsd | undefined;
  /** Why the reply ended, in the terms of our own replies. */
  finishReason?: string | undefined;
}

export interface WatchedUsage {
  /** Includes cached and cache-write tokens. */
  inputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  cacheWriteInputTokens?: number | undefined;
  /** Includes reasoning. */
  outputTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  /** Whether the counts are ours: the provider reported none. */
  estimated?: boolean | undefined;
}
