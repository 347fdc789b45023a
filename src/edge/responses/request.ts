import { create, type JsonObject } from '@bufbuild/protobuf';
import {
  type ChatRequest,
  ChatRequestSchema,
  type StreamChatRequest,
  StreamChatRequestSchema,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { type AllowedName, allowedTools } from '../allowed-tools.ts';
import { routingOf } from '../model-name.ts';
import { type OtherNames, type PlaceOf, placeIn } from '../places.ts';
import { readShape } from '../shapes.ts';
import { conversationOf } from './conversation.ts';
import { type ResponsesRequest, responsesRequest } from './request-shapes.ts';
import { shellName, toolOf } from './tools.ts';

/** A Responses API request converted to ours, plus what its reply repeats. */
export interface ReadResponses {
  stream: boolean;
  /** Unused members, none of which affects what a reply means. */
  ignored: string[];
  asked: ResponsesRequest;
  /** Maps our fields to the caller's request. */
  placeOf: PlaceOf;
  unary(): ChatRequest;
  streamed(): StreamChatRequest;
}

/** Reads the body of `POST /v1/responses`; throws with the place of anything unsupported. */
export function readResponses(body: unknown): ReadResponses {
  const { value: asked, ignored } = readShape(responsesRequest, body);
  const { tools, tool_choice: choice, reasoning, user } = asked;
  const responseFormat = formatOf(asked);
  const placed = conversationOf(asked);
  const told = allowedTools((tools ?? []).map(toolOf), choice ? allowedNames(choice) : undefined);
  const inOrigin = placeIn(
    placed.map(({ origin }) => origin),
    names,
  );
  const init = {
    ...routingOf(asked.model),
    messages: placed.map(({ message }) => message),
    tools: [...told.tools],
    ...(choice && { toolChoice: toolChoiceOf(choice) }),
    ...(responseFormat && { responseFormat }),
    ...(asked.max_output_tokens != null && { maxOutputTokens: asked.max_output_tokens }),
    ...(asked.parallel_tool_calls != null && { parallelToolCalls: asked.parallel_tool_calls }),
    ...(asked.temperature != null && { temperature: asked.temperature }),
    ...(asked.top_p != null && { topP: asked.top_p }),
    ...(asked.presence_penalty != null && { presencePenalty: asked.presence_penalty }),
    ...(asked.frequency_penalty != null && { frequencyPenalty: asked.frequency_penalty }),
    ...(reasoning && {
      reasoning: {
        effort: reasoning.effort === 'xhigh' ? 'max' : (reasoning.effort ?? ''),
        summary: (reasoning.summary ?? reasoning.generate_summary) != null,
      },
    }),
    user: user ?? asked.safety_identifier ?? '',
    metadata: asked.metadata ?? {},
  };
  return {
    ...{ stream: asked.stream === true, asked },
    ignored: [...ignored, ...unused(asked)],
    placeOf: (field) => inOrigin(told.placeOf(field)),
    unary: () => create(ChatRequestSchema, init),
    streamed: () => create(StreamChatRequestSchema, init),
  };
}

type Choice = NonNullable<ResponsesRequest['tool_choice']>;

function toolChoiceOf(choice: Choice) {
  if (typeof choice === 'string') return { mode: choice };
  return choice.type === 'allowed_tools' ? { mode: choice.mode } : { mode: 'tool', toolName: choice.name };
}

function allowedNames(choice: Choice): AllowedName[] | undefined {
  if (typeof choice === 'string' || choice.type !== 'allowed_tools') return undefined;
  return choice.tools.map((tool, index) => ({
    name: tool.type === 'local_shell' ? shellName : tool.name,
    at: `tool_choice.tools[${index}]${tool.type === 'local_shell' ? '' : '.name'}`,
  }));
}

/** That API's names for our fields. */
const names: OtherNames = {
  message: [
    [/^\.(content|parts)/, '.content'],
    [/^\.toolCallId/, '.call_id'],
  ],
  part: [
    [/^\.image.*$/, '.image_url'],
    [/^\.document\.url.*$/, '.file_url'],
    [/^\.document\.filename.*$/, '.filename'],
    [/^\.document.*$/, '.file_data'],
    [/^\.audio/, '.input_audio'],
  ],
  call: [[/^\.id/, '.call_id']],
  request: [
    [/^responseFormat/, 'text.format'],
    [/^toolChoice\.toolName/, 'tool_choice.name'],
    [/^toolChoice\.mode/, 'tool_choice'],
  ],
};

/**
 * Members that are read but not fully honoured: nothing is stored, as the reply also says, and a grammar is passed to the model
 * but not enforced.
 */
function unused({ store, tools }: ResponsesRequest): string[] {
  const hasGrammar = tools?.some((tool) => tool.type === 'custom' && tool.format?.type === 'grammar');
  return [...(store === true ? ['store'] : []), ...(hasGrammar ? ['tools.format'] : [])];
}

function formatOf({ text }: ResponsesRequest) {
  const format = text?.format;
  if (!format) return undefined;
  if (format.type === 'text') return { kind: 'text' };
  if (format.type === 'json_object') return { kind: 'json' };
  const { name, schema, strict } = format;
  return { kind: 'json', name, schema: schema as JsonObject, ...(strict != null && { strict }) };
}
