import type { GuardrailAction } from '../base/guardrails.ts';
import type { NanoUsd } from '../base/money.ts';
import type { OwnKeyUse } from '../base/own-key.ts';
import type { RoutingMode } from '../base/routing-mode.ts';

/** A conversation and how to answer it. With `auto`, or no provider, the service chooses. */
export interface ChatRequest {
  provider?: string | undefined;
  /** A model's id, to get that model and no other. */
  model?: string | undefined;
  routing?: ChatRouting | undefined;
  /** At least one. */
  messages: readonly ChatMessage[];
  tools?: readonly ChatTool[] | undefined;
  toolChoice?: ChatToolChoice | undefined;
  responseFormat?: ChatResponseFormat | undefined;
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  /** -2 to 2; only models that support it are chosen. */
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  /** Whether the model may call several tools at once; if false, only models that support this setting are chosen. */
  parallelToolCalls?: boolean | undefined;
  stop?: readonly string[] | undefined;
  seed?: number | undefined;
  user?: string | undefined;
  /** The caller's own labels, which are returned in usage reports. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Whether an earlier reply may be reused, and this one cached; absent: neither. */
  cache?: ChatCacheControl | undefined;
  reasoning?: ChatReasoning | undefined;
  /** How to treat settings a model does not support: leave them out and list them in the reply, or choose only models that support them. */
  unsupported?: 'ignore' | 'refuse' | undefined;
  /** For a streamed reply: it is kept, and can be resumed where a lost connection ended. */
  resumable?: boolean | undefined;
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max';

/** How a model that can reason does so. */
export interface ChatReasoning {
  /** Absent: the provider's default. */
  effort?: ReasoningEffort | undefined;
  /** Whether the reply includes a summary of the reasoning. */
  summary?: boolean | undefined;
}

/** Asks the provider to keep everything before this point in its prompt cache. */
export interface ChatCachePoint {
  /** How long it is kept after its last use. */
  ttl: '5m' | '1h';
}

/** In the terms of RFC 9111. */
export interface ChatCacheControl {
  /** The maximum age of an earlier reply, and how long this one is cached. */
  maxAgeSeconds: number;
  /** Skips an earlier reply; the new one replaces it. */
  noCache?: boolean | undefined;
}

export interface ChatRouting {
  mode?: RoutingMode | undefined;
  /** Whether to try another model if the chosen one fails; true when unset. */
  fallback?: boolean | undefined;
  /** How many times to retry a route after a transient upstream fault, before the next one; 0 when unset. */
  maxRetries?: number | undefined;
  /** The most that the request may cost. */
  maxCost?: NanoUsd | undefined;
  /** Only these models or providers; none: all. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  /** Which calls use the account's own provider keys; see `OwnKeyUse`. */
  ownKey?: OwnKeyUse | undefined;
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content?: string | undefined;
  /** Text, images, documents and audio, instead of `content`. */
  parts?: readonly ChatPart[] | undefined;
  toolCalls?: readonly ChatToolCall[] | undefined;
  /** Which call a `tool` message answers. */
  toolCallId?: string | undefined;
  /** For an assistant's message: what its provider needs to continue from it, as given in the reply. */
  providerState?: string | undefined;
  /** At the end of the message. */
  cachePoint?: ChatCachePoint | undefined;
}

export type ChatPart = ChatContent & {
  /** At the end of the part. */
  cachePoint?: ChatCachePoint | undefined;
};

type ChatContent =
  | { kind: 'text'; text: string }
  | { kind: 'image'; url: string; mediaType?: string | undefined }
  | { kind: 'image'; data: Uint8Array; mediaType?: string | undefined }
  /** A PDF. `citations`: whether the reply should cite it. */
  | { kind: 'document'; url: string; filename?: string | undefined; citations?: boolean | undefined }
  | { kind: 'document'; data: Uint8Array; filename?: string | undefined; citations?: boolean | undefined }
  | { kind: 'audio'; data: Uint8Array; mediaType: string };

export interface ChatToolCall {
  id: string;
  name: string;
  /** The text of a JSON object, as the model wrote it. */
  arguments: string;
  /** What the provider needs about this call to take its result, as given in the reply. */
  providerState?: string | undefined;
}

export interface ChatTool {
  name: string;
  description?: string | undefined;
  /** A JSON Schema for the arguments. */
  parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the arguments must fit it exactly; if true, only models that guarantee this are chosen. */
  strict?: boolean | undefined;
  /** After this tool. */
  cachePoint?: ChatCachePoint | undefined;
}

export interface ChatToolChoice {
  mode: 'auto' | 'none' | 'required' | 'tool';
  /** When `mode` is `tool`. */
  toolName?: string | undefined;
}

export interface ChatResponseFormat {
  kind: 'text' | 'json';
  /** A JSON Schema that the reply must fit. */
  schema?: Readonly<Record<string, unknown>> | undefined;
  name?: string | undefined;
  /** Whether a model that supports it is constrained to the schema as it writes; true when unset. */
  strict?: boolean | undefined;
  /** If true, the requester checks the reply against the schema and gets it as it is; by default chat checks it and tries another model. */
  heldByCaller?: boolean | undefined;
}

/** Why a reply ended. `credit`: the wallet or a spending cap could not pay for more. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'credit';

/** A reply, what it used and what it cost. */
export interface ChatReply {
  /** The id of the charge that paid for it. */
  id: string;
  provider: string;
  model: string;
  message: ReplyMessage;
  /** The provider's summary of the model's reasoning, if the request asked for it. */
  reasoningSummary?: string | undefined;
  citations?: readonly Citation[] | undefined;
  /** The parts of the request that the model could not do. */
  ignored?: readonly Ignored[] | undefined;
  finishReason: FinishReason;
  usage: ChatUsage;
  /** The wallet's balance after this charge. */
  balance: NanoUsd;
  /** What is left of the end user's own cap, if known. */
  capLeft?: NanoUsd | undefined;
  routing: RoutingReport;
  /** Set if the caller's key has guardrails. */
  guardrail?: GuardrailReport | undefined;
  /** Set if the request asked for the cache. On a hit, `id` is that of the earlier reply, and nothing is charged. */
  cache?: CacheReport;
}

export interface ReplyMessage {
  role: 'assistant';
  content: string;
  toolCalls: ChatToolCall[];
  providerState?: string | undefined;
}

/** A part of the request that the reply ignores. */
export interface Ignored {
  /** As in the request. */
  field: string;
  /** For humans. */
  reason: string;
}

/** The source of a part of a reply's text. */
export interface Citation {
  /** Absent for a document of the request. */
  url?: string | undefined;
  title?: string | undefined;
  citedText?: string | undefined;
  /** The range of the reply's text that the source supports, in UTF-16 units. */
  startIndex?: number | undefined;
  endIndex?: number | undefined;
  /** The first and last cited pages, from 1. */
  page?: number | undefined;
  lastPage?: number | undefined;
  /** Which of the request's documents it is, from 0. */
  document?: number | undefined;
}

/** What the key's guardrails found in a request and in its reply. */
export interface GuardrailReport {
  /** Identifies the guardrails. */
  digest: string;
  input?: GuardrailOutcome;
  output?: GuardrailOutcome;
}

export interface GuardrailOutcome {
  action: GuardrailAction;
  findings: GuardrailFinding[];
}

/** One kind of finding. */
export interface GuardrailFinding {
  category: string;
  severity: string;
  count: number;
}

export interface CacheReport {
  /** Whether an earlier reply was used. */
  hit: boolean;
  /** How long ago it was stored; set on a hit. */
  ageSeconds?: number;
}

/** An unknown count is absent, which does not mean zero. */
export interface ChatUsage {
  /** Includes cached tokens. */
  inputTokens?: number;
  cachedInputTokens?: number;
  /** Written into the provider's cache; none of these was cached. */
  cacheWriteInputTokens?: number;
  /** Those of them that are kept for an hour. */
  cacheWrite1hInputTokens?: number;
  /** Includes cached ones; none of these is among those above. */
  audioInputTokens?: number;
  /** Includes reasoning. */
  outputTokens?: number;
  reasoningTokens?: number;
  /** Whether the counts are ours: the provider reported none, or impossible ones. */
  estimated: boolean;
  cost: NanoUsd;
}

export interface RoutingReport {
  mode: RoutingMode;
  /** For humans. */
  reason: string;
  /** In order; the last one answered. */
  attempts: Attempt[];
}

/** One attempt with one model. `skipped`: its circuit is open. */
export interface Attempt {
  provider: string;
  model: string;
  outcome:
    | 'ok'
    | 'timeout'
    | 'rate_limited'
    | 'server_error'
    | 'connection_failed'
    | 'invalid_reply'
    | 'rejected'
    | 'skipped';
  latencyMs: number;
  /** Set when the account's own key was used. */
  ownKey?: true;
}

/** A piece of a streamed reply; the last one is the end, after the charge is durable. */
export type ChatEvent =
  | { kind: 'delta'; content: string; toolCall?: undefined }
  | {
      kind: 'delta';
      content?: undefined;
      /** A new call, or more arguments for the one with this index. */
      toolCall: ChatToolCall & { index: number };
    }
  /** More of the model's reasoning; if the request asked for it. */
  | { kind: 'reasoning'; summary: string }
  /** The provider state for the reasoning so far, before what the model says or does next. */
  | { kind: 'state'; providerState: string }
  | { kind: 'end'; reply: ChatReply };

/** `sequence`: an event's number in a resumable reply, from 1. */
export type StreamedEvent = ChatEvent & { sequence?: number };
