import type { SeenRequest, UpstreamReply } from './upstream.ts';

type Json = Record<string, unknown>;

/** Free of charge: OpenAI's answer to a request that breaks a rule. */
export function openAiRefusal(message: string, param: string, code: string | null = null): UpstreamReply {
  return { status: 400, body: { error: { message, type: 'invalid_request_error', param, code } } };
}

const known = new Set(
  (
    'model messages max_tokens max_completion_tokens temperature top_p stop seed user tools tool_choice response_format ' +
    'parallel_tool_calls presence_penalty frequency_penalty stream stream_options'
  ).split(' '),
);

/**
 * OpenAI's Chat Completions, as strict as documented: unknown parameters, tool answers without their call, options without what they belong to,
 * and schemas that cannot be strict are refused. `reply` makes the answer to valid requests.
 */
export function strictOpenAi(
  reply: (body: Json) => Json | Promise<Json>,
): (seen: SeenRequest) => Promise<UpstreamReply> {
  return async ({ path, headers, body }) => {
    if (path !== '/v1/chat/completions') return { status: 404, body: { error: { message: `no ${path}` } } };
    if (headers.authorization !== 'Bearer sk-upstream') return { status: 401, body: { error: { message: 'key' } } };
    const wrong = refusalOf(body);
    if (wrong) return wrong;
    const message = await reply(body);
    const usage = { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 };
    const finish_reason = message.tool_calls ? 'tool_calls' : 'stop';
    const base = { id: 'chatcmpl-u', created: 1, model: body.model };
    if (body.stream !== true)
      return {
        body: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
      };
    const chunk = (delta: Json, reason: string | null = null) =>
      event({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });
    const texts = String(message.content ?? '').match(/.{1,4}/gs) ?? [];
    const calls = (message.tool_calls as Json[] | undefined) ?? [];
    return {
      pieces: [
        chunk({ role: 'assistant', content: '' }),
        ...texts.map((content) => chunk({ content })),
        ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
        chunk({}, finish_reason),
        ...((body.stream_options as Json | undefined)?.include_usage ? [event({ ...base, choices: [], usage })] : []),
        'data: [DONE]\n\n',
      ],
    };
  };
}

/** How OpenAI refuses a request that breaks a rule; undefined if it breaks none. */
export function refusalOf(body: Json): UpstreamReply | undefined {
  const wrong = problemOf(body);
  return wrong && openAiRefusal(...wrong);
}

function event(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function problemOf(body: Json): [string, string, string?] | undefined {
  for (const name of Object.keys(body))
    if (!known.has(name)) return [`Unrecognized request argument supplied: ${name}`, name];
  const tools = body.tools as { function: { name: string; strict?: boolean; parameters: Json } }[] | undefined;
  for (const member of ['tool_choice', 'parallel_tool_calls'])
    if (!tools && body[member] !== undefined)
      return [`'${member}' is only allowed when 'tools' are specified.`, member];
  for (const { function: tool } of tools ?? [])
    if (tool.strict && !isStrict(tool.parameters))
      return ['Invalid schema for function', 'tools', 'invalid_function_parameters'];
  const format = body.response_format as
    | { json_schema?: { strict?: boolean; schema: Json; name?: string } }
    | undefined;
  if (format?.json_schema && !format.json_schema.name) return ['Missing name', 'response_format.json_schema.name'];
  if (format?.json_schema?.strict && !isStrict(format.json_schema.schema))
    return ['Invalid schema for response_format', 'response_format', 'invalid_json_schema'];
  return conversationProblem(body.messages as Json[]);
}

function conversationProblem(messages: Json[]): [string, string] | undefined {
  let open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`;
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return ['a tool message must follow the call that it answers', at];
      continue;
    }
    if (open.size > 0) return ['tool_call_ids did not have response messages', at];
    open = new Set(((message.tool_calls as Json[] | undefined) ?? []).map(({ id }) => id));
    for (const part of Array.isArray(message.content) ? (message.content as Json[]) : [])
      if (part.type === 'image_url' && !/^(https:|data:image\/(png|jpeg|gif|webp);base64,)/.test(urlOf(part)))
        return ['You uploaded an unsupported image.', at];
  }
  return undefined;
}

function urlOf(part: Json): string {
  return String((part.image_url as Json | undefined)?.url);
}

function isStrict(schema: Json): boolean {
  const properties = Object.keys((schema.properties as Json | undefined) ?? {});
  const required = (schema.required as string[] | undefined) ?? [];
  return schema.additionalProperties === false && properties.every((name) => required.includes(name));
}
