import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Attributes } from '@opentelemetry/api';
import { formatUsd } from '../base/money.ts';
import type { Heard } from './heard.ts';
import type { UpstreamServer } from './upstreams.ts';
import type { CallEnd, CallTarget } from './watch-call.ts';

// OpenTelemetry's semantic conventions for generative AI, which are still in development: the names are from
// @opentelemetry/semantic-conventions 1.45.0. Anything they have no name for is `intelligence.*`.

/** The attributes that a call's traces and metrics share. */
export function targetAttributes(
  { operation, upstreamModel, provider }: CallTarget,
  server: UpstreamServer | undefined,
): Attributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': server?.providerName ?? provider,
    'gen_ai.request.model': upstreamModel,
    ...(server?.address && { 'server.address': server.address }),
    ...(server?.address && server.port && { 'server.port': server.port }),
  };
}

/** The request's settings, but never its text: stop sequences are the caller's, and only recorded with content. */
export function requestAttributes(options: LanguageModelV4CallOptions, streams: boolean): Attributes {
  const { maxOutputTokens, temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = options;
  return {
    ...(streams && { 'gen_ai.request.stream': true }),
    ...(maxOutputTokens !== undefined && { 'gen_ai.request.max_tokens': maxOutputTokens }),
    ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    ...(topP !== undefined && { 'gen_ai.request.top_p': topP }),
    ...(topK !== undefined && { 'gen_ai.request.top_k': topK }),
    ...(frequencyPenalty !== undefined && { 'gen_ai.request.frequency_penalty': frequencyPenalty }),
    ...(presencePenalty !== undefined && { 'gen_ai.request.presence_penalty': presencePenalty }),
    ...(seed !== undefined && { 'gen_ai.request.seed': seed }),
    ...(options.responseFormat && { 'gen_ai.output.type': options.responseFormat.type }),
  };
}

/** The outcome of a call. */
export function endAttributes({ outcome, usage, cost, finishReason }: CallEnd): Attributes {
  return {
    'intelligence.outcome': outcome,
    ...(outcome !== 'ok' && { 'error.type': outcome }),
    ...(finishReason !== undefined && { 'gen_ai.response.finish_reasons': [finishReason] }),
    ...(usage?.inputTokens !== undefined && { 'gen_ai.usage.input_tokens': usage.inputTokens }),
    ...(usage?.cachedInputTokens !== undefined && {
      'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    }),
    ...(usage?.cacheWriteInputTokens !== undefined && {
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteInputTokens,
    }),
    ...(usage?.outputTokens !== undefined && { 'gen_ai.usage.output_tokens': usage.outputTokens }),
    ...(usage?.reasoningTokens !== undefined && { 'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens }),
    ...(usage?.estimated && { 'intelligence.usage.estimated': true }),
    ...(cost !== undefined && { 'intelligence.cost_usd': formatUsd(cost) }),
  };
}

/** What the reply reports about itself. The upstream's strings are truncated: they are names and ids. */
export function replyAttributes(
  { responseId, responseModel, toolCalls, firstAt, streams }: Heard,
  startedAt: number,
): Attributes {
  return {
    ...(responseId && { 'gen_ai.response.id': responseId.slice(0, nameMax) }),
    ...(responseModel && { 'gen_ai.response.model': responseModel.slice(0, nameMax) }),
    ...(toolCalls > 0 && { 'intelligence.tool_calls': toolCalls }),
    ...(streams && firstAt !== undefined && { 'gen_ai.response.time_to_first_chunk': (firstAt - startedAt) / 1_000 }),
  };
}

/** The maximum length of an upstream's name or id, in UTF-16 units. */
export const nameMax = 256;
