import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { FailureError, invalid } from '../../base/failure.ts';
import {
  type CachePoint,
  CachePointSchema,
  type MessageSchema,
  type PartSchema,
} from '../../gen/intelligence/chat/v1/chat_pb.ts';
import { stateIn } from '../provider-state.ts';
import type { Block, CacheControl, CountRequest, Message } from './shapes.ts';

type ChatMessage = MessageInitShape<typeof MessageSchema>;
type Part = MessageInitShape<typeof PartSchema>;
type Of<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** The conversation in our words: the system's text first; results of tools are messages of their own, before what the user says. */
export function conversationOf({ system, messages }: Pick<CountRequest, 'system' | 'messages'>): ChatMessage[] {
  const first = system == null || system.length === 0 ? [] : [{ role: 'system', ...contentOf(system) }];
  return [...first, ...messages.flatMap(messagesOf)];
}

export function cachePointOf(control: CacheControl): { cachePoint?: CachePoint } {
  return control ? { cachePoint: create(CachePointSchema, { ttl: control.ttl ?? '5m' }) } : {};
}

function messagesOf(message: Message, index: number): ChatMessage[] {
  const { role, content } = message;
  if (typeof content === 'string') return [{ role, content }];
  if (role === 'assistant') return [assistantOf(message.content as Block[], `messages[${index}].content`)];
  const blocks = content as Block[];
  const results = blocks.filter((block) => block.type === 'tool_result').map(resultOf);
  const said = blocks.filter((block) => block.type !== 'tool_result').map(partOf);
  return said.length === 0 && results.length > 0 ? results : [...results, { role, parts: said }];
}

function assistantOf(blocks: Block[], at: string): ChatMessage {
  const states = blocks.map((block, index) =>
    block.type === 'redacted_thinking' ? stateAt(block.data, `${at}[${index}].data`) : undefined,
  );
  // A reply has one; of several, as after editing by hand, the last is what the provider said last.
  const state = states.findLast((each) => each !== undefined);
  const calls = blocks.filter((block) => block.type === 'tool_use');
  return {
    role: 'assistant',
    parts: blocks.filter((block) => block.type === 'text').map(partOf),
    toolCalls: calls.map(({ id, name, input }) => ({
      ...{ id, name, arguments: JSON.stringify(input) },
      providerState: state?.calls.get(id) ?? '',
    })),
    providerState: state?.message ?? '',
    ...cachePointOf(calls.at(-1)?.cache_control),
  };
}

function stateAt(data: string, at: string) {
  const state = stateIn(data);
  if (!state) throw new FailureError(invalid(at, 'must be as a reply of this service gave it'));
  return state;
}

function resultOf({ tool_use_id, content, is_error, cache_control }: Of<'tool_result'>): ChatMessage {
  const parts = content == null ? [] : typeof content === 'string' ? [textPart(content)] : content.map(partOf);
  // Our contract has no mark for results that are errors; the model reads it in words.
  const all = is_error ? [textPart('The tool failed:'), ...parts] : parts;
  return { role: 'tool', toolCallId: tool_use_id, parts: all, ...cachePointOf(cache_control) };
}

function contentOf(content: string | Of<'text'>[]): Pick<ChatMessage, 'content' | 'parts'> {
  return typeof content === 'string' ? { content } : { parts: content.map(partOf) };
}

function partOf(block: Block): Part {
  switch (block.type) {
    case 'text':
      return { ...textPart(block.text), ...cachePointOf(block.cache_control) };
    case 'image':
      return { ...imageOf(block), ...cachePointOf(block.cache_control) };
    case 'document':
      return { ...documentOf(block), ...cachePointOf(block.cache_control) };
    default:
      throw new Error(`a ${block.type} is no part of a text`);
  }
}

function textPart(text: string): Part {
  return { part: { case: 'text', value: text } };
}

function imageOf({ source }: Of<'image'>): Part {
  if (source.type === 'url') return { part: { case: 'image', value: { source: { case: 'url', value: source.url } } } };
  const value = { source: { case: 'data' as const, value: bytes(source.data) }, mediaType: source.media_type };
  return { part: { case: 'image', value } };
}

function documentOf({ source, title, context, citations }: Of<'document'>): Part {
  const named = [title, context].filter((text) => text != null && text !== '');
  if (source.type === 'text') return textPart([...named, source.data].join('\n\n'));
  const from =
    source.type === 'url'
      ? { case: 'url' as const, value: source.url }
      : { case: 'data' as const, value: bytes(source.data) };
  const value = { source: from, filename: title ?? '', citations: citations?.enabled === true };
  return { part: { case: 'document', value } };
}

function bytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
