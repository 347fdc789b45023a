import {
  type Attributes,
  type Context,
  createContextKey,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { FailureError } from './base/failure.ts';
import type { CallTrace, TraceCall } from './edge/index.ts';
import { conversationId, conversationOf, exportTimeoutMs, reportFailures } from './telemetry/index.ts';
import type { RunningLedger } from './wallet/index.ts';

/** OpenTelemetry traces, sent to a collector; only if one is configured. */
export interface Tracing {
  /** Opens a span for each call through the gate, as a child of the caller's `traceparent`. */
  traceCall: TraceCall;
  /** The same ledger, with its holds and settlements as spans of their call. */
  ledger(ledger: RunningLedger): RunningLedger;
  /** A span inside the call being handled, with the conversation that its caller names; undefined if the call is not traced. */
  startSpan(name: string, kind: SpanKind, attributes: Attributes): Span | undefined;
  /** Exports what has not been sent yet, for 5 seconds at most. */
  close(): Promise<void>;
}

export interface TracingSettings {
  /** The collector's address for traces over HTTP, for example `http://127.0.0.1:4318/v1/traces`. */
  endpoint: string;
  /** The share of calls without a sampled parent that are traced, 0 to 1. */
  sampleRatio: number;
}

const conversationKey = createContextKey(conversationId);

export function createTracing({ endpoint, sampleRatio }: TracingSettings, log: Logger): Tracing {
  const contexts = new AsyncLocalStorageContextManager().enable();
  const exporter = reportFailures(new OTLPTraceExporter({ url: endpoint, timeoutMillis: exportTimeoutMs }), {
    ...{ log, endpoint },
    what: 'traces',
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'intelligence-api' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportTimeoutMs })],
  });
  const tracer = provider.getTracer('intelligence-api');

  function traceCall({ method, protocol, traceparent, requestId, conversation }: Parameters<TraceCall>[0]): CallTrace {
    const root = contexts.active();
    const parent = traceparent === undefined ? undefined : parseTraceParent(traceparent);
    const from = parent ? trace.setSpanContext(root, { ...parent, isRemote: true }) : root;
    const named = conversationOf(conversation);
    const span = tracer.startSpan(
      method,
      {
        kind: SpanKind.SERVER,
        attributes: { 'rpc.system': protocol, 'rpc.method': method, 'intelligence.request_id': requestId },
      },
      from,
    );
    const inside = trace.setSpan(named === undefined ? from : from.setValue(conversationKey, named), span);
    return {
      run: (work) => contexts.with(inside, work),
      iterate: (messages) => iterateInside(messages, inside),
      rename: (name) => {
        span.updateName(name);
        span.setAttribute('rpc.method', name);
      },
      end: (outcome) => endSpan(span, outcome),
    };
  }

  /** A generator's steps run in their consumer's context, so each step is run in its call's context instead. */
  async function* iterateInside<T>(messages: AsyncIterable<T>, inside: Context): AsyncGenerator<T> {
    const iterator = messages[Symbol.asyncIterator]();
    let ended = false;
    try {
      for (;;) {
        const step = await contexts.with(inside, () => iterator.next());
        if (step.done) {
          ended = true;
          return;
        }
        yield step.value;
      }
    } finally {
      if (!ended) await contexts.with(inside, () => iterator.return?.());
    }
  }

  function spanned<Arguments extends unknown[], Value>(
    name: string,
    act: (...args: Arguments) => Promise<Value>,
    outcomeOf: (value: Value) => string,
  ): (...args: Arguments) => Promise<Value> {
    return async (...args) => {
      if (!isTraced(contexts.active())) return act(...args);
      const span = tracer.startSpan(name, {}, contexts.active());
      try {
        const value = await act(...args);
        endSpan(span, outcomeOf(value));
        return value;
      } catch (error) {
        endSpan(span, error instanceof FailureError ? error.failure.kind : 'internal');
        throw error;
      }
    };
  }

  return {
    traceCall,
    ledger: (ledger) =>
      Object.create(ledger, {
        hold: {
          value: spanned('ledger.hold', ledger.hold, (held) => (held.ok ? 'ok' : held.failure.kind)),
        },
        settle: { value: spanned('ledger.settle', ledger.settle, () => 'ok') },
      }) as RunningLedger,
    startSpan: (name, kind, attributes) => {
      const inside = contexts.active();
      if (!isTraced(inside)) return undefined;
      const named = inside.getValue(conversationKey) as string | undefined;
      const all = named === undefined ? attributes : { ...attributes, [conversationId]: named };
      return tracer.startSpan(name, { kind, attributes: all }, inside);
    },
    // Rejections by the collector are reported by its exporter.
    close: () => provider.shutdown().catch(() => {}),
  };
}

function isTraced(context: Context): boolean {
  return ((trace.getSpanContext(context)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0;
}

/** Outcomes are the reasons that callers receive: never a message, a name or text of theirs. */
function endSpan(span: Span, outcome: string): void {
  span.setAttribute('intelligence.outcome', outcome);
  if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  span.end();
}
