import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { OutputPart } from './content.ts';

/** What was observed of one call; times are from `performance.now()`. */
export interface Heard {
  options?: LanguageModelV4CallOptions;
  streams: boolean;
  /** When a stream gave its first content. */
  firstAt?: number;
  /** When the reply was complete. */
  lastAt?: number;
  responseId?: string | undefined;
  responseModel?: string | undefined;
  toolCalls: number;
  /** The reply, if content is kept; at most `contentMax` UTF-16 units of text. */
  output: OutputPart[];
}

export interface Listening {
  heard: Heard;
  /** How much of a reply's text to keep; 0: none. */
  contentMax: number;
  /** Called just before the model is. */
  asked(options: LanguageModelV4CallOptions): void;
}

/** Wraps the model to observe its next call. Results, errors and pace stay the same: a stream is only read on demand. */
export function listenTo(model: LanguageModelV4, listening: Listening): LanguageModelV4 {
  const { heard } = listening;
  const ask = (options: LanguageModelV4CallOptions, streams: boolean) => {
    heard.options = options;
    heard.streams = streams;
    listening.asked(options);
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    async doGenerate(options) {
      ask(options, false);
      const result = await model.doGenerate(options);
      hearReply(result, listening);
      return result;
    },
    async doStream(options) {
      ask(options, true);
      const result = await model.doStream(options);
      return { ...result, stream: heardStream(result.stream, listening) };
    },
  };
}

function hearReply({ content, response }: LanguageModelV4GenerateResult, listening: Listening): void {
  const { heard } = listening;
  heard.lastAt = performance.now();
  heard.responseId = response?.id;
  heard.responseModel = response?.modelId;
  for (const part of content) {
    if (part.type === 'text') hearText(listening, part.text);
    if (part.type === 'tool-call') hearToolCall(listening, part);
  }
}

function heardStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  listening: Listening,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        hearPart(value, listening);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Read nothing ahead.
    { highWaterMark: 0 },
  );
}

function hearPart(part: LanguageModelV4StreamPart, listening: Listening): void {
  const { heard } = listening;
  heard.lastAt = performance.now();
  switch (part.type) {
    case 'response-metadata':
      heard.responseId ??= part.id;
      heard.responseModel ??= part.modelId;
      return;
    case 'text-delta':
      heard.firstAt ??= heard.lastAt;
      hearText(listening, part.delta);
      return;
    case 'reasoning-delta':
    case 'tool-input-start':
      heard.firstAt ??= heard.lastAt;
      return;
    case 'tool-call':
      heard.firstAt ??= heard.lastAt;
      hearToolCall(listening, part);
  }
}

function hearText({ heard, contentMax }: Listening, text: string): void {
  if (contentMax === 0) return;
  const last = heard.output.at(-1);
  const into = last?.type === 'text' ? last : undefined;
  const kept = text.slice(0, Math.max(contentMax - (into?.content.length ?? 0), 0));
  if (into) into.content += kept;
  else heard.output.push({ type: 'text', content: kept });
}

function hearToolCall(
  { heard, contentMax }: Listening,
  call: { toolCallId: string; toolName: string; input: string },
): void {
  heard.toolCalls++;
  if (contentMax === 0) return;
  const { toolCallId: id, toolName: name, input } = call;
  heard.output.push({ type: 'tool_call', id, name, arguments: input.slice(0, contentMax) });
}
