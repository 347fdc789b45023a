import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { canBeStrict, type Dialect, providerOptionsOf } from '../providers/index.ts';
import type { CallState, MessageState } from './provider-state.ts';
import type { ChatCachePoint, ChatMessage, ChatPart, ChatRequest, ChatToolCall, Ignored } from './types.ts';
import { type Asking, unsupportedBy } from './unsupported.ts';

type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart;

/** The request as provider call options, for one model, and the parts of it that the model cannot do. */
export function callOptionsOf(asking: Asking): { options: LanguageModelV4CallOptions; ignored: Ignored[] } {
  const { request, dialect, outputTokensCap } = asking;
  const { ignored, reasoning, hourLong } = unsupportedBy(asking);
  const point: PointWords = (cachePoint) => cachePoint && dialect.cachePoint?.(hourLong.has(cachePoint) ? '1h' : '5m');
  const left = new Set(ignored.map(({ field }) => field));
  const options: LanguageModelV4CallOptions = {
    prompt: promptOf(asking, point),
    maxOutputTokens: outputTokensCap,
    ...reasoning,
  };
  if (request.temperature !== undefined && !left.has('temperature')) options.temperature = request.temperature;
  if (request.topP !== undefined && !left.has('topP')) options.topP = request.topP;
  if (request.presencePenalty !== undefined) options.presencePenalty = request.presencePenalty;
  if (request.frequencyPenalty !== undefined) options.frequencyPenalty = request.frequencyPenalty;
  if (request.seed !== undefined && !left.has('seed')) options.seed = request.seed;
  if (request.stop && request.stop.length > 0 && !left.has('stop')) options.stopSequences = [...request.stop];
  if (request.tools && request.tools.length > 0) {
    options.tools = request.tools.map((tool) => ({
      type: 'function',
      name: tool.name,
      ...(tool.description ? { description: tool.description } : {}),
      inputSchema: tool.parameters ?? { type: 'object', properties: {} },
      ...(tool.strict === undefined ? {} : { strict: tool.strict }),
      ...optionsOf(dialect, point(tool.cachePoint)),
    }));
    options.toolChoice = toolChoiceOf(request);
  }
  if (request.responseFormat?.kind === 'json') {
    const { schema, name } = request.responseFormat;
    options.responseFormat = { type: 'json', ...(schema ? { schema } : {}), ...(name ? { name } : {}) };
  }
  const providerOptions = joined(options.providerOptions, ownOptionsOf(request));
  if (providerOptions) options.providerOptions = providerOptions;
  return { options, ignored };
}

/** Options that the provider specification does not cover. */
function ownOptionsOf({ parallelToolCalls, tools = [], responseFormat }: ChatRequest) {
  // Unless told otherwise, the packages ask for a strict schema. One that cannot be strict is refused, though it could still be shown and checked.
  const isLoose = responseFormat?.schema !== undefined && !canBeStrict(responseFormat.schema);
  const strictJsonSchema = responseFormat?.strict ?? (isLoose ? false : undefined);
  return providerOptionsOf({
    ...(parallelToolCalls === undefined || tools.length === 0 ? {} : { parallelToolCalls }),
    ...(strictJsonSchema === undefined ? {} : { strictJsonSchema }),
  });
}

function joined(
  one: SharedV4ProviderOptions | undefined,
  other: SharedV4ProviderOptions | undefined,
): SharedV4ProviderOptions | undefined {
  if (!one || !other) return one ?? other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, { ...one[name], ...other[name] }]));
}

/** The provider options for whatever a cache point follows. */
type PointWords = (cachePoint: ChatCachePoint | undefined) => JSONObject | undefined;

function promptOf(
  { request: { messages }, model, dialect, states }: Asking,
  point: PointWords,
): LanguageModelV4Message[] {
  const toolNames = new Map<string, string>();
  for (const message of messages) for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name);
  const own = <State extends { provider: string }>(state: State | undefined) =>
    state?.provider === model.provider ? state : undefined;
  const told = messages.flatMap((message, index) => {
    const state = own(states.messages.get(index));
    // An empty text in the history is meaningless, and several providers refuse it.
    if (!state && isSilent(message) && index < messages.length - 1) return [];
    const stateOf = (place: number) => own(states.calls.get(`${index}/${place}`));
    const one = promptMessage(message, { ...{ dialect, point, toolNames }, state, stateOf });
    if (one.role === 'tool') return one;
    return { ...one, ...optionsOf(dialect, point(message.cachePoint)) };
  });
  return withJoinedResults(told);
}

/** The prompt with consecutive tool results joined into one message: Gemini refuses the calls of one turn if their results come in several. */
function withJoinedResults(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const all: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content);
    else all.push(message);
  }
  return all;
}

/** Whether a message is entirely empty. A tool's answer is never empty: its call waits for it. */
export function isSilent({ role, content, parts, toolCalls }: ChatMessage): boolean {
  if (role === 'tool' || content || (toolCalls && toolCalls.length > 0)) return false;
  return (parts ?? []).every((part) => part.kind === 'text' && part.text === '');
}

interface MessageContext {
  dialect: Dialect;
  point: PointWords;
  toolNames: ReadonlyMap<string, string>;
  state: MessageState | undefined;
  /** For the message's call at an index. */
  stateOf(place: number): CallState | undefined;
}

function promptMessage(message: ChatMessage, context: MessageContext): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOf(message) };
    case 'user':
      return { role: 'user', content: partsOf(message).map((part) => userPart(part, context)) };
    case 'assistant':
      return { role: 'assistant', content: assistantParts(message, context) };
    case 'tool': {
      const toolCallId = message.toolCallId ?? '';
      const toolName = context.toolNames.get(toolCallId) ?? toolCallId;
      const output = { type: 'text' as const, value: textOf(message) };
      const options = optionsOf(context.dialect, context.point(message.cachePoint));
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output, ...options }] };
    }
  }
}

/** An assistant's message, in the order in which its provider gave it, if known. */
function assistantParts(message: ChatMessage, { dialect, state, stateOf }: MessageContext): AssistantPart[] {
  const text = textOf(message);
  const calls = (message.toolCalls ?? []).map((call, place) => callPart(call, dialect, stateOf(place)));
  if (!state) return [...(text ? [{ type: 'text' as const, text }] : []), ...calls];
  const length = state.parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.length : 0), 0);
  // If the text was changed, its positions are no longer valid.
  return length === text.length
    ? inOrder(state, text, calls, dialect)
    : [...thoughtsOf(state, dialect), ...(text ? [{ type: 'text' as const, text }] : []), ...calls];
}

function inOrder(
  state: MessageState,
  text: string,
  calls: readonly LanguageModelV4ToolCallPart[],
  dialect: Dialect,
): AssistantPart[] {
  const parts: AssistantPart[] = [];
  const left = new Set(calls);
  let taken = 0;
  for (const part of state.parts) {
    if (part.kind === 'call') {
      const call = calls.find(({ toolCallId }) => toolCallId === part.id);
      if (call && left.delete(call)) parts.push(call);
    } else if (part.kind === 'reasoning') parts.push(thought(part, dialect));
    else {
      const said = text.slice(taken, taken + part.length);
      taken += part.length;
      parts.push({ type: 'text', text: said, ...optionsOf(dialect, part.metadata) });
    }
  }
  return [...parts, ...left];
}

function thoughtsOf(state: MessageState, dialect: Dialect): LanguageModelV4ReasoningPart[] {
  return state.parts.flatMap((part) => (part.kind === 'reasoning' ? [thought(part, dialect)] : []));
}

function thought(
  part: Extract<MessageState['parts'][number], { kind: 'reasoning' }>,
  dialect: Dialect,
): LanguageModelV4ReasoningPart {
  return { type: 'reasoning', text: part.text, ...optionsOf(dialect, part.metadata) };
}

function callPart(call: ChatToolCall, dialect: Dialect, state: CallState | undefined): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: parsedArguments(call.arguments),
    ...optionsOf(dialect, state?.metadata),
  };
}

function userPart(
  part: ChatPart,
  { dialect, point }: Pick<MessageContext, 'dialect' | 'point'>,
): LanguageModelV4TextPart | LanguageModelV4FilePart {
  const kept = point(part.cachePoint);
  if (part.kind === 'text') return { type: 'text', text: part.text, ...optionsOf(dialect, kept) };
  const mediaType = part.kind === 'document' ? 'application/pdf' : part.mediaType || 'image/*';
  const cited = part.kind === 'document' && part.citations ? dialect.citedDocument : undefined;
  return {
    type: 'file',
    mediaType,
    data: 'url' in part ? { type: 'url', url: new URL(part.url) } : { type: 'data', data: part.data },
    ...(part.kind === 'document' && part.filename ? { filename: part.filename } : {}),
    ...optionsOf(dialect, cited || kept ? { ...cited, ...kept } : undefined),
  };
}

function optionsOf(
  { namespace }: Dialect,
  options: SharedV4ProviderOptions[string] | undefined,
): { providerOptions?: SharedV4ProviderOptions } {
  return options ? { providerOptions: { [namespace]: options } } : {};
}

function partsOf(message: ChatMessage): readonly ChatPart[] {
  return message.parts && message.parts.length > 0 ? message.parts : [{ kind: 'text', text: message.content ?? '' }];
}

function textOf(message: ChatMessage): string {
  return partsOf(message)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('');
}

function toolChoiceOf(request: ChatRequest): NonNullable<LanguageModelV4CallOptions['toolChoice']> {
  const choice = request.toolChoice;
  if (!choice) return { type: 'auto' };
  return choice.mode === 'tool' ? { type: 'tool', toolName: choice.toolName ?? '' } : { type: choice.mode };
}

// A model wrote the arguments; if they are not JSON, they go back as plain text.
function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return text;
  }
}
