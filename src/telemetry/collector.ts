import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { Logger } from 'pino';

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Time limit for one export, including retries; after it, the exporters give up, and so does a stopping service. */
export const exportTimeoutMs = 5_000;

/**
 * Wraps the exporter to log failures: once when they begin, and once when they are over. What cannot be sent is dropped; the
 * service does not wait for a collector.
 */
export function reportFailures<Items, E extends Exporter<Items>>(
  exporter: E,
  { log, what, endpoint }: { log: Logger; what: 'traces' | 'metrics'; endpoint: string },
): E {
  const { origin, pathname } = new URL(endpoint);
  const about = { what, endpoint: origin + pathname };
  const send = exporter.export.bind(exporter);
  let fails = false;
  exporter.export = (items, done) =>
    send(items, (result) => {
      const failed = result.code !== ExportResultCode.SUCCESS;
      if (failed && !fails)
        log.warn(
          { ...about, reason: result.error?.message },
          'the collector does not take telemetry, which is dropped',
        );
      if (!failed && fails) log.info(about, 'the collector takes telemetry again');
      fails = failed;
      done(result);
    });
  return exporter;
}
