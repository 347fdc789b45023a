import { type Attributes, type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { inputContent, outputContent, toolContent } from './content.ts';
import { endAttributes, replyAttributes, requestAttributes, targetAttributes } from './gen-ai.ts';
import { type Heard, listenTo } from './heard.ts';
import type { ModelInstruments } from './instruments.ts';
import type { UpstreamServer } from './upstreams.ts';
import type { CallEnd, CallTarget, CallWatch, WatchCall } from './watch-call.ts';

export interface WatchOptions {
  /** Starts a span within the call being handled; undefined if that is not traced. Absent: nothing is traced. */
  startSpan?: ((name: string, kind: SpanKind, attributes: Attributes) => Span | undefined) | undefined;
  /** Absent: nothing is measured. */
  instruments?: ModelInstruments | undefined;
  servers: ReadonlyMap<string, UpstreamServer>;
  /** The maximum size of each attribute with callers' or models' text, in bytes; 0: none of them are recorded. */
  contentBytesMax: number;
}

/** Creates a span for each model call, and measures it. */
export function createWatchCall(options: WatchOptions): WatchCall {
  const { startSpan, instruments, servers } = options;
  return (target) => {
    const server = servers.get(target.provider);
    const attributes = targetAttributes(target, server);
    const kind = server?.address ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = startSpan?.(`${target.operation} ${target.upstreamModel}`, kind, attributes);
    if (!span && !instruments) return undefined;
    return watch(target, attributes, span, options);
  };
}

function watch(
  { provider, model, dimensions }: CallTarget,
  target: Attributes,
  span: Span | undefined,
  { instruments, contentBytesMax }: WatchOptions,
): CallWatch {
  const startedAt = performance.now();
  const contentMax = span ? contentBytesMax : 0;
  const heard: Heard = { streams: false, toolCalls: 0, output: [] };
  let isOver = false;
  span?.setAttribute('intelligence.model', `${provider}/${model}`);
  if (dimensions !== undefined) span?.setAttribute('gen_ai.embeddings.dimension.count', dimensions);

  return {
    listen: (upstream) =>
      listenTo(upstream, {
        heard,
        contentMax,
        asked: (options) => span?.setAttributes(requestAttributes(options, heard.streams)),
      }),
    ended(end) {
      if (isOver) return;
      isOver = true;
      // A complete reply may be counted and checked after it arrived; a failed call lasted until now.
      const endedAt = (end.outcome === 'ok' ? heard.lastAt : undefined) ?? performance.now();
      instruments?.record(target, heard, end, { startedAt, endedAt });
      if (!span) return;
      span.setAttributes({ ...replyAttributes(heard, startedAt), ...endAttributes(end) });
      if (contentMax > 0) span.setAttributes(contentAttributes(heard, end, contentMax));
      if (end.outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR, message: end.outcome });
      span.end(endedAt);
    },
  };
}

function contentAttributes({ options, output }: Heard, { finishReason }: CallEnd, bytesMax: number): Attributes {
  if (!options) return {};
  const { prompt, tools, stopSequences } = options;
  const input = inputContent(prompt, bytesMax);
  const reply = output.length > 0 ? outputContent(output, finishReason, bytesMax) : undefined;
  const definitions = tools && tools.length > 0 ? toolContent(tools, bytesMax) : undefined;
  return {
    'gen_ai.input.messages': input.json,
    ...(reply && { 'gen_ai.output.messages': reply.json }),
    ...(definitions && { 'gen_ai.tool.definitions': definitions.json }),
    ...(stopSequences && { 'gen_ai.request.stop_sequences': stopSequences }),
    ...([input, reply, definitions].some((text) => text?.truncated) && { 'intelligence.content_truncated': true }),
  };
}
