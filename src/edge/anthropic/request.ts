import { createHash } from 'node:crypto';
import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import type { z } from 'zod';
import { FailureError, type FieldViolation } from '../../base/failure.ts';
import type { ReasoningSchema, RoutingSchema } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import {
  type ChatRequest,
  ChatRequestSchema,
  type StreamChatRequest,
  StreamChatRequestSchema,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { cachePointOf, conversationOf } from './conversation.ts';
import { type CountRequest, countRequest, type MessagesRequest, messagesRequest } from './shapes.ts';

/** A request of the Messages API as one of ours, and what only the reply's form depends on. */
export interface ReadMessages {
  stream: boolean;
  /** The name that the caller used for the model. */
  model: string;
  /** Members that were not used, which change nothing in what a reply means. */
  ignored: string[];
  unary(): ChatRequest;
  streamed(): StreamChatRequest;
}

/** Reads the body of `POST /v1/messages`; throws with the place of what it cannot do. */
export function readMessages(body: unknown): ReadMessages {
  const request = parse(messagesRequest, body);
  const init = {
    ...conversationInit(request),
    maxOutputTokens: request.max_tokens,
    ...(request.temperature != null && { temperature: request.temperature }),
    ...(request.top_p != null && { topP: request.top_p }),
    stop: request.stop_sequences ?? [],
    ...(request.metadata?.user_id && { user: userOf(request.metadata.user_id) }),
  };
  return {
    stream: request.stream === true,
    model: request.model,
    ignored: ignoredOf(body, request),
    unary: () => create(ChatRequestSchema, init),
    streamed: () => create(StreamChatRequestSchema, init),
  };
}

/** Reads the body of `POST /v1/messages/count_tokens`. */
export function readCount(body: unknown): ChatRequest {
  return create(ChatRequestSchema, conversationInit(parse(countRequest, body)));
}

function conversationInit(request: MessagesRequest | CountRequest) {
  const { tools, tool_choice: choice, output_config: output } = request;
  const reasoning = reasoningOf(request);
  return {
    ...modelOf(request.model),
    messages: conversationOf(request),
    tools: (tools ?? []).map(({ name, description, input_schema, cache_control }) => ({
      ...{ name, description: description ?? '', parameters: input_schema as JsonObject },
      ...cachePointOf(cache_control),
    })),
    ...(choice && { toolChoice: toolChoiceOf(choice) }),
    ...(output?.format && { responseFormat: { kind: 'json', schema: output.format.schema as JsonObject } }),
    ...(reasoning && { reasoning }),
  };
}

const routingModes = new Set(['economy', 'balanced', 'quality', 'fast']);

/** `auto`, `auto:economy` and the other modes let the service choose; anything else names a model. */
function modelOf(model: string): { model?: string; routing?: MessageInitShape<typeof RoutingSchema> } {
  if (model === 'auto') return {};
  const mode = /^auto:(.*)$/.exec(model)?.[1];
  if (mode === undefined) return { model };
  if (!routingModes.has(mode)) refuse('model', `must be auto, or auto: and one of ${[...routingModes].join(', ')}`);
  return { routing: { mode } };
}

const toolModes = { auto: 'auto', any: 'required', none: 'none', tool: 'tool' } as const;

function toolChoiceOf(choice: NonNullable<MessagesRequest['tool_choice']>) {
  return { mode: toolModes[choice.type], toolName: choice.type === 'tool' ? choice.name : '' };
}

/** From this many tokens of thought on a budget counts as the effort. */
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

/** Some clients name the user by more than fits; a digest of it still tells one from another. */
function userOf(id: string): string {
  return id.length <= userCharactersMax ? id : createHash('sha256').update(id).digest('base64url');
}

function parse<Shape extends z.ZodType>(shape: Shape, body: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new FailureError({ kind: 'invalid_argument', violations: parsed.error.issues.slice(0, 10).map(violationOf) });
}

/** The members of what was sent that are not in what was read, each name once: `top_k`, `tools.defer_loading`. */
function ignoredOf(sent: unknown, read: unknown, at = '', names = new Set<string>()): string[] {
  if (Array.isArray(sent) && Array.isArray(read))
    for (const [index, each] of sent.entries()) ignoredOf(each, read[index], at, names);
  else if (typeof sent === 'object' && sent !== null && typeof read === 'object' && read !== null)
    for (const [name, value] of Object.entries(sent)) {
      const path = at === '' ? name : `${at}.${name}`;
      if (name in read) ignoredOf(value, (read as Record<string, unknown>)[name], path, names);
      else names.add(path);
    }
  return [...names];
}

function violationOf(issue: z.core.$ZodIssue): FieldViolation {
  // Of the forms that a value may have, what is wrong with the one that it comes nearest to says most.
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const deepest = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
    if (deepest) return violationOf({ ...deepest, path: [...issue.path, ...deepest.path] } as z.core.$ZodIssue);
  }
  let field = '';
  for (const name of issue.path) field += typeof name === 'number' ? `[${name}]` : `${field && '.'}${String(name)}`;
  return { field: field || 'body', description: issue.message };
}

function refuse(field: string, description: string): never {
  throw new FailureError({ kind: 'invalid_argument', violations: [{ field, description }] });
}
