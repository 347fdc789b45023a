import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { bytesOfBase64 } from '@intelligence-api/transcoding/parts';
import {
  type CachePoint,
  CachePointSchema,
  type ImageSchema,
  type MessageSchema,
  type PartSchema,
} from '../../gen/intelligence/chat/v1/chat_pb.ts';
import {
  type ChatRequest,
  ChatRequestSchema,
  type StreamChatRequest,
  StreamChatRequestSchema,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { allowedTools } from '../allowed-tools.ts';
import { readDataUrl } from '../data-url.ts';
import { routingOf } from '../model-name.ts';
import type { PlaceOf } from '../places.ts';
import { type ReplyState, stateIn } from '../provider-state.ts';
import { cacheOf } from './cache-control.ts';
import {
  audioMembers,
  cacheOptionMembers,
  completionMembers,
  fileMembers,
  formatMembers,
  imageMembers,
  MemberCheck,
  messageMembers,
  partMembers,
  refuse,
  schemaMembers,
  streamOptionMembers,
} from './parameters.ts';
import { parameterOf } from './reply.ts';
import { toolChoiceOf, toolsOf } from './tools.ts';
import { countAt, flagAt, type Json, jsonAt, listAt, numberAt, objectAt, optional, textAt } from './values.ts';

/** A request in OpenAI's format converted to ours, plus what only affects the reply's format. */
export interface CompletionRequest {
  stream: boolean;
  /** Whether a stream ends with a usage chunk. */
  includeUsage: boolean;
  /** The name by which the caller referred to the model. */
  model: string;
  /** Ignored parameters, none of which affects what a reply means. */
  ignored: string[];
  /** Maps our fields to the caller's request. */
  placeOf: PlaceOf;
  unary(): ChatRequest;
  streamed(): StreamChatRequest;
}

/**
 * Reads the body of `POST /v1/chat/completions`. Hints that do not affect what the reply means are ignored and listed;
 * unsupported parameters, such as several choices, and unknown ones are refused by name. `cacheControl` is the header.
 */
export function readCompletionRequest(body: unknown, cacheControl?: string): CompletionRequest {
  const request = objectAt(body, 'body');
  const members = new MemberCheck();
  members.check(request, completionMembers);
  if (request.prompt_cache_options != null)
    members.check(
      objectAt(request.prompt_cache_options, 'prompt_cache_options'),
      cacheOptionMembers,
      'prompt_cache_options',
    );
  const model = textAt(request.model ?? 'auto', 'model');
  const choice = request.tool_choice == null ? undefined : toolChoiceOf(request.tool_choice);
  const { tools, placeOf } = allowedTools(toolsOf(request.tools ?? [], members), choice?.allowed);
  const init = {
    ...routingOf(model),
    messages: listAt(request.messages, 'messages').map((message, index) =>
      messageOf(message, `messages[${index}]`, members),
    ),
    tools: [...tools],
    ...(choice && { toolChoice: choice.choice }),
    ...optional('responseFormat', request.response_format, (format) => responseFormatOf(format, members)),
    ...outputBoundOf(request),
    ...optional('temperature', request.temperature, numberAt('temperature')),
    ...optional('topP', request.top_p, numberAt('top_p')),
    ...optional('presencePenalty', request.presence_penalty, numberAt('presence_penalty')),
    ...optional('frequencyPenalty', request.frequency_penalty, numberAt('frequency_penalty')),
    ...optional('parallelToolCalls', request.parallel_tool_calls, flagAt('parallel_tool_calls')),
    ...optional('reasoning', request.reasoning_effort, reasoningOf),
    ...optional('stop', request.stop, stopOf),
    ...optional('seed', request.seed, seedOf),
    ...optional('user', request.user, (user) => textAt(user, 'user')),
    ...optional('metadata', request.metadata, metadataOf),
    ...optional('cache', cacheControl, () => cacheOf(cacheControl)),
  };
  const streamOptions = request.stream_options == null ? {} : objectAt(request.stream_options, 'stream_options');
  members.check(streamOptions, streamOptionMembers, 'stream_options');
  return {
    stream: request.stream == null ? false : flagAt('stream')(request.stream),
    includeUsage:
      streamOptions.include_usage == null ? false : flagAt('stream_options.include_usage')(streamOptions.include_usage),
    model,
    ignored: members.ignored,
    placeOf: (field) => parameterOf(placeOf(field)),
    unary: () => create(ChatRequestSchema, init),
    streamed: () => create(StreamChatRequestSchema, init),
  };
}

function messageOf(value: unknown, at: string, members: MemberCheck): MessageInitShape<typeof MessageSchema> {
  const message = objectAt(value, at);
  members.check(message, messageMembers, at, 'messages');
  const role = textAt(message.role, `${at}.role`);
  const toolCalls = message.tool_calls == null ? [] : listAt(message.tool_calls, `${at}.tool_calls`);
  const state = message.provider_state == null ? undefined : stateAt(message.provider_state, `${at}.provider_state`);
  return {
    // Newer clients use the role developer for system messages.
    role: role === 'developer' ? 'system' : role,
    ...contentOf(message.content ?? message.refusal, `${at}.content`, members),
    toolCalls: toolCalls
      .map((call, index) => toolCallOf(call, `${at}.tool_calls[${index}]`))
      .map((call) => ({ ...call, providerState: state?.calls.get(call.id) ?? '' })),
    providerState: state?.message ?? '',
    ...optional('toolCallId', message.tool_call_id, (id) => textAt(id, `${at}.tool_call_id`)),
  };
}

function contentOf(
  content: unknown,
  at: string,
  members: MemberCheck,
): { content?: string; parts?: MessageInitShape<typeof PartSchema>[] } {
  if (content == null) return {};
  if (typeof content === 'string') return { content };
  const parts = listAt(content, at).map((part, index) => partOf(part, `${at}[${index}]`, members));
  return { parts };
}

function partOf(value: unknown, at: string, members: MemberCheck): MessageInitShape<typeof PartSchema> {
  const part = objectAt(value, at);
  members.check(part, partMembers, at, 'messages.content');
  return { ...typedPart(part, at, members), ...cachePointOf(part, at) };
}

/** A point up to which the prompt is cached, as marked in that API, or as clients of Anthropic's models mark it there. */
function cachePointOf({ prompt_cache_breakpoint, cache_control }: Json, at: string): { cachePoint?: CachePoint } {
  if (prompt_cache_breakpoint != null) objectAt(prompt_cache_breakpoint, `${at}.prompt_cache_breakpoint`);
  const control = cache_control == null ? undefined : objectAt(cache_control, `${at}.cache_control`);
  if (!control) return prompt_cache_breakpoint == null ? {} : { cachePoint: create(CachePointSchema, { ttl: '5m' }) };
  const ttl = textAt(control.ttl ?? '5m', `${at}.cache_control.ttl`);
  if (control.type !== 'ephemeral') refuse(`${at}.cache_control.type`, 'must be ephemeral');
  if (ttl !== '5m' && ttl !== '1h') refuse(`${at}.cache_control.ttl`, 'must be 5m or 1h');
  return { cachePoint: create(CachePointSchema, { ttl }) };
}

function typedPart(part: Json, at: string, members: MemberCheck): MessageInitShape<typeof PartSchema> {
  switch (part.type) {
    case 'text':
      return { part: { case: 'text', value: textAt(part.text, `${at}.text`) } };
    case 'refusal':
      return { part: { case: 'text', value: textAt(part.refusal, `${at}.refusal`) } };
    case 'image_url': {
      const image = objectAt(part.image_url, `${at}.image_url`);
      members.check(image, imageMembers, `${at}.image_url`, 'image_url');
      const { url } = image;
      return { part: { case: 'image', value: imageOf(textAt(url, `${at}.image_url.url`), `${at}.image_url.url`) } };
    }
    case 'file': {
      const file = objectAt(part.file, `${at}.file`);
      members.check(file, fileMembers, `${at}.file`);
      return { part: { case: 'document', value: documentOf(file, `${at}.file`) } };
    }
    case 'input_audio': {
      const audio = objectAt(part.input_audio, `${at}.input_audio`);
      members.check(audio, audioMembers, `${at}.input_audio`);
      return { part: { case: 'audio', value: audioOf(audio, `${at}.input_audio`) } };
    }
    default:
      return refuse(`${at}.type`, 'must be text, image_url, file or input_audio');
  }
}

function documentOf({ filename, file_data }: Json, at: string) {
  const file = readDataUrl(textAt(file_data ?? '', `${at}.file_data`));
  if (file?.mediaType !== 'application/pdf')
    return refuse(`${at}.file_data`, 'must be a PDF as data:application/pdf;base64,...');
  return {
    filename: textAt(filename ?? '', `${at}.filename`),
    source: { case: 'data' as const, value: file.data },
  };
}

function audioOf({ data, format }: Json, at: string) {
  const mediaType = { wav: 'audio/wav', mp3: 'audio/mpeg' }[textAt(format, `${at}.format`)];
  if (mediaType === undefined) refuse(`${at}.format`, 'must be wav or mp3');
  const bytes = bytesOfBase64(textAt(data, `${at}.data`));
  if (!bytes || bytes.length === 0) return refuse(`${at}.data`, 'must be base64');
  return { data: bytes, mediaType };
}

function imageOf(url: string, at: string): MessageInitShape<typeof ImageSchema> {
  if (!url.startsWith('data:')) return { source: { case: 'url', value: url } };
  const image = readDataUrl(url);
  if (!image?.mediaType.startsWith('image/'))
    return refuse(at, 'must be an https address or data:image/...;base64,...');
  return { source: { case: 'data', value: image.data }, mediaType: image.mediaType };
}

function toolCallOf(value: unknown, at: string) {
  const call = objectAt(value, at);
  if (call.type != null && call.type !== 'function') refuse(`${at}.type`, 'must be function');
  const called = objectAt(call.function, `${at}.function`);
  return {
    id: textAt(call.id, `${at}.id`),
    name: textAt(called.name, `${at}.function.name`),
    arguments: textAt(called.arguments ?? '', `${at}.function.arguments`),
  };
}

/** That API has two names for one limit, and some clients send both. */
function outputBoundOf({ max_completion_tokens: bound, max_tokens: older }: Json): { maxOutputTokens?: number } {
  if (bound != null && older != null && bound !== older)
    refuse('max_tokens', 'is the older name of max_completion_tokens: send one of them');
  return optional('maxOutputTokens', bound ?? older, countAt(bound == null ? 'max_tokens' : 'max_completion_tokens'));
}

function responseFormatOf(value: unknown, members: MemberCheck) {
  const format = objectAt(value, 'response_format');
  members.check(format, formatMembers, 'response_format');
  switch (format.type) {
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema': {
      const described = objectAt(format.json_schema, 'response_format.json_schema');
      members.check(described, schemaMembers, 'response_format.json_schema');
      const { name, schema, strict } = described;
      return {
        kind: 'json',
        ...optional('name', name, (text) => textAt(text, 'response_format.json_schema.name')),
        ...optional('schema', schema, (given) => jsonAt(given, 'response_format.json_schema.schema')),
        ...optional('strict', strict, flagAt('response_format.json_schema.strict')),
      };
    }
    default:
      return refuse('response_format.type', 'must be text, json_object or json_schema');
  }
}

const efforts = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

function reasoningOf(value: unknown) {
  const effort = textAt(value, 'reasoning_effort');
  if (!efforts.has(effort)) refuse('reasoning_effort', `must be one of ${[...efforts].join(', ')}`);
  return { effort: effort === 'xhigh' ? 'max' : effort };
}

/** The state the provider needs to continue from a reply, as in the reply's message. */
function stateAt(value: unknown, at: string): ReplyState {
  return stateIn(textAt(value, at)) ?? refuse(at, 'must be as a reply of this service gave it');
}

function seedOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) >>> 0 : refuse('seed', 'must be a whole number');
}

function stopOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return listAt(value, 'stop').map((stop, index) => textAt(stop, `stop[${index}]`));
}

function metadataOf(value: unknown): Record<string, string> {
  const entries = Object.entries(objectAt(value, 'metadata'));
  return Object.fromEntries(entries.map(([name, text]) => [name, textAt(text, `metadata.${name}`)]));
}
