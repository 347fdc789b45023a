import type { MessageInitShape } from '@bufbuild/protobuf';
import { FailureError, invalid } from '../../base/failure.ts';
import type { MessageSchema, PartSchema, ToolCallSchema } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import { readDataUrl } from '../data-url.ts';
import type { Placed } from '../places.ts';
import { type ReplyState, stateIn } from '../provider-state.ts';
import { withFilesBehindResults } from '../tool-files.ts';
import type { InputItem, InputPart, ResponsesRequest } from './request-shapes.ts';
import { shellName } from './tools.ts';

type ChatMessage = MessageInitShape<typeof MessageSchema>;
type Part = MessageInitShape<typeof PartSchema>;

/** A single turn of the assistant, whose pieces are separate items in that API. */
interface Turn {
  parts: Placed<Part>[];
  toolCalls: Placed<MessageInitShape<typeof ToolCallSchema>>[];
  state: ReplyState | undefined;
  at: string;
}

/**
 * The conversation as our messages, each with its origin: instructions first; consecutive text, calls and reasoning of an
 * assistant are one message.
 */
export function conversationOf({ instructions, input }: ResponsesRequest): Placed<ChatMessage>[] {
  const messages: Placed<ChatMessage>[] = instructions
    ? [{ message: { role: 'system', content: instructions }, origin: { at: 'instructions' } }]
    : [];
  if (typeof input === 'string')
    return [...messages, { message: { role: 'user', content: input }, origin: { at: 'input' } }];
  let turn: Turn | undefined;
  const close = () => {
    if (turn) messages.push(assistantOf(turn));
    turn = undefined;
  };
  const opened = (at: string): Turn => {
    turn ??= { parts: [], toolCalls: [], state: undefined, at };
    return turn;
  };
  for (const [index, item] of input.entries()) {
    const at = `input[${index}]`;
    if (item.type === 'reasoning') {
      if (item.encrypted_content) opened(at).state = stateAt(item.encrypted_content, `${at}.encrypted_content`);
    } else if (isCall(item)) opened(at).toolCalls.push({ message: callOf(item), origin: { at } });
    else if (item.type === 'message' && item.role === 'assistant') opened(at).parts.push(...partsOf(item.content, at));
    else {
      close();
      messages.push(otherOf(item, at));
    }
  }
  close();
  return withFilesBehindResults(messages);
}

function assistantOf({ parts, toolCalls, state, at }: Turn): Placed<ChatMessage> {
  return {
    message: {
      role: 'assistant',
      parts: parts.map(({ message }) => message),
      toolCalls: toolCalls.map(({ message: call }) => ({
        ...call,
        providerState: state?.calls.get(call.id ?? '') ?? '',
      })),
      providerState: state?.message ?? '',
    },
    origin: { at, parts: parts.map(({ origin }) => origin.at), calls: toolCalls.map(({ origin }) => origin.at) },
  };
}

type Call = Extract<InputItem, { type: 'function_call' | 'custom_tool_call' | 'local_shell_call' }>;

function isCall(item: InputItem): item is Call {
  return item.type === 'function_call' || item.type === 'custom_tool_call' || item.type === 'local_shell_call';
}

/** Every kind of call as a function call, as the model wrote it. */
function callOf(item: Call): MessageInitShape<typeof ToolCallSchema> {
  const id = item.call_id;
  if (item.type === 'function_call') return { id, name: item.name, arguments: item.arguments };
  if (item.type === 'custom_tool_call')
    return { id, name: item.name, arguments: JSON.stringify({ input: item.input }) };
  const { command, env, timeout_ms, working_directory } = item.action;
  const given = Object.entries({ command, env, timeout_ms, working_directory }).filter(([, value]) => value != null);
  return { id, name: shellName, arguments: JSON.stringify(Object.fromEntries(given)) };
}

function otherOf(item: Exclude<InputItem, Call | { type: 'reasoning' }>, at: string): Placed<ChatMessage> {
  if (item.type !== 'message') {
    const id = item.type === 'local_shell_call_output' ? (item.call_id ?? item.id ?? '') : item.call_id;
    return placed({ role: 'tool', toolCallId: id }, item.output, at, `${at}.output`);
  }
  // Newer clients use the role developer for system messages.
  const role = item.role === 'developer' ? 'system' : item.role;
  return placed({ role }, item.content, at, at);
}

function placed(
  message: { role: string; toolCallId?: string },
  content: string | InputPart[],
  at: string,
  within: string,
): Placed<ChatMessage> {
  if (typeof content === 'string') return { message: { ...message, content }, origin: { at } };
  const parts = partsOf(content, within);
  return {
    message: { ...message, parts: parts.map((part) => part.message) },
    origin: { at, parts: parts.map(({ origin }) => origin.at) },
  };
}

function partsOf(content: string | InputPart[], at: string): Placed<Part>[] {
  if (typeof content === 'string')
    return [{ message: { part: { case: 'text', value: content } }, origin: { at: `${at}.content` } }];
  return content.map((part, index) => {
    const place = `${at}.content[${index}]`;
    return { message: partOf(part, place), origin: { at: place } };
  });
}

function partOf(part: InputPart, at: string): Part {
  switch (part.type) {
    case 'refusal':
      return { part: { case: 'text', value: part.refusal } };
    case 'input_image':
      return { part: { case: 'image', value: imageOf(part.image_url, `${at}.image_url`) } };
    case 'input_file':
      return { part: { case: 'document', value: documentOf(part, at) } };
    case 'input_audio': {
      const { data, format } = part.input_audio;
      const mediaType = format === 'wav' ? 'audio/wav' : 'audio/mpeg';
      return { part: { case: 'audio', value: { data, mediaType } } };
    }
    default:
      return { part: { case: 'text', value: part.text } };
  }
}

function imageOf(url: string, at: string) {
  if (!url.startsWith('data:')) return { source: { case: 'url' as const, value: url } };
  const { mediaType, data } = readDataUrl(url) ?? refuse(at, 'must be an https address or data:image/...;base64,...');
  return { source: { case: 'data' as const, value: data }, mediaType };
}

function documentOf({ filename, file_data, file_url }: Extract<InputPart, { type: 'input_file' }>, at: string) {
  const named = { filename: filename ?? '' };
  if (file_url) return { ...named, source: { case: 'url' as const, value: file_url } };
  const { mediaType, data } =
    readDataUrl(file_data ?? '') ?? refuse(at, 'must have file_url, or file_data as data:application/pdf;base64,...');
  if (mediaType !== 'application/pdf') refuse(`${at}.file_data`, 'must be a PDF');
  return { ...named, source: { case: 'data' as const, value: data } };
}

function stateAt(data: string, at: string): ReplyState {
  return stateIn(data) ?? refuse(at, 'must be as a reply of this service gave it');
}

function refuse(field: string, description: string): never {
  throw new FailureError(invalid(field, description));
}
