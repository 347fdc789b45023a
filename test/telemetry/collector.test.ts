import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { reportFailures } from '../../src/telemetry/index.ts';
import { startCollector } from '../support/collector.ts';

test('a collector that refuses is logged once, and once when it is back; its address without the query', async () => {
  const collector = await startCollector();
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  const endpoint = `${collector.url}/v1/traces?key=secret`;
  const exporter = reportFailures(new OTLPTraceExporter({ url: endpoint }), { log, endpoint, what: 'traces' });
  const send = () => new Promise((resolve) => exporter.export([], resolve));
  for (const status of [200, 400, 400, 200, 200, 400]) {
    collector.answer(status);
    await send();
  }
  await exporter.shutdown();
  collector.close();
  const said = lines.map((line) => JSON.parse(line) as { msg: string; endpoint: string });
  expect(said.map(({ msg }) => msg)).toEqual([
    'the collector does not take telemetry, which is dropped',
    'the collector takes telemetry again',
    'the collector does not take telemetry, which is dropped',
  ]);
  for (const one of said) expect(one.endpoint).toBe(`${collector.url}/v1/traces`);
  expect(lines.join('')).not.toContain('secret');
});
