import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An attribute's value in JSON: text, number, boolean or a list of texts. */
export type AttributeValue = string | number | boolean | AttributeValue[];

export interface CollectedSpan {
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, AttributeValue>;
  /** 0 unset, 2 error. */
  status: number;
}

export interface CollectedPoint {
  attributes: Record<string, AttributeValue>;
  value?: number;
  count?: number;
  sum?: number;
  bounds?: number[];
  buckets?: number[];
}

/** A real HTTP server that accepts OTLP in JSON, like a collector. */
export interface Collector {
  url: string;
  /** The bodies of the requests to a path. */
  received(path: '/v1/traces' | '/v1/metrics'): string[];
  spans(): CollectedSpan[];
  /** The points of the last export of each metric, by name. */
  metrics(): Map<string, CollectedPoint[]>;
  /** The status that exports are answered with from now on; 200 at first. */
  answer(status: number): void;
  close(): void;
}

export async function startCollector(): Promise<Collector> {
  const bodies: { path: string; text: string }[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    bodies.push({ path: request.url ?? '', text });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const received: Collector['received'] = (path) => bodies.filter((one) => one.path === path).map(({ text }) => text);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () => received('/v1/traces').flatMap(spansOf),
    metrics: () => new Map(received('/v1/metrics').flatMap(metricsOf)),
    answer: (next) => {
      status = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of another's making
type Json = any;

function spansOf(text: string): CollectedSpan[] {
  return JSON.parse(text)
    .resourceSpans.flatMap(({ scopeSpans }: Json) => scopeSpans)
    .flatMap(({ spans }: Json) => spans)
    .map((span: Json) => ({ ...span, attributes: attributesOf(span.attributes), status: span.status?.code ?? 0 }));
}

function metricsOf(text: string): [string, CollectedPoint[]][] {
  return JSON.parse(text)
    .resourceMetrics.flatMap(({ scopeMetrics }: Json) => scopeMetrics)
    .flatMap(({ metrics }: Json) => metrics)
    .map((metric: Json) => [metric.name, (metric.histogram ?? metric.sum ?? metric.gauge).dataPoints.map(pointOf)]);
}

function pointOf(point: Json): CollectedPoint {
  return {
    attributes: attributesOf(point.attributes),
    ...('count' in point
      ? { count: Number(point.count), sum: point.sum, bounds: point.explicitBounds, buckets: point.bucketCounts }
      : { value: Number(point.asDouble ?? point.asInt) }),
  };
}

function attributesOf(list: Json[] = []): Record<string, AttributeValue> {
  return Object.fromEntries(list.map(({ key, value }) => [key, attributeOf(value)]));
}

function attributeOf(value: Json): AttributeValue {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(attributeOf);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
