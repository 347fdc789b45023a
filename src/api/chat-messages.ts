import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { FailureError, invalid } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { RoutingMode } from '../base/routing-mode.ts';
import type {
  ChatCachePoint,
  ChatMessage,
  ChatPart,
  ChatReply,
  ChatRequest,
  ChatResponseFormat,
  ChatRouting,
  ChatToolCall,
  ChatToolChoice,
  ChatUsage,
  OwnKeyUse,
  ReasoningEffort,
} from '../chat/index.ts';
import type {
  CachePoint,
  Message,
  Part,
  ResponseFormat,
  Routing,
  ToolCall,
  ToolChoice,
  UsageSchema,
} from '../gen/intelligence/chat/v1/chat_pb.ts';
import type {
  ChatRequest as ChatRequestMessage,
  ChatResponseSchema,
  StreamChatRequest as StreamChatRequestMessage,
} from '../gen/intelligence/chat/v1/chat_service_pb.ts';
import { shownBalance } from './balance.ts';
import { amountOf } from './mapping.ts';

/** A chat request in the flow's own types, where the message's empty texts are absent. */
export function chatRequestOf(request: ChatRequestMessage | StreamChatRequestMessage): ChatRequest {
  return {
    provider: request.provider || undefined,
    model: request.model || undefined,
    routing: request.routing && routingOf(request.routing),
    messages: request.messages.map(messageOf),
    tools: request.tools.map(({ name, description, parameters, strict, cachePoint }) => ({
      name,
      description: description || undefined,
      parameters,
      strict,
      ...cachePointOf(cachePoint),
    })),
    toolChoice: request.toolChoice && toolChoiceOf(request.toolChoice),
    responseFormat: request.responseFormat && responseFormatOf(request.responseFormat),
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    parallelToolCalls: request.parallelToolCalls,
    stop: request.stop,
    seed: request.seed,
    user: request.user || undefined,
    metadata: request.metadata,
    cache: request.cache,
    reasoning: request.reasoning && {
      effort: (request.reasoning.effort || undefined) as ReasoningEffort | undefined,
      summary: request.reasoning.summary,
    },
    unsupported: (request.unsupported || undefined) as ChatRequest['unsupported'],
    ...(request.resumable ? { resumable: true } : {}),
  };
}

/** A reply as a message. */
export function chatResponse(reply: ChatReply, caller: Caller): MessageInitShape<typeof ChatResponseSchema> {
  const { providerState, ...end } = replyEnd(reply, caller);
  const { role, content, toolCalls } = reply.message;
  const message = { role, content, toolCalls: toolCalls.map(toolCallMessage), ...present({ providerState }) };
  return { ...end, message, ...present({ reasoningSummary: reply.reasoningSummary }) };
}

function toolCallMessage({ providerState, ...call }: ChatToolCall) {
  return { ...call, ...present({ providerState }) };
}

/** A reply's outcome without its text: also the end of a stream. */
export function replyEnd(reply: ChatReply, caller: Caller) {
  return {
    id: reply.id,
    provider: reply.provider,
    model: reply.model,
    finishReason: reply.finishReason,
    usage: usageMessage(reply.usage),
    balanceUsd: shownBalance(caller, reply) ?? '',
    routing: {
      mode: reply.routing.mode,
      reason: reply.routing.reason,
      attempts: reply.routing.attempts.map((attempt) => ({ ...attempt, latencyMs: Math.round(attempt.latencyMs) })),
    },
    ...(reply.cache ? { cache: reply.cache } : {}),
    ...(reply.guardrail
      ? { guardrail: present({ input: reply.guardrail.input, output: reply.guardrail.output }) }
      : {}),
    ...present({ providerState: reply.message.providerState }),
    citations: (reply.citations ?? []).map((citation) => present(citation)),
    ignored: [...(reply.ignored ?? [])],
  };
}

export function usageMessage({ cost, ...usage }: ChatUsage): MessageInitShape<typeof UsageSchema> {
  return { ...present(usage), costUsd: formatUsd(cost) };
}

function routingOf(routing: Routing): ChatRouting {
  return {
    mode: (routing.mode || undefined) as RoutingMode | undefined,
    fallback: routing.fallback,
    maxRetries: routing.maxRetries,
    maxCost: routing.maxCostUsd === undefined ? undefined : amountOf(routing.maxCostUsd, 'routing.maxCostUsd'),
    allow: routing.allow,
    deny: routing.deny,
    ...(routing.ownKey ? { ownKey: routing.ownKey as OwnKeyUse } : {}),
  };
}

function messageOf(message: Message, index: number): ChatMessage {
  const { role, content, parts, toolCalls, toolCallId, providerState, cachePoint } = message;
  return {
    role: role as ChatMessage['role'],
    content: content || undefined,
    parts:
      parts.length > 0 ? parts.map((part, place) => partOf(part, `messages[${index}].parts[${place}]`)) : undefined,
    toolCalls: toolCalls.length > 0 ? toolCalls.map(toolCallOf) : undefined,
    toolCallId: toolCallId || undefined,
    ...(providerState ? { providerState } : {}),
    ...cachePointOf(cachePoint),
  };
}

function toolCallOf({ id, name, arguments: text, providerState }: ToolCall): ChatToolCall {
  return { id, name, arguments: text, ...(providerState ? { providerState } : {}) };
}

function partOf(part: Part, field: string): ChatPart {
  return { ...contentOf(part, field), ...cachePointOf(part.cachePoint) };
}

function contentOf({ part }: Part, field: string): ChatPart {
  switch (part.case) {
    case 'text':
      return { kind: 'text', text: part.value };
    case 'image': {
      const { source } = part.value;
      const mediaType = part.value.mediaType || undefined;
      if (source.case === 'url') return { kind: 'image', url: source.value, mediaType };
      if (source.case === 'data') return { kind: 'image', data: source.value, mediaType };
      break;
    }
    case 'document': {
      const { source, citations } = part.value;
      const more = { filename: part.value.filename || undefined, citations };
      if (source.case === 'url') return { kind: 'document', url: source.value, ...more };
      if (source.case === 'data') return { kind: 'document', data: source.value, ...more };
      break;
    }
    case 'audio':
      return { kind: 'audio', data: part.value.data, mediaType: part.value.mediaType };
  }
  throw new FailureError(invalid(field, 'must have text, an image, a document or audio'));
}

function cachePointOf(point: CachePoint | undefined): { cachePoint?: ChatCachePoint } {
  return point ? { cachePoint: { ttl: point.ttl === '1h' ? '1h' : '5m' } } : {};
}

function toolChoiceOf({ mode, toolName }: ToolChoice): ChatToolChoice {
  return { mode: mode as ChatToolChoice['mode'], toolName: toolName || undefined };
}

function responseFormatOf({ kind, schema, name, strict }: ResponseFormat): ChatResponseFormat {
  return { kind: kind as ChatResponseFormat['kind'], schema, name: name || undefined, strict };
}
