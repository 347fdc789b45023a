import { createHmac } from 'node:crypto';
import { type SeenRequest, startUpstream, type Upstream, type UpstreamReply } from './upstream.ts';

/** What each imitated model thinks, says, calls, and finally answers. */
export const script = {
  thoughts: ['The user asks for the weather.', 'A tool knows it.'],
  said: 'Let me look.',
  tool: 'get_weather',
  arguments: { city: 'Paris' },
  answer: 'It is 21 degrees in Paris.',
} as const;

/** Token counts that the imitations report: for the turn with the tool, and for the answer. */
export const stated = {
  first: { input: 60, output: 40, reasoning: 25 },
  second: { input: 120, output: 12, reasoning: 4 },
} as const;

type Json = Record<string, unknown>;
type Turn = 'first' | 'second';

const mark = (text: string) => createHmac('sha256', 'the provider').update(text).digest('base64');

/**
 * OpenAI's Responses API with a reasoning model, as strict as the real one: it refuses unknown parameters, those that such a model lacks, and a
 * tool call without the reasoning that led to it. It stores nothing.
 */
export function startResponses(): Promise<Upstream> {
  return start((seen) => {
    if (seen.path !== '/responses') return refusal(404, { message: `Invalid URL (POST ${seen.path})`, code: null });
    const { body } = seen;
    const known =
      /^(model|input|tools|tool_choice|store|include|reasoning|max_output_tokens|stream|text|parallel_tool_calls)$/;
    const unknown = Object.keys(body).find((name) => !known.test(name));
    if (unknown) return refusal(400, { message: `Unknown parameter: '${unknown}'.`, code: 'unknown_parameter' });
    if (body.store !== false) return refusal(400, { message: 'This organization stores nothing.', code: 'store' });
    if (Number(body.max_output_tokens ?? 16) < 16)
      return refusal(400, { message: "Invalid 'max_output_tokens'.", code: 'integer_below_min_value' });
    const input = body.input as Json[];
    const fault = responsesFault(input);
    if (fault) return refusal(400, fault);
    const turn: Turn = input.some(({ type }) => type === 'function_call_output') ? 'second' : 'first';
    const isSummed = (body.reasoning as Json | undefined)?.summary != null;
    const isEncrypted = (body.include as string[] | undefined)?.includes('reasoning.encrypted_content') ?? false;
    const output = responsesOutput(turn, isSummed, isEncrypted);
    const { input: inputTokens, output: outputTokens, reasoning } = stated[turn];
    const response = {
      ...{ id: 'resp_1', object: 'response', created_at: 1_760_000_000, model: body.model, status: 'completed' },
      output,
      usage: {
        ...{ input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
        input_tokens_details: { cached_tokens: 10 },
        output_tokens_details: { reasoning_tokens: reasoning },
      },
    };
    return body.stream ? events(responsesEvents(response, output)) : { body: response };
  });
}

function responsesFault(input: readonly Json[]): Json | undefined {
  const invalid = { type: 'invalid_request_error', code: null, param: 'input' };
  let isReasoned = false;
  const asked = new Set<unknown>();
  const answered = new Set(input.flatMap(({ type, call_id }) => (type === 'function_call_output' ? [call_id] : [])));
  for (const [index, item] of input.entries()) {
    const next = input[index + 1];
    if (item.type === 'reasoning' && next?.type !== 'function_call' && next?.role !== 'assistant')
      return {
        ...invalid,
        message: `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
      };
    if (item.type === 'function_call' && !answered.has(item.call_id))
      return { ...invalid, message: `No tool output found for function call ${item.call_id}.` };
    if (item.role === 'user') isReasoned = false;
    if (item.type === 'reasoning') {
      if (item.encrypted_content !== mark(String(item.id)))
        return {
          ...invalid,
          code: 'invalid_encrypted_content',
          message: 'The encrypted content could not be verified.',
        };
      isReasoned = true;
    }
    if (item.type === 'function_call') {
      asked.add(item.call_id);
      if (!isReasoned)
        return {
          ...invalid,
          message: `Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.`,
        };
    }
    if (item.type === 'function_call_output' && !asked.has(item.call_id))
      return { ...invalid, message: `No tool call found for function call output with call_id ${item.call_id}.` };
  }
  return undefined;
}

function responsesOutput(turn: Turn, isSummed: boolean, isEncrypted: boolean): Json[] {
  const id = turn === 'first' ? 'rs_1' : 'rs_2';
  const summary = isSummed ? script.thoughts.map((text) => ({ type: 'summary_text', text })) : [];
  const reasoning = { type: 'reasoning', id, summary, ...(isEncrypted ? { encrypted_content: mark(id) } : {}) };
  const message = (text: string) => ({
    ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text, annotations: [] }],
  });
  if (turn === 'second') return [reasoning, message(script.answer)];
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: script.tool, status: 'completed' };
  return [reasoning, message(script.said), { ...call, arguments: JSON.stringify(script.arguments) }];
}

function responsesEvents(response: Json, output: readonly Json[]): [string, Json][] {
  const all: [string, Json][] = [];
  const add = (type: string, more: Json) => all.push([type, { type, sequence_number: all.length, ...more }]);
  add('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } });
  add('response.in_progress', { response: { ...response, status: 'in_progress', output: [], usage: null } });
  for (const [output_index, item] of output.entries()) {
    const at = { item_id: item.id, output_index };
    if (item.type === 'reasoning') {
      add('response.output_item.added', { output_index, item: { ...item, summary: [], encrypted_content: null } });
      for (const [summary_index, { text }] of (item.summary as { text: string }[]).entries()) {
        const part = { ...at, summary_index };
        add('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } });
        for (const delta of halves(text)) add('response.reasoning_summary_text.delta', { ...part, delta });
        add('response.reasoning_summary_text.done', { ...part, text });
        add('response.reasoning_summary_part.done', { ...part, part: { type: 'summary_text', text } });
      }
    } else if (item.type === 'message') {
      const [{ text = '' } = {}] = item.content as { text?: string }[];
      add('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', content: [] } });
      add('response.content_part.added', { ...at, content_index: 0, part: { type: 'output_text', text: '' } });
      for (const delta of halves(text)) add('response.output_text.delta', { ...at, content_index: 0, delta });
      add('response.output_text.done', { ...at, content_index: 0, text });
      add('response.content_part.done', { ...at, content_index: 0, part: { type: 'output_text', text } });
    } else {
      const text = String(item.arguments);
      add('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', arguments: '' } });
      for (const delta of halves(text)) add('response.function_call_arguments.delta', { ...at, delta });
      add('response.function_call_arguments.done', { ...at, arguments: text });
    }
    add('response.output_item.done', { output_index, item });
  }
  add('response.completed', { response });
  return all;
}

/**
 * Anthropic's Messages API, as strict as the real one about thinking budgets, settings that do not go with thinking, at most four cache points,
 * and the signed thoughts that led to a tool call, while thinking is on.
 */
export function startAnthropic(): Promise<Upstream> {
  return start((seen) => {
    if (seen.path !== '/messages') return refusal(404, { type: 'not_found_error', message: 'Not found' });
    if (seen.headers['x-api-key'] === undefined)
      return refusal(401, { type: 'authentication_error', message: 'x-api-key header is required' });
    if (seen.headers['anthropic-version'] !== '2023-06-01')
      return refusal(400, { type: 'invalid_request_error', message: 'anthropic-version: header is required' });
    const { body } = seen;
    const fault = anthropicFault(body);
    if (fault) return refusal(400, { type: 'invalid_request_error', message: fault });
    const last = (body.messages as { content: Json[] }[]).at(-1);
    const turn: Turn = last?.content.some(({ type }) => type === 'tool_result') ? 'second' : 'first';
    const thinking = script.thoughts.join(' ');
    const content: Json[] = isThinking(body) ? [{ type: 'thinking', thinking, signature: mark(thinking) }] : [];
    if (turn === 'second') content.push({ type: 'text', text: script.answer });
    else {
      content.push({ type: 'text', text: script.said });
      content.push({ type: 'tool_use', id: 'toolu_1', name: script.tool, input: script.arguments });
    }
    const { input, output } = stated[turn];
    const message = {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: body.model, stop_sequence: null },
      content,
      stop_reason: turn === 'first' ? 'tool_use' : 'end_turn',
      usage: {
        ...{ input_tokens: input - 30, cache_creation_input_tokens: 20, cache_read_input_tokens: 10 },
        output_tokens: output,
      },
    };
    return body.stream ? events(anthropicEvents(message)) : { body: message };
  });
}

function isThinking(body: Json): boolean {
  const type = (body.thinking as Json | undefined)?.type;
  return type === 'enabled' || type === 'adaptive';
}

function anthropicFault(body: Json): string | undefined {
  const known =
    /^(model|max_tokens|messages|system|tools|tool_choice|thinking|output_config|temperature|top_p|stop_sequences|stream)$/;
  const unknown = Object.keys(body).find((name) => !known.test(name));
  if (unknown) return `${unknown}: Extra inputs are not permitted`;
  if (JSON.stringify(body).split('"cache_control"').length > 5)
    return 'A maximum of 4 blocks with cache_control may be provided.';
  if (!Number.isInteger(body.max_tokens)) return 'max_tokens: Field required';
  const unanswered = anthropicToolFault(body.messages as { role: string; content: Json[] }[]);
  if (unanswered) return unanswered;
  if (!isThinking(body)) return undefined;
  const { type, budget_tokens: budget } = body.thinking as { type: string; budget_tokens?: number };
  if (type === 'enabled' && !(Number(budget) >= 1_024)) return 'thinking.budget_tokens: must be at least 1024';
  if (type === 'enabled' && Number(budget) >= Number(body.max_tokens))
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  if ((body.temperature ?? 1) !== 1) return '`temperature` may only be set to 1 when thinking is enabled.';
  if (/any|tool/.test(String((body.tool_choice as Json | undefined)?.type)))
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  const messages = body.messages as { role: string; content: Json[] }[];
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const content = messages[index]?.content ?? [];
  const resumes = messages.at(-1)?.content.some((block) => block.type === 'tool_result');
  if (!resumes) return undefined;
  const [first] = content;
  if (first?.type !== 'thinking')
    return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\`.`;
  if (first.signature !== mark(String(first.thinking))) return `messages.${index}.content.0: Invalid \`signature\``;
  return undefined;
}

/** Each tool call must be answered in the very next message, before anything else that it says. */
function anthropicToolFault(messages: readonly { role: string; content: Json[] }[]): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    const results = content.filter(({ type }) => type === 'tool_result');
    const before = messages[index - 1]?.content.filter(({ type }) => type === 'tool_use').map(({ id }) => id) ?? [];
    const stray = results.find(({ tool_use_id }) => !before.includes(tool_use_id));
    if (stray)
      return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.tool_use_id}.`;
    if (before.length !== results.length || content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after.`;
    if (role === messages[index - 1]?.role) return `messages.${index}: roles must alternate.`;
  }
  return undefined;
}

function anthropicEvents({ content, usage, stop_reason, ...message }: Json): [string, Json][] {
  const all: [string, Json][] = [];
  const add = (type: string, more: Json) => all.push([type, { type, ...more }]);
  const { output_tokens, ...input } = usage as Json;
  add('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } },
  });
  for (const [index, block] of (content as Json[]).entries()) {
    const delta = (type: string, more: Json) => add('content_block_delta', { index, delta: { type, ...more } });
    if (block.type === 'thinking') {
      add('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } });
      for (const thinking of halves(String(block.thinking))) delta('thinking_delta', { thinking });
      delta('signature_delta', { signature: block.signature });
    } else if (block.type === 'text') {
      add('content_block_start', { index, content_block: { type: 'text', text: '' } });
      for (const text of halves(String(block.text))) delta('text_delta', { text });
    } else {
      add('content_block_start', { index, content_block: { ...block, input: {} } });
      for (const partial_json of halves(JSON.stringify(block.input))) delta('input_json_delta', { partial_json });
    }
    add('content_block_stop', { index });
  }
  add('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } });
  add('message_stop', {});
  return all;
}

/**
 * Gemini's API with a model that signs its thoughts. It refuses unknown members, function calls without the signature that it gave with the
 * first of them, and calls of one turn that are not all answered in the next. It calls each function that it is offered.
 */
export function startGemini(): Promise<Upstream> {
  return start((seen) => {
    const streamed = seen.path.includes(':streamGenerateContent');
    const { body } = seen;
    if (seen.headers['x-goog-api-key'] === undefined)
      return refusal(403, {
        code: 403,
        status: 'PERMISSION_DENIED',
        message: 'The request is missing a valid API key.',
      });
    const unknown = unknownToGemini(body);
    if (unknown)
      return refusal(400, {
        ...{ code: 400, status: 'INVALID_ARGUMENT' },
        message: `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`,
      });
    const contents = body.contents as { role: string; parts: Json[] }[];
    for (const [index, { parts }] of contents.entries()) {
      const calls = parts.filter((part) => 'functionCall' in part);
      const [first] = calls;
      if (!first) continue;
      if (first.thoughtSignature !== mark(script.tool))
        return refusal(400, {
          ...{ code: 400, status: 'INVALID_ARGUMENT' },
          message: 'Function call is missing a thought_signature in functionCall parts.',
        });
      const answers = contents[index + 1]?.parts.filter((part) => 'functionResponse' in part) ?? [];
      if (answers.length !== calls.length)
        return refusal(400, {
          ...{ code: 400, status: 'INVALID_ARGUMENT' },
          message:
            'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        });
    }
    const turn: Turn = contents.at(-1)?.parts.some((part) => 'functionResponse' in part) ? 'second' : 'first';
    const config = ((body.generationConfig as Json | undefined)?.thinkingConfig ?? {}) as Json;
    const parts: Json[] = config.includeThoughts ? [{ text: script.thoughts.join(' '), thought: true }] : [];
    if (turn === 'second') parts.push({ text: script.answer });
    else {
      parts.push({ text: script.said });
      const [{ functionDeclarations: offered = [] } = {}] = (body.tools ?? []) as { functionDeclarations?: Json[] }[];
      for (const [index, { name }] of offered.entries()) {
        const functionCall = { name, args: script.arguments };
        parts.push({ functionCall, ...(index === 0 ? { thoughtSignature: mark(script.tool) } : {}) });
      }
    }
    const { input, output, reasoning } = stated[turn];
    const usageMetadata = {
      ...{ promptTokenCount: input, candidatesTokenCount: output - reasoning, thoughtsTokenCount: reasoning },
      ...{ totalTokenCount: input + output, cachedContentTokenCount: 10 },
    };
    const of = (some: Json[], end: boolean) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: some }, ...(end ? { finishReason: 'STOP' } : {}) }],
      ...(end ? { usageMetadata } : {}),
    });
    if (!streamed) return { body: of(parts, true) };
    return {
      pieces: parts.map((part, index) => `data: ${JSON.stringify(of([part], index === parts.length - 1))}\r\n\r\n`),
    };
  });
}

const geminiMembers = /^(contents|systemInstruction|tools|toolConfig|generationConfig|safetySettings|cachedContent)$/;
const geminiSettings =
  /^(maxOutputTokens|temperature|topP|topK|stopSequences|seed|presencePenalty|frequencyPenalty|responseMimeType|responseSchema|responseJsonSchema|thinkingConfig)$/;

function unknownToGemini(body: Json): string | undefined {
  const settings = Object.keys((body.generationConfig as Json | undefined) ?? {});
  return (
    Object.keys(body).find((name) => !geminiMembers.test(name)) ?? settings.find((name) => !geminiSettings.test(name))
  );
}

async function start(answer: (seen: SeenRequest) => UpstreamReply): Promise<Upstream> {
  const upstream = await startUpstream();
  upstream.answer(answer);
  return upstream;
}

function refusal(status: number, error: Json): UpstreamReply {
  return { status, body: { type: 'error', error } };
}

function events(all: readonly [string, Json][]): UpstreamReply {
  return { pieces: all.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`) };
}

function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
