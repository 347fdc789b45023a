import type { GuardrailAction } from '../base/guardrails.ts';
import type { NanoUsd } from '../base/money.ts';
import type { OwnKeyUse } from '../base/own-key.ts';

export type RoutingMode = 'economy' | 'balanced' | 'quality' | 'fast';

export const routingModes: readonly RoutingMode[] = ['economy', 'balanced', 'quality', 'fast'];

/** A conversation and how to answer it. `auto`, or nothing, as provider lets the service choose. */
export interface ChatRequest {
  provider?: string | undefined;
  /** A model's id, to have that one and no other. */
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
  /** -2 to 2; only models that take it are chosen. */
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  /** Whether the model may ask for several tools at once; when false, only models that can be told so are chosen. */
  parallelToolCalls?: boolean | undefined;
  stop?: readonly string[] | undefined;
  seed?: number | undefined;
  user?: string | undefined;
  /** The caller's own labels, which come back in usage reports. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Whether an earlier reply may answer, and this one be kept; absent: neither. */
  cache?: ChatCacheControl | undefined;
  reasoning?: ChatReasoning | undefined;
  /** What becomes of settings that a model does not have: left out and listed in the reply, or only models are chosen that have them. */
  unsupported?: 'ignore' | 'refuse' | undefined;
  /** Of a streamed reply: it is kept, and goes on where a lost connection ended. */
  resumable?: boolean | undefined;
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max';

/** How a model that can think does so. */
export interface ChatReasoning {
  /** Absent: as its provider chooses. */
  effort?: ReasoningEffort | undefined;
  /** Whether the reply says what it thought. */
  summary?: boolean | undefined;
}

/** Asks the provider to keep what stands before this point in its prompt cache. */
export interface ChatCachePoint {
  /** How long it is kept after its last use. */
  ttl: '5m' | '1h';
}

/** In the words of RFC 9111. */
export interface ChatCacheControl {
  /** How old an earlier reply may be, and how long this one is kept. */
  maxAgeSeconds: number;
  /** An earlier reply does not answer; the new one takes its place. */
  noCache?: boolean | undefined;
}

export interface ChatRouting {
  mode?: RoutingMode | undefined;
  /** Whether another model is tried when the chosen one fails; true when unset. */
  fallback?: boolean | undefined;
  /** How many times a route is tried again after a fault of the upstream that may pass, before the next one; 0 when unset. */
  maxRetries?: number | undefined;
  /** The most that the request may cost. */
  maxCost?: NanoUsd | undefined;
  /** Only these models or providers; none: all. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  /** Which calls use the account's own provider keys; as `OwnKeyUse` says. */
  ownKey?: OwnKeyUse | undefined;
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content?: string | undefined;
  /** Text, images, documents and audio, in place of `content`. */
  parts?: readonly ChatPart[] | undefined;
  toolCalls?: readonly ChatToolCall[] | undefined;
  /** Which call a `tool` message answers. */
  toolCallId?: string | undefined;
  /** Of an assistant's message: what its provider needs to go on from it, as the reply gave it. */
  providerState?: string | undefined;
  /** At the message's end. */
  cachePoint?: ChatCachePoint | undefined;
}

export type ChatPart = ChatContent & {
  /** At the part's end. */
  cachePoint?: ChatCachePoint | undefined;
};

type ChatContent =
  | { kind: 'text'; text: string }
  | { kind: 'image'; url: string; mediaType?: string | undefined }
  | { kind: 'image'; data: Uint8Array; mediaType?: string | undefined }
  /** A PDF. `citations`: whether the reply is to say what it takes from it. */
  | { kind: 'document'; url: string; filename?: string | undefined; citations?: boolean | undefined }
  | { kind: 'document'; data: Uint8Array; filename?: string | undefined; citations?: boolean | undefined }
  | { kind: 'audio'; data: Uint8Array; mediaType: string };

export interface ChatToolCall {
  id: string;
  name: string;
  /** The text of a JSON object, as the model wrote it. */
  arguments: string;
  /** What the provider needs of this call to take its result, as the reply gave it. */
  providerState?: string | undefined;
}

export interface ChatTool {
  name: string;
  description?: string | undefined;
  /** A JSON Schema of the arguments. */
  parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the arguments must fit it exactly; when true, only models that promise it are chosen. */
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
  /** Whether a model that can is held to the schema while it writes; true when unset. */
  strict?: boolean | undefined;
  /** Whoever asks holds the reply against the schema and gets it as it is; unless told, chat does and another model is tried. */
  heldByCaller?: boolean | undefined;
}

/** Why a reply ended. `credit`: the wallet or a spending cap could pay for no more. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'credit';

/** A reply, what it took and what it cost. */
export interface ChatReply {
  /** The id of the charge that paid for it. */
  id: string;
  provider: string;
  model: string;
  message: ReplyMessage;
  /** What the model thought, as its provider sums it up; when the request asked for it. */
  reasoningSummary?: string | undefined;
  citations?: readonly Citation[] | undefined;
  /** What of the request the model could not do. */
  ignored?: readonly Ignored[] | undefined;
  finishReason: FinishReason;
  usage: ChatUsage;
  /** The wallet's balance after this charge. */
  balance: NanoUsd;
  /** What is left of the end user's own cap, where it is known. */
  capLeft?: NanoUsd | undefined;
  routing: RoutingReport;
  /** When the caller's key has guardrails. */
  guardrail?: GuardrailReport | undefined;
  /** When the request asked for the cache. On a hit `id` is that of the earlier reply, and nothing is charged. */
  cache?: CacheReport;
}

export interface ReplyMessage {
  role: 'assistant';
  content: string;
  toolCalls: ChatToolCall[];
  providerState?: string | undefined;
}

/** Something of the request that the reply was made without. */
export interface Ignored {
  /** As in the request. */
  field: string;
  /** For people. */
  reason: string;
}

/** Where a part of a reply's text comes from. */
export interface Citation {
  /** Absent for a document of the request. */
  url?: string | undefined;
  title?: string | undefined;
  citedText?: string | undefined;
  /** Of the part of the reply's text that rests on it, in UTF-16 units. */
  startIndex?: number | undefined;
  endIndex?: number | undefined;
  /** The first page that is cited, from 1, and the last one. */
  page?: number | undefined;
  lastPage?: number | undefined;
  /** Which of the request's documents it is, from 0. */
  document?: number | undefined;
}

/** What the key's guardrails found in a request and in its reply. */
export interface GuardrailReport {
  /** Names the guardrails. */
  digest: string;
  input?: GuardrailOutcome;
  output?: GuardrailOutcome;
}

export interface GuardrailOutcome {
  action: GuardrailAction;
  findings: GuardrailFinding[];
}

/** One kind of thing that was found. */
export interface GuardrailFinding {
  category: string;
  severity: string;
  count: number;
}

export interface CacheReport {
  /** Whether an earlier reply answered. */
  hit: boolean;
  /** How long ago it was stored; on a hit. */
  ageSeconds?: number;
}

/** A count that is not known is absent, which is not zero. */
export interface ChatUsage {
  /** Cached ones included. */
  inputTokens?: number;
  cachedInputTokens?: number;
  /** Written into the provider's cache; none of them was cached. */
  cacheWriteInputTokens?: number;
  /** Those of them that are kept for an hour. */
  cacheWrite1hInputTokens?: number;
  /** Cached ones included; none of them is among those above. */
  audioInputTokens?: number;
  /** Reasoning included. */
  outputTokens?: number;
  reasoningTokens?: number;
  /** Whether counts are ours: the provider stated none, or impossible ones. */
  estimated: boolean;
  cost: NanoUsd;
}

export interface RoutingReport {
  mode: RoutingMode;
  /** For people. */
  reason: string;
  /** In order; the last one answered. */
  attempts: Attempt[];
}

/** One try at one model. `skipped`: its circuit is open. */
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

/** A piece of a reply that comes as it is made; the last one is the end, after the charge is durable. */
export type ChatEvent =
  | { kind: 'delta'; content: string; toolCall?: undefined }
  | {
      kind: 'delta';
      content?: undefined;
      /** A new call, or more of the arguments of the one with this index. */
      toolCall: ChatToolCall & { index: number };
    }
  /** More of what the model thinks; when the request asked for it. */
  | { kind: 'reasoning'; summary: string }
  /** What the provider wants back of what the model thought so far, before what it says or does next. */
  | { kind: 'state'; providerState: string }
  | { kind: 'end'; reply: ChatReply };

/** `sequence`: an event's number in a resumable reply, from 1. */
export type StreamedEvent = ChatEvent & { sequence?: number };
