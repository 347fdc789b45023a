import { createHash } from 'node:crypto';
import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import type { ReasoningSchema } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import {
  type ChatRequest,
  ChatRequestSchema,
  type StreamChatRequest,
  StreamChatRequestSchema,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { routingOf } from '../model-name.ts';
import { type OtherNames, type Placed, type PlaceOf, placeIn } from '../places.ts';
import { readShape } from '../shapes.ts';
import { type ChatMessage, cachePointOf, conversationOf, type DocumentBlock, documentsOf } from './conversation.ts';
import { type CacheControl, type CountRequest, countRequest, type MessagesRequest, messagesRequest } from './shapes.ts';

/** A Messages API request converted to ours, plus what only affects the reply's format. */
export interface ReadMessages {
  stream: boolean;
  /** The name by which the caller referred to the model. */
  model: string;
  /** Unused members, none of which affects what a reply means. */
  ignored: string[];
  /** Maps our fields to the caller's request. */
  placeOf: PlaceOf;
  /** The positions of our request's documents among all those that the caller sent. */
  documents: readonly number[];
  unary(): ChatRequest;
  streamed(): StreamChatRequest;
}

/** Reads the body of `POST /v1/messages`; throws with the place of anything unsupported. */
export function readMessages(body: unknown): ReadMessages {
  const { value: request, ignored } = readShape(messagesRequest, body);
  const { init: conversation, placeOf } = conversationInit(request);
  const documents = documentsOf(request);
  const init = {
    ...conversation,
    maxOutputTokens: request.max_tokens,
    ...(request.temperature != null && { temperature: request.temperature }),
    ...(request.top_p != null && { topP: request.top_p }),
    stop: request.stop_sequences ?? [],
    ...(request.metadata?.user_id && { user: userOf(request.metadata.user_id) }),
  };
  return {
    stream: request.stream === true,
    model: request.model,
    ignored: [...ignored, ...uncited(documents)],
    placeOf,
    documents: [...documents.keys()].filter((index) => documents[index]?.source.type !== 'text'),
    unary: () => create(ChatRequestSchema, init),
    streamed: () => create(StreamChatRequestSchema, init),
  };
}

/** Reads the body of `POST /v1/messages/count_tokens`. */
export function readCount(body: unknown): { message: ChatRequest; placeOf: PlaceOf } {
  const { init, placeOf } = conversationInit(readShape(countRequest, body).value);
  return { message: create(ChatRequestSchema, init), placeOf };
}

function conversationInit(request: MessagesRequest | CountRequest) {
  const { tools, tool_choice: choice, output_config: output } = request;
  const reasoning = reasoningOf(request);
  const placed = withLastPoint(conversationOf(request), request.cache_control);
  const init = {
    ...routingOf(request.model),
    messages: placed.map(({ message }) => message),
    tools: (tools ?? []).map(({ name, description, input_schema, strict, cache_control }) => ({
      ...{ name, description: description ?? '', parameters: input_schema as JsonObject },
      ...(strict != null && { strict }),
      ...cachePointOf(cache_control),
    })),
    ...(choice && { toolChoice: toolChoiceOf(choice) }),
    ...(choice && 'disable_parallel_tool_use' in choice && { parallelToolCalls: !choice.disable_parallel_tool_use }),
    ...(output?.format && { responseFormat: { kind: 'json', schema: output.format.schema as JsonObject } }),
    ...(reasoning && { reasoning }),
  };
  const origins = placed.map(({ origin }) => origin);
  return { init, placeOf: placeIn(origins, namesIn(request)) };
}

/** Text documents are plain text to our models, which do not cite it. */
function uncited(documents: readonly DocumentBlock[]): string[] {
  const isAsked = documents.some(({ source, citations }) => source.type === 'text' && citations?.enabled);
  return isAsked ? ['messages.content.citations'] : [];
}

/** A cache point on the request itself applies to its last block. */
function withLastPoint(placed: Placed<ChatMessage>[], control: CacheControl): Placed<ChatMessage>[] {
  const last = placed.at(-1);
  if (!control || !last) return placed;
  return [...placed.slice(0, -1), { ...last, message: { ...last.message, ...cachePointOf(control) } }];
}

/** An effort can be set in either of two places. */
function namesIn({ output_config: output }: MessagesRequest | CountRequest): OtherNames {
  const effort = output?.effort ? 'output_config.effort' : 'thinking';
  return { ...names, request: [[/^reasoning\.effort/, effort], ...names.request] };
}

/** That API's names for our fields. */
const names: OtherNames = {
  message: [
    [/^\.(content|parts)/, '.content'],
    [/^\.toolCallId/, '.tool_use_id'],
    [/^\.cachePoint/, '.cache_control'],
  ],
  part: [
    [/^\.(image|document)(\.(url|data|mediaType))?.*$/, '.source$2'],
    [/^\.cachePoint/, '.cache_control'],
  ],
  call: [[/^\.arguments/, '.input']],
  request: [
    [/^maxOutputTokens/, 'max_tokens'],
    [/^stop\b/, 'stop_sequences'],
    [/^user$/, 'metadata.user_id'],
    [/^toolChoice\.toolName/, 'tool_choice.name'],
    [/^parallelToolCalls/, 'tool_choice.disable_parallel_tool_use'],
    [/^(tools\[\d+\])\.parameters/, '$1.input_schema'],
    [/^responseFormat/, 'output_config.format'],
    [/^reasoning\.summary/, 'thinking'],
    [/^toolChoice\.mode/, 'tool_choice.type'],
  ],
};

const toolModes = { auto: 'auto', any: 'required', none: 'none', tool: 'tool' } as const;

function toolChoiceOf(choice: NonNullable<MessagesRequest['tool_choice']>) {
  return { mode: toolModes[choice.type], toolName: choice.type === 'tool' ? choice.name : '' };
}

/** The effort that a thinking budget counts as, from this many tokens. */
const efforts = [
  [16_384, 'high'],
  [4_096, 'medium'],
  [0, 'low'],
] as const;

function reasoningOf({
  thinking,
  output_config,
}: MessagesRequest | CountRequest): MessageInitShape<typeof ReasoningSchema> | undefined {
  const effort = output_config?.effort === 'xhigh' ? 'max' : output_config?.effort;
  if (thinking?.type === 'disabled') return { effort: 'none' };
  if (!thinking) return effort ? { effort } : undefined;
  const byBudget =
    thinking.type === 'enabled' ? efforts.find(([least]) => thinking.budget_tokens >= least)?.[1] : undefined;
  return { effort: effort ?? byBudget ?? '', summary: thinking.display !== 'omitted' };
}

const userCharactersMax = 256;

/** Some clients send user ids that are too long; a digest still tells users apart. */
function userOf(id: string): string {
  return id.length <= userCharactersMax ? id : createHash('sha256').update(id).digest('base64url');
}
