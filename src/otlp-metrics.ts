import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { Logger } from 'pino';
import {
  createModelInstruments,
  exportTimeoutMs,
  type ModelInstruments,
  type PrometheusSource,
  prometheusProducer,
  reportFailures,
} from './telemetry/index.ts';

/** OpenTelemetry metrics, sent to a collector; only if one is configured. */
export interface OtlpMetrics {
  instruments: ModelInstruments;
  /** Exports one last time, for 5 seconds at most. */
  close(): Promise<void>;
}

export interface OtlpMetricsSettings {
  /** The collector's address for metrics over HTTP, for example `http://127.0.0.1:4318/v1/metrics`. */
  endpoint: string;
  intervalSeconds: number;
}

/** The most attribute sets per instrument; any beyond that are counted as one, marked `otel.metric.overflow`. */
const seriesMax = 2_000;

/** Exports the semantic conventions' metrics of model calls, and everything else in Prometheus. */
export function createOtlpMetrics(
  { endpoint, intervalSeconds }: OtlpMetricsSettings,
  { source, log }: { source: PrometheusSource; log: Logger },
): OtlpMetrics {
  const exporter = new OTLPMetricExporter({
    url: endpoint,
    timeoutMillis: exportTimeoutMs,
    temporalityPreference: AggregationTemporality.CUMULATIVE,
  });
  const exportIntervalMillis = intervalSeconds * 1_000;
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': 'intelligence-api' }),
    readers: [
      new PeriodicExportingMetricReader({
        exporter: reportFailures(exporter, { log, endpoint, what: 'metrics' }),
        exportIntervalMillis,
        exportTimeoutMillis: Math.min(exportTimeoutMs, exportIntervalMillis),
        metricProducers: [prometheusProducer(source)],
        cardinalityLimits: { default: seriesMax },
      }),
    ],
  });
  return {
    instruments: createModelInstruments(provider.getMeter('intelligence-api')),
    // Rejections by the collector are reported by its exporter.
    close: () => provider.shutdown().catch(() => {}),
  };
}
