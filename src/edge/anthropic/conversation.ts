import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { FailureError, invalid } from '../../base/failure.ts';
import {
  type CachePoint,
  CachePointSchema,
  type MessageSchema,
  type PartSchema,
} from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { Placed } from '../places.ts';
import { noState, stateIn } from '../provider-state.ts';
import { withFilesBehindResults } from '../tool-files.ts';
import type { Block, CacheControl, CountRequest, Message } from './shapes.ts';

export type ChatMessage = MessageInitShape<typeof MessageSchema>;
type Part = MessageInitShape<typeof PartSchema>;
type Of<Type extends Block['type']> = Extract<Block, { type: Type }>;

/**
 * The conversation as our messages, each with its origin: the system text first; tool results become messages of their own,
 * before what the user says, and images in them follow.
 */
export function conversationOf({ system, messages }: Pick<CountRequest, 'system' | 'messages'>): Placed<ChatMessage>[] {
  const first: Placed<ChatMessage>[] =
    system == null || system.length === 0
      ? []
      : [
          {
            message: { role: 'system', ...contentOf(system) },
            origin: { at: 'system', parts: placesIn('system', system) },
          },
        ];
  return withFilesBehindResults([...first, ...messages.flatMap(messagesOf)]);
}

export type DocumentBlock = Of<'document'>;

/** A request's documents in order, including those in tool results. */
export function documentsOf({ messages }: Pick<CountRequest, 'messages'>): DocumentBlock[] {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as Block[])));
  return blocks
    .flatMap((block) => (block.type === 'tool_result' && Array.isArray(block.content) ? block.content : [block]))
    .filter((block) => block.type === 'document');
}

function placesIn(at: string, content: string | readonly unknown[]): string[] {
  return typeof content === 'string' ? [] : content.map((_, index) => `${at}[${index}]`);
}

export function cachePointOf(control: CacheControl): { cachePoint?: CachePoint } {
  return control ? { cachePoint: create(CachePointSchema, { ttl: control.ttl ?? '5m' }) } : {};
}

function messagesOf(message: Message, index: number): Placed<ChatMessage>[] {
  const { role, content } = message;
  const at = `messages[${index}]`;
  if (typeof content === 'string') return [{ message: { role, content }, origin: { at } }];
  const blocks = (content as Block[]).map((block, place) => ({ block, at: `${at}.content[${place}]` }));
  if (role === 'assistant') return [assistantOf(blocks, at)];
  const results = blocks.flatMap(({ block, at }) => (block.type === 'tool_result' ? [resultOf(block, at)] : []));
  const said = blocks.filter(({ block }) => block.type !== 'tool_result');
  if (said.length === 0 && results.length > 0) return results;
  const parts = said.map(({ block }) => partOf(block));
  return [...results, { message: { role, parts }, origin: { at, parts: said.map((each) => each.at) } }];
}

interface PlacedBlock {
  block: Block;
  at: string;
}

function assistantOf(blocks: readonly PlacedBlock[], at: string): Placed<ChatMessage> {
  const states = blocks.map(({ block, at }) =>
    block.type === 'redacted_thinking'
      ? stateAt(block.data, `${at}.data`)
      : block.type === 'thinking' && block.signature && block.signature !== noState
        ? stateAt(block.signature, `${at}.signature`)
        : undefined,
  );
  // If there are several, the last one covers all of the thinking.
  const state = states.findLast((each) => each !== undefined);
  const texts = blocks.filter(({ block }) => block.type === 'text');
  const calls = blocks.flatMap(({ block, at }) => (block.type === 'tool_use' ? [{ ...block, at }] : []));
  const message = {
    role: 'assistant',
    parts: texts.map(({ block }) => partOf(block)),
    toolCalls: calls.map(({ id, name, input }) => ({
      ...{ id, name, arguments: JSON.stringify(input) },
      providerState: state?.calls.get(id) ?? '',
    })),
    providerState: state?.message ?? '',
    ...cachePointOf(calls.at(-1)?.cache_control),
  };
  return { message, origin: { at, parts: texts.map((each) => each.at), calls: calls.map((each) => each.at) } };
}

function stateAt(data: string, at: string) {
  const state = stateIn(data);
  if (!state) throw new FailureError(invalid(at, 'must be as a reply of this service gave it'));
  return state;
}

function resultOf(
  { tool_use_id, content, is_error, cache_control }: Of<'tool_result'>,
  at: string,
): Placed<ChatMessage> {
  const parts = content == null ? [] : typeof content === 'string' ? [textPart(content)] : content.map(partOf);
  const places = typeof content === 'string' ? [`${at}.content`] : placesIn(`${at}.content`, content ?? []);
  // Our contract has no error flag for results, so the model is told in words.
  const all = is_error ? [textPart('The tool failed:'), ...parts] : parts;
  return {
    message: { role: 'tool', toolCallId: tool_use_id, parts: all, ...cachePointOf(cache_control) },
    origin: { at, parts: is_error ? [`${at}.is_error`, ...places] : places },
  };
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
  const value = { source: { case: 'data' as const, value: source.data }, mediaType: source.media_type };
  return { part: { case: 'image', value } };
}

function documentOf({ source, title, context, citations }: Of<'document'>): Part {
  const named = [title, context].filter((text) => text != null && text !== '');
  if (source.type === 'text') return textPart([...named, source.data].join('\n\n'));
  const from =
    source.type === 'url' ? { case: 'url' as const, value: source.url } : { case: 'data' as const, value: source.data };
  const value = { source: from, filename: title ?? '', citations: citations?.enabled === true };
  return { part: { case: 'document', value } };
}
