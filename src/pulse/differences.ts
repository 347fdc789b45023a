import { type Result, succeed } from '../base/failure.ts';
import type { Database } from '../db/index.ts';
import { ofErrorPlace, wholeJourney } from './cell.ts';
import { otherCode } from './names.ts';
import type { PeriodSums } from './period-sums.ts';
import {
  numbersOf,
  type OpenJourney,
  openJourney,
  type Period,
  type PeriodRequest,
  periodOf,
  sumPeriod,
  sumValues,
} from './read-period.ts';
import { namingOf } from './read-report.ts';
import { type Goal, goalOfSums, totalsOf } from './report.ts';
import { hourMs } from './rollup.ts';
import { newcombe, normalQuantile, type Share } from './statistics.ts';

/** What counts as lost: sessions that stopped at an open step, that did not complete the goal, or that met an error. */
export type Loss = 'abandoned' | 'not_converted' | 'errored';

export interface DifferencesRequest extends PeriodRequest {
  accountId: string;
  journey: string;
  /** Default `abandoned`. */
  loss?: Loss;
  goal?: string;
}

/** A segment that loses more than the other sessions do, beyond chance. */
export interface Difference {
  property: string;
  value: string;
  /** Sessions examined, and how many of them were lost. */
  sessions: number;
  lost: number;
  rate: number;
  /** lost / sessions over all other sessions. */
  rateOfOthers: number;
  /** Lost sessions beyond the number expected at the others' rate. */
  excess: number;
  /** excess / all lost sessions, and its lower confidence bound, which ranks the list. */
  explained: number;
  explainedAtLeast: number;
  /** The step at which most of the excess is lost. */
  step?: { step: string; excess: number; rate: number; rateOfOthers: number };
  /** The error code that the segment's sessions meet most in excess of the others' rate. */
  error?: { step: string; code: string; sessions: number; excess: number; rate: number; rateOfOthers: number };
}

export interface Differences {
  fromMs: number;
  toMs: number;
  loss: Loss;
  sessions: number;
  lost: number;
  /** Segments examined, and those skipped because they or the remaining sessions are too few. */
  tested: number;
  tooSmall: number;
  differences: Difference[];
}

/** Smaller segments support no conclusion. */
const sessionsLeast = 30;
const differencesMax = 50;
const errorLevel = 0.05;

/**
 * Ranks the segments of all declared properties by how much of a journey's loss they explain.
 *
 * The measure is the segment's attributable share: the sessions it lost beyond those expected at the rate of all other
 * sessions, as a share of all lost sessions (the population attributable fraction; Levin, 1953). The ranking uses its lower
 * bound, from Newcombe's interval for the difference of the two rates. The 5% level is shared among all segments examined
 * (Bonferroni), so that no tiny segment among hundreds stands out by chance.
 */
export async function findDifferences(
  db: Database,
  request: DifferencesRequest,
  nowMs: number,
): Promise<Result<Differences>> {
  const period = periodOf(request, nowMs);
  if (!period.ok) return period;
  return db.snapshot(async (tx): Promise<Result<Differences>> => {
    const found = await openJourney(tx, request, nowMs);
    if (!found.ok) return found;
    const open = found.value;
    const loss = request.loss ?? 'abandoned';
    const whole = await sumPeriod(open, period.value);
    const { stepName, ...naming } = namingOf(open, request.goal);
    const goal = goalOfSums({ ...naming, stepName, current: whole });
    const codeName = (code: number) => open.journey.codeNames.get(code) ?? otherCode;
    const looked = await lookAtAll(open, period.value, { whole, loss, goal, stepName, codeName });
    const total = lossOf(whole, loss, goal);
    return succeed({
      ...{ fromMs: period.value.from * hourMs, toMs: period.value.to * hourMs },
      ...{ loss, sessions: total.whole, lost: total.part, ...rank(looked, total) },
    });
  });
}

interface LookingInput {
  whole: PeriodSums;
  loss: Loss;
  goal: Goal;
  stepName: (step: number) => string;
  codeName: (code: number) => string;
}

/** A segment that may stand out, and where it loses the most. */
interface Candidate extends Pick<Difference, 'property' | 'value' | 'step' | 'error'> {
  own: Share;
}

interface Looked {
  candidates: Candidate[];
  tested: number;
  tooSmall: number;
}

/** Keeps the sums of only one property's values at a time: each value may have its own entry for every error. */
async function lookAtAll(open: OpenJourney, period: Period, input: LookingInput): Promise<Looked> {
  const all = lossOf(input.whole, input.loss, input.goal);
  const looked: Looked = { candidates: [], tested: 0, tooSmall: 0 };
  for (const property of open.settings.properties.filter(({ active }) => active)) {
    for (const { value, sums } of await sumValues(open, period, property, input.whole)) {
      const own = lossOf(sums, input.loss, input.goal);
      const isLarge = own.whole >= sessionsLeast && all.whole - own.whole >= sessionsLeast;
      if (isLarge) looked.tested++;
      else looked.tooSmall++;
      // A segment that does not stand out alone does not stand out among many either.
      if (!isLarge || newcombe(own, minus(all, own), levelOf(1)).low <= 0) continue;
      await open.pace(numbersOf(sums));
      const worst = { ...worstStep(sums, input), ...worstError(sums, input) };
      looked.candidates.push({ property: property.name, value, own, ...worst });
    }
  }
  return looked;
}

/** One-sided: only segments that lose more are of interest. */
function levelOf(tests: number): number {
  return tests === 0 ? 0 : -normalQuantile(errorLevel / tests);
}

function rank(
  { candidates, tested, tooSmall }: Looked,
  all: Share,
): Pick<Differences, 'tested' | 'tooSmall' | 'differences'> {
  const z = levelOf(tested);
  const differences: Difference[] = [];
  for (const { own, ...candidate } of candidates) {
    const others = minus(all, own);
    const { low } = newcombe(own, others, z);
    if (low <= 0 || all.part === 0) continue;
    const excess = excessOf(own, others);
    differences.push({
      ...candidate,
      ...{ sessions: own.whole, lost: own.part, rate: rateOf(own), rateOfOthers: rateOf(others), excess },
      ...{ explained: excess / all.part, explainedAtLeast: (low * own.whole) / all.part },
    });
  }
  differences.sort(
    (a, b) =>
      b.explainedAtLeast - a.explainedAtLeast || compareText(a.property, b.property) || compareText(a.value, b.value),
  );
  return { tested, tooSmall, differences: differences.slice(0, differencesMax) };
}

/** The lost sessions among those that can be judged: an active one is not abandoned yet. */
function lossOf(sums: PeriodSums, loss: Loss, goal: Goal): Share {
  const totals = totalsOf(sums, goal);
  if (loss === 'errored') return { part: totals.erroredSessions, whole: totals.sessions };
  if (loss === 'not_converted') return { part: totals.sessions - totals.completed, whole: totals.sessions };
  return { part: totals.abandoned, whole: totals.sessions - totals.active };
}

function worstStep(own: PeriodSums, input: LookingInput): Pick<Difference, 'step'> {
  let worst: Difference['step'];
  for (const step of own.steps.keys()) {
    if (step === wholeJourney) continue;
    const mine = lossAt(own, step, input);
    const theirs = minus(lossAt(input.whole, step, input), mine);
    const excess = excessOf(mine, theirs);
    if (excess > (worst?.excess ?? 0))
      worst = { step: input.stepName(step), excess, rate: rateOf(mine), rateOfOthers: rateOf(theirs) };
  }
  return worst ? { step: worst } : {};
}

/** The sessions that were lost at a step, among those that entered it. */
function lossAt(sums: PeriodSums, step: number, { loss, goal }: LookingInput): Share {
  const cell = sums.steps.get(step);
  if (!cell) return { part: 0, whole: 0 };
  if (loss === 'errored') return { part: cell.errored, whole: cell.sessions };
  const open = sums.latest.get(step)?.stopped ?? 0;
  const left = loss === 'not_converted' && step !== goal.step ? cell.ended : 0;
  return { part: cell.abandoned + left, whole: cell.sessions - open };
}

function worstError(own: PeriodSums, input: LookingInput): Pick<Difference, 'error'> {
  const { steps, errors } = input.whole;
  let worst: Difference['error'];
  for (const [place, cell] of own.errors) {
    const { step, code } = ofErrorPlace(place);
    const mine = { part: cell.sessions, whole: own.steps.get(step)?.sessions ?? 0 };
    const all = { part: errors.get(place)?.sessions ?? 0, whole: steps.get(step)?.sessions ?? 0 };
    const theirs = minus(all, mine);
    const excess = excessOf(mine, theirs);
    if (excess <= (worst?.excess ?? 0) || newcombe(mine, theirs).low <= 0) continue;
    worst = {
      ...{ step: input.stepName(step), code: input.codeName(code), sessions: cell.sessions, excess },
      ...{ rate: rateOf(mine), rateOfOthers: rateOf(theirs) },
    };
  }
  return worst ? { error: worst } : {};
}

function minus(all: Share, own: Share): Share {
  return { part: all.part - own.part, whole: all.whole - own.whole };
}

function excessOf(own: Share, others: Share): number {
  return own.part - own.whole * rateOf(others);
}

function rateOf({ part, whole }: Share): number {
  return whole > 0 ? part / whole : 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
