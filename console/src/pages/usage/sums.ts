import type { UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import type { MetadataFilterJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { addDays, type Day, daysBetween, startOf } from '../../days.ts';
import { type NanoUsd, readUsd } from '../../money.ts';

export const groups = ['model', 'operation', 'provider', 'key', 'device', 'subject', 'label'] as const;
export type Group = (typeof groups)[number];
export type Metric = 'cost' | 'tokens' | 'requests';

const memberOf = {
  model: 'model',
  operation: 'operation',
  provider: 'provider',
  key: 'keyId',
  device: 'deviceId',
  subject: 'subject',
  label: 'metadataValue',
} as const;

/** Usage of one group, or of all. `cost` in nano-USD. */
export interface Sums {
  charges: bigint;
  input: bigint;
  cached: bigint;
  output: bigint;
  events: bigint;
  cost: NanoUsd;
}

export interface GroupSums extends Sums {
  /** The id of the key, model and so on; undefined for usage without one. */
  id: string | undefined;
  byStep: ReadonlyMap<string, Sums>;
}

const nothing: Sums = { charges: 0n, input: 0n, cached: 0n, output: 0n, events: 0n, cost: 0n };

function plus(a: Sums, b: Sums): Sums {
  return {
    charges: a.charges + b.charges,
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    events: a.events + b.events,
    cost: a.cost + b.cost,
  };
}

/** The exact sum; undefined when a row has an amount that cannot be read. */
export function totalOf(rows: readonly UsageRowJson[]): Sums | undefined {
  let total = nothing;
  for (const row of rows) {
    const sums = sumsOf(row);
    if (!sums) return undefined;
    total = plus(total, sums);
  }
  return total;
}

function sumsOf(row: UsageRowJson): Sums | undefined {
  const cost = readUsd(row.costUsd);
  if (cost === undefined) return undefined;
  return {
    charges: BigInt(row.charges ?? 0),
    input: BigInt(row.inputTokens ?? 0),
    cached: BigInt(row.cachedInputTokens ?? 0),
    output: BigInt(row.outputTokens ?? 0),
    events: BigInt(row.events ?? 0),
    cost,
  };
}

/** The groups, most expensive first, each with its sums by day or hour; undefined when an amount cannot be parsed. */
export function groupsOf(rows: readonly UsageRowJson[], group: Group): GroupSums[] | undefined {
  const found = new Map<string | undefined, Sums & { byStep: Map<string, Sums> }>();
  for (const row of rows) {
    const sums = sumsOf(row);
    if (!sums) return undefined;
    const id = row[memberOf[group]];
    const step = row.hour ?? row.day ?? '';
    const { byStep, ...before } = found.get(id) ?? { ...nothing, byStep: new Map<string, Sums>() };
    byStep.set(step, plus(byStep.get(step) ?? nothing, sums));
    found.set(id, { ...plus(before, sums), byStep });
  }
  return [...found]
    .map(([id, sums]) => ({ id, ...sums }))
    .sort((a, b) => (a.cost === b.cost ? Number(b.charges - a.charges) : a.cost > b.cost ? -1 : 1));
}

export function metricOf({ cost, input, output, charges }: Sums, metric: Metric): bigint {
  return { cost, tokens: input + output, requests: charges }[metric];
}

/** All but the first few groups, combined. */
export function othersOf(some: readonly GroupSums[]): GroupSums {
  const byStep = new Map<string, Sums>();
  let sums = nothing;
  for (const each of some) {
    sums = plus(sums, each);
    for (const [step, of] of each.byStep) byStep.set(step, plus(byStep.get(step) ?? nothing, of));
  }
  return { id: undefined, ...sums, byStep };
}

export function valueAt({ byStep }: GroupSums, step: string, metric: Metric): bigint {
  return metricOf(byStep.get(step) ?? nothing, metric);
}

/** The days or hours of a period, as rows name them. */
export function stepsOf(first: Day, last: Day, step: 'day' | 'hour'): string[] {
  const days = daysBetween(first, last);
  if (step === 'day') return days;
  return days.flatMap((day) =>
    Array.from({ length: 24 }, (_, hour) => `${day}T${String(hour).padStart(2, '0')}:00:00Z`),
  );
}

/** The previous period of the same length, up to the same hour: `now` is in the last day of the period. */
export function timesBefore(first: Day, count: number, now: Date): { startTime: string; endTime: string } {
  const end = new Date(Math.ceil(now.getTime() / 3_600_000) * 3_600_000 - count * 86_400_000);
  return { startTime: startOf(addDays(first, -count)).toISOString(), endTime: end.toISOString() };
}

interface Shown {
  first: Day;
  last: Day;
  /** The label that rows are grouped by. */
  label: string;
  /** The label that all rows share. */
  metadata: MetadataFilterJson | undefined;
}

/**
 * The filters that list one group's charges: the same days and the same label. Undefined if there is no such list: by provider, for rows without
 * a value, and for two labels at once.
 */
export function chargesOf(group: Group, id: string | undefined, shown: Shown): string | undefined {
  const { first, last, label, metadata } = shown;
  if (id === undefined || group === 'provider') return undefined;
  const only = metadata && `${metadata.key}=${metadata.value}`;
  const own = group === 'label' ? `${label}=${id}` : undefined;
  if (own !== undefined && only !== undefined && own !== only) return undefined;
  const chosen = own ?? only;
  return new URLSearchParams({
    ...(group !== 'label' && { [group]: id }),
    ...(chosen !== undefined && { label: chosen }),
    from: first,
    to: last,
  }).toString();
}
