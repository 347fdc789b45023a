import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { Database } from '../db/index.ts';
import { wholeJourney } from './cell.ts';
import type { PeriodSums } from './period-sums.ts';
import {
  openJourney,
  type PeriodRequest,
  periodOf,
  propertyOf,
  selectionOf,
  sumPeriod,
  without,
} from './read-period.ts';
import { namingOf } from './read-report.ts';
import { type Goal, goalOfSums, totalsOf } from './report.ts';
import type { Totals } from './report-lines.ts';
import { hourMs } from './rollup.ts';
import { newcombe, type Share, wilson } from './statistics.ts';

export interface ComparisonRequest extends PeriodRequest {
  accountId: string;
  journey: string;
  property: string;
  /** A value of the property. */
  first: string;
  /** Another value; unset: all other sessions. */
  second?: string;
  goal?: string;
}

/** One side's share, with its 95% confidence bounds (Wilson). */
export interface ShareLine {
  part: number;
  whole: number;
  share?: number;
  low: number;
  high: number;
}

export interface ComparedMetric {
  metric: 'conversion' | 'abandonment' | 'errors' | 'step_completion' | 'step_errors';
  /** The step that the metric describes; empty for the whole journey. */
  step: string;
  first: ShareLine;
  second: ShareLine;
  /** First minus second, with its 95% bounds (Newcombe); absent if either side has no sessions. */
  difference?: { value: number; low: number; high: number; significant: boolean };
}

export interface Comparison {
  fromMs: number;
  toMs: number;
  goal?: string;
  first: Totals;
  second: Totals;
  metrics: ComparedMetric[];
}

/** Compares two segments of one journey. Sessions that are still active have not abandoned anything. */
export async function compareSegments(
  db: Database,
  request: ComparisonRequest,
  nowMs: number,
): Promise<Result<Comparison>> {
  const period = periodOf(request, nowMs);
  if (!period.ok) return period;
  if (request.first === request.second) return fail(invalid('second', 'must be another value than `first`'));
  return db.snapshot(async (tx): Promise<Result<Comparison>> => {
    const found = await openJourney(tx, request, nowMs);
    if (!found.ok) return found;
    const open = found.value;
    const property = propertyOf(open, request.property, 'property');
    if (!property.ok) return property;
    const one = selectionOf(open, property.value, request.first, 'first');
    if (!one.ok) return one;
    const other =
      request.second === undefined ? undefined : selectionOf(open, property.value, request.second, 'second');
    if (other && !other.ok) return other;
    const whole = await sumPeriod(open, period.value);
    const first = await sumPeriod(open, period.value, one.value);
    const second = other ? await sumPeriod(open, period.value, other.value) : await without(whole, [first], open.pace);
    const naming = namingOf(open, request.goal);
    const goal = goalOfSums({ ...naming, current: whole });
    return succeed({
      ...{ fromMs: period.value.from * hourMs, toMs: period.value.to * hourMs },
      ...(goal.name === undefined ? {} : { goal: goal.name }),
      first: totalsOf(first, goal),
      second: totalsOf(second, goal),
      metrics: metricsOf({ whole, first, second, goal, stepName: naming.stepName }),
    });
  });
}

interface Sides {
  whole: PeriodSums;
  first: PeriodSums;
  second: PeriodSums;
  goal: Goal;
  stepName: (step: number) => string;
}

function metricsOf({ whole, first, second, goal, stepName }: Sides): ComparedMetric[] {
  const of = (sums: PeriodSums) => {
    const totals = totalsOf(sums, goal);
    return { ...totals, settled: totals.sessions - totals.active };
  };
  const a = of(first);
  const b = of(second);
  const lines = [
    metricOf('conversion', '', { part: a.completed, whole: a.sessions }, { part: b.completed, whole: b.sessions }),
    metricOf('abandonment', '', { part: a.abandoned, whole: a.settled }, { part: b.abandoned, whole: b.settled }),
    metricOf(
      'errors',
      '',
      { part: a.erroredSessions, whole: a.sessions },
      { part: b.erroredSessions, whole: b.sessions },
    ),
  ];
  for (const [step, cell] of whole.steps) {
    if (step === wholeJourney || cell.sessions <= 0) continue;
    const name = stepName(step);
    const [p, q] = [first.steps.get(step), second.steps.get(step)];
    // A session that is still active at the step may yet complete it.
    const settled = (sums: PeriodSums) => (sums.steps.get(step)?.sessions ?? 0) - (sums.latest.get(step)?.stopped ?? 0);
    lines.push(
      metricOf(
        'step_completion',
        name,
        { part: p?.completed ?? 0, whole: settled(first) },
        { part: q?.completed ?? 0, whole: settled(second) },
      ),
      metricOf(
        'step_errors',
        name,
        { part: p?.errored ?? 0, whole: p?.sessions ?? 0 },
        { part: q?.errored ?? 0, whole: q?.sessions ?? 0 },
      ),
    );
  }
  return lines;
}

function metricOf(metric: ComparedMetric['metric'], step: string, first: Share, second: Share): ComparedMetric {
  const line: ComparedMetric = { metric, step, first: shareLine(first), second: shareLine(second) };
  if (first.whole <= 0 || second.whole <= 0) return line;
  const { low, high } = newcombe(first, second);
  const value = first.part / first.whole - second.part / second.whole;
  return { ...line, difference: { value, low, high, significant: low > 0 || high < 0 } };
}

function shareLine({ part, whole }: Share): ShareLine {
  return { part, whole, ...(whole > 0 ? { share: part / whole } : {}), ...wilson(part, whole) };
}
