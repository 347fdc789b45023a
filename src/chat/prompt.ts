import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { providerOptionsOf } from '../providers/index.ts';
import type { ChatMessage, ChatPart, ChatRequest } from './types.ts';

/** The request in the words of the provider specification, without the limits of a single attempt. */
export function callOptionsOf(request: ChatRequest): LanguageModelV4CallOptions {
  const options: LanguageModelV4CallOptions = { prompt: promptOf(request.messages) };
  if (request.temperature !== undefined) options.temperature = request.temperature;
  if (request.topP !== undefined) options.topP = request.topP;
  if (request.presencePenalty !== undefined) options.presencePenalty = request.presencePenalty;
  if (request.frequencyPenalty !== undefined) options.frequencyPenalty = request.frequencyPenalty;
  if (request.seed !== undefined) options.seed = request.seed;
  if (request.stop && request.stop.length > 0) options.stopSequences = [...request.stop];
  if (request.tools && request.tools.length > 0) {
    options.tools = request.tools.map((tool) => ({
      type: 'function',
      name: tool.name,
      ...(tool.description ? { description: tool.description } : {}),
      inputSchema: tool.parameters ?? { type: 'object', properties: {} },
      ...(tool.strict === undefined ? {} : { strict: tool.strict }),
    }));
    options.toolChoice = toolChoiceOf(request);
  }
  if (request.responseFormat?.kind === 'json') {
    const { schema, name } = request.responseFormat;
    options.responseFormat = { type: 'json', ...(schema ? { schema } : {}), ...(name ? { name } : {}) };
  }
  const { parallelToolCalls } = request;
  const strictJsonSchema = request.responseFormat?.strict;
  const providerOptions = providerOptionsOf({
    ...(parallelToolCalls === undefined || !options.tools ? {} : { parallelToolCalls }),
    ...(strictJsonSchema === undefined ? {} : { strictJsonSchema }),
  });
  if (providerOptions) options.providerOptions = providerOptions;
  return options;
}

function promptOf(messages: readonly ChatMessage[]): LanguageModelV4Prompt {
  const toolNames = new Map<string, string>();
  for (const message of messages) for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name);
  // An empty text in the history says nothing, and several providers refuse it.
  const told = messages.filter((message, index) => !isSilent(message) || index === messages.length - 1);
  return told.map((message) => promptMessage(message, toolNames));
}

/** Whether a message holds nothing at all. What a tool answered is never silent: its call waits for it. */
export function isSilent({ role, content, parts, toolCalls }: ChatMessage): boolean {
  if (role === 'tool' || content || (toolCalls && toolCalls.length > 0)) return false;
  return (parts ?? []).every((part) => part.kind === 'text' && part.text === '');
}

function promptMessage(message: ChatMessage, toolNames: ReadonlyMap<string, string>): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOf(message) };
    case 'user':
      return { role: 'user', content: partsOf(message).map(userPart) };
    case 'assistant': {
      const text = textOf(message);
      return {
        role: 'assistant',
        content: [
          ...(text ? [{ type: 'text' as const, text }] : []),
          ...(message.toolCalls ?? []).map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.id,
            toolName: call.name,
            input: parsedArguments(call.arguments),
          })),
        ],
      };
    }
    case 'tool': {
      const toolCallId = message.toolCallId ?? '';
      const toolName = toolNames.get(toolCallId) ?? toolCallId;
      const output = { type: 'text' as const, value: textOf(message) };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
  }
}

function userPart(part: ChatPart) {
  if (part.kind === 'text') return { type: 'text' as const, text: part.text };
  const mediaType = part.kind === 'document' ? 'application/pdf' : part.mediaType || 'image/*';
  return 'url' in part
    ? { type: 'file' as const, mediaType, data: { type: 'url' as const, url: new URL(part.url) } }
    : { type: 'file' as const, mediaType, data: { type: 'data' as const, data: part.data } };
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

// A model wrote the arguments; what is not JSON goes back as the text that it is.
function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return text;
  }
}
