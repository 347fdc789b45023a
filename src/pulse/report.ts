import { getOrMake } from './get-or-make.ts';
import { countOf, type Histogram, mergeInto, quantilesOf, timeBeyond } from './histogram.ts';
import { chooseNextAction } from './next-action.ts';
import type { ErrorLine, FunnelStep, Percentiles, Report, Stall, Totals } from './report-lines.ts';
import { addCell, addErrorCell, type Cell, type ErrorCell, emptyCell, emptyErrorCell, wholeJourney } from './rollup.ts';

/** Rollups of one period, summed: by step number, and by step and code. */
export class PeriodSums {
  readonly steps = new Map<number, Cell>();
  readonly errors = new Map<string, { step: number; code: number; cell: ErrorCell }>();

  add(step: number, cell: Cell): void {
    addCell(getOrMake(this.steps, step, emptyCell), cell);
  }

  addError(step: number, code: number, cell: ErrorCell): void {
    const make = () => ({ step, code, cell: emptyErrorCell() });
    addErrorCell(getOrMake(this.errors, `${step} ${code}`, make).cell, cell);
  }
}

export interface ReportInput {
  current: PeriodSums;
  previous: PeriodSums;
  /** By the time at which the bucket starts; in order. */
  series: { startMs: number; sums: PeriodSums }[];
  stepName: (step: number) => string;
  codeName: (code: number) => string;
  /** The step whose completion is the journey's purpose; without one, the step that sessions reach last. */
  goal?: string;
}

const percentiles = [0.5, 0.9, 0.99];
const errorLinesMax = 200;

/** A journey's report from its rollups. Pure. */
export function buildReport(input: ReportInput): Report {
  const { current, stepName } = input;
  const order = orderSteps(current, stepName);
  const goal = input.goal ?? order.at(-1)?.name;
  const norm = normOf(current);
  const usual = norm && percentilesOf(norm);
  const totals = totalsOf(current, goal, stepName);
  const funnel = funnelOf(order, totals.sessions);
  const stalls = stallsOf(order, norm, goal);
  const errors = errorsOf(input);
  return {
    ...(goal === undefined ? {} : { goal }),
    totals,
    previous: totalsOf(input.previous, goal, stepName),
    ...(usual === undefined ? {} : { norm: usual }),
    funnel,
    stalls,
    errors,
    series: input.series.map(({ startMs, sums }) => ({ startMs, ...totalsOf(sums, goal, stepName) })),
    nextBestAction: chooseNextAction({ totals, funnel, stalls, errors }),
  };
}

interface OrderedStep {
  name: string;
  cell: Cell;
}

/** Steps in the order in which sessions reach them, on the average. */
function orderSteps(sums: PeriodSums, stepName: (step: number) => string): OrderedStep[] {
  return [...sums.steps]
    .filter(([step, cell]) => step !== wholeJourney && cell.sessions > 0)
    .map(([step, cell]) => ({ name: stepName(step), cell }))
    .sort((a, b) => meanOffset(a.cell) - meanOffset(b.cell) || compareText(a.name, b.name));
}

function meanOffset(cell: Cell): number {
  return cell.offsetSum / cell.sessions;
}

function funnelOf(order: OrderedStep[], sessions: number): FunnelStep[] {
  return order.map(({ name, cell }, place) => {
    const before = order[place - 1]?.cell.sessions;
    return {
      step: name,
      entered: cell.sessions,
      completed: cell.completed,
      ...ratio('conversion', cell.completed, cell.sessions),
      ...(before === undefined ? {} : ratio('fromPrevious', cell.sessions, before)),
      ...ratio('fromStart', cell.sessions, sessions),
    };
  });
}

function stallsOf(order: OrderedStep[], norm: Histogram | undefined, goal: string | undefined): Stall[] {
  const normMs = norm && quantilesOf(norm, [0.5])?.[0];
  const stalls = order.map(({ name, cell }) => {
    const dwell = percentilesOf(cell.dwell);
    return {
      step: name,
      sessions: countOf(cell.dwell),
      ...(dwell ? { dwell } : {}),
      ...(dwell && normMs ? { timesNorm: (dwell.p50Seconds * 1_000) / normMs } : {}),
      timeLostSeconds: normMs === undefined ? 0 : timeBeyond(cell.dwell, normMs) / 1_000,
      abandoned: cell.abandoned,
      ...ratio('abandonmentRate', cell.abandoned, cell.sessions),
      leftAfter: name === goal ? 0 : cell.ended,
    };
  });
  return stalls.sort(
    (a, b) => b.timeLostSeconds - a.timeLostSeconds || b.abandoned - a.abandoned || compareText(a.step, b.step),
  );
}

function errorsOf({ current, stepName, codeName }: ReportInput): ErrorLine[] {
  const lines = [...current.errors.values()]
    .filter(({ cell }) => cell.occurrences > 0 || cell.sessions > 0)
    .map(({ step, code, cell }) => ({
      step: stepName(step),
      code: codeName(code),
      occurrences: cell.occurrences,
      sessions: cell.sessions,
      ...ratio('rate', cell.sessions, current.steps.get(step)?.sessions ?? 0),
      recoveredSessions: cell.recovered,
      ...(cell.firstMs === undefined ? {} : { firstSeenMs: cell.firstMs }),
      ...(cell.lastMs === undefined ? {} : { lastSeenMs: cell.lastMs }),
    }));
  lines.sort(
    (a, b) =>
      b.sessions - a.sessions ||
      b.occurrences - a.occurrences ||
      compareText(a.step, b.step) ||
      compareText(a.code, b.code),
  );
  return lines.slice(0, errorLinesMax);
}

function totalsOf(sums: PeriodSums, goal: string | undefined, stepName: (step: number) => string): Totals {
  const whole = sums.steps.get(wholeJourney) ?? emptyCell();
  let completed = 0;
  let abandoned = 0;
  for (const [step, cell] of sums.steps) {
    if (step === wholeJourney) continue;
    abandoned += cell.abandoned;
    if (stepName(step) === goal) completed = cell.completed;
  }
  const duration = percentilesOf(whole.dwell);
  return {
    sessions: whole.sessions,
    completed,
    ...ratio('conversion', completed, whole.sessions),
    abandoned,
    ...ratio('abandonmentRate', abandoned, whole.sessions),
    erroredSessions: whole.errored,
    ...ratio('errorRate', whole.errored, whole.sessions),
    ...(duration ? { duration } : {}),
  };
}

/** The times at all steps of the journey together. */
function normOf(sums: PeriodSums): Histogram | undefined {
  const all: Histogram = new Map();
  for (const [step, cell] of sums.steps) if (step !== wholeJourney) mergeInto(all, cell.dwell);
  return all.size === 0 ? undefined : all;
}

function percentilesOf(histogram: Histogram): Percentiles | undefined {
  const found = quantilesOf(histogram, percentiles);
  if (!found) return undefined;
  const [p50 = 0, p90 = 0, p99 = 0] = found;
  return { p50Seconds: p50 / 1_000, p90Seconds: p90 / 1_000, p99Seconds: p99 / 1_000 };
}

/** A share under its name; nothing when there is nothing to share. */
function ratio<Name extends string>(name: Name, part: number, whole: number): { [key in Name]?: number } {
  return (whole > 0 ? { [name]: part / whole } : {}) as { [key in Name]?: number };
}

/** By code units, the same on every machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
