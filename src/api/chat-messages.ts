import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { FailureError, invalid } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type {
  ChatMessage,
  ChatPart,
  ChatReply,
  ChatRequest,
  ChatResponseFormat,
  ChatRouting,
  ChatToolChoice,
  ChatUsage,
  RoutingMode,
} from '../chat/index.ts';
import type {
  Message,
  Part,
  ResponseFormat,
  Routing,
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

/** A chat request in the flow's own types. Empty texts of the message are absent there. */
export function chatRequestOf(request: ChatRequestMessage | StreamChatRequestMessage): ChatRequest {
  return {
    provider: request.provider || undefined,
    model: request.model || undefined,
    routing: request.routing && routingOf(request.routing),
    messages: request.messages.map(messageOf),
    tools: request.tools.map(({ name, description, parameters, strict }) => ({
      name,
      description: description || undefined,
      parameters,
      strict,
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
  };
}

/** A reply as a message. */
export function chatResponse(reply: ChatReply, caller: Caller): MessageInitShape<typeof ChatResponseSchema> {
  const { role, content, toolCalls } = reply.message;
  return { ...replyEnd(reply, caller), message: { role, content, toolCalls } };
}

/** What a reply came to, without its text: also the end of a stream. */
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
  };
}

function messageOf({ role, content, parts, toolCalls, toolCallId }: Message, index: number): ChatMessage {
  return {
    role: role as ChatMessage['role'],
    content: content || undefined,
    parts:
      parts.length > 0 ? parts.map((part, place) => partOf(part, `messages[${index}].parts[${place}]`)) : undefined,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    toolCallId: toolCallId || undefined,
  };
}

function partOf({ part }: Part, field: string): ChatPart {
  if (part.case === 'text') return { kind: 'text', text: part.value };
  const image = part.value;
  const mediaType = image?.mediaType || undefined;
  if (image?.source.case === 'url') return { kind: 'image', url: image.source.value, mediaType };
  if (image?.source.case === 'data') return { kind: 'image', data: image.source.value, mediaType };
  throw new FailureError(invalid(field, 'must have text or an image'));
}

function toolChoiceOf({ mode, toolName }: ToolChoice): ChatToolChoice {
  return { mode: mode as ChatToolChoice['mode'], toolName: toolName || undefined };
}

function responseFormatOf({ kind, schema, name, strict }: ResponseFormat): ChatResponseFormat {
  return { kind: kind as ChatResponseFormat['kind'], schema, name: name || undefined, strict };
}
