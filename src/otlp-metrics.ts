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

/** Metrics by OpenTelemetry, sent to a collector; only where one is configured. */
export interface OtlpMetrics {
  instruments: ModelInstruments;
  /** Sends a last time, for 5 seconds at most. */
  close(): Promise<void>;
}

export interface OtlpMetricsSettings {
  /** The collector's address for metrics over HTTP, for example `http://127.0.0.1:4318/v1/metrics`. */
  endpoint: string;
  intervalSeconds: number;
}

/** The most sets of attributes of one instrument; what is beyond is counted as one, marked `otel.metric.overflow`. */
const seriesMax = 2_000;

/** Sends the conventions' metrics of model calls, and everything else that Prometheus sees. */
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
    // What a collector does not take is reported by its exporter.
    close: () => provider.shutdown().catch(() => {}),
  };
}
