import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';

// The shapes follow OpenTelemetry's schemas for gen_ai.input.messages and gen_ai.output.messages.

/** A part of a reply. */
export type OutputPart =
  | { type: 'text'; content: string }
  | { type: 'tool_call'; id: string; name: string; arguments: string };

type Part =
  | OutputPart
  | { type: 'reasoning'; content: string }
  | { type: 'tool_call_response'; id: string; response: string }
  | { type: 'uri'; modality: string; mime_type: string; uri: string }
  /** A file sent as bytes, which are left out. */
  | { type: 'file'; modality: string; mime_type: string };

interface Message {
  role: string;
  parts: Part[];
  finish_reason?: string;
}

/** A text for an attribute, and whether it was truncated. */
export interface Bounded {
  json: string;
  truncated: boolean;
}

/** The prompt as JSON of at most this many bytes of UTF-8. The newest messages are kept; the oldest that partly fits is cut. */
export function inputContent(prompt: LanguageModelV4CallOptions['prompt'], bytesMax: number): Bounded {
  return boundedJson(
    prompt.map((message) => messageOf(message, bytesMax)),
    bytesMax,
  );
}

/** The reply as JSON of at most this many bytes of UTF-8. */
export function outputContent(
  parts: readonly OutputPart[],
  finishReason: string | undefined,
  bytesMax: number,
): Bounded {
  const message = { role: 'assistant', parts: [...parts], ...(finishReason ? { finish_reason: finishReason } : {}) };
  return boundedJson([message], bytesMax);
}

/** The tools as JSON of at most this many bytes; those that do not fit are left out. */
export function toolContent(tools: NonNullable<LanguageModelV4CallOptions['tools']>, bytesMax: number): Bounded {
  const kept: string[] = [];
  // Leave room for the brackets; each comma counts with the item before it, and the last item has none.
  let left = bytesMax - 1;
  for (const tool of tools) {
    if (tool.type !== 'function') continue;
    const { name, description, inputSchema: parameters } = tool;
    const json = JSON.stringify({ type: 'function', name, ...(description ? { description } : {}), parameters });
    left -= Buffer.byteLength(json) + 1;
    if (left < 0) return { json: `[${kept.join(',')}]`, truncated: true };
    kept.push(json);
  }
  return { json: `[${kept.join(',')}]`, truncated: false };
}

function boundedJson(messages: readonly Message[], bytesMax: number): Bounded {
  const kept: string[] = [];
  // Leave room for the brackets; each comma counts with the item before it, and the last item has none.
  let left = bytesMax - 1;
  for (const message of messages.toReversed()) {
    const json = JSON.stringify(message);
    const bytes = Buffer.byteLength(json) + 1;
    if (bytes > left) {
      const cut = cutMessage(message, left - 1);
      if (cut) kept.push(cut);
      return { json: arrayOf(kept), truncated: true };
    }
    kept.push(json);
    left -= bytes;
  }
  return { json: arrayOf(kept), truncated: false };
}

function arrayOf(newestFirst: readonly string[]): string {
  return `[${newestFirst.toReversed().join(',')}]`;
}

/** The message with each text cut to the longest common length that fits; undefined if even that is too long. */
function cutMessage(message: Message, bytesMax: number): string | undefined {
  let low = -1;
  let high = bytesMax;
  let found: string | undefined;
  while (low < high) {
    const length = Math.ceil((low + high) / 2);
    const json = JSON.stringify({ ...message, parts: message.parts.map((part) => cutPart(part, length)) });
    if (Buffer.byteLength(json) <= bytesMax) {
      found = json;
      low = length;
    } else high = length - 1;
  }
  return found;
}

function cutPart(part: Part, length: number): Part {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { ...part, content: part.content.slice(0, length) };
    case 'tool_call':
      return { ...part, arguments: part.arguments.slice(0, length) };
    case 'tool_call_response':
      return { ...part, response: part.response.slice(0, length) };
    case 'uri':
      return { ...part, uri: part.uri.slice(0, length) };
    case 'file':
      return part;
  }
}

/** Converts a message, taking no more of each text than could be kept. */
function messageOf(message: LanguageModelV4Message, textMax: number): Message {
  if (message.role === 'system')
    return { role: 'system', parts: [{ type: 'text', content: message.content.slice(0, textMax) }] };
  const parts: Part[] = [];
  for (const part of message.content) {
    if (part.type === 'text' || part.type === 'reasoning')
      parts.push({ type: part.type, content: part.text.slice(0, textMax) });
    else if (part.type === 'file') parts.push(filePart(part));
    else if (part.type === 'tool-call')
      parts.push({
        type: 'tool_call',
        id: part.toolCallId,
        name: part.toolName,
        arguments: jsonOf(part.input, textMax),
      });
    else if (part.type === 'tool-result')
      parts.push({ type: 'tool_call_response', id: part.toolCallId, response: jsonOf(part.output, textMax) });
  }
  return { role: message.role, parts };
}

function filePart({ mediaType, data }: { mediaType: string; data: unknown }): Part {
  const [modality = 'file'] = mediaType.split('/');
  const { url } = data as { url?: unknown };
  const about = { modality, mime_type: mediaType };
  return url instanceof URL ? { type: 'uri', ...about, uri: url.href } : { type: 'file', ...about };
}

function jsonOf(value: unknown, textMax: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.slice(0, textMax);
}
