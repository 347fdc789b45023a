import { type Cell, emptyCell, ofErrorPlace, wholeJourney } from './cell.ts';
import { countOf, type Histogram, mergeInto, quantilesOf, timeBeyond } from './histogram.ts';
import { chooseNextAction } from './next-action.ts';
import type { PeriodSums } from './period-sums.ts';
import { goalOf, type Plan } from './plan.ts';
import type { ErrorLine, FunnelStep, Percentiles, Report, Stall, Totals } from './report-lines.ts';

export interface ReportInput {
  current: PeriodSums;
  previous: PeriodSums;
  /** By the start of each bucket, in order. */
  series: { startMs: number; sums: PeriodSums }[];
  stepName: (step: number) => string;
  codeName: (code: number) => string;
  /** The step whose completion is the journey's purpose; if unset, the step that sessions reach last. */
  goal?: string;
  /** The journey's declaration, if any. */
  plan?: Plan;
  /** The language of the next action, as BCP 47 writes it; if unset, English. */
  locale?: string;
}

const percentiles = [0.5, 0.9, 0.99];
const errorLinesMax = 200;

/** A journey's report from its rollups. Pure. */
export function buildReport(input: ReportInput): Report {
  const { current, stepName, plan } = input;
  const order = orderSteps(current, stepName, plan);
  const goal = purposeOf(input, order);
  const norm = normOf(current);
  const usual = norm && percentilesOf(norm);
  const totals = totalsOf(current, goal);
  const funnel = funnelOf(order, totals.sessions);
  const entered = order.filter(({ cell }) => cell.sessions > 0);
  const stalls = stallsOf(entered, norm, goal);
  const errors = errorsOf(input);
  return {
    ...(goal.name === undefined ? {} : { goal: goal.name }),
    totals,
    previous: totalsOf(input.previous, goal),
    ...(usual === undefined ? {} : { norm: usual }),
    funnel,
    stalls,
    errors,
    series: input.series.map(({ startMs, sums }) => ({ startMs, ...totalsOf(sums, goal) })),
    nextBestAction: chooseNextAction({ totals, funnel, stalls, errors }, input.locale),
  };
}

/** What counts as the journey's completion. */
export interface Goal {
  name?: string;
  step?: number;
  /** Completed as declared: in order and in time. */
  asDeclared: boolean;
}

/** The requested goal, else the declared one, else the step that sessions reach last. */
function purposeOf({ current, goal, plan, stepName }: ReportInput, order: OrderedStep[]): Goal {
  const declared = plan && goalOf(plan);
  if (goal === undefined && declared !== undefined)
    return { name: stepName(declared), step: declared, asDeclared: true };
  const name = goal ?? order.at(-1)?.name;
  const step = [...current.steps.keys()].find((no) => no !== wholeJourney && stepName(no) === name);
  return { ...(name === undefined ? {} : { name }), ...(step === undefined ? {} : { step }), asDeclared: false };
}

/** The goal of a journey whose sums are not turned into a report. */
export function goalOfSums(input: Pick<ReportInput, 'current' | 'stepName' | 'goal' | 'plan'>): Goal {
  const whole: ReportInput = { ...input, previous: input.current, series: [], codeName: String };
  return purposeOf(whole, orderSteps(input.current, input.stepName, input.plan));
}

interface OrderedStep {
  name: string;
  cell: Cell;
  /** Whether it may be skipped; undefined if the step is not declared. */
  optional?: boolean;
}

/** Declared steps as declared; then the others in the order in which sessions reach them on average. */
function orderSteps(sums: PeriodSums, stepName: (step: number) => string, plan?: Plan): OrderedStep[] {
  const declared = (plan?.steps ?? []).map(({ no, optional }) => ({
    name: stepName(no),
    cell: sums.steps.get(no) ?? emptyCell(),
    optional,
  }));
  const numbers = new Set(plan?.steps.map(({ no }) => no));
  const others = [...sums.steps]
    .filter(([step, cell]) => step !== wholeJourney && cell.sessions > 0 && !numbers.has(step))
    .map(([step, cell]) => ({ name: stepName(step), cell }))
    .sort((a, b) => meanOffset(a.cell) - meanOffset(b.cell) || compareText(a.name, b.name));
  return [...declared, ...others];
}

function meanOffset(cell: Cell): number {
  return cell.offsetSum / cell.sessions;
}

/** The shares of declared steps count sessions that reached them in order; those of others, all sessions that entered. */
function funnelOf(order: OrderedStep[], sessions: number): FunnelStep[] {
  let before: number | undefined;
  return order.map(({ name, cell, optional }) => {
    const there = optional === undefined ? cell.sessions : cell.reached;
    const line: FunnelStep = {
      step: name,
      entered: cell.sessions,
      completed: cell.completed,
      ...ratio('conversion', cell.completed, cell.sessions),
      ...(before === undefined ? {} : ratio('fromPrevious', there, before)),
      ...ratio('fromStart', there, sessions),
      ...(optional === undefined ? {} : { reached: cell.reached, optional }),
    };
    // A session that skips an optional step is not lost.
    if (!optional) before = there;
    return line;
  });
}

function stallsOf(order: OrderedStep[], norm: Histogram | undefined, goal: Goal): Stall[] {
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
      leftAfter: name === goal.name ? 0 : cell.ended,
    };
  });
  return stalls.sort(
    (a, b) => b.timeLostSeconds - a.timeLostSeconds || b.abandoned - a.abandoned || compareText(a.step, b.step),
  );
}

function errorsOf({ current, stepName, codeName }: ReportInput): ErrorLine[] {
  const lines = [...current.errors]
    .filter(([, cell]) => cell.occurrences > 0 || cell.sessions > 0)
    .map(([place, cell]) => {
      const { step, code } = ofErrorPlace(place);
      return {
        step: stepName(step),
        code: codeName(code),
        occurrences: cell.occurrences,
        sessions: cell.sessions,
        ...ratio('rate', cell.sessions, current.steps.get(step)?.sessions ?? 0),
        recoveredSessions: cell.recovered,
        ...(cell.firstMs === undefined ? {} : { firstSeenMs: cell.firstMs }),
        ...(cell.lastMs === undefined ? {} : { lastSeenMs: cell.lastMs }),
      };
    });
  lines.sort(
    (a, b) =>
      b.sessions - a.sessions ||
      b.occurrences - a.occurrences ||
      compareText(a.step, b.step) ||
      compareText(a.code, b.code),
  );
  return lines.slice(0, errorLinesMax);
}

/** What became of a period's sessions. */
export function totalsOf(sums: PeriodSums, goal: Goal): Totals {
  const whole = sums.steps.get(wholeJourney) ?? emptyCell();
  let abandoned = 0;
  let active = 0;
  for (const [step, cell] of sums.steps) if (step !== wholeJourney) abandoned += cell.abandoned;
  for (const [step, { stopped, ended }] of sums.latest) active += stopped + (step === goal.step ? 0 : ended);
  const atGoal = goal.step === undefined ? 0 : (sums.steps.get(goal.step)?.completed ?? 0);
  const completed = goal.asDeclared ? whole.reached : atGoal;
  const duration = percentilesOf(whole.dwell);
  return {
    sessions: whole.sessions,
    active,
    completed,
    ...ratio('conversion', completed, whole.sessions),
    abandoned,
    ...ratio('abandonmentRate', abandoned, whole.sessions),
    erroredSessions: whole.errored,
    ...ratio('errorRate', whole.errored, whole.sessions),
    ...(duration ? { duration } : {}),
  };
}

/** The times at all steps of the journey combined. */
function normOf(sums: PeriodSums): Histogram | undefined {
  const all: Histogram = new Map();
  for (const [step, cell] of sums.steps) if (step !== wholeJourney) mergeInto(all, cell.dwell);
  return all.size === 0 ? undefined : all;
}

function percentilesOf(histogram: Histogram): Percentiles | undefined {
  const found = quantilesOf(histogram, percentiles);
  if (!found) return undefined;
  const [p50 = 0, p90 = 0, p99 = 0] = found;
  return { p50Seconds: secondsOf(p50), p90Seconds: secondsOf(p90), p99Seconds: secondsOf(p99) };
}

/** A named share; nothing if the whole is zero. */
function ratio<Name extends string>(name: Name, part: number, whole: number): { [key in Name]?: number } {
  return (whole > 0 ? { [name]: part / whole } : {}) as { [key in Name]?: number };
}

/** By code units, so the order is the same on every machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Four digits: a histogram knows times to 2 %, and more digits only look exact. */
function secondsOf(ms: number): number {
  return Number((ms / 1_000).toPrecision(4));
}
