import type { Metrics } from '../metrics.ts';
import { createOtlpMetrics } from '../otlp-metrics.ts';
import { createWatchCall, upstreamServers } from '../telemetry/index.ts';
import { createTracing } from '../tracing.ts';
import type { Opening } from './opening.ts';

export type Telemetry = ReturnType<typeof openTelemetry>;

/** What a collector receives, as far as one is configured. */
export function openTelemetry({ config, log, stack }: Opening, { metrics }: { metrics: Metrics }) {
  const tracing = config.tracing ? createTracing(config.tracing, log) : undefined;
  const otlpMetrics = config.metrics ? createOtlpMetrics(config.metrics, { source: metrics.source, log }) : undefined;
  stack.defer(() => Promise.all([tracing?.close(), otlpMetrics?.close()]));
  const watchCall =
    tracing || otlpMetrics
      ? createWatchCall({
          startSpan: tracing?.startSpan,
          instruments: otlpMetrics?.instruments,
          servers: upstreamServers(config.providers),
          contentBytesMax: config.tracing?.content ? config.tracing.contentBytesMax : 0,
        })
      : undefined;
  return { metrics, tracing, otlpMetrics, watchCall };
}
