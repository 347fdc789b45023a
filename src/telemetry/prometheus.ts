import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client';

export interface PrometheusSource {
  registry: Registry;
  /** Names to leave out, because something else reports the same. */
  except: ReadonlySet<string>;
}

type Family = MetricObjectWithValues<MetricValueWithName<string>>;

/** Everything in a Prometheus registry, converted to OpenTelemetry's form on each collection. Summaries are left out. */
export function prometheusProducer({ registry, except }: PrometheusSource): MetricProducer {
  const startTime = hrTime();
  return {
    async collect() {
      const endTime = hrTime();
      const families = (await registry.getMetricsAsJSON()) as Family[];
      const metrics = families
        .filter(({ name }) => !except.has(name))
        .map((family) => metricOf(family, { startTime, endTime }))
        .filter((metric) => metric !== undefined);
      return {
        resourceMetrics: {
          resource: emptyResource(),
          scopeMetrics: [{ scope: { name: 'intelligence-api' }, metrics }],
        },
        errors: [],
      };
    },
  };
}

interface Period {
  startTime: HrTime;
  endTime: HrTime;
}

function metricOf(family: Family, period: Period): MetricData | undefined {
  const descriptor = {
    name: family.name,
    description: family.help,
    unit: family.name.endsWith('_seconds') ? 's' : '',
    valueType: ValueType.DOUBLE,
  };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  // The package's types have an enum, but at run time it is a string.
  switch (String(family.type)) {
    case 'counter':
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: pointsOf(family, period) };
    case 'gauge':
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: pointsOf(family, period) };
    case 'histogram':
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(family, period) };
  }
  return undefined;
}

function pointsOf({ values }: Family, period: Period): DataPoint<number>[] {
  return values.map(({ labels, value }) => ({ ...period, attributes: attributesOf(labels), value }));
}

/** Prometheus has a cumulative line for each bucket. */
function histogramsOf({ name, values }: Family, period: Period): DataPoint<Histogram>[] {
  const series = new Map<
    string,
    { attributes: Attributes; les: number[]; below: number[]; sum: number; count: number }
  >();
  for (const { labels, value, metricName } of values) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(rest);
    let one = series.get(key);
    if (!one) {
      one = { attributes: attributesOf(rest), les: [], below: [], sum: 0, count: 0 };
      series.set(key, one);
    }
    if (metricName === `${name}_sum`) one.sum = value;
    else if (metricName === `${name}_count`) one.count = value;
    else if (le !== '+Inf') {
      one.les.push(Number(le));
      one.below.push(value);
    }
  }
  return [...series.values()].map(({ attributes, les, below, sum, count }) => {
    const counts = [...below, count].map((total, index, totals) => total - (totals[index - 1] ?? 0));
    return { ...period, attributes, value: { buckets: { boundaries: les, counts }, sum, count } };
  });
}

function attributesOf(labels: Partial<Record<string, string | number>>): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}
