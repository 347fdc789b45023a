import type { StreamEnd, Usage } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { ChatResponse, StreamChatResponse } from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { guardrailReport } from '../guardrail-report.ts';
import { type PlaceOf, snakeCase } from '../places.ts';
import { dataOf, noState, stateOf } from '../provider-state.ts';
import type { Refusal } from '../refusal.ts';
import { untakenNames } from '../shapes.ts';
import { citationOf, textBlocks } from './citations.ts';

/** A reply in the format of `POST /v1/messages`. `documents`: as in `citationOf`. */
export function messageOf(reply: ChatResponse, documents: readonly number[]): object {
  const { content = '', toolCalls = [] } = reply.message ?? {};
  const state = reply.message && dataOf(stateOf(reply.message));
  return {
    id: `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: [
      ...thinkingOf(reply.reasoningSummary, state),
      ...textBlocks(content, reply.citations, documents),
      ...toolCalls.map(({ id, name, arguments: text }) => ({ type: 'tool_use', id, name, input: inputOf(text) })),
    ],
    stop_reason: stopReason(reply.finishReason),
    ...{ stop_sequence: null, stop_details: null, container: null },
    usage: usageOf(reply.usage),
    // Members that the API does not define.
    charge_id: reply.id,
    ...guardrailReport(reply.guardrail),
  };
}

/**
 * The model's thinking comes first, signed with the state its provider wants back; clients do not return a block with an empty
 * signature.
 */
function thinkingOf(thinking: string, state: string | undefined): object[] {
  return thinking === '' && state === undefined ? [] : [{ type: 'thinking', thinking, signature: state ?? noState }];
}

type BlockKind = 'thinking' | 'redacted' | 'text' | `tool ${number}`;

/**
 * Turns a stream's messages into that API's events, in its order: one block is open at a time, with a start and a stop event
 * each. Thinking is signed with the state its provider wants back before the model's next output; what is only known at the end,
 * such as the state of tool calls, is the last block.
 */
export class MessageEvents {
  readonly #requestId: string;
  readonly #model: string;
  readonly #placeOf: PlaceOf;
  readonly #documents: readonly number[];
  readonly #calls = new Map<string, string>();
  readonly #callIds = new Map<number, string>();
  /** The state that the last thinking was signed with. */
  #signed = '';
  #index = -1;
  #open: BlockKind | undefined;

  constructor(options: { requestId: string; model: string; placeOf: PlaceOf; documents: readonly number[] }) {
    this.#requestId = options.requestId;
    this.#model = options.model;
    this.#placeOf = options.placeOf;
    this.#documents = options.documents;
  }

  /** Usage is not known before the end; the counts come with `message_delta`. */
  first(): object {
    return {
      type: 'message_start',
      message: {
        id: `msg_${this.#requestId}`,
        ...{ type: 'message', role: 'assistant', model: this.#model, content: [] },
        ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 } },
      },
    };
  }

  of({ event }: StreamChatResponse): object[] {
    switch (event.case) {
      case 'content':
        return [
          ...this.#block('text', { type: 'text', text: '' }),
          this.#delta({ type: 'text_delta', text: event.value }),
        ];
      case 'reasoningSummary':
        return [...this.#think(), this.#delta({ type: 'thinking_delta', thinking: event.value })];
      case 'providerState':
        return this.#sign(event.value);
      case 'toolCall': {
        const { index, id, name, arguments: text, providerState } = event.value;
        if (id !== '') this.#callIds.set(index, id);
        const known = this.#callIds.get(index);
        if (providerState !== '' && known !== undefined) this.#calls.set(known, providerState);
        const begun = this.#block(`tool ${index}`, { type: 'tool_use', id, name, input: {} });
        return text === '' ? begun : [...begun, this.#delta({ type: 'input_json_delta', partial_json: text })];
      }
      case 'end':
        return this.#end(event.value);
      default:
        return [];
    }
  }

  #end(end: StreamEnd): object[] {
    const citations = end.citations.flatMap((citation) => citationOf(citation, this.#documents) ?? []);
    // Citations are only known at the end, and are sent in the open block if that is a text.
    const isText = this.#open === 'text';
    return [
      ...(isText ? citations.map((citation) => this.#delta({ type: 'citations_delta', citation })) : []),
      ...this.#last(end.providerState),
      ...this.#stop(),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(end.finishReason), stop_sequence: null, stop_details: null },
        usage: usageOf(end.usage),
        // Members that the API does not define: the charge and who answered.
        ...{ charge_id: end.id, provider: end.provider, model: end.model },
        ...(citations.length > 0 && !isText ? { citations } : {}),
        ...guardrailReport(end.guardrail),
        ...(end.ignored.length > 0 ? { ignored: untakenNames(end.ignored, this.#placeOf) } : {}),
      },
    ];
  }

  /** State not yet sent: in the signature of thinking that nothing followed, otherwise in a block of its own. */
  #last(message: string): object[] {
    if (this.#calls.size === 0 && message === this.#signed) return [];
    if (this.#calls.size === 0 && this.#open === 'thinking') return this.#sign(message);
    const data = dataOf({ message, calls: this.#calls });
    return data === undefined ? [] : this.#block('redacted', { type: 'redacted_thinking', data });
  }

  #think(): object[] {
    return this.#block('thinking', { type: 'thinking', thinking: '', signature: '' });
  }

  /** Ends the thinking by signing it with the state its provider wants back. */
  #sign(state: string): object[] {
    const begun = this.#think();
    this.#signed = state;
    return [...begun, ...this.#stop(dataOf({ message: state, calls: new Map() }))];
  }

  /** Opens a block of the kind unless one is already open. */
  #block(kind: BlockKind, content: object): object[] {
    if (this.#open === kind) return [];
    const stopped = this.#stop();
    this.#index += 1;
    this.#open = kind;
    return [...stopped, { type: 'content_block_start', index: this.#index, content_block: content }];
  }

  #stop(signature = noState): object[] {
    if (this.#open === undefined) return [];
    const signed = this.#open === 'thinking' ? [this.#delta({ type: 'signature_delta', signature })] : [];
    this.#open = undefined;
    return [...signed, { type: 'content_block_stop', index: this.#index }];
  }

  #delta(delta: object): object {
    return { type: 'content_block_delta', index: this.#index, delta };
  }
}

/** A refusal as that API returns it; its clients look for the request id in a header with a different name. */
export function refusedReply(
  refusal: Refusal,
  requestId: string | undefined,
  placeOf?: PlaceOf,
): { status: number; body: object; headers: Record<string, string> } {
  const headers: Record<string, string> = requestId === undefined ? {} : { 'request-id': requestId };
  return { status: statusOf(refusal), body: anthropicError(refusal, requestId, placeOf), headers };
}

/** A refusal in that API's error format; `placeOf` maps places for a request that was converted to ours. */
export function anthropicError(refusal: Refusal, requestId: string | undefined, placeOf: PlaceOf = snakeCase): object {
  const places = (refusal.violations ?? []).map(({ field, description }) => `${placeOf(field)}: ${description}`);
  return {
    type: 'error',
    error: {
      type: errorTypes[statusOf(refusal)] ?? (refusal.status >= 500 ? 'api_error' : 'invalid_request_error'),
      message: places.length > 0 ? places.join('; ') : refusal.message,
      reason: refusal.reason,
    },
    request_id: requestId ?? null,
  };
}

/** The status of a refusal: for an unknown model, that API's status differs from the contract's. */
function statusOf({ status, violations }: Refusal): number {
  return violations?.[0]?.reason === 'MODEL_NOT_FOUND' ? 404 : status;
}

const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

// That API's clients see a reply that ended for lack of credit as truncated.
const stopReasons: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  credit: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

function stopReason(reason: string): string {
  return stopReasons[reason] ?? 'end_turn';
}

/** That API counts input without the tokens read from or written to the cache. */
function usageOf(usage: Usage | undefined): object {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteInputTokens = 0, outputTokens = 0 } = usage ?? {};
  const forAnHour = usage?.cacheWrite1hInputTokens ?? 0;
  return {
    input_tokens: Math.max(inputTokens - cachedInputTokens - cacheWriteInputTokens, 0),
    cache_creation_input_tokens: cacheWriteInputTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteInputTokens - forAnHour,
      ephemeral_1h_input_tokens: forAnHour,
    },
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: usage?.reasoningTokens ?? 0 },
    cost_usd: usage?.costUsd ?? '0.00',
    estimated: usage?.estimated ?? false,
  };
}

/** A model may write invalid JSON; it is up to the caller's tool to report it. */
function inputOf(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input };
  } catch {
    return { input: text };
  }
}
