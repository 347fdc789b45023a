import type { StreamEnd, Usage } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { ChatResponse } from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { guardrailReport } from '../guardrail-report.ts';
import { dataOf, stateOf } from '../provider-state.ts';
import { untakenNames } from '../shapes.ts';
import type { ResponsesRequest } from './request-shapes.ts';
import { type CallKind, callKinds, customInput, itemPrefixes, shellAction } from './tools.ts';

/** The parts of a reply that are items in that API. */
export interface Item {
  type: string;
  id: string;
  [member: string]: unknown;
}

/** What a reply repeats of its request, and what is the same in all replies. */
export class ResponseShell {
  readonly #id: string;
  readonly #createdAt = Math.floor(Date.now() / 1_000);
  readonly #asked: ResponsesRequest;

  constructor(requestId: string, asked: ResponsesRequest) {
    this.#id = `resp_${requestId}`;
    this.#asked = asked;
  }

  /** The reply's current state: in progress, or ended. */
  of(status: string, output: readonly Item[], more: { model?: string; [member: string]: unknown } = {}): object {
    const asked = this.#asked;
    return {
      id: this.#id,
      object: 'response',
      created_at: this.#createdAt,
      status,
      background: false,
      error: null,
      incomplete_details: null,
      instructions: asked.instructions ?? null,
      max_output_tokens: asked.max_output_tokens ?? null,
      model: asked.model,
      output,
      parallel_tool_calls: asked.parallel_tool_calls ?? true,
      previous_response_id: null,
      reasoning: { effort: asked.reasoning?.effort ?? null, summary: asked.reasoning?.summary ?? null },
      // Nothing is stored, whatever was asked for.
      store: false,
      temperature: asked.temperature ?? null,
      text: { format: asked.text?.format ?? { type: 'text' } },
      tool_choice: asked.tool_choice ?? 'auto',
      tools: asked.tools ?? [],
      top_p: asked.top_p ?? null,
      truncation: 'disabled',
      usage: null,
      user: asked.user ?? null,
      metadata: asked.metadata ?? {},
      ...more,
    };
  }

  /** The reply once it has ended. */
  ended(
    output: readonly Item[],
    end: Pick<StreamEnd, 'id' | 'provider' | 'model' | 'finishReason' | 'usage' | 'ignored' | 'guardrail'>,
  ): object {
    const because = incompleteReasons[end.finishReason];
    return this.of(because ? 'incomplete' : 'completed', output, {
      ...{ model: end.model, provider: end.provider, charge_id: end.id },
      incomplete_details: because ? { reason: because } : null,
      usage: usageOf(end.usage),
      ...guardrailReport(end.guardrail),
      ...(end.ignored.length > 0 ? { ignored: untakenNames(end.ignored) } : {}),
    });
  }
}

// That API has no reason for lack of credit; its clients see the reply as truncated.
const incompleteReasons: Record<string, string | undefined> = {
  length: 'max_output_tokens',
  credit: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** A whole reply in the format of `POST /v1/responses`. */
export function responseOf(reply: ChatResponse, requestId: string, asked: ResponsesRequest): object {
  const { content = '', toolCalls = [] } = reply.message ?? {};
  const state = reply.message && dataOf(stateOf(reply.message));
  const output: Item[] = [];
  if (reply.reasoningSummary !== '' || state !== undefined)
    output.push(reasoningItem(`rs_${requestId}`, reply.reasoningSummary, state));
  if (content !== '' || toolCalls.length === 0) output.push(messageItem(`msg_${requestId}`, content));
  const kindOf = callKinds(asked.tools ?? []);
  for (const [index, call] of toolCalls.entries()) {
    const kind = kindOf(call.name);
    output.push(callItem(`${itemPrefixes[kind]}_${requestId}_${index}`, call, kind));
  }
  return new ResponseShell(requestId, asked).ended(output, reply);
}

export function messageItem(id: string, text: string, status = 'completed'): Item {
  return { id, type: 'message', status, role: 'assistant', content: status === 'in_progress' ? [] : [textPart(text)] };
}

export function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** A call in the format of its tool's kind, as the request defined it. */
export function callItem(
  id: string,
  call: { id: string; name: string; arguments: string },
  kind: CallKind,
  status = 'completed',
): Item {
  if (kind === 'custom')
    return {
      id,
      type: 'custom_tool_call',
      status,
      call_id: call.id,
      name: call.name,
      input: customInput(call.arguments),
    };
  if (kind === 'local_shell')
    return { id, type: 'local_shell_call', status, call_id: call.id, action: shellAction(call.arguments) };
  return { id, type: 'function_call', status, call_id: call.id, name: call.name, arguments: call.arguments };
}

/** The model's thinking, and what its provider needs to continue: the caller sends it back unchanged. */
export function reasoningItem(id: string, summary: string, state: string | undefined): Item {
  return {
    ...{ id, type: 'reasoning', summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }] },
    encrypted_content: state ?? null,
  };
}

function usageOf(usage: Usage | undefined): object {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {};
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens, cache_write_tokens: usage?.cacheWriteInputTokens ?? 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
    cost_usd: usage?.costUsd ?? '0.00',
    estimated: usage?.estimated ?? false,
  };
}
