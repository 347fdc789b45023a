import type { FieldViolation } from '../../base/failure.ts';
import type { CacheReport, StreamEnd, Usage } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { ChatResponse, StreamChatResponse } from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { guardrailReport } from '../guardrail-report.ts';
import { type PlaceOf, snakeCase } from '../places.ts';
import { dataOf, stateOf } from '../provider-state.ts';
import type { Refusal } from '../refusal.ts';
import { untakenNames } from '../shapes.ts';

/** A reply in the format of `POST /v1/chat/completions`. */
export function completionOf(reply: ChatResponse): object {
  const { content = '', toolCalls = [] } = reply.message ?? {};
  const state = reply.message && dataOf(stateOf(reply.message));
  return {
    id: `chatcmpl-${reply.id}`,
    charge_id: reply.id,
    object: 'chat.completion',
    created: seconds(),
    model: reply.model,
    provider: reply.provider,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && toolCalls.length > 0 ? null : content,
          refusal: null,
          ...(toolCalls.length > 0 ? { tool_calls: toolCalls.map(toolCall) } : {}),
          ...(state === undefined ? {} : { provider_state: state }),
        },
        logprobs: null,
        finish_reason: finishReason(reply.finishReason),
      },
    ],
    usage: usageOf(reply.usage),
    ...cacheReport(reply.cache),
    ...guardrailReport(reply.guardrail),
  };
}

/** Turns a stream's messages into chunks; one instance per stream, as all its chunks share an id. */
export class CompletionChunks {
  readonly #base: { id: string; object: string; created: number; model: string };
  readonly #includeUsage: boolean;
  readonly #begun = new Set<number>();
  readonly #callIds = new Map<number, string>();
  readonly #callStates = new Map<string, string>();

  constructor(options: { requestId: string; model: string; includeUsage: boolean }) {
    this.#base = {
      id: `chatcmpl-${options.requestId}`,
      object: 'chat.completion.chunk',
      created: seconds(),
      model: options.model,
    };
    this.#includeUsage = options.includeUsage;
  }

  first(): object {
    return this.#chunk({ role: 'assistant', content: '', refusal: null });
  }

  of({ event }: StreamChatResponse): object[] {
    switch (event.case) {
      case 'content':
        return [this.#chunk({ content: event.value })];
      case 'toolCall': {
        const { index, id, name, arguments: text, providerState } = event.value;
        if (id !== '') this.#callIds.set(index, id);
        if (providerState !== '') this.#callStates.set(this.#callIds.get(index) ?? '', providerState);
        const begins = !this.#begun.has(index);
        this.#begun.add(index);
        const named = { index, id, type: 'function', function: { name, arguments: text } };
        return [this.#chunk({ tool_calls: [begins ? named : { index, function: { arguments: text } }] })];
      }
      case 'end':
        return this.#end(event.value);
      default:
        return [];
    }
  }

  #end(end: StreamEnd): object[] {
    const { id, model, provider, cache, guardrail } = end;
    const answered = {
      ...this.#base,
      model,
      provider,
      charge_id: id,
      ...cacheReport(cache),
      ...guardrailReport(guardrail),
      ...(end.ignored.length > 0 ? { ignored: untakenNames(end.ignored, parameterOf) } : {}),
    };
    const choice = { index: 0, delta: {}, logprobs: null, finish_reason: finishReason(end.finishReason) };
    const state = dataOf({ message: end.providerState, calls: this.#callStates });
    const pieces = state === undefined ? [] : [this.#chunk({ provider_state: state })];
    pieces.push({ ...answered, choices: [choice] });
    return this.#includeUsage ? [...pieces, { ...answered, choices: [], usage: usageOf(end.usage) }] : pieces;
  }

  #chunk(delta: object): object {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: null }];
    return this.#includeUsage ? { ...this.#base, choices, usage: null } : { ...this.#base, choices };
  }
}

/**
 * A refusal in that API's error format; `sent` names a parameter as the caller sent it, `placeOf` those of a request that was
 * converted to ours.
 */
export function openAiError(
  refusal: Refusal,
  sent?: FieldViolation,
  placeOf: PlaceOf = parameterOf,
): { error: { message: string; type: string; param: string | null; code: string } } {
  const [first] = refusal.violations ?? [];
  const param = sent?.field ?? (first && placeOf(first.field));
  const description = sent?.description ?? first?.description;
  return {
    error: {
      message: param && description ? `${param}: ${description}` : refusal.message,
      type: errorType(refusal.status),
      param: param || null,
      code: first?.reason ? first.reason.toLowerCase() : (codes[refusal.reason] ?? refusal.reason.toLowerCase()),
    },
  };
}

/** The status of a refusal: for an unknown model, that API's status differs from the contract's. */
export function statusOf({ status, violations }: Refusal): number {
  return violations?.[0]?.reason === 'MODEL_NOT_FOUND' ? 404 : status;
}

// The error codes that clients of that API look for.
const codes: Record<string, string> = {
  CREDENTIAL_MISSING: 'invalid_api_key',
  CREDENTIAL_INVALID: 'invalid_api_key',
  KEY_REVOKED: 'invalid_api_key',
  INSUFFICIENT_CREDIT: 'insufficient_quota',
  SPENDING_CAP_REACHED: 'insufficient_quota',
  RATE_LIMITED: 'rate_limit_exceeded',
  GUARDRAIL: 'content_filter',
};

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 402) return 'insufficient_quota';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function toolCall({ id, name, arguments: text }: { id: string; name: string; arguments: string }): object {
  return { id, type: 'function', function: { name, arguments: text } };
}

// That API has no finish reason for lack of credit; its clients see the reply as truncated.
function finishReason(reason: string): string {
  return reason === 'credit' ? 'length' : reason;
}

function usageOf(usage: Usage | undefined): object {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {};
  const written = usage?.cacheWriteInputTokens;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedInputTokens,
      ...(written === undefined ? {} : { cache_write_tokens: written }),
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
    cost_usd: usage?.costUsd ?? '0.00',
    estimated: usage?.estimated ?? false,
  };
}

/** What the cache did, for callers who opted in. */
function cacheReport(cache: CacheReport | undefined): { cache?: object } {
  if (!cache) return {};
  const { hit, ageSeconds } = cache;
  return { cache: { hit, ...(ageSeconds === undefined ? {} : { age_seconds: ageSeconds }) } };
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}

// Fields that have another name, or another place, in that API.
const renamed: readonly [RegExp, string][] = [
  [/^maxOutputTokens$/, 'max_completion_tokens'],
  [/^responseFormat\.(schema|name|strict)/, 'response_format.json_schema.$1'],
  [/^toolChoice\.mode$/, 'tool_choice'],
  [/^toolChoice\.toolName$/, 'tool_choice.function.name'],
  [/^(tools\[\d+\])\.(name|description|parameters|strict)/, '$1.function.$2'],
  [/^inputs/, 'input'],
  [/^encoding$/, 'encoding_format'],
  [/^(messages\[\d+\])\.parts/, '$1.content'],
  [/^(messages\[\d+\]\.content\[\d+\])\.document\.filename.*$/, '$1.file.filename'],
  [/^(messages\[\d+\]\.content\[\d+\])\.document\b.*$/, '$1.file.file_data'],
  [/^(messages\[\d+\]\.content\[\d+\])\.audio\b.*$/, '$1.input_audio.data'],
  [/^(messages\[\d+\]\.content\[\d+\]\.image)\.?.*$/, '$1_url.url'],
  [/^(messages\[\d+\]\.toolCalls\[\d+\])\.(name|arguments)/, '$1.function.$2'],
];

/** That API's name for one of our fields. */
export function parameterOf(field: string): string {
  return snakeCase(renamed.reduce((name, [ours, theirs]) => name.replace(ours, theirs), field));
}
