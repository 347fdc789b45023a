import { refusalOf } from './strict-openai.ts';
import { completion, type SeenRequest, type UpstreamReply } from './upstream.ts';

type Json = Record<string, unknown>;

/** A model's answer, whole: `make` gets the request if it is one that OpenAI accepts. Streamed when the request asks for it. */
export function chatAnswer(make: (body: Json) => { content: string | null; tool_calls?: Json[] }) {
  return ({ body }: SeenRequest): UpstreamReply => {
    const wrong = refusalOf(body);
    if (wrong) return wrong;
    const message = make(body);
    const finish = message.tool_calls ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    if (body.stream !== true) {
      const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
      return { body: { ...completion(''), usage, choices } };
    }
    const calls = (message.tool_calls ?? []).map((call, index) => chatChunk({ tool_calls: [{ index, ...call }] }));
    return {
      pieces: [
        chatChunk({ role: 'assistant', content: '' }),
        chatChunk({ content: message.content }),
        ...calls,
        chatChunk({}, finish, usage),
        'data: [DONE]\n\n',
      ],
    };
  };
}

/** A function call as a message of that API contains it. */
export function functionCall(id: string, name: string, args: object): Json {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

export function chatChunk(delta: Json, finish_reason: string | null = null, usage?: object): string {
  const choices = [{ index: 0, delta, finish_reason }];
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...(usage && { usage }) };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Nano-USD of a decimal amount. */
export function nanoUsd(usd: string): bigint {
  const [whole = '0', part = ''] = usd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(part.padEnd(9, '0'));
}
