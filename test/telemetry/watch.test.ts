import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type Attributes, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { createModelInstruments, createWatchCall, upstreamServers } from '../../src/telemetry/index.ts';

const options: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
const servers = upstreamServers([{ id: 'up', kind: 'openai' }]);
const target = { operation: 'chat' as const, provider: 'up', model: 'mine', upstreamModel: 'theirs' };
const delta = (text: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id: '1', delta: text });

/** A model whose stream says how far it was read. */
function modelOf(parts: readonly (LanguageModelV4StreamPart | Error)[]): {
  model: LanguageModelV4;
  read(): number;
  cancelled(): unknown;
} {
  let read = 0;
  let cancelled: unknown;
  const stream = () =>
    new ReadableStream<LanguageModelV4StreamPart>(
      {
        pull(controller) {
          const part = parts[read++];
          if (part instanceof Error) controller.error(part);
          else if (part) controller.enqueue(part);
          else controller.close();
        },
        cancel: (reason) => {
          cancelled = reason;
        },
      },
      { highWaterMark: 0 },
    );
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'up',
    modelId: 'theirs',
    supportedUrls: {},
    doGenerate: async () => {
      throw new Error('refused');
    },
    doStream: async () => ({ stream: stream() }),
  };
  return { model, read: () => read, cancelled: () => cancelled };
}

function traced(contentBytesMax = 0) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('test');
  const watchCall = createWatchCall({
    startSpan: (name, kind, attributes) => tracer.startSpan(name, { kind, attributes }),
    servers,
    contentBytesMax,
  });
  const spans = async () => {
    await provider.forceFlush();
    return exporter.getFinishedSpans();
  };
  return { watchCall, spans };
}

/** Instruments over a meter that keeps what is recorded. */
function measured() {
  const recorded: { name: string; value: number; attributes: Attributes }[] = [];
  const meter = {
    createHistogram: (name: string) => ({
      record: (value: number, attributes: Attributes) => recorded.push({ name, value, attributes }),
    }),
  };
  return { instruments: createModelInstruments(meter as never), recorded };
}

test('nobody who wants to know: no watch, and a call that is not traced makes none', () => {
  expect(createWatchCall({ servers, contentBytesMax: 0 })(target)).toBeUndefined();
  const startSpan = () => undefined;
  expect(createWatchCall({ startSpan, servers, contentBytesMax: 0 })(target)).toBeUndefined();
});

test('a stream that is listened to is read no further than it is asked for, and is cancelled as it would be', async () => {
  const { model, read, cancelled } = modelOf([delta('a'), delta('b'), delta('c')]);
  const watch = traced().watchCall(target);
  const { stream } = (await watch?.listen(model).doStream(options)) ?? {};
  const reader = stream?.getReader();
  expect(read()).toBe(0);
  expect((await reader?.read())?.value).toEqual(delta('a'));
  expect(read()).toBe(1);
  await reader?.cancel('enough');
  expect(cancelled()).toBe('enough');
});

test('errors are those of the model', async () => {
  const broken = new Error('broken');
  const { model } = modelOf([delta('a'), broken]);
  const listened = traced().watchCall(target)?.listen(model);
  await expect(listened?.doGenerate(options)).rejects.toThrow('refused');
  const reader = (await listened?.doStream(options))?.stream.getReader();
  await reader?.read();
  await expect(reader?.read()).rejects.toBe(broken);
});

test('the first end counts, and a failure is an error of the span', async () => {
  const { watchCall, spans } = traced();
  const watch = watchCall(target);
  watch?.ended({ outcome: 'timeout' });
  watch?.ended({ outcome: 'ok', cost: 1n });
  const [span, ...others] = await spans();
  expect(others).toEqual([]);
  expect(span?.status.code).toBe(SpanStatusCode.ERROR);
  expect(span?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'theirs',
    'server.address': 'api.openai.com',
    'server.port': 443,
    'intelligence.model': 'up/mine',
    'intelligence.outcome': 'timeout',
    'error.type': 'timeout',
  });
});

test('embeddings are an operation of their own, with input alone; an embedded model has no server', async () => {
  const { watchCall, spans } = traced();
  const embeddings = { operation: 'embeddings' as const, provider: 'builtin', model: 'm', upstreamModel: 'm' };
  watchCall(embeddings)?.ended({ outcome: 'ok', usage: { inputTokens: 12 }, cost: 1n });
  const [span] = await spans();
  expect(span).toMatchObject({ name: 'embeddings m', kind: SpanKind.INTERNAL });
  expect(span?.attributes).toEqual({
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.provider.name': 'builtin',
    'gen_ai.request.model': 'm',
    'gen_ai.usage.input_tokens': 12,
    'intelligence.model': 'builtin/m',
    'intelligence.outcome': 'ok',
    'intelligence.cost_usd': '0.000000001',
  });
});

test('of a long reply no more is kept than may be told', async () => {
  const { watchCall, spans } = traced(300);
  const { model } = modelOf(Array.from({ length: 1_000 }, () => delta('0123456789')));
  const watch = watchCall(target);
  const reader = (await watch?.listen(model).doStream(options))?.stream.getReader();
  while (!(await reader?.read())?.done);
  watch?.ended({ outcome: 'ok', finishReason: 'stop' });
  const [span] = await spans();
  expect(Buffer.byteLength(String(span?.attributes['gen_ai.output.messages']))).toBe(300);
  expect(span?.attributes['intelligence.content_truncated']).toBe(true);
});

test('what an upstream says answered is bounded: beyond 200 names it is one', async () => {
  const { instruments, recorded } = measured();
  const watchCall = createWatchCall({ instruments, servers, contentBytesMax: 0 });
  for (let index = 0; index < 250; index++) {
    const { model } = modelOf([{ type: 'response-metadata', modelId: `m${index}${'x'.repeat(10_000)}` }]);
    const watch = watchCall(target);
    const reader = (await watch?.listen(model).doStream(options))?.stream.getReader();
    while (!(await reader?.read())?.done);
    watch?.ended({ outcome: 'ok' });
  }
  const names = recorded.map(({ attributes }) => String(attributes['gen_ai.response.model']));
  expect(new Set(names).size).toBe(201);
  expect(names.filter((name) => name === '_OTHER')).toHaveLength(50);
  expect(Math.max(...names.map(({ length }) => length))).toBe(256);
});

test('the time per token is of those after the first; one token has none', async () => {
  const { instruments, recorded } = measured();
  const watchCall = createWatchCall({ instruments, servers, contentBytesMax: 0 });
  for (const outputTokens of [1, 3]) {
    const { model } = modelOf([delta('a'), delta('b')]);
    const watch = watchCall(target);
    const reader = (await watch?.listen(model).doStream(options))?.stream.getReader();
    while (!(await reader?.read())?.done);
    watch?.ended({ outcome: 'ok', usage: { inputTokens: 1, outputTokens } });
  }
  const of = (name: string) => recorded.filter((one) => one.name === name).map(({ value }) => value);
  const perToken = of('gen_ai.server.time_per_output_token');
  expect(perToken).toHaveLength(1);
  const [, whole = 0] = of('gen_ai.client.operation.duration');
  const [, first = 0] = of('gen_ai.server.time_to_first_token');
  expect(perToken[0]).toBeCloseTo((whole - first) / 2, 9);
});
